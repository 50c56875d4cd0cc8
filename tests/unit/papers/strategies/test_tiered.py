from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.formation import FormedExample, tiers_anew
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.model.tier import TierOptions
from hmem.papers.strategies.tiered import TieredOptions, tiered
from hmem.papers.tiers import upper_tiers
from hmem.retrieval.sources import Sources
from hmem.retrieval.uses import record
from hmem.storage.sqlite.driver import Connection

SMALL = TierOptions(sessions=2, pivotal=5, buffer=20)
NOW = datetime(2025, 12, 1, tzinfo=UTC)
QUESTION = "Where did the zeppelin land?"


@pytest.fixture
def held(ten_months: Memory) -> Iterator[Sources]:
    with sources(ten_months) as opened:
        yield opened


def test_a_sure_answer_ends_in_the_first_tier_that_holds_it(held: Sources) -> None:
    asked = query(held, "What is Biscuit?", NOW)
    ends = [tiered(held, asked, TieredOptions(threshold=sure)).story["ended in"] for sure in (0.0, 1.0)]
    assert ends == ["cache", "archive"]
    without = tiered(held, asked, TieredOptions(threshold=0.0, tier1=False))
    assert (without.story["ended in"], list(without.sizes)) == ("buffer", ["buffer"])


def test_what_is_looked_at_grows_tier_by_tier(held: Sources) -> None:
    asked, all_rows = query(held, "Which race did Nadia run?", NOW), len(held.corpus.columns)
    upper = tiers_anew(held.corpus, held.derived, SMALL, NOW)
    for sure, names in ((0.0, ["cache"]), (0.999, ["cache", "buffer", "archive"])):
        found = tiered(held, asked, TieredOptions(tiering=SMALL, threshold=sure, listed=all_rows))
        assert list(found.sizes) == names
        inside = set().union(*(upper[name] for name in names))
        assert set(found.rows.tolist()) == inside
        assert sorted(found.story["confidence"]) == sorted(set(names) - {"archive"})


def test_who_asks_for_some_levels_gets_so_many_tiers_and_is_told_if_there_are_more(held: Sources) -> None:
    asked = query(held, "Which race did Nadia run?", NOW)
    ends = [
        (found.story["ended in"], found.deeper, found.story["confidence"])
        for levels in (1, 2, 3, 4)
        for found in [tiered(held, replace(asked, levels=levels), TieredOptions(tiering=SMALL, threshold=0.0))]
    ]
    assert ends == [("cache", True, {}), ("buffer", True, {}), ("archive", False, {}), ("archive", False, {})]
    assert not tiered(held, replace(asked, levels=1), TieredOptions(tiers=False)).deeper


def test_rules_do_not_end_the_search_unless_they_are_let(held: Sources) -> None:
    found = tiered(held, query(held, "What is Biscuit?", NOW), TieredOptions())
    assert (found.story["ended in"], found.story["confidence"], found.deeper) == ("archive", {}, False)


def test_without_tiers_the_whole_memory_is_ranked_by_meaning(held: Sources) -> None:
    asked = query(held, "Which race did Nadia run?", NOW)
    found = tiered(held, asked, TieredOptions(tiers=False, listed=10, similarity="semantic"))
    everything = np.flatnonzero(held.corpus.columns.alive)
    cosines = held.corpus.cosines(asked.vector, everything)[0]
    assert found.rows.tolist() == everything[np.argsort(-cosines, kind="stable")[:10]].tolist()
    assert found.story["ended in"] == "archive"


def test_no_turn_outside_of_what_is_allowed_is_found(held: Sources) -> None:
    allowed = np.zeros(len(held.corpus.columns), np.bool_)
    allowed[40:60] = True
    for options in (TieredOptions(), TieredOptions(tiers=False), TieredOptions(threshold=0.0)):
        found = tiered(held, query(held, "What about Biscuit?", NOW, allowed=allowed), options)
        assert allowed[found.rows].all()
    nothing = np.zeros_like(allowed)
    assert not len(tiered(held, query(held, "What about Biscuit?", NOW, allowed=nothing), TieredOptions()).rows)


@pytest.mark.example(200)
def test_use_raises_a_turn_from_the_archive_and_another_sinks(memory: Memory) -> None:
    with sources(memory) as held:
        options, asked = TieredOptions(tiering=SMALL), query(held, "What about Biscuit?", NOW)
        assert tiered(held, asked, options).story["promoted"] == 0
        tiers = upper_tiers(held.corpus, held.derived, SMALL)
        low = np.array(sorted(tiers_anew(held.corpus, held.derived, SMALL, NOW)["archive"])[:1], np.int64)
        before = len(tiers.buffer)
        for _ in range(60):
            assert record(held, low, asked) is None
        story = tiered(held, asked, options).story
        assert (story["promoted"], story["demoted"]) == (1, 2)
        assert low[0] in tiers.cache
        assert (len(tiers.buffer), len(set(tiers.cache.tolist()) & set(tiers.buffer.tolist()))) == (before, 0)
    assert max(item.uses for item in memory.tiers().cache) == 61


