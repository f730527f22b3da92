"""Old and new values of the same thing: `python -m tests.evals.updates` asks which of them recall puts first.

200 triples of our own (old fact, new fact, distractor, with dates), 100 in English and 100 in Chinese; once with the
old fact superseded, once with both active, as a vault without upkeep would have them.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from echo_notes.index.results import SearchRequest
from echo_notes.index.store import Index
from echo_notes.model.settings import Settings
from tests.evals.scoring import interval, mean

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

# statement, question, values in the order of time; {n} is a name, {v} the value
_ENGLISH = (
    ("{n} lives in {v}", "where does {n} live", ("Porto", "Lisbon", "Vienna", "Oslo", "Kyoto")),
    ("{n} works as a {v}", "what is {n}'s job", ("nurse", "teacher", "baker", "plumber", "pilot")),
    ("{n} drives a {v} car", "what colour is {n}'s car", ("red", "blue", "green", "white", "silver")),
    ("{n} plays the {v}", "which instrument does {n} play", ("piano", "violin", "cello", "guitar", "flute")),
    ("{n} meets the team on {v}", "when does {n} meet the team", ("Monday", "Tuesday", "Friday", "Sunday", "Thursday")),
)
_CHINESE = (
    ("{n}住在{v}", "{n}住在哪里", ("北京", "上海", "成都", "杭州", "西安")),
    ("{n}的职业是{v}", "{n}做什么工作", ("护士", "老师", "厨师", "律师", "司机")),
    ("{n}最喜欢喝{v}", "{n}喜欢喝什么", ("绿茶", "咖啡", "牛奶", "果汁", "豆浆")),
    ("{n}养了一只{v}", "{n}养了什么宠物", ("猫", "狗", "兔子", "乌龟", "鹦鹉")),
    ("{n}每周{v}游泳", "{n}每周几游泳", ("一", "三", "五", "六", "日")),
)
_ENGLISH_NAMES = ("Ada", "Bruno", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hamid", "Ines", "Jonas",
                  "Kofi", "Leila", "Marta", "Nils", "Olga", "Pedro", "Rania", "Sven", "Tariq", "Wanda")  # fmt: skip
_CHINESE_NAMES = ("林晓", "王强", "陈静", "刘洋", "赵敏", "孙悦", "周杰", "吴倩", "郑浩", "冯雪",
                  "许诺", "何平", "吕梁", "施然", "张弛", "孔明", "曹颖", "严寒", "华丽", "金鑫")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Triple:
    """An old and a new statement of one thing about somebody, what is asked, and another statement about them."""

    entity: str
    old: str
    new: str
    distractor: str
    question: str
    old_on: date
    new_on: date


def triples() -> Iterator[Triple]:
    """Yield the 200 triples."""
    for names, frames in ((_ENGLISH_NAMES, _ENGLISH), (_CHINESE_NAMES, _CHINESE)):
        for number, name in enumerate(names):
            for at, (statement, question, values) in enumerate(frames):
                other, _, others = frames[(at + 1) % len(frames)]
                first = number % len(values)
                new_on = NOW.date() - timedelta(days=1 + (7 * number + 3 * at) % 60)
                yield Triple(
                    entity=f"p{number:02}-{at}-{'en' if names is _ENGLISH_NAMES else 'zh'}",
                    old=statement.format(n=name, v=values[first]),
                    new=statement.format(n=name, v=values[(first + 1 + at % 4) % len(values)]),
                    distractor=other.format(n=name, v=others[first]),
                    question=question.format(n=name),
                    old_on=new_on - timedelta(days=30 + 40 * (number % 12)),
                    new_on=new_on,
                )


def write_triples(root: Path, chosen: Sequence[Triple], *, superseded: bool) -> None:
    """Write each triple as an entity of its own."""
    for triple in chosen:
        slug, new_on = triple.entity, triple.new_on.isoformat()
        rows = [
            {"id": f"{slug}-001", "fact": triple.old, "timestamp": triple.old_on.isoformat(),
             "status": "superseded" if superseded else "active", "supersededBy": f"{slug}-002" if superseded else None},
            {"id": f"{slug}-002", "fact": triple.new, "timestamp": new_on, "status": "active"},
            {"id": f"{slug}-003", "fact": triple.distractor, "timestamp": new_on, "status": "active"},
        ]  # fmt: skip
        folder = root / "life/areas/people" / slug
        folder.mkdir(parents=True)
        (folder / "items.json").write_text(json.dumps(rows, ensure_ascii=False, indent=2), encoding="utf-8")


def new_before_old(root: Path, chosen: Sequence[Triple], weight: float) -> tuple[list[float], list[float]]:
    """Return for each triple whether the new value is first of the two, and whether the old one is returned at all."""
    index = Index(root, replace(Settings(), forgetting_weight=weight))
    index.refresh()
    first, stale = [], []
    for triple in chosen:
        hits = index.search(SearchRequest(query=triple.question, k=10, now=NOW)).hits
        ranks = {hit.passage.id: rank for rank, hit in enumerate(hits)}
        new, old = ranks.get(f"{triple.entity}-002", 99), ranks.get(f"{triple.entity}-001", 99)
        first.append(float(new < old))
        stale.append(float(old < 99))
    return first, stale


def main() -> None:
    """Print the share of triples whose new value comes first, by language, state and weight."""
    everything = list(triples())
    print(f"{len(everything)} triples")
    for language in ("en", "zh"):
        chosen = [triple for triple in everything if triple.entity.endswith(language)]
        for superseded in (True, False):
            with tempfile.TemporaryDirectory() as work:
                write_triples(Path(work), chosen, superseded=superseded)
                for weight in (0.0, 0.05, 0.1, 0.2, 0.3, 1.0):
                    first, stale = new_before_old(Path(work), chosen, weight)
                    low, high = interval(first)
                    state = "old superseded" if superseded else "both active   "
                    line = f"{language} {state} w={weight:<4} new first {mean(first):.2f} [{low:.2f} {high:.2f}]"
                    print(f"{line}  old returned {mean(stale):.2f}")


if __name__ == "__main__":
    main()
