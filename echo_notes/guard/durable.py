"""Durable statements: which sentences of a note or a message are worth keeping as facts, and about whom.

Marked lines (a category tag, an inline field, a link or @name as the subject) are taken at the writer's word; an
unmarked sentence must be about a known entity or the writer, and say something that the rules know to last.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from echo_notes.guard.categories import match_category
from echo_notes.guard.keys import KeyValue, category_of, derive_key, inline_field
from echo_notes.guard.keyvalues import close_up
from echo_notes.guard.lexicon import load_lexicon
from echo_notes.guard.mentions import RELATIONS, RELATIONS_ZH, Mention, subject_of
from echo_notes.guard.phrases import is_unspaced, split_words
from echo_notes.guard.sentences import Line, iter_lines, iter_sentences
from echo_notes.guard.subjects import spell_out
from echo_notes.guard.transient import is_transient
from echo_notes.guard.values import plain_statement
from echo_notes.model.fact import DEFAULT_CATEGORIES, ENVIRONMENT, USER
from echo_notes.model.names import fold, fold_name

_PASSING = frozenset(
    [
        "this",
        "that",
        "these",
        "those",
        "your",
        "his",
        "her",
        "their",
        "it",
        "them",
        "you",
        "when",
        "how",
        "having",
        "being",
        "seeing",
        "what",
        "all",
    ]
)
_PASSING_VERBS = frozenset(
    [
        "answered",
        "replied",
        "called",
        "said",
        "asked",
        "texted",
        "emailed",
        "wrote",
        "told",
        "came",
        "visited",
        "seemed",
        "looked",
        "sent",
        "showed",
        "says",
        "thinks",
        "will",
        "just",
        "again",
        "and",
    ]
)
_LONGEST = 600
_SHORTEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence worth keeping. `source` is its text as it stands, at `start` in the note; `text` has no markup.

    `subject` is the name of the entity it is about as written, "" for the owner; `found` what the known name stands for
    (None for the owner and for a link to nothing known). `others` are the known names it mentions besides.
    """

    text: str
    source: str
    start: int
    line: int
    subject: str
    category: str
    owner: bool = False
    marked: bool = False
    type: str = ENVIRONMENT
    key: str = ""
    value: str = ""
    tags: tuple[str, ...] = ()
    found: object = None
    others: tuple[object, ...] = ()


def durable_statements(
    text: str,
    known_names: Mapping[str, object] | Iterable[str],
    *,
    categories: Sequence[str] = DEFAULT_CATEGORIES,
) -> list[Statement]:
    """Return the durable statements of a daily note, an entry or a session message, in the order of the text.

    `known_names` maps folded names (`fold_name`) to whatever they stand for; plain names stand for themselves.
    """
    names = known_names if isinstance(known_names, Mapping) else {fold_name(name): name for name in known_names}
    statements: list[Statement] = []
    for line in iter_lines(text):
        statements.extend(_of_line(line, names, categories))
    return statements


def _of_line(line: Line, names: Mapping[str, object], categories: Sequence[str]) -> Iterator[Statement]:
    if len(line.text) > _LONGEST * 4:
        return
    tagged = _category_of_tags(line.tags, categories)
    if tagged:
        statement = _marked(line.text, line, names, tagged, tagged=True)
        if statement:
            yield statement
        return
    for start, sentence in iter_sentences(line.text):
        if len(sentence) > _LONGEST:
            continue
        part = replace(line, start=line.start + start)
        statement = _of_sentence(sentence, part, names)
        if statement:
            yield statement


def _of_sentence(sentence: str, line: Line, names: Mapping[str, object]) -> Statement | None:
    if "::" in sentence:
        return _field(sentence, line, names)
    if is_marked_by_link(sentence):
        statement = _marked(sentence, line, names, "", tagged=False)
        if statement:
            return statement
    return _unmarked(sentence, line, names)


def _category_of_tags(tags: Sequence[str], categories: Sequence[str]) -> str:
    known = load_lexicon("durable")["category_tags"]
    for tag in tags:
        name = known.get(fold(tag), fold(tag))
        if name in categories:
            return str(name)
    return ""


def is_marked_by_link(sentence: str) -> bool:
    """Return whether a sentence begins with a wikilink or an @name."""
    head = sentence.lstrip(" *_-")
    return head.startswith("[[") or (head.startswith("@") and len(head) > 1 and (head[1].isalnum()))


