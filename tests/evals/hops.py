"""Entity-aware recall: `python -m tests.evals.hops DIR` asks questions that name an entity, with and without the raise.

Two sets: the dialogues with each turn as a fact of its speaker, and a graph of our own in which the answer is a fact of
an entity that the named one is related to.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo_notes.index.results import SearchRequest
from echo_notes.index.store import Index
from echo_notes.model.settings import Settings
from tests.evals.retrieval import ADVERSARIAL, DEPTH
from tests.evals.scoring import Score, difference, interval, mean, score_ranking
from tests.evals.vaults import Haystack, load_haystacks, moment_of

_PEOPLE = ("Ada", "Bruno", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hamid", "Ines", "Jonas", "Kofi", "Leila",
           "Marta", "Nils", "Olga", "Pedro", "林晓", "王强", "陈静", "刘洋")  # fmt: skip
_COMPANIES = ("Acme", "Initech", "Globex", "Umbra", "Hooli", "蓝天科技", "星河文化")
_TOWNS = ("Porto", "Braga", "Faro", "Évora", "Aveiro", "成都", "杭州")
_TRADES = ("makes bicycles", "prints maps", "roasts coffee", "repairs pianos", "breeds roses", "开发软件", "出版小说")
_CHIEFS = ("Vera", "Umar", "Tove", "Silas", "Rosa", "高峰", "何雪")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the fact ids that answer it, and its category."""

    text: str
    gold: frozenset[str]
    category: str


def main() -> None:
    """Print R@5 with the raise off and on, and the paired difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="?")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        root = Path(work) / "graph"
        asked = write_graph(root)
        report("graph of our own", [(root, asked)])
        if options.data:
            folder = options.data / "retrieval" if (options.data / "retrieval").is_dir() else options.data
            chats = [haystack for haystack in load_haystacks(folder) if haystack.is_chat]
            places = [(Path(work) / str(number), haystack) for number, haystack in enumerate(chats)]
            report("dialogues as facts", [(place, list(write_speakers(haystack, place))) for place, haystack in places])


def write_graph(root: Path) -> list[Asked]:
    """Write people who work for companies that do, sit and are led by something; return two-hop questions."""
    asked = []
    for number, person in enumerate(_PEOPLE):
        at = number % len(_COMPANIES)
        _write_entity(root, f"people/p{number}", person, [
            {"fact": f"{person} works for {_COMPANIES[at]}", "relatedEntities": [f"companies/c{at}"]},
            {"fact": f"{person} likes long walks"},
        ])  # fmt: skip
        asked += [
            Asked(f"In which town is the company that {person} works for?", frozenset([f"c{at}-001"]), "town"),
            Asked(f"What does {person}'s employer make or do?", frozenset([f"c{at}-002"]), "trade"),
            Asked(f"Who is the head of {person}'s company?", frozenset([f"c{at}-003"]), "head"),
        ]
    for at, company in enumerate(_COMPANIES):
        _write_entity(root, f"companies/c{at}", company, [
            {"fact": f"The head office is in {_TOWNS[at]}"},
            {"fact": f"The company {_TRADES[at]}"},
            {"fact": f"{_CHIEFS[at]} leads the company"},
            {"fact": "The company was founded long ago"},
        ])  # fmt: skip
    return asked


def write_speakers(haystack: Haystack, root: Path) -> Iterator[Asked]:
    """Write each turn as a fact of its speaker; yield the answerable questions."""
    turns: dict[str, list[Mapping[str, Any]]] = {}
    for text in haystack.corpus:
        turns.setdefault(str(text["speaker"]), []).append(text)
    for speaker, texts in turns.items():
        rows = []
        for text in texts:
            moment = moment_of(text)
            fact = str(text["text"]).partition(": ")[2]
            rows.append({"id": text["id"], "fact": fact, "timestamp": f"{moment:%Y-%m-%d}" if moment else None})
        _write_entity(root, f"people/{speaker.lower()}", speaker, rows)
    for question in haystack.questions:
        if question.gold and question.category != ADVERSARIAL:
            yield Asked(question.text, question.gold, question.category)


def report(title: str, vaults: Sequence[tuple[Path, Sequence[Asked]]]) -> None:
    """Print the scores of one set of vaults for 0, 1 and 2 hops."""
    found: dict[int, list[tuple[str, Score]]] = {0: [], 1: [], 2: []}
    for root, asked in vaults:
        index = Index(root, Settings())
        index.rebuild()
        for hops, rows in found.items():
            for question in asked:
                hits = index.search(SearchRequest(query=question.text, k=DEPTH, hops=hops)).hits
                rows.append((question.category, score_ranking([hit.passage.id for hit in hits], question.gold)))
    print(f"\n## {title} ({len(found[0])} questions)")
    plain = [score.recall[1] for _, score in found[0]]
    for hops, rows in found.items():
        fives = [score.recall[1] for _, score in rows]
        low, high = interval(fives)
        gain = difference(fives, plain)
        line = (
            f"hops {hops}: R@5 {mean(fives):.3f} [{low:.3f} {high:.3f}]  {gain[0]:+.3f} [{gain[1]:+.3f} {gain[2]:+.3f}]"
        )
        shares = {}
        for category in dict.fromkeys(category for category, _ in rows):
            shares[category] = round(mean([score.recall[1] for name, score in rows if name == category]), 3)
        print(line, shares)


def _write_entity(root: Path, ref: str, name: str, facts: Sequence[Mapping[str, Any]]) -> None:
    folder = root / "life/areas" / ref
    folder.mkdir(parents=True)
    slug = ref.rpartition("/")[2]
    rows = [{"id": f"{slug}-{n:03}", "timestamp": "2026-03-02"} | dict(fact) for n, fact in enumerate(facts, 1)]
    (folder / "items.json").write_text(json.dumps(rows, ensure_ascii=False, indent=2), encoding="utf-8")
    (folder / "summary.md").write_text(f"---\nname: {name}\n---\n", encoding="utf-8")


if __name__ == "__main__":
    main()