def used(memory: Memory) -> dict[str, int]:
    """The texts of the turns that were of use, with their uses."""
    memory.flush()
    with memory.corpus.reading():
        kept = memory.corpus.turn_cache.get([use.seq for use in memory.corpus.storage.uses()])
        return {kept[use.seq].text: use.uses for use in memory.corpus.storage.uses() if use.uses}


REPLY = "Lisbon is lovely!"
HOME, DOG = "I live in Lisbon, near the river.", "I adopted a puppy named Coco."


@pytest.fixture
def tiers() -> Iterator[Memory]:
    said = (("user", HOME, "05T10:00"), ("assistant", REPLY, "05T10:01"), ("user", DOG, "07T10:00"))
    with Memory(":memory:", recipe="orchestrated") as memory:
        memory.add(
            [{"role": role, "text": text, "at": f"2025-01-{at}:00Z", "session": at[:2]} for role, text, at in said]
        )
        yield memory


def test_what_is_recalled_is_used_once_an_hour(tiers: Memory) -> None:
    at = datetime(2025, 1, 8, tzinfo=UTC)
    for _ in range(3):
        found = tiers.search("Where do I live?", k=1, at=at)
        tiers.context("Where do I live?", tokens=30, at=at)
    assert used(tiers)[found[0].text] == 1
    tiers.search("Where do I live?", k=1, at=at + timedelta(hours=2))
    assert used(tiers)[found[0].text] == 2


def test_no_use_is_recorded_where_that_is_off(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.hmem", recipe="orchestrated", settings={"retrieval.record": "false"}) as memory:
        memory.add(HOME)
        memory.search("Where do I live?")
        memory.context("Where do I live?")
        assert used(memory) == {}


def test_what_an_answer_cites_is_used_with_the_other_half_of_its_exchange(tiers: Memory) -> None:
    reply = tiers.ask("Where do I live?")
    assert HOME in [item.text for item in reply.evidence]
    assert used(tiers) == {HOME: 1, REPLY: 1}


def test_what_a_person_approves_is_used(tiers: Memory) -> None:
    found = tiers.search("Where do I live?", k=1)
    before = used(tiers).get(found[0].text, 0)
    tiers.feedback(found, "reject")
    assert used(tiers).get(found[0].text, 0) == before
    tiers.feedback(found, "approve")
    assert used(tiers)[found[0].text] == before + 1


def test_what_a_later_turn_repeats_is_used(tiers: Memory) -> None:
    tiers.search("What did I adopt?", at=datetime(2025, 1, 8, tzinfo=UTC))
    before = used(tiers)
    said = "You told me that you adopted a puppy named Coco."
    tiers.add({"role": "assistant", "text": said, "at": "2025-01-08T10:00:00Z", "session": "u"})
    assert used(tiers) == {**before, DOG: before[DOG] + 1}


def test_a_tier_that_holds_half_of_an_exchange_holds_it_whole(tiers: Memory) -> None:
    options = TieredOptions(tiering=TierOptions(sessions=1, pivotal=1, buffer=0), threshold=0.0)
    with sources(tiers) as held:
        found = tiered(held, query(held, "Where do I live?", NOW), options)
        texts = {turn.text for turn in held.corpus.turns(found.rows).values()}
    assert texts == {DOG, HOME, REPLY}


def test_recording_no_turn_records_nothing(held: Sources) -> None:
    assert record(held, np.arange(0), query(held, QUESTION, NOW)) is None
    assert held.corpus.storage.uses() == []


def test_a_use_that_cannot_be_written_is_told_and_fails_nothing(path: Path) -> None:
    with Memory(path, busy_seconds=600) as memory:
        memory.add(chatter(20))
        with sources(memory) as held, closing(Connection(str(path))) as other:
            asked = query(held, QUESTION, NOW)
            other.execute("BEGIN IMMEDIATE")
            assert "another process" in (record(held, np.arange(3), asked) or "")
            other.execute("ROLLBACK")
            held.corpus.storage._connection.execute("PRAGMA query_only = 1")  # type: ignore[attr-defined]
            assert "may not be written" in (record(held, np.arange(3), asked) or "")
            held.corpus.storage._connection.execute("PRAGMA query_only = 0")  # type: ignore[attr-defined]
            assert tiered(held, asked, TieredOptions()).rows.size
            assert record(held, np.arange(3), asked) is None


def test_uses_outlast_a_rebuild_and_go_with_their_turn(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, 60)
    with Memory(path) as memory:
        with sources(memory) as held:
            record(held, np.arange(2), query(held, QUESTION, NOW))
            first = held.corpus.turns(np.arange(1))[0].id
        memory.rebuild()
        assert sorted(item.uses for item in memory.tiers().cache)[-2:] == [2, 2]
        memory.delete(first)
        assert sorted(item.uses for item in memory.tiers().cache)[-2:] == [1, 2]
        assert len(memory.corpus.storage.uses()) == 1
