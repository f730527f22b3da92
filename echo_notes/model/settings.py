"""Every setting: its dotted name, default, bounds, meaning and who may set it, defined once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from echo_notes.model.entity import DEFAULT_KINDS
from echo_notes.model.errors import UsageError
from echo_notes.model.fact import DEFAULT_CATEGORIES

FORMAT = 1


def _setting(
    name: str,
    default: Any,
    doc: str,
    *,
    own: bool = False,
    bounds: tuple[float, float] | None = None,
    choices: tuple[str, ...] = (),
    strictest: Any = None,
) -> Any:
    """Return a dataclass field that carries what `config`, the template and the reader need to know."""
    meta = {"name": name, "doc": doc, "own": own, "bounds": bounds, "choices": choices, "strictest": strictest}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=meta)
    return field(default=default, metadata=meta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force. `own` ones are read only from the person's own config, never from a vault."""

    format: int = _setting("format", FORMAT, "version of the vault format", bounds=(1, FORMAT))
    owner: str = _setting("owner", "people/me", "the entity that “I …” is about")
    kinds: tuple[str, ...] = _setting("kinds", DEFAULT_KINDS, "folders under life/areas/")
    categories: tuple[str, ...] = _setting("categories", DEFAULT_CATEGORIES, "what a fact can be")
    daily_heading: str = _setting("daily.heading", "", "heading under which `note` appends; empty: the end of the file")

    importance_decay_days: float = _setting(
        "memory.importanceDecayDays", 30.0, "half-life of an unused fact, in days", bounds=(1, 36500)
    )
    archive_below: float = _setting(
        "memory.archiveBelow", 0.05, "decay archives below this effective importance", bounds=(0, 1)
    )
    forget_below: float = _setting(
        "memory.forgetBelow", 0.01, "gc may move facts below this effective importance", bounds=(0, 1)
    )
    archive_user_stated: bool = _setting(
        "memory.archiveUserStated", default=False, doc="whether decay may archive what the person stated"
    )
    idle_minutes: float = _setting("memory.idleMinutes", 30.0, "a session is idle after this", bounds=(1, 100000))
    rerank_enabled: bool = _setting("memory.rerankEnabled", default=True, doc="use a cross-encoder if one is installed")
    rerank_model: str = _setting("memory.rerankModel", "", "fastembed cross-encoder by name", own=True)
    rerank_top_k: int = _setting("memory.rerankTopK", 10, "how many results it may reorder", bounds=(1, 200))
    rerank_timeout_seconds: float = _setting(
        "memory.rerankTimeoutSeconds", 5.0, "budget of one reranking", bounds=(0, 600)
    )
    rerank_load_timeout_seconds: float = _setting(
        "memory.rerankLoadTimeoutSeconds", 20.0, "budget of loading its model", bounds=(0, 600)
    )
    rerank_min_score: float = _setting(
        "memory.rerankMinScore", 0.0, "above 0: drop what scores lower", bounds=(-1000, 1000)
    )

    recall_fusion: str = _setting(
        "recall.fusion", "auto", "how the two rankings are joined", choices=("auto", "zsum", "convex", "rrf")
    )
    forgetting_weight: float = _setting(
        "recall.forgettingWeight", 0.2, "how much age moves the order; 1 is the plain product", bounds=(0, 1)
    )
    recall_limit: int = _setting("recall.limit", 10, "results of one recall", bounds=(1, 1000))
    embedder: str = _setting("recall.embedder", "builtin", "builtin, none, a fastembed model, or a URL", own=True)
    embedder_url: str = _setting("recall.embedderUrl", "", "OpenAI-compatible embeddings endpoint", own=True)
    embedder_key_env: str = _setting("recall.embedderKeyEnv", "", "variable that holds the key for it", own=True)

    joiners: str = _setting(
        "scan.joiners",
        "unicode",
        "zero-width joiners: where Unicode allows them, or strict (never)",
        choices=("unicode", "strict"),
        strictest="strict",
    )
    scan_rules: tuple[str, ...] = _setting("scan.rules", (), "files with scan rules of your own", own=True)
    commit_refusals: bool = _setting(
        "audit.commitRefusals", default=False, doc="commit a refusal at once, alone", strictest=True
    )
    agent_variables: tuple[str, ...] = _setting(
        "agents.variables",
        (
            "CLAUDECODE",
            "CODEX_SANDBOX",
            "CURSOR_AGENT",
            "GEMINI_CLI",
            "AIDER_MODEL",
            "OPENCODE",
            "GOOSE_TERMINAL",
            "CLINE_ACTIVE",
            "AUGMENT_AGENT",
            "AMP_CURRENT_THREAD_ID",
            "AI_AGENT",
        ),
        "environment variables that mark a coding agent's shell; they can only lower a rank",
        own=True,
    )

    supersede_share: float = _setting(
        "passes.supersedeShare", 0.3, "a pass asks before retiring more than this share of an entity", bounds=(0, 1)
    )
    context_user: int = _setting("context.userFacts", 12, "USER facts in the context block", bounds=(0, 1000))
    context_environment: int = _setting(
        "context.environmentFacts", 8, "ENVIRONMENT facts in the context block", bounds=(0, 1000)
    )
    context_budget: int = _setting("context.budget", 8000, "characters of the context block", bounds=(200, 10**7))
    memory_budget: int = _setting(
        "context.memoryBudget", 4000, "characters MEMORY.md should stay within", bounds=(200, 10**7)
    )

    llm_command: str = _setting("llm.command", "", "a program that answers a prompt on its input", own=True)
    llm_url: str = _setting("llm.url", "", "OpenAI-compatible chat endpoint", own=True)
    llm_model: str = _setting("llm.model", "", "model name for it", own=True)
    llm_key_env: str = _setting("llm.keyEnv", "", "variable that holds the key for it", own=True)
    llm_timeout_seconds: float = _setting("llm.timeoutSeconds", 60.0, "budget of one call", own=True, bounds=(1, 3600))
    llm_calls: int = _setting("llm.calls", 40, "calls in one run", own=True, bounds=(0, 10000))

    vault: str = _setting("vault", "", "the vault used when none is named and none is above this folder", own=True)


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """What is known of one setting: attribute, dotted name, default, meaning, and limits."""

    attribute: str
    name: str
    default: Any
    doc: str
    own: bool
    bounds: tuple[float, float] | None
    choices: tuple[str, ...]
    strictest: Any


