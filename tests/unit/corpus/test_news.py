"""The feed of news: one call brings what is new of all that is followed, and each follower takes its share."""

from collections.abc import Generator
from datetime import UTC, datetime
from typing import cast

import numpy as np
import pytest
from tests.counting import Counted

from hmem.corpus import news
from hmem.corpus.news import NewsFeed
from hmem.model.ids import new_key, to_id
from hmem.model.turn import Turn
from hmem.storage import Storage, open_storage
from hmem.storage.base import Chunk, FormationProgress, LogEntry

AT = datetime(2026, 1, 1, tzinfo=UTC)
ENTRY = LogEntry(1, "a", "retract", "one")


@pytest.fixture
def storage() -> Generator[Counted]:
    opened = Counted(open_storage(":memory:"))
    opened.put_settings({"vectors.generation": "1"})
    yield opened
    opened.close()


@pytest.fixture
def feed(storage: Counted) -> NewsFeed:
    feed = NewsFeed(cast("Storage", storage))
    feed.follow(0, 1, 4, 8)
    storage.take()
    return feed


def write(storage: Counted) -> None:
    turn = Turn(id=to_id("turn", new_key()), text="Hello.", speaker="Ann", at=AT, session="s")
    storage.append([turn], [1], np.eye(1, 4, dtype=np.float32), 1, analysis=1)
    storage.form([Chunk("a", 1, b"one")], FormationProgress(0, 0, 0), 1, None, [ENTRY])
    storage.record_uses([([1], AT)])
    storage.take()


def test_one_call_brings_the_share_of_every_follower(storage: Counted, feed: NewsFeed) -> None:
    for follow in (feed.follow_formation, feed.recorded, feed.used):
        follow(0)
    write(storage)
    state = feed.state
    assert [stored.turn.text for stored in feed.changes(0, 8, 1, 4).turns] == ["Hello."]
    assert [*feed.chunks(0)] == [Chunk("a", 1, b"one")]
    assert [entry.target for entry in feed.entries(0)] == ["one"]
    assert [use.seq for use in feed.uses(0)] == [1]
    assert (state.change, state.recorded, storage.take()) == (1, 1, ["news"])


def test_a_share_is_taken_once(storage: Counted, feed: NewsFeed) -> None:
    feed.follow_formation(0)
    write(storage)
    assert feed.state.progress.step == 1
    feed.chunks(0)
    storage.take()
    assert [*feed.chunks(0)] == [Chunk("a", 1, b"one")]
    assert storage.take() == ["chunks"]


def test_what_nobody_follows_is_asked_for(storage: Counted, feed: NewsFeed) -> None:
    write(storage)
    assert feed.state.recorded == 1
    assert [entry.target for entry in feed.entries(0)] == ["one"]
    assert [use.seq for use in feed.uses(0)] == [1]
    assert [*feed.chunks(0)] == [Chunk("a", 1, b"one")]
    assert storage.take() == ["news", "recorded", "uses", "chunks"]


def test_a_share_since_another_moment_is_asked_for_again(storage: Counted, feed: NewsFeed) -> None:
    feed.recorded(0)
    feed.follow_formation(0)
    write(storage)
    assert feed.state.change == 1
    assert [*feed.entries(1)] == []
    assert [*feed.chunks(1)] == []
    assert [*feed.changes(1, 8, 1, 4).blocks] == []
    assert storage.take() == ["news", "recorded", "chunks", "changes"]


def test_a_follower_is_told_only_what_came_after_its_last_share(storage: Counted, feed: NewsFeed) -> None:
    feed.recorded(0)
    write(storage)
    assert feed.state.recorded == 1
    feed.entries(0)
    storage.record([ENTRY._replace(target="two")])
    storage.take()
    assert feed.state.recorded == 2
    assert [entry.target for entry in feed.entries(1)] == ["two"]
    assert storage.take() == ["news"]


def test_what_is_not_taken_is_brought_again(storage: Counted, feed: NewsFeed) -> None:
    feed.follow_formation(0)
    write(storage)
    for _ in range(2):
        feed.look_again()
        assert feed.state.change == 1
    assert [*feed.chunks(0)] == [Chunk("a", 1, b"one")]
    assert storage.take() == ["news", "news"]


def test_what_gathers_as_nobody_takes_it_is_brought_no_more_until_it_is_asked_for(
    storage: Counted, feed: NewsFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "UNTAKEN", 0)
    for follow in (feed.follow_formation, feed.recorded, feed.used):
        follow(0)
    write(storage)
    for _ in range(2):
        feed.look_again()
        assert feed.state.change == 1
    storage.take()
    assert [*feed.chunks(0)] == [Chunk("a", 1, b"one")]
    assert [entry.target for entry in feed.entries(0)] == ["one"]
    assert [use.seq for use in feed.uses(0)] == [1]
    assert storage.take() == ["chunks", "recorded", "uses"]
    feed.follow_formation(1)
    storage.form([Chunk("a", 2, b"two")], FormationProgress(1, 1, 0), 1)
    feed.look_again()
    assert feed.state.progress.step == 2
    storage.take()
    assert [*feed.chunks(1)] == [Chunk("a", 2, b"two")]
    assert storage.take() == []


def test_the_state_is_asked_for_again_after_a_write_of_its_own_and_when_told(storage: Counted, feed: NewsFeed) -> None:
    assert feed.state is feed.state
    assert storage.take() == ["news"]
    storage.put_settings({"a": "1"})
    assert feed.state.settings["a"] == "1"
    feed.look_again()
    assert feed.state.settings["a"] == "1"
    assert storage.take() == ["put_settings", "news", "news"]
