"""Entities: the people, companies and projects that facts are about."""

from dataclasses import dataclass, field

from echo_notes.model.names import fold_name

DEFAULT_KINDS = ("people", "companies", "projects")


@dataclass(frozen=True, slots=True, order=True)
class EntityRef:
    """The identity of an entity: `life/areas/<kind>/<slug>/`, written `kind/slug`."""

    kind: str
    slug: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.slug}"

    @classmethod
    def parse(cls, text: str) -> "EntityRef":
        """Return the ref that `kind/slug` names; ValueError for anything else."""
        kind, slash, slug = text.partition("/")
        if not (kind and slash and slug) or "/" in slug:
            raise ValueError(text)
        return cls(kind, slug)


@dataclass(frozen=True, slots=True)
class Entity:
    """What is known of an entity besides its facts: display name, aliases, tags and its folder in the vault.

    `folder` is relative to the vault, with `/`, as it is on disk (a folder in NFD stays so).
    """

    ref: EntityRef
    name: str
    folder: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folded: frozenset[str] = field(default=frozenset(), compare=False)

    def names(self) -> tuple[str, ...]:
        """Return every name a person may use: display name, aliases, slug; no duplicates, in that order."""
        return tuple(dict.fromkeys([self.name, *self.aliases, self.ref.slug]))

    def folded_names(self) -> frozenset[str]:
        """Return the names as they are compared (`fold_name`)."""
        return self.folded or frozenset(fold_name(name) for name in self.names())
