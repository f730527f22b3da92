import pytest

from echo_notes.index.analysis import query_terms
from echo_notes.index.naming import named_in
from echo_notes.index.relevance import Weighed, answers, bar_of, is_question, names_unknown
from echo_notes.model.entity import EntityRef
from echo_notes.model.names import fold_name

NAMES = {
    fold_name(name): EntityRef("people", name)
    for name in ("Ada", "Ada Lovelace", "Will", "Zoë", "林晓", "Acme-Corp", "C++", "Q")
}


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("what does Ada drink", {"Ada"}),
        ("ada lovelace's birthday", {"Ada Lovelace"}),
        ("the Canada trip", set()),
        ("will it rain", set()),
        ("where is ZOE", {"Zoë"}),
        ("林晓喜欢什么", {"林晓"}),
        ("news of acme corp?", {"Acme-Corp"}),
        ("a C++ question", {"C++"}),
        ("Q and A", set()),
        ("", set()),
    ],
)
def test_names_in_a_query(query: str, named: set[str]) -> None:
    assert {ref.slug for ref in named_in(query, NAMES)} == named


def weighed(query: str, known: set[str] = frozenset()) -> list[Weighed]:  # type: ignore[assignment]
    return [Weighed(term, 3 if term.exact in known else 0, 1.0) for term in query_terms(query)]


def test_a_name_nobody_knows_is_noticed() -> None:
    assert names_unknown("When did Caroline move?", weighed("When did Caroline move?", {"move"}))
    assert not names_unknown("When did Caroline move?", weighed("When did Caroline move?", {"caroline"}))
    assert not names_unknown("Caroline", weighed("Caroline"))
    assert not names_unknown("REACTJS COMPONENT PATTERNS", weighed("REACTJS COMPONENT PATTERNS"))
    assert not names_unknown("it moved. Then what", weighed("it moved. Then what"))


def test_the_bar_is_higher_for_strangers_and_lower_in_small_vaults() -> None:
    plain = bar_of("did they move", weighed("did they move"), 1000, unspaced=False)
    assert bar_of("did Caroline move", weighed("did Caroline move"), 1000, unspaced=False) > plain
    assert bar_of("did they move", weighed("did they move"), 20, unspaced=False) < plain


def test_a_strong_lexical_hit_is_never_dropped_for_a_low_cosine() -> None:
    assert answers(0.6, 0.0, 0.46, same_script=True)
    assert answers(0.0, 0.6, 0.46, same_script=True)
    assert answers(0.3, 0.3, 0.46, same_script=True)
    assert not answers(0.2, 0.2, 0.46, same_script=True)
    assert answers(0.0, 0.3, 0.46, same_script=False)
    assert not answers(0.1, None, 0.46, same_script=True)


def test_a_pasted_text_is_no_question() -> None:
    assert is_question(weighed("When did Caroline move to Porto?"))
    assert not is_question(weighed(" ".join(f"word{n}" for n in range(30))))