def _field(sentence: str, line: Line, names: Mapping[str, object]) -> Statement | None:
    """Read `[[Ada]] employer:: Acme`; a field of nobody (`mood:: good`) is none."""
    mentions = subject_of(sentence.partition("::")[0], names)
    first = mentions[0] if mentions else None
    link = _leading_link(sentence)
    known = [sentence[first.start : first.end]] if first and not first.owner else []
    found = inline_field(sentence, [*known, link] if link else known)
    if found is None or (first is None and not link):
        return None
    if fold(found.key.replace("-", " ")) in load_lexicon("durable")["fields_ignored"]:
        return None
    return _statement(sentence, line, first, link, mentions, category=category_of(found, ""), found=found, marked=True)


def _marked(sentence: str, line: Line, names: Mapping[str, object], category: str, *, tagged: bool) -> Statement | None:
    if "::" in sentence and (field := _field(sentence, line, names)):
        return replace(field, category=category or field.category)
    plain = spell_out(close_up(plain_statement(sentence)))
    if len(plain) < _SHORTEST - 2 * is_unspaced(plain):
        return None
    if not tagged and (is_blocked(plain) or "?" in sentence or "？" in sentence):
        return None
    mentions = subject_of(sentence, names)
    first = mentions[0] if mentions else None
    link = _leading_link(sentence)
    if first is not None and first.owner and link and not sentence.strip().lower().startswith(("i ", "my ", "我")):
        first = None
    if first is None and not link and not tagged:
        return None
    subject = link or (_name(sentence, first) if first and not first.owner else "")
    found = derive_key(sentence, [subject or "I"])
    said = match_category(_after_subject(plain, subject))
    if not tagged and not (said or found or _says_something(plain, subject)):
        return None
    category = category or category_of(found, said or "")
    return _statement(sentence, line, first, link, mentions, category=category, found=found, marked=True)


def _says_something(plain: str, subject: str) -> bool:
    """Return whether a linked line says more of its subject than that it came up today."""
    rest = _after_subject(plain, subject).strip(" ,:，：")
    words = split_words(rest)
    if len(rest) < _SHORTEST - 2 * is_unspaced(rest) or rest == plain:
        return False
    if words and (words[0].bare in _PASSING_VERBS or any(word.bare in {"today", "tonight", "now"} for word in words)):
        return False
    return not any(part in rest for part in ("今天", "来过", "说", "问了", "打来", "发来", "来找", "刚"))


def _unmarked(sentence: str, line: Line, names: Mapping[str, object]) -> Statement | None:
    plain = spell_out(close_up(plain_statement(_without_openers(sentence))))
    if len(plain) < _SHORTEST - 1 or line.quoted or is_blocked(plain) or "?" in sentence or "？" in sentence:
        return None
    mentions = subject_of(sentence, names)
    if not mentions or (line.speaker and mentions[0].owner):
        return None
    first = mentions[0]
    subject = "" if first.owner else _name(sentence, first)
    rest = _after_subject(plain, subject)
    found = derive_key(plain, [subject or "I"])
    said = match_category(rest) if first.owner or not first.possessive else None
    if rest == plain or not (found or said) or _is_passing(found, plain, rest):
        return None
    category = category_of(found, said or "")
    if category not in {"milestone", "relationship"} and _only_now(plain):
        return None
    return _statement(sentence, line, first, "", mentions, category=category, found=found, marked=False)


def _is_passing(found: KeyValue | None, plain: str, predicate: str) -> bool:
    """Return whether a key holds task state, or likes what only the talk is about (`the idea`, `this song`)."""
    if found is None:
        return False
    if not found.key.startswith(("preference:", "stack")):
        return is_transient(plain, found.key)
    words = split_words(predicate)
    article = next((index for index, word in enumerate(words[:4]) if word.bare == "the"), -1)
    if 0 <= article < len(words) - 1 and words[article + 1].raw[:1].islower():
        return True
    return found.key.partition(":")[2].split(" ")[0] in _PASSING


def is_blocked(plain: str) -> bool:
    """Return whether a sentence is a hedge, a plan, hearsay or of the moment."""
    data = load_lexicon("durable")
    spaced = f" {' '.join(word.bare for word in split_words(plain))} ".replace(" would rather ", " prefers ")
    if any(f" {phrase} " in spaced for phrase in data["blocked"]) or spaced.startswith(
        (" let's ", " will ", " let ", " re ")
    ):
        return True
    words = spaced.split()
    if "you" in words or "your" in words or "you're" in words or "你" in plain or "您" in plain:
        return True
    if "will" in words[1:4] or "i'll" in words or "'ll" in spaced:
        return True
    return is_unspaced(plain) and any(part in plain for part in data["blocked_zh"])


