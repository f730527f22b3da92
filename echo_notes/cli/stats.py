"""`stats`: the vault in numbers, and its forgetting curve in plain characters."""

from typing import TYPE_CHECKING, Any

import typer

from echo_notes.cli.cells import cells, pad
from echo_notes.cli.command import new_app
from echo_notes.cli.output import BOLD, one_line, paint, say, say_json, tell_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echo_notes.cli.invocation import Invocation
    from echo_notes.lifecycle.stats import Curve, Stats

app = new_app()
apps = {"stats": app}

WIDTH = 80
_ROWS = 12
_LEFT = 6
_MARKS = "*+o"
_BAR = 40


@app.command()
def stats(ctx: typer.Context) -> None:
    """Show counts, how facts fade, what fades next, and what is recalled most.

    echo-notes stats
    """
    from echo_notes.lifecycle.stats import stats as run

    invocation: Invocation = ctx.find_root().obj
    found = run(invocation.open())
    if invocation.machine:
        say_json(_record(found))
    else:
        for block in (_counts(found), _curves(found), _bands(found), _fades_next(found), _recalled(found)):
            say("\n".join(line.rstrip() for line in block))
    for problem in found.problems:
        tell_error(problem.what, where=problem.where, fix=problem.fix)
        invocation.reach(problem.exit_code)


def _counts(found: "Stats") -> list[str]:
    def listed(counts: Any) -> str:
        return ", ".join(f"{count} {one_line(word)}" for word, count in counts.items()) or "none"

    lines = [
        f"entities: {listed(found.entities)}",
        f"facts: {listed(found.statuses)}; {found.pinned} pinned",
        f"by provenance: {listed(found.provenance)}",
        f"by category: {listed(found.categories)}",
        f"daily notes: {found.daily_notes}, episodes: {found.episodes}",
    ]
    return [_clip(line, WIDTH) for line in lines]


def _curves(found: "Stats") -> list[str]:
    head = f"How an importance of 0.5 fades (half-life {found.half_life:g} days)"
    times = [f"{mark} {curve.recalls} times" for mark, curve in zip(_MARKS, found.curves, strict=True)]
    key = "   ".join(["* never recalled", *times[1:]])
    return ["", paint(head, BOLD), *plot(found.curves, found.archive_below),
            f"  {key}   - archived below {found.archive_below:g}"]  # fmt: skip


def plot(curves: "Sequence[Curve]", threshold: float) -> list[str]:
    """Return curves over a common axis of days as lines of at most 80 columns, the threshold as a dashed line."""
    top = max(value for curve in curves for _, value in curve.points)
    width = max(len(curve.points) for curve in curves)
    last = curves[0].points[-1][0]
    grid = [[" "] * width for _ in range(_ROWS + 1)]
    if threshold <= top:
        grid[_row(threshold, top)] = ["-" if column % 2 == 0 else " " for column in range(width)]
    for mark, curve in reversed(list(zip(_MARKS, curves, strict=True))):
        for column, (_, value) in enumerate(curve.points):
            grid[_row(value, top)][column] = mark
    lines = []
    for number, row in enumerate(grid):
        label = f"{top * (_ROWS - number) / _ROWS:.2f}" if number % 3 == 0 else ""
        lines.append(f"{label:>{_LEFT - 2}} |{''.join(row)}".rstrip())
    lines.append(" " * (_LEFT - 1) + "+" + "-" * width)
    ticks = [" "] * (_LEFT + width + 1)
    for part in range(5):
        text = f"{last * part / 4:.0f}" + (" days" if part == 4 else "")  # noqa: PLR2004 - the last of five
        at = min(_LEFT + round((width - 1) * part / 4), len(ticks) - len(text))
        ticks[at : at + len(text)] = text
    return [*lines, "".join(ticks).rstrip()]


def _row(value: float, top: float) -> int:
    return _ROWS - round(value / top * _ROWS)


def _bands(found: "Stats") -> list[str]:
    most = max((count for _, count in found.bands), default=0)
    lines = ["", paint("Facts by what is left of them", BOLD)]
    high = 1.0
    for low, count in found.bands:
        bar = "#" * (-(-count * _BAR // most) if most else 0)
        lines.append(f"  {low:.2f} to {high:.2f}  {bar:<{_BAR}} {count}")
        high = low
    return lines


def _fades_next(found: "Stats") -> list[str]:
    lines = ["", paint("What fades next", BOLD)]
    if not found.fades_next:
        return [*lines, "  nothing"]
    width = max(cells(one_line(one.fact.id)) for one in found.fades_next)
    lines.append(f"  {'days':>6}  {'now':>5}  {pad('fact', width)}")
    for one in found.fades_next:
        days = "due" if one.days <= 0 else f"{one.days:.0f}"
        start = f"  {days:>6}  {one.effective:5.3f}  {pad(one_line(one.fact.id), width)}  "
        lines.append(start + _clip(one_line(one.fact.text), WIDTH - cells(start)))
    return lines


def _recalled(found: "Stats") -> list[str]:
    lines = ["", paint("Recalled most", BOLD)]
    if not found.recalled:
        return [*lines, "  nothing yet"]
    width = max(cells(one_line(one.fact.id)) for one in found.recalled)
    lines.append(f"  {'times':>6}  {'last':10}  {pad('fact', width)}")
    for one in found.recalled:
        last = f"{one.last_at.astimezone():%Y-%m-%d}" if one.last_at else ""
        start = f"  {one.count:>6}  {last:10}  {pad(one_line(one.fact.id), width)}  "
        lines.append(start + _clip(one_line(one.fact.text), WIDTH - cells(start)))
    return lines


def _clip(text: str, width: int) -> str:
    """Return a text cut to so many columns, with an ellipsis where it was cut."""
    if cells(text) <= width:
        return text
    while text and cells(text) > max(0, width - 1):
        text = text[:-1]
    return text.rstrip() + "…"


def _record(found: "Stats") -> dict[str, Any]:
    from echo_notes.cli.render import fact_record

    return {
        "entities": dict(found.entities), "facts": dict(found.statuses), "provenance": dict(found.provenance),
        "categories": dict(found.categories), "types": dict(found.types), "pinned": found.pinned,
        "daily_notes": found.daily_notes, "episodes": found.episodes,
        "bands": [{"from": low, "count": count} for low, count in found.bands],
        "settings": {"half_life_days": found.half_life, "archive_below": found.archive_below,
                     "forget_below": found.forget_below},
        "curves": [
            {"recalls": curve.recalls, "points": [[round(day, 2), round(value, 5)] for day, value in curve.points]}
            for curve in found.curves
        ],
        "fades_next": [
            {**fact_record(one.fact), "effective_importance": round(one.effective, 4), "days": round(one.days, 2)}
            for one in found.fades_next
        ],
        "recalled": [
            {**fact_record(one.fact), "count": one.count,
             "last_at": one.last_at.isoformat() if one.last_at else None}
            for one in found.recalled
        ],
        "problems": [str(problem) for problem in found.problems],
    }  # fmt: skip
