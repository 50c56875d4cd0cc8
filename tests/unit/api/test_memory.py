from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support import chatter

from hmem import Memory, Turn
from hmem.errors import (
    InvalidQuery,
    InvalidTime,
    InvalidTurn,
    MemoryNotFound,
    StorageError,
    StorageFull,
    UnknownName,
)
from hmem.model.ids import new_key, to_id
from hmem.model.span import now
from hmem.model.turn import MessagesRejected
from hmem.storage.base import LogEntry
from hmem.storage.sqlite.store import SQLiteStorage


@pytest.mark.parametrize("where", ["file", ":memory:"])
def test_the_main_job_in_a_file_and_in_memory(tmp_path: Path, where: str) -> None:
    place = where if where == ":memory:" else tmp_path / "m.hmem"
    with Memory(place) as memory:
        memory.add(chatter(300))
        memory.add("I adopted a puppy named Coco", speaker="Maria", at="2023-08-11T10:00:00Z", session="s30")
        found = memory.search("When did Maria adopt Coco?", k=3)
        assert (found[0].speaker, found[0].session, found[0].when.year) == ("Maria", "s30", 2023)
        assert "Coco" in memory.context("When did Maria adopt Coco?", tokens=200).text
        assert memory.verify().ok
        memory.rebuild()
        assert memory.search("Coco")[0].id == found[0].id
    assert (tmp_path / "m.hmem-index").exists() == (where == "file")


def test_two_memories_in_the_process_do_not_know_of_each_other() -> None:
    with Memory(":memory:") as one, Memory(":memory:") as other:
        one.add("a secret")
        assert len(other.search("secret")) == 0


def test_pages_follow_each_other_and_filter(memory: Memory) -> None:
    memory.add(chatter(25))
    pages, after = [], None
    while page := memory.list(after=after, limit=10):
        pages.append(len(page))
        after = page[-1].id
    assert pages == [10, 10, 5]
    assert {turn.speaker for turn in memory.list(speaker="Anna")} == {"Anna"}


def test_pages_go_backwards_too(memory: Memory) -> None:
    memory.add(chatter(25))
    turns, pages, before = memory.list(), [], None
    while page := memory.list(limit=10) if before is None else memory.list(before=before, limit=10):
        pages.append(page)
        before = page[0].id if pages[1:] else turns[-1].id
    assert pages[0] == turns[:10]
    assert pages[1:] == [turns[14:24], turns[4:14], turns[:4]]


@pytest.mark.parametrize("saved", [False, True])
def test_a_list_has_turns_with_all_words_of_any_language(memory: Memory, saved: bool) -> None:
    texts = ["The ferries were late", "A ferry is late again", "Ela mora em Lisboa", "\u6211\u4f4f\u5728\u6771\u4eac"]
    memory.add([{"text": text, "session": f"s{number}"} for number, text in enumerate(texts)])
    if saved:
        memory.flush()
        memory.add("No ferry is late now", session="s9")

    def matches(query: str) -> list[str]:
        return [turn.text for turn in memory.list(query=query)]

    assert matches("late ferry") == [*texts[:2], *(["No ferry is late now"] if saved else [])]
    assert matches("mora Lisboa") == [texts[2]]
    assert matches("\u6771\u4eac") == [texts[3]]
    assert matches("\u4eac\u6771") == []


