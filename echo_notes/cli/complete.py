"""What may follow the words typed so far: verbs, options, entities, fact ids; a pure function behind `_complete`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from echo_notes.model.entity import Entity
from echo_notes.model.fact import DEFAULT_CATEGORIES, STATUSES
from echo_notes.model.names import fold
from echo_notes.model.passage import LAYERS
from echo_notes.model.settings import iter_settings

LIMIT = 1000
"""The most candidates of one call: more than a person reads, few enough for a shell's loop."""

# What a verb's plain arguments are, in order, the last one repeating: e entity, f fact, d day, k kind, s setting,
# t text (where entity names are offered once a letter is typed), - nothing we know.
_ARGUMENTS = {
    "remember": "t",
    "observe": "t",
    "note": "t",
    "learn": "t",
    "recall": "t",
    "open": "ed-",
    "show": "efd-",
    "history": "ef-",
    "timeline": "e-",
    "graph": "e-",
    "synthesize": "e",
    "adopt": "ef",
    "ls": "k-",
    "supersede": "f t",
    "correct": "f t",
    "pin": "f",
    "unpin": "f",
    "archive": "f",
    "restore": "f",
    "erase": "f",
    "extract": "d",
    "entity new": "k",
    "entity rename": "e t",
    "entity alias": "e t",
    "entity merge": "e",
    "entity link": "e",
    "review show": "f-",
    "review approve": "f-",
    "review edit": "f t",
    "review reject": "f-",
    "review defer": "f-",
    "config get": "s-",
    "config set": "s -",
    "shell-init": "h-",
}
_VALUES = {
    "--about": "e",
    "--entity": "e",
    "--kind": "k",
    "--date": "d",
    "--since": "d",
    "--until": "d",
    "--as-of": "d",
    "--keep": "f",
}
_CHOICES = {
    "--category": DEFAULT_CATEGORIES,
    "--status": (*STATUSES, "all"),
    "--layer": LAYERS,
    "--tier": ("semantic", "episodic", "archival"),
    "--mode": ("fused", "lexical", "dense"),
    "--type": ("user", "environment"),
    "--role": ("user", "assistant"),
    "--format": ("mermaid", "dot", "json", "html"),
}
_FLAGS = frozenset(
    """--pin --reassert --allow-flagged --strip-invisible --no-rerank --no-decay --no-touch --explain --for-prompt
    --json --ndjson --quiet -q --verbose -v --debug --version --help --no-input --yes -y --dry-run -n --weekly --fix
    --hold --all --no-llm --purge --in-vault --refused --stats""".split()  # noqa: SIM905  # forty lines of one word each hide the table
)
_DAYS = ("today", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHELLS = ("bash", "zsh", "fish")


def candidates(
    words: Sequence[str],
    *,
    verbs: Mapping[str, Sequence[str]],
    entities: Iterable[Entity],
    fact_ids: Iterable[str],
) -> list[str]:
    """Return what the last of `words` can become; `words` are those after the program, the last may be "".

    `verbs` maps each verb (a command of a group as `entity new`) to its options. `entities` and `fact_ids` are read
    only where the position asks for them, so that a lazy iterable costs nothing elsewhere. An entity is found by any of
    its names, ignoring case and accents, one candidate each; names that are ambiguous, start with a hyphen or hold
    control characters give way to `kind/slug`. At most LIMIT, without duplicates.
    """
    typed = list(words) or [""]
    option, current, lead = _option_before(typed)
    verb, position, literal = _place(typed[:-1], verbs)
    if option and not literal:
        found = _value(option, current, entities, fact_ids)
    elif current.startswith("-") and not literal:
        offered = verbs.get(verb, ()) if verb else ("--vault", "--scope", "--help", "--version")
        found = [name for name in offered if name.startswith(current)]
    elif position < 0:
        head = f"{verb} " if verb else ""
        tails = (name[len(head) :].split(" ")[0] for name in verbs if name.startswith(head))
        found = [tail for tail in tails if tail.startswith(current) and not tail.startswith("_")]
    else:
        found = _argument(_wanted(verb, position), current, entities, fact_ids)
    unique = dict.fromkeys(lead + text for text in found if not _is_unsafe(text))
    return list(unique)[:LIMIT]


def _option_before(typed: list[str]) -> tuple[str, str, str]:
    """Return the option whose value is being typed (or ""), what is typed of it, and what every candidate starts with.

    bash hands over `--about=x` as three words, zsh and fish as one.
    """
    current = typed[-1]
    if current == "=" and len(typed) > 1:
        return typed[-2], "", ""
    before = typed[-2] if len(typed) > 1 else ""
    if before == "=" and len(typed) > 2:  # noqa: PLR2004  # an option, the sign, the value
        return typed[-3], current, ""
    if current.startswith("--") and "=" in current:
        option, _, value = current.partition("=")
        return option, value, f"{option}="
    return (before if _takes_value(before) else ""), current, ""


def _takes_value(word: str) -> bool:
    return word.startswith("-") and word not in _FLAGS and word not in {"-", "--"} and "=" not in word


def _place(before: list[str], verbs: Mapping[str, Sequence[str]]) -> tuple[str, int, bool]:
    """Return the verb, how many of its plain arguments are there (-1: a verb is still due), whether `--` was typed."""
    verb, position, literal, skip = "", -1, False, False
    for word in before:
        if skip or word == "=":
            skip = word == "="
        elif word == "--" and not literal:
            literal = True
        elif word.startswith("-") and len(word) > 1 and not literal:
            skip = _takes_value(word)
        elif position >= 0:
            position += 1
        else:
            verb = f"{verb} {word}".strip()
            position = -1 if any(name.startswith(f"{verb} ") for name in verbs) else 0
    return verb, position, literal


def _wanted(verb: str, position: int) -> str:
    """Return the letters of what may stand at a position."""
    spec = _ARGUMENTS.get(verb, "-")
    if " " in spec:
        first, rest = spec.split(" ")
        return rest if position else first
    if spec.endswith("-"):
        return "-" if position else spec[:-1]
    return spec


def _value(option: str, current: str, entities: Iterable[Entity], fact_ids: Iterable[str]) -> list[str]:
    if option in _CHOICES:
        return [choice for choice in _CHOICES[option] if choice.startswith(current)]
    return _argument(_VALUES.get(option, "-"), current, entities, fact_ids)


def _argument(wanted: str, current: str, entities: Iterable[Entity], fact_ids: Iterable[str]) -> list[str]:
    found: list[str] = []
    if "e" in wanted or ("t" in wanted and current):
        found += _entities(current, entities)
    if "f" in wanted and not found:  # `show ada` means the person until `ada-` asks for a fact
        folded = fold(current)
        found += sorted(fact_id for fact_id in fact_ids if fold(fact_id).startswith(folded))
    if "k" in wanted:
        found += sorted({entity.ref.kind for entity in entities if entity.ref.kind.startswith(current)})
    if "d" in wanted and current:
        found += [day for day in _DAYS if day.startswith(current)]
    if "s" in wanted:
        found += [info.name for info in iter_settings() if info.name.startswith(current)]
    if "h" in wanted:
        found += [shell for shell in _SHELLS if shell.startswith(current)]
    return found


def _entities(current: str, entities: Iterable[Entity]) -> list[str]:
    """Return one candidate an entity: the first of its spellings that starts as typed, letter for letter if any does.

    A shell may drop what does not start so (fish does), therefore `zoe` gives the slug before it gives `Zoë`.
    """
    known = list(entities)
    shared = Counter(name for entity in known for name in {fold(name) for name in entity.names()})
    literal, folded = current.lower(), fold(current)
    found = []
    for entity in known:
        ref = str(entity.ref)
        spellings = [name for name in entity.names() if fold(name).startswith(folded)]
        match = next((name for name in spellings if name.lower().startswith(literal)), next(iter(spellings), ""))
        if match and (shared[fold(match)] > 1 or match.startswith("-") or _is_unsafe(match)):
            match = ref
        if match or ref.startswith(literal):
            found.append(match or ref)
    return sorted(found, key=fold)


def _is_unsafe(text: str) -> bool:
    """Whether a candidate would act on a terminal or break the one-a-line form: control and bidi characters."""
    return any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029\u202a\u202b\u202c\u202d\u202e" for c in text)  # noqa: PLR2004  # the C0 and C1 blocks
