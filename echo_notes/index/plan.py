"""What a refresh has to do, told by a look at every file's stat."""

from dataclasses import dataclass, field

from echo_notes.index.catalogue import Catalogue
from echo_notes.index.manifest import Manifest, Stat, Walk
from echo_notes.model.entity import Entity


@dataclass(frozen=True, slots=True)
class Plan:
    """What has to be done: paths to read again with their stat, paths to drop, paths to keep unseen, and why."""

    stale: dict[str, Stat] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


def plan_update(manifest: Manifest, walk: Walk, catalogue: Catalogue) -> Plan:
    """Return what a refresh would do, by stat alone."""
    lost = dict(manifest.vanished(walk))
    kept = tuple(f"{folder}/" for folder in lost)
    stale = {
        path: stat
        for path, stat in walk.files.items()
        if not manifest.is_clean(path, stat) or manifest.files[path].depends != depends_on(catalogue.find_by_path(path))
    }
    removed = tuple(
        path
        for path in manifest.files
        if path not in walk.files and path not in walk.unreadable and not path.startswith(kept)
    )
    problems = [(folder, f"{why}; what was read there before is still found") for folder, why in lost.items()]
    return Plan(stale, removed, tuple(problems))


def depends_on(entity: Entity | None) -> str:
    """Return what a file's passages take from outside it: the names of the entity whose folder it is in."""
    return "\n".join(entity.names()) if entity else ""