def test_what_waits_to_be_formed_is_counted_without_forming_it(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.hmem") as memory:
        turns = [Turn(to_id("turn", new_key()), "Nadia", f"I collect old maps {i}.", now(), "new") for i in range(5)]
        memory.corpus.append(turns)
        assert memory.unformed == (5, 5)
        assert memory.notes()
        assert memory.unformed == (0, 5)


def test_sessions_come_by_time_with_speakers_and_opening(memory: Memory) -> None:
    memory.add("Later", speaker="Ben", session="b", at="2025-02-01T10:00:00+02:00")
    memory.add("First", speaker="Anna", session="a", at="2025-01-01T10:00:00Z")
    memory.add("Second", speaker="Ben", session="a", at="2025-01-01T10:05:00Z")
    first, second = memory.sessions()
    assert (first.id, first.turns, set(first.speakers), first.opening) == ("a", 2, {"Anna", "Ben"}, "First")
    assert first.end.isoformat() == "2025-01-01T10:05:00+00:00"
    assert second.start.isoformat() == "2025-02-01T10:00:00+02:00"
    assert memory.sessions(limit=1, offset=1) == (second,)


@pytest.mark.parametrize("arguments", [{"k": 2.5}, {"speaker": 3}])
def test_an_argument_of_another_type_is_refused(memory: Memory, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidQuery):
        memory.search("x", **arguments)


def test_an_empty_memory_finds_nothing_and_gives_an_empty_context(memory: Memory) -> None:
    assert len(memory.search("anything at all")) == 0
    assert memory.context("anything").text == ""
    assert memory.verify().ok


def test_the_zone_is_kept_with_the_memory(path: Path) -> None:
    with Memory(path, zone="Asia/Tokyo") as memory:
        memory.add("x", at="2025-01-01T09:00:00")
    with Memory(path) as memory:
        assert memory.stats().zone == "Asia/Tokyo"
        memory.add("y", at="2025-01-01T09:00:00")
        assert {turn.at.isoformat() for turn in memory.list()} == {"2025-01-01T09:00:00+09:00"}
    with pytest.raises(InvalidTime):
        Memory(path, zone="Mars/Olympus")


def test_an_argument_that_is_no_time_is_an_error_whatever_the_messages_say(memory: Memory) -> None:
    for message in ("x", ["x"], [{"text": "x", "at": "2025-01-01"}]):
        with pytest.raises(InvalidTime):
            memory.add(message, at="the day before")
    assert memory.stats().turns == 0


def test_what_cannot_be_opened_is_named(path: Path) -> None:
    with pytest.raises(MemoryNotFound):
        Memory(path, create=False)
    with pytest.raises(StorageError):
        Memory(path.parent / "no" / "such" / "folder.hmem")
    with pytest.raises(UnknownName, match="nowhere"):
        Memory("nowhere://localhost/memories")
    with pytest.raises(UnknownName, match="fusion"):
        Memory(path, recipe="magic")
    for empty in ({"recipe": ""}, {"embedder": ""}, {"analyst": ""}):
        with pytest.raises(UnknownName, match="''"):
            Memory(path, **empty)
    with pytest.raises(UnknownName, match=r"'flat\.magic' - choose one of: .*flat\.candidates"):
        Memory(path, settings={"flat.magic": "1"})
    with pytest.raises(UnknownName, match="number"):
        Memory(path, settings={"flat.candidates": "many"})
    assert not path.exists()


def test_a_trace_tells_the_story(memory: Memory) -> None:
    memory.add(chatter(20))
    trace = memory.search("Did Anna buy a violin?", trace=True).trace
    assert trace is not None
    assert (trace.words, trace.speakers) == (("buy", "violin"), ("Anna",))
    assert set(trace.milliseconds) == {"catch up", "plan", "find and score", "fetch"}
    assert memory.search("violin").trace is None


def test_names_of_sessions_and_messages_are_no_text_to_find(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add(chatter(30))
        memory.add(
            "a plain message", session="answer_zeppelin_7", message_id="zeppelin", metadata={"zeppelin": "zeppelin"}
        )
        memory.flush()
        for item in memory.search("zeppelin", k=31):
            assert not any(term.value for name, term in item.why.terms.items() if name.startswith("lexical"))
            assert item.why.words == ()


SAID: list[dict[str, Any]] = [
    {"text": "I bought a kayak", "speaker": "Maria", "session": "a", "at": "2025-01-05T10:00Z", "user": "u1"},
    {"text": "Is the kayak red?", "speaker": "Tom", "session": "a", "at": "2025-01-05T10:01Z", "user": "u1"},
    {"text": "I sold the kayak to Bruno", "speaker": "Maria", "session": "b", "at": "2025-03-05T10:00Z"},
    {"text": "I miss the kayak", "speaker": "Tom", "session": "c", "at": "2025-06-05T10:00Z", "metadata": {"mood": 2}},
]


@pytest.mark.parametrize(
    ("conditions", "sessions", "speakers"),
    [
        ({"speaker": "Maria"}, {"a", "b"}, {"Maria"}),
        ({"session": "a"}, {"a"}, {"Maria", "Tom"}),
        ({"since": "2025-03-05T10:00Z"}, {"b", "c"}, {"Maria", "Tom"}),
        ({"until": "2025-03-05T10:00Z"}, {"a"}, {"Maria", "Tom"}),
        ({"entity": "Bruno"}, {"b"}, {"Maria"}),
        ({"metadata": {"mood": [1, 2]}}, {"c"}, {"Tom"}),
        ({"user": "u1", "speaker": "Tom"}, {"a"}, {"Tom"}),
        ({"speaker": None, "since": None, "metadata": {}}, {"a", "b", "c"}, {"Maria", "Tom"}),
        ({"speaker": "nobody"}, set(), set()),
    ],
)
def test_conditions_hold_for_search_for_a_context_and_for_an_answer(
    memory: Memory, conditions: dict[str, Any], sessions: set[str], speakers: set[str]
) -> None:
    memory.add(SAID)
    question = "What happened to the kayak?"
    for told in (memory.search(question, **conditions), memory.context(question, **conditions).evidence):
        assert {item.session for item in told} == sessions
        assert {item.speaker for item in told} == speakers
    answered = memory.ask(question, **conditions)
    assert {item.session for item in answered.evidence} <= sessions
    assert answered.abstained or sessions


def test_kinds_and_conditions_hold_together(memory: Memory) -> None:
    memory.add(SAID)
    found = memory.search("the kayak", 50, kinds=("turn", "event", "note"), speaker="Maria")
    own = {turn.id for turn in memory.list(speaker="Maria")}
    assert found
    assert all(item.sources[-1] in own for item in found)
    events = memory.search("the kayak", 50, kinds=("event",), speaker="Maria")
    assert {item.kind for item in events} == {"event"}
    assert all(memory.get(item.id).id == item.id for item in (*found, *events))


def test_a_time_of_asking_may_be_said_in_several_forms(memory: Memory) -> None:
    memory.add(SAID)
    moment = datetime(2025, 4, 2, 12, tzinfo=UTC)
    answers = [memory.ask("What did Maria sell last month?", at=at) for at in (moment, moment.isoformat(), 1743595200)]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0].plan.parts[0].spans[0].start == datetime(2025, 3, 1, tzinfo=UTC)


def test_a_turn_is_refused_beyond_the_limit_that_stats_tells(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.hmem", settings={"capture.turn_characters": "1000"}) as memory:
        assert memory.stats().turn_characters == 1_000
        for call in (lambda: memory.add("x" * 1_000), lambda: memory.correct(memory.add("one").id, "x" * 1_001)):
            with pytest.raises(InvalidTurn, match=r"up to 1,000 characters"):
                call()
        with pytest.warns(MessagesRejected):
            assert [each.fate for each in memory.add(["x" * 2_000, "two"])] == ["rejected", "stored"]
        assert memory.stats().turns == 2
    # It is kept with the memory, and can be raised on opening.
    with Memory(tmp_path / "a.hmem") as memory:
        assert memory.stats().turn_characters == 1_000
    with Memory(tmp_path / "a.hmem", settings={"capture.turn_characters": "3000"}) as memory:
        assert memory.add("x" * 2_000).fate == "stored"


class Full(SQLiteStorage):
    """A storage whose log has no room."""

    def record(self, entries: Sequence[LogEntry]) -> list[int]:
        raise StorageFull("the disk is full - free some space; nothing of this write was kept")


def test_a_turn_is_kept_though_what_follows_from_it_is_not(tmp_path: Path) -> None:
    with Memory(storage=Full(tmp_path / "a.hmem"), form_later=False) as memory:
        memory.add("I adopted a puppy named Coco", speaker="Maria", session="s")
        assert memory.ask("What did Maria adopt?", speaker="Maria").evidence
        made = memory.add("No, that is wrong.", speaker="Maria", session="s")
        assert made.fate == "stored"
        assert memory.list()[-1].id == made.id
        assert "the disk is full" in str(memory.stats().formation_problem)