def _only_now(plain: str) -> bool:
    data = load_lexicon("durable")
    spaced = f" {' '.join(word.bare for word in split_words(plain))} "
    return " today " in spaced or " this week " in spaced or any(part in plain for part in data["today_words_zh"][:1])


def _without_openers(sentence: str) -> str:
    data = load_lexicon("durable")
    text = plain_statement(sentence)
    words = text.split(" ")
    while len(words) > 1 and fold(words[0]).strip(",:!.") in data["openers"]:
        words = words[1:]
    text = " ".join(words)
    for opener in data["openers_zh"]:
        text = text.removeprefix(opener).lstrip("，,：: ")
    return text


def _after_subject(plain: str, subject: str) -> str:
    """Return what a plain sentence says after its subject at the start; the whole sentence if that is not there."""
    from echo_notes.guard.subjects import OWNER_HAN, cut_prefix

    text = _without_openers(plain)
    introduced = fold(text).removeprefix("the ").removeprefix("my ").removeprefix("our ")
    for start in (text, text[len(text) - len(introduced) :]):
        rest = cut_prefix(start, plain_statement(subject)) if subject else None
        if rest is not None:
            for word in ("项目", "公司", "产品", "团队", " project ", " team "):
                rest = rest.removeprefix(word)
            return _after_conjunct(rest.lstrip(" :："))
    if subject:
        position = fold(text).find(fold(plain_statement(subject)))
        relation = fold(text[:position]) if 0 < position <= 24 else ""  # noqa: PLR2004  # my best friend Ada
        if relation.startswith(("my ", "our ", "我")) and " is " not in relation and "是" not in relation:
            return text[position + len(plain_statement(subject)) :].strip()
        return plain
    first, _, rest = text.partition(" ")
    if fold(first) in {"i", "my", "i've", "i'm"} and rest:
        return _after_relation(rest) if fold(first) == "my" else rest
    for word in OWNER_HAN:
        if text.startswith(word):
            return _after_relation(text[len(word) :].strip())
    return plain


def _after_relation(rest: str) -> str:
    """Return what is said of someone of the owner's: of `daughter Mia started school` the last two words."""
    for relation in RELATIONS_ZH:
        if rest.removeprefix("的").startswith(relation):
            return rest.removeprefix("的")[len(relation) :]
    words = rest.split(" ")
    if words[0].lower() not in RELATIONS:
        return rest
    named = 2 if len(words) > 2 and words[1][:1].isupper() else 1  # noqa: PLR2004  # the name after the relation
    return " ".join(words[named:])


def _after_conjunct(rest: str) -> str:
    """Return the predicate of `Ada and Bob are married`, with the second name cut away."""
    text = rest.strip()
    if not text.startswith(("and ", "& ")):
        return text
    words = text.split(" ")[1:]
    while len(words) > 1 and words[0][:1].isupper():
        words = words[1:]
    return " ".join(words)


def _leading_link(sentence: str) -> str:
    """Return the name in the wikilink or @name that a sentence begins with, "" if it begins with neither."""
    head = sentence.lstrip(" *_-")
    if head.startswith("[["):
        end = head.find("]]")
        return plain_statement(head[: end + 2]) if end > 0 else ""
    if head.startswith("@"):
        name = head[1:].split()[0] if head[1:].split() else ""
        return name.strip(".,;:，。；：!?")
    return ""


def _name(sentence: str, mention: Mention[object]) -> str:
    return sentence[mention.start : mention.end]


def _statement(
    sentence: str,
    line: Line,
    first: Mention[object] | None,
    link: str,
    mentions: Sequence[Mention[object]],
    *,
    category: str,
    found: KeyValue | None,
    marked: bool,
) -> Statement:
    owner = (first is None and not link) or (first is not None and first.owner)
    subject = "" if owner else (_name(sentence, first) if first else link)
    if link and first and first.start > len(link) + 4:
        subject, first = link, None
    start = len(sentence) - len(sentence.lstrip())
    return Statement(
        text=plain_statement(sentence),
        source=sentence.strip(),
        start=line.start + start,
        line=line.number,
        subject=subject,
        category=category,
        owner=owner,
        marked=marked,
        type=USER if owner else ENVIRONMENT,
        key=found.key if found else "",
        value=found.value if found else "",
        tags=line.tags,
        found=first.found if first else None,
        others=tuple(dict.fromkeys(m.found for m in mentions if m is not first and m.found is not None)),
    )
