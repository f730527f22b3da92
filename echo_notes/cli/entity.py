"""`entity new`, `rename`, `alias`, `merge`, `link`: who and what the vault is about, and what they are called."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo_notes.cli.command import new_app
from echo_notes.cli.output import one_line, say, say_diff, say_json
from echo_notes.cli.report import finish, tail

if TYPE_CHECKING:
    from echo_notes.cli.invocation import Invocation
    from echo_notes.files.change import ChangeResult
    from echo_notes.lifecycle.entity import Named
    from echo_notes.lifecycle.references import Followed, Link
    from echo_notes.model.entity import Entity

entity_app = new_app()
entity_app.info.help = "Make, rename, merge and link entities.\n\necho-notes entity rename ada Ada Lovelace"
apps = {"entity": entity_app}

_Entity = Annotated[str, typer.Argument(metavar="ENTITY", help="kind/slug, slug, name or alias.")]
_RewriteLinks = Annotated[
    bool, typer.Option("--rewrite-links", help="Change the links in your own text too; else they are listed.")
]
_SHOWN_LINKS = 10


@entity_app.command()
def new(
    ctx: typer.Context,
    name: Annotated[list[str], typer.Argument(metavar="KIND/NAME", help="For example people/Ada Lovelace.")],
    alias: Annotated[list[str] | None, typer.Option("--alias", help="Another name; repeat for more.")] = None,
) -> None:
    """Make an entity: its folder, summary.md and items.json.

    echo-notes entity new "people/Ada Lovelace" --alias Ada
    """
    from echo_notes.lifecycle import entity as verbs

    invocation: Invocation = ctx.find_root().obj
    named = verbs.new(invocation.open(), " ".join(name), alias or ())
    if named.is_new:
        sentence = f"made {named.entity.ref} in {named.entity.folder}"
    elif named.added:
        sentence = f"{named.entity.ref} is there already; added {_names(named.added)}"
    else:
        sentence = f"{named.entity.ref} is there already"
    _report_names(invocation, named, sentence)


@entity_app.command()
def alias(
    ctx: typer.Context,
    entity: _Entity,
    names: Annotated[list[str], typer.Argument(metavar="ALIAS…", help="Names to find it by; quote those with spaces.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take these names away.")] = False,
) -> None:
    """Give an entity more names, or take some away.

    echo-notes entity alias people/ada-lovelace Ada "Countess of Lovelace"
    """
    from echo_notes.lifecycle import entity as verbs

    invocation: Invocation = ctx.find_root().obj
    named = (verbs.unalias if remove else verbs.alias)(invocation.open(), entity, names)
    if named.added:
        sentence = f"added {_names(named.added)} to {named.entity.ref} in {named.entity.folder}/summary.md"
    elif named.removed:
        sentence = f"removed {_names(named.removed)} from {named.entity.ref} in {named.entity.folder}/summary.md"
    else:
        sentence = f"{named.entity.ref} has these names already"
    _report_names(invocation, named, sentence)


@entity_app.command()
def rename(
    ctx: typer.Context,
    entity: _Entity,
    name: Annotated[list[str], typer.Argument(metavar="NEW-NAME", help="The new name; kind/name moves it there.")],
    *,
    slug: Annotated[str, typer.Option("--slug", metavar="SLUG", help="Name the folder so, not after the name.")] = "",
    keep_slug: Annotated[bool, typer.Option("--keep-slug", help="Leave the folder as it is.")] = False,
    rewrite_links: _RewriteLinks = False,
) -> None:  # fmt: skip
    """Give an entity another name; the old one stays as an alias, the folder follows, fact ids stay.

    echo-notes entity rename people/ada Ada Lovelace
    """
    from echo_notes.lifecycle.entity_rename import rename as run

    invocation: Invocation = ctx.find_root().obj
    done = run(
        invocation.open(), entity, " ".join(name), slug=slug, keep_slug=keep_slug, rewrite_links=rewrite_links
    )  # fmt: skip
    record = {"entity": _record(done.new), "was": _record(done.old), **_followed(done.followed, rewrite_links)}
    moved = f", now in {done.new.folder}" if done.new.folder != done.old.folder else ""
    sentence = f"renamed {done.old.ref} to {one_line(done.new.name)}{moved}"
    if not done.change.written:
        sentence = f"{done.new.ref} is called {one_line(done.new.name)} already"
    _report(invocation, done.change, record, sentence)
    _tell_followed(invocation, done.followed, rewritten=rewrite_links)


@entity_app.command()
def merge(
    ctx: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FROM", help="The entity that goes.")],
    target: Annotated[str, typer.Argument(metavar="INTO", help="The entity that stays.")],
    rewrite_links: _RewriteLinks = False,
) -> None:
    """Put everything about one entity into another: facts with their ids, text, names; the first is then gone.

    echo-notes entity merge people/ada people/ada-lovelace
    """
    from echo_notes.lifecycle.entity_merge import merge as run

    invocation: Invocation = ctx.find_root().obj
    done = run(invocation.open(), source, target, rewrite_links=rewrite_links)
    record = {
        "entity": _record(done.entity), "merged": _record(done.merged), "facts": list(done.facts),
        "renumbered": dict(done.renumbered), **_followed(done.followed, rewrite_links),
    }  # fmt: skip
    count = f"{len(done.facts)} fact{'s' if len(done.facts) != 1 else ''}"
    _report(invocation, done.change, record, f"merged {done.merged.ref} into {done.entity.ref}: {count}")
    if not invocation.machine and not invocation.dry_run:
        for old, now in done.renumbered.items():
            say(f"  {old} is now {now}")
    _tell_followed(invocation, done.followed, rewritten=rewrite_links)


@entity_app.command()
def link(
    ctx: typer.Context,
    entity: _Entity,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The entity that it is joined to.")],
    relation: Annotated[str, typer.Option("--relation", "-r", metavar="TEXT", help="What joins them.")] = "",
) -> None:
    """Join two entities by a relationship fact about the first.

    echo-notes entity link people/ada companies/acme --relation "works at"
    """
    from echo_notes.cli.render import fact_record
    from echo_notes.lifecycle import entity as verbs

    invocation: Invocation = ctx.find_root().obj
    linked = verbs.link(invocation.open(), entity, other, relation)
    fact = linked.fact
    sentence = f"already known: {fact.id} in {fact.path}"
    if not linked.known:
        sentence = f"linked {fact.entity} to {', '.join(fact.related)} by {fact.id} in {fact.path}"
    _report(invocation, linked.change, {"fact": fact_record(fact), "already_known": linked.known}, sentence)


def _report_names(invocation: "Invocation", named: "Named", sentence: str) -> None:
    record = {
        "entity": _record(named.entity), "is_new": named.is_new, "added": list(named.added),
        "removed": list(named.removed), "shared_with": list(named.shared),
    }  # fmt: skip
    _report(invocation, named.change, record, sentence)
    if named.shared:
        invocation.warn(f"{', '.join(named.shared)} answers to the same name; say kind/slug to tell them apart")


def _report(invocation: "Invocation", change: "ChangeResult", record: dict[str, Any], sentence: str) -> None:
    if invocation.machine:
        say_json({**record, **tail(change, invocation)})
    elif invocation.dry_run:
        say_diff(change.diff, change.subject)
    else:
        say(sentence + (f" ({change.commit})" if change.commit else ""))
    finish(invocation, change)


def _record(entity: "Entity") -> dict[str, Any]:
    return {
        "ref": str(entity.ref), "name": entity.name, "aliases": list(entity.aliases), "tags": list(entity.tags),
        "folder": entity.folder,
    }  # fmt: skip


def _followed(followed: "Followed", rewritten: bool) -> dict[str, Any]:
    return {
        "edges": list(followed.facts), "links": [_link_record(link) for link in followed.links],
        "links_rewritten": rewritten, "problems": list(followed.problems),
    }  # fmt: skip


def _link_record(link: "Link") -> dict[str, Any]:
    return {"path": link.path, "line": link.line, "text": link.text}


def _tell_followed(invocation: "Invocation", followed: "Followed", *, rewritten: bool) -> None:
    for problem in followed.problems:
        invocation.warn(f"{problem}; its references were not followed")
        invocation.reach(6)
    if not followed.links or rewritten:
        return
    places = [f"  {link.path}:{link.line}: {one_line(link.text)[:80]}" for link in followed.links[:_SHOWN_LINKS]]
    more = len(followed.links) - _SHOWN_LINKS
    if more > 0:
        places.append(f"  … and {more} more")
    invocation.warn(
        "your own text links to the old place; --rewrite-links changes these for you next time:\n" + "\n".join(places)
    )


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(one_line(name) for name in names)
