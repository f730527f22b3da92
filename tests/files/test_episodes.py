from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from echo_notes.files.episodes import Episode, episode_name, format_episode, parse_episode

PATH = "memory/episodes/2026-11-30-chat.md"
WORDS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=1)

TEXT = """---
sessionKey: "telegram:42"
messageRangeStart: 3
messageRangeEnd: 9
entityIds: [people/ada, companies/acme]
importance: 0.7
createdAt: 2026-11-30T14:32:05Z
---
Ada told of Acme.

She likes tea.
"""


def test_an_episode_is_read_and_written_as_it_was() -> None:
    episode = parse_episode(TEXT, PATH)
    assert episode == Episode(
        session_key="telegram:42",
        summary="Ada told of Acme.\n\nShe likes tea.",
        range_start=3,
        range_end=9,
        entity_ids=("people/ada", "companies/acme"),
        importance=0.7,
        created_at=datetime(2026, 11, 30, 14, 32, 5, tzinfo=UTC),
        path=PATH,
        line=9,
    )
    assert format_episode(episode) == TEXT


@given(
    st.builds(
        Episode,
        session_key=WORDS,
        summary=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\r")).map(
            lambda text: text.strip("\n")
        ),
        range_start=st.integers(0, 10**9),
        range_end=st.integers(0, 10**9),
        entity_ids=st.lists(WORDS).map(tuple),
        importance=st.floats(0, 1).map(lambda share: round(share, 4)),
        created_at=st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001 - a bound
            lambda moment: moment.replace(microsecond=0)
        ),
        path=st.just(PATH),
    )
)
def test_any_episode_comes_back(episode: Episode) -> None:
    text = format_episode(episode)
    assert yaml.safe_load(text.split("---\n")[1])["sessionKey"] == episode.session_key
    read = parse_episode(text, PATH)
    assert read.problem == ""
    assert read == replace(episode, line=9)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("no front matter", "no front matter"),
        (TEXT.replace("3\n", "many\n", 1), "messageRangeStart is not a whole number"),
        (TEXT.replace("0.7", "high"), "importance is not a number from 0 to 1"),
        (TEXT.replace("0.7", ".nan"), "importance is not a number from 0 to 1"),
        (TEXT.replace("0.7", "7"), "importance is not between 0 and 1"),
        (TEXT.replace("2026-11-30T14:32:05Z", "soon"), "createdAt is not a time"),
        (TEXT.replace("2026-11-30T14:32:05Z", "0001-01-01T00:00:00+14:00"), "createdAt is not a time"),
    ],
)
def test_what_cannot_be_used_is_named(text: str, problem: str) -> None:
    episode = parse_episode(text, PATH)
    assert episode.problem == problem
    assert episode.summary
    assert 0 <= episode.importance <= 1


def test_a_broken_block_still_gives_its_lines() -> None:
    episode = parse_episode(TEXT.replace("importance: 0.7", "importance: [0.7"), PATH)
    assert episode.session_key == "telegram:42"
    assert episode.problem
    assert parse_episode("body", PATH).session_key == "chat"


def test_names_say_day_and_session() -> None:
    day = date(2026, 11, 30)
    assert episode_name(day, "telegram:42/abc") == "2026-11-30-telegram-42-abc.md"
    assert episode_name(day, "爱丽丝") == "2026-11-30-爱丽丝.md"
    assert episode_name(day, "../..") == "2026-11-30-session.md"
    taken = {"2026-11-30-chat.md", "2026-11-30-chat-2.md"}
    assert episode_name(day, "chat", taken) == "2026-11-30-chat-3.md"