def iter_settings() -> Iterable[SettingInfo]:
    """Yield every setting in the order of the template."""
    for item in fields(Settings):
        yield SettingInfo(attribute=item.name, default=item.default, **item.metadata)


def get_setting(name: str) -> SettingInfo:
    """Return what is known of a dotted name; UsageError with the nearest names if there is no such setting."""
    table = {info.name: info for info in iter_settings()}
    if name not in table:
        from difflib import get_close_matches

        near = get_close_matches(name, table, n=3)
        raise UsageError(
            f"no setting is called {name!r}",
            fix=f"Did you mean {', '.join(near)}?" if near else "List them: echo-notes config list",
        )
    return table[name]


def coerce(info: SettingInfo, value: Any) -> Any:
    """Return a value as the setting's type; UsageError that names the setting and what it takes."""
    kind = type(info.default)
    try:
        coerced = _coerce_to(kind, value)
    except (TypeError, ValueError):
        raise UsageError(f"{info.name} cannot be {value!r}", fix=f"It takes {_expected(info)}.") from None
    if info.choices and coerced not in info.choices:
        raise UsageError(f"{info.name} cannot be {value!r}", fix=f"It takes {_expected(info)}.")
    if info.bounds and not info.bounds[0] <= coerced <= info.bounds[1]:
        if info.name == "memory.importanceDecayDays" and coerced < 1:
            return 1.0
        raise UsageError(f"{info.name} cannot be {value!r}", fix=f"It takes {_expected(info)}.")
    return coerced


def apply(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """Return the settings with dotted names replaced by already coerced values."""
    table = {info.name: info.attribute for info in iter_settings()}
    return replace(settings, **{table[name]: value for name, value in values.items()})


def _coerce_to(kind: type, value: Any) -> Any:
    if kind is bool:
        if isinstance(value, bool):
            return value
        words = {"true": True, "false": False, "yes": True, "no": False}
        if str(value).lower() not in words:
            raise ValueError
        return words[str(value).lower()]
    if kind is tuple:
        parts = value.split(",") if isinstance(value, str) else list(value)
        return tuple(str(part).strip() for part in parts if str(part).strip())
    if kind in {int, float} and isinstance(value, bool):
        raise TypeError
    if kind is int and isinstance(value, float) and value != int(value):
        raise ValueError
    if kind is str and not isinstance(value, str):
        raise TypeError
    return kind(value)


def _expected(info: SettingInfo) -> str:
    if info.choices:
        return " or ".join(info.choices)
    if info.bounds:
        low, high = info.bounds
        return f"a number from {low:g} to {high:g}"
    return {bool: "true or false", tuple: "a list of words", str: "text"}.get(type(info.default), "a number")
