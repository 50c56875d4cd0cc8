"""What `forget`, `retain` and `verify` are told, and what they tell."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem.corpus.corpus import PENDING, Corpus
from hmem.errors import InputError, InvalidQuery, InvalidTime, InvalidTurn, StorageFull, UnknownId
from hmem.model.span import to_stored
from hmem.storage.base import LogEntry
from hmem.storage.sqlite.store import SQLiteStorage
from hmem_testing.conformance.harness import keep_plain, make_turn


@pytest.fixture
def told(memory: Memory) -> Memory:
    """Three sessions of two people."""
    memory.add("I adopted a puppy named Coco.", speaker="Maria", session="a", at="2023-08-11T10:00:00Z")
    memory.add("What does Coco eat?", speaker="Tom", session="a", at="2023-08-11T10:01:00Z")
    memory.add("I live in Porto.", speaker="Maria", session="b", at="2023-09-01T10:00:00Z")
    memory.add("I painted the fence green.", speaker="Tom", session="c", at="2023-10-01T10:00:00Z")
    return memory


def texts(memory: Memory) -> list[str]:
    return [turn.text.split()[-1] for turn in memory.list()]


def test_conditions_must_all_be_met(told: Memory) -> None:
    assert told.forget(speaker="Maria", session="a").turns == 1
    assert texts(told) == ["eat?", "Porto.", "green."]
    assert told.forget(speaker="Tom", since="2023-09-15", until="2023-12-01").turns == 1
    assert texts(told) == ["eat?", "Porto."]
    assert told.forget(before="2023-08-12T00:00:00Z").turns == 1
    assert told.forget(after="2023-09-02").turns == 0
    assert texts(told) == ["Porto."]


def test_a_bound_has_two_names_and_is_given_once(told: Memory) -> None:
    assert (
        told.forget(until="2023-09-01", preview=True).turns == told.forget(before="2023-09-01", preview=True).turns == 2
    )
    assert (
        told.forget(since="2023-09-01", preview=True).turns == told.forget(after="2023-09-01", preview=True).turns == 2
    )
    with pytest.raises(InvalidQuery, match=r"^since and after are the same"):
        told.forget(since="2023-01-01", after="2023-01-01")
    with pytest.raises(InvalidQuery, match=r"^until and before are the same"):
        told.forget(until="2023-01-01", before="2023-01-01")


def test_an_entity_stands_for_the_turns_that_name_it(told: Memory) -> None:
    entity = told.graph("Coco").entities[0]
    assert told.forget(entity.id, preview=True).turns == told.forget(entity="Coco", preview=True).turns == 2
    assert told.forget(entity="Coco").turns == 2
    assert texts(told) == ["Porto.", "green."]


def test_a_name_that_is_not_certain_stands_for_the_turns_that_name_it(memory: Memory) -> None:
    memory.add("Nadia, thank you.", speaker="Maria")
    memory.add("I painted the fence green.", speaker="Maria")
    assert "Nadia" not in [entity.name for entity in memory.graph().entities]
    forgotten = memory.forget(entity="Nadia")
    # Maria is an entity that nothing names any more.
    assert (forgotten.turns, forgotten.entities) == (1, 1)
    assert texts(memory) == ["green."]


def test_ids_of_what_was_formed_stand_for_its_turns(told: Memory) -> None:
    turns = told.list()
    for kept in (*told.events(), *told.notes()):
        assert set(told.forget(kept.id, preview=True).ids) == set(kept.sources)
    for episode in told.episodes():
        assert told.forget(episode.id, preview=True).ids == episode.turns
    assert told.forget("a", turns[3].id, preview=True).ids == (turns[0].id, turns[1].id, turns[3].id)


def test_a_query_stands_for_turns_that_hold_all_its_words(told: Memory) -> None:
    assert told.forget(query="Coco eats", preview=True).samples == ("Tom: What does Coco eat?",)
    assert told.forget(query="Coco", k=1, preview=True).turns == 1
    assert told.forget(query="Coco", speaker="Maria", preview=True).turns == 1
    assert told.forget(query="zebra Coco").turns == 0
    assert told.forget(query="Coco").turns == 2


def test_a_query_stands_for_the_ten_best_unless_told_otherwise(memory: Memory) -> None:
    memory.add([f"I saw a heron and {number} other birds by the old harbour." for number in range(11)])
    memory.add("A heron!")
    assert memory.forget(query="heron", preview=True).turns == 10
    assert memory.forget(query="heron", k=1, preview=True).samples == (f"{memory.list()[0].speaker}: A heron!",)
    assert memory.forget(query="heron", k=20, preview=True).turns == 12


def test_a_preview_forgets_nothing_and_tells_what_would_go(told: Memory) -> None:
    told.consolidate()
    before = told.stats()
    found = told.forget(speaker="Maria", preview=True)
    assert (found.preview, found.turns, found.vectors, found.speakers, found.sessions) == (True, 2, 2, 1, 1)
    assert found.ids == tuple(turn.id for turn in told.list(speaker="Maria"))
    assert found.samples == ("Maria: I adopted a puppy named Coco.", "Maria: I live in Porto.")
    assert found.events
    assert found.entities
    assert told.stats() == before
    done = told.forget(speaker="Maria")
    assert (done.turns, done.events, done.notes, done.entities) == (2, found.events, found.notes, found.entities)
    assert (done.ids, done.samples, done.preview) == ((), (), False)


def test_what_names_nothing_is_refused_and_nothing_is_forgotten(told: Memory) -> None:
    with pytest.raises(InvalidQuery, match="nothing says what to forget"):
        told.forget()
    with pytest.raises(UnknownId):
        told.forget(told.list()[0].id, "turn_unknown")
    with pytest.raises(UnknownId):
        told.delete("episode_01M7YYP6RT66JAKEEJN9Q64VF5")
    with pytest.raises(InvalidQuery, match="give one of them"):
        told.forget(since="2023-01-01", after="2023-01-01")
    with pytest.raises(InvalidTime):
        told.forget(before="yesterday")
    for k in (0, True, 2.5, "3"):
        with pytest.raises(InvalidQuery, match=f"k cannot be {k!r} - "):
            told.forget(query="Coco", k=k)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InvalidQuery, match=f"k cannot be {k!r} - "):
            told.forget(speaker="Maria", k=k)
    with pytest.raises(InvalidQuery):
        told.forget(query=" ")
    assert told.forget(speaker="Nobody").turns == 0
    nothing = told.forget(speaker="Nobody", preview=True)
    assert (nothing.turns, nothing.vectors, nothing.ids) == (0, 0, ())
    assert told.stats().turns == 4
    assert told.history() == ()


def test_the_log_tells_how_much_was_forgotten_and_by_whom_but_not_what(told: Memory) -> None:
    told.forget(speaker="Maria", before="2024-01-01", why="Maria asked for it", by="host")
    begun = datetime.now(UTC)
    told.forget(session="c", why="he left")
    first, second, *_ = told.history()
    told.forget(query="Coco")
    assert begun <= second.at <= told.history()[2].at <= datetime.now(UTC)
    assert [(entry.by, entry.target) for entry in told.history()[1:]] == [("user", "session"), ("user", "query")]
    assert (first.verb, first.by, first.target, first.why, first.after) == (
        "forget", "host", "speaker, until", None, "2 turns",
    )  # fmt: skip
    assert (second.why, second.before, second.after) == ("he left", None, "1 turn")


def test_entries_about_what_is_forgotten_are_blotted(told: Memory) -> None:
    storage, at = told.corpus.storage, to_stored(datetime.now(UTC))[0]
    gone, kept = told.list()[0].id, told.list()[3].id
    told.flush()
    renewed = storage.recorded()
    assert {(entry.verb, entry.target) for entry in renewed} == {("renew", "Maria")}
    storage.record([
        LogEntry(at, "user", "correct", gone, "typo", "a puppy", "a dog"),
        LogEntry(at, "user", "correct", kept, "Coco was there", "green", "blue"),
        LogEntry(at, "rules", "renew", "Maria", None, "Maria lives in a town", "Maria lives in Porto"),
        LogEntry(at, "user", "persona", "Tom", "by hand", "paints", "paints fences"),
    ])  # fmt: skip
    forgotten = told.forget(entity="Coco")
    # The persona told of Coco, too.
    assert forgotten.entries == 3 + len(renewed)
    told.forget(speaker="Maria")
    correct, other, renew, persona, *_ = storage.recorded(since=len(renewed))
    assert (correct.target, correct.why, correct.before, correct.after) == (gone, None, None, None)
    assert (other.why, other.before, other.after) == (None, "green", "blue")
    assert (renew.target, renew.before, renew.after) == ("", None, None)
    assert (persona.why, persona.before, persona.after) == ("by hand", "paints", "paints fences")
    assert told.verify(["maria", "coco", "puppy"]).problems == ()


def test_what_is_recalled_no_more_is_forgotten_all_the_same(told: Memory) -> None:
    first, _, third, _ = told.list()
    change = told.correct(first.id, "I adopted a kitten named Quillon.")
    told.retract(third.id, why="Porto was a joke")
    told.add("The code is 471199.", speaker="Maria", session="d", at="2023-01-01", ttl="1h")
    assert told.search("Porto adopted code", speaker="Maria")[0].text.endswith("Quillon.")
    assert told.forget(speaker="Maria").turns == 4
    assert told.verify(["quillon", "porto", "maria", "471199", "kitten", "joke"]).problems == ()
    assert [entry.after for entry in told.history(first.id)] == [None]
    assert told.history()[0].link == change.link


def test_a_correction_is_read_by_itself_when_what_it_corrects_is_forgotten(told: Memory) -> None:
    note = next(note for note in told.notes() if "Porto" in note.text)
    change = told.correct(note.id, "Braga, for a year")
    corrected = next(each for each in told.notes() if "Braga" in each.text)
    assert (corrected.subject, corrected.slot) == (note.subject, note.slot)
    told.forget(note.id)
    assert [turn.text for turn in told.list()][-1] == "Braga, for a year"
    assert not [each for each in told.notes() if each.slot == note.slot]
    assert told.history()[0].link == change.link
    assert told.verify(["porto"]).problems == ()


def test_the_report_says_what_went_and_what_that_freed(told: Memory) -> None:
    told.consolidate()
    before = told.stats()
    report = told.forget(speaker="Maria")
    assert (report.turns, report.sessions, report.speakers, report.vectors) == (2, 1, 1, 2)
    assert report.bytes_before == before.truth_bytes + before.index_bytes
    after = told.stats()
    assert report.bytes_after == after.truth_bytes + after.index_bytes < report.bytes_before
    assert report.pending is None
    assert (after.turns, after.sessions, after.vectors) == (2, 2, 2)


def test_a_turn_that_has_no_vector_loses_none(told: Memory) -> None:
    keep_plain(told.corpus.storage, [make_turn("The vector of this could not be made.", speaker="Zoe")])
    assert told.forget(speaker="Zoe", preview=True).vectors == 0
    assert told.forget(speaker="Zoe").vectors == 0


def test_what_another_process_logs_of_it_meanwhile_is_blotted_out(
    told: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget = Corpus.forget

    def beside(corpus: Corpus, *arguments: Any) -> Any:
        with closing(SQLiteStorage(str(path))) as other:
            other.record([LogEntry(5, "user", "retract", "x", "Coco is no puppy")])
        return forget(corpus, *arguments)

    monkeypatch.setattr(Corpus, "forget", beside)
    told.forget(entity="Coco")
    assert [entry.why for entry in told.corpus.storage.recorded() if entry.target == "x"] == [None]
    assert told.verify(["coco", "puppy"]).ok


def test_what_keeps_a_forgetting_from_its_end_is_told_and_made_up_for(
    told: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageFull("no space left - free some")

    told.flush()
    with monkeypatch.context() as patch:
        patch.setattr(SQLiteStorage, "form", full)
        pending = "no space left - free some; the turns are forgotten, and the files are wiped later"
        assert told.forget(entity="Coco").pending == pending
        assert told.stats().forgetting_problem == pending
    told.consolidate()
    assert told.stats().forgetting_problem is None
    assert told.verify(["coco", "puppy"]).ok


def test_a_forgetting_that_was_broken_off_is_finished_on_opening(path: Path) -> None:
    with Memory(path) as memory:
        memory.add("I live in Porto.", speaker="Maria")
        storage = memory.corpus.storage
        renewed = LogEntry(5, "rules", "renew", "Maria", "why", "before", "after", key="1")
        storage.record([renewed, LogEntry(6, "user", "forget", "id"), renewed._replace(key="2")])
        storage.put_settings({PENDING: "1"})
        assert memory.verify().problems == ("a forgetting was not finished - run `hmem consolidate`",)
        traced = memory.verify(["Porto"]).problems
        assert traced[0] == "a forgetting was not finished - run `hmem consolidate`"
        assert any(problem.startswith("'porto' stands in ") for problem in traced[1:])
    with Memory(path) as memory:
        assert memory.verify().problems == ()
        # What was logged behind the entry may tell of what was forgotten; what went before was redacted then.
        told = [(entry.before, entry.why) for entry in memory.corpus.storage.recorded() if entry.target == "Maria"]
        assert told[-2:] == [("before", "why"), (None, None)]


def test_without_an_entry_all_that_was_logged_may_tell_of_it(path: Path) -> None:
    with Memory(path) as memory:
        memory.add("I live in Porto.", speaker="Maria")
        memory.corpus.storage.record([LogEntry(5, "rules", "renew", "Tom", None, "before", "after")])
        memory.corpus.storage.put_settings({PENDING: "1"})
    with Memory(path) as memory:
        assert [entry.before for entry in memory.corpus.storage.recorded()] == [None]


def test_a_process_that_has_it_open_knows_nothing_of_it_any_more(told: Memory, path: Path) -> None:
    with Memory(path) as other:
        assert "Coco" in other.search("Coco", 1)[0].text
        told.corpus.storage.record([LogEntry(0, "user", "correct", "Coco", "Coco")])
        other.search("Coco")
        told.forget(entity="Coco")
        assert "Coco" not in str(other.search("Coco").evidence)
        assert [speaker.name for speaker in other.corpus.speakers] == ["Maria", "Tom"]
        told.forget(speaker="Maria")
        other.search("Porto")
        assert [speaker.name for speaker in other.corpus.speakers] == ["Tom"]
        assert "Coco" not in str(other._components.formation.derived.decisions._entries)


def test_a_speaker_who_was_forgotten_can_speak_again(told: Memory) -> None:
    told.consolidate()
    told.forget(speaker="Maria")
    with pytest.raises(UnknownId):
        told.persona("Maria")
    told.add("I like tea.", speaker="Maria", session="a")
    assert told.stats().speakers == 2
    assert told.forget(speaker="Maria", session="a").turns == 1
    assert told.verify(["tea", "maria"]).problems == ()


def test_verify_names_the_place_of_a_word(told: Memory) -> None:
    verified = told.verify(["Coco", "unheard"])
    assert not verified.ok
    assert any("turn.text" in problem for problem in verified.problems)
    assert any("formed" in problem for problem in verified.problems)
    assert not any("unheard" in problem for problem in verified.problems)
    assert verified.checked["words"] == 2
    assert verified.checked["formed"] == 4


# Expiry.


def test_a_turn_with_a_time_to_live_is_forgotten_at_consolidation(memory: Memory) -> None:
    now = datetime.now(UTC)
    memory.add("The door code is 471199.", speaker="Maria", at=now - timedelta(hours=2), ttl="1h")
    memory.add("The train leaves at nine.", speaker="Maria", at=now, ttl=timedelta(days=1))
    memory.add({"text": "The parcel is here.", "expires": now - timedelta(minutes=1)}, speaker="Maria")
    memory.add(["Coco likes carrots"], speaker="Maria", ttl=86_400)
    assert memory.stats().expiring == 4
    assert memory.consolidate().forgotten == 2
    assert texts(memory) == ["nine.", "carrots"]
    assert memory.verify(["471199", "parcel"]).problems == ()
    assert memory.consolidate().forgotten == 0
    entry = memory.corpus.storage.recorded()[0]
    assert (entry.verb, entry.by, entry.target) == ("forget", "hmem", "expires")


def test_what_expired_and_what_outlived_the_rule_go_together(told: Memory) -> None:
    told.add("The door code is 471199.", speaker="Maria", at=datetime.now(UTC) - timedelta(hours=2), ttl="1h")
    told.retain(1)
    assert told.consolidate().forgotten == 5
    entries = [(entry.by, entry.verb, entry.target) for entry in told.corpus.storage.recorded()]
    assert ("user", "retain", told.corpus.storage.memory) in entries
    assert [entry for entry in entries if entry[1] == "forget"] == [
        ("hmem", "forget", "expires"), ("hmem", "forget", "retain"),
    ]  # fmt: skip
    logged = [entry.at for entry in told.corpus.storage.recorded() if entry.verb in ("retain", "forget")]
    assert all(abs(at - to_stored(datetime.now(UTC))[0]) < 600_000_000 for at in logged)


def test_a_rule_forgets_what_is_older_than_it(told: Memory) -> None:
    assert told.stats().retain_days is None
    told.retain(3650)
    assert told.stats().retain_days == 3650
    days = (datetime.now(UTC) - datetime(2023, 9, 15, tzinfo=UTC)).days
    told.retain(days, why="the law")
    assert told.consolidate().forgotten == 3
    assert texts(told) == ["green."]
    told.retain(None)
    told.retain(None)
    assert told.stats().retain_days is None
    entries = [entry for entry in told.corpus.storage.recorded() if entry.verb == "retain"]
    assert [(entry.before, entry.after) for entry in entries] == [
        (None, "3650"), ("3650", str(days)), (str(days), None),
    ]  # fmt: skip
    assert entries[1].why == "the law"


@pytest.mark.parametrize("days", [0, -1, 1.5, True, "7"])
def test_a_rule_is_a_whole_number_of_days(memory: Memory, days: object) -> None:
    with pytest.raises(InputError):
        memory.retain(days)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("ttl", ["soon", 0, -5, True, "3 moons", float("nan")])
def test_what_is_no_time_to_live_is_refused(memory: Memory, ttl: object) -> None:
    with pytest.raises(InvalidTime):
        memory.add("Hello", ttl=ttl)  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert memory.stats().turns == 0


def test_a_turn_expires_at_a_time_or_after_one(memory: Memory) -> None:
    with pytest.raises(InvalidTurn, match="ttl"):
        memory.add({"text": "Hello", "ttl": "1h", "expires": "2030-01-01"})
    with pytest.raises(InvalidTime):
        memory.add({"text": "Hello", "at": "9999-01-01", "ttl": "900y"})


@pytest.mark.example(30)
def test_nothing_is_read_twice_because_of_a_forgetting(memory: Memory) -> None:
    memory.consolidate()
    memory.forget(memory.list()[3].id)
    assert memory.stats().unformed == 0
    done = memory.consolidate()
    assert done.turns == 0
    assert memory.consolidate() == type(done)(0, 0, 0, 0, 0)


def test_a_chain_of_corrections_goes_whole(memory: Memory) -> None:
    last = memory.add("My locker is number one.", speaker="Maria", at="2023-08-11T10:00:00Z").id
    memory.add("I live in Lisbon.", speaker="Tom", at="2023-08-11T10:01:00Z")
    for number in ("two", "three", "four", "five", "six", "seven"):
        last = memory.correct(last or "", f"My locker is number {number}.").link
    assert memory.forget(memory.list()[0].id).turns == 7
    assert [turn.text for turn in memory.list()] == ["I live in Lisbon."]
    assert memory.verify(["locker", "seven"]).ok


KEY = "The spare key lies under the third flowerpot behind the shed."


def quote(memory: Memory, text: str, day: int) -> str:
    """The id of a turn of an assistant that has just recalled what it says."""
    memory.search("Where does the spare key lie?")
    return memory.add({"role": "assistant", "content": text}, at=f"2024-02-{day:02d}T10:00:00Z").id or ""


def test_what_only_repeats_a_forgotten_turn_goes_with_it(path: Path) -> None:
    with Memory(path) as memory:
        key = memory.add(KEY, speaker="Maria", at="2024-02-01T10:00:00Z").id or ""
        quote(memory, f"As you told me, {KEY[0].lower()}{KEY[1:]}", 2)
        report = memory.forget(key)
        assert (report.turns, report.echoes) == (2, ())
        assert "flowerpot" in report.words
        assert memory.verify(report.words).ok


def test_what_repeats_some_of_it_is_named_and_goes_when_that_is_wished(path: Path) -> None:
    with Memory(path) as memory:
        key = memory.add(KEY, speaker="Maria", at="2024-02-01T10:00:00Z").id or ""
        other = quote(memory, f"{KEY} The plumber Ernesto comes on Thursday at noon.", 2)
        preview = memory.forget(key, preview=True)
        assert (preview.ids, preview.echoes) == ((key,), (other,))
        assert memory.forget(key, echoes=True, preview=True).ids == (key, other)
        assert memory.forget(key).echoes == (other,)
        assert memory.get(other)
    with Memory(":memory:") as memory:
        key = memory.add(KEY, speaker="Maria", at="2024-02-01T10:00:00Z").id or ""
        quote(memory, f"{KEY} The plumber Ernesto comes on Thursday at noon.", 2)
        report = memory.forget(key, echoes=True)
        assert (report.turns, report.echoes) == (2, ())
        assert memory.history()[-1].target == "id, echoes"
        assert {"flowerpot", "ernesto"} <= set(report.words)


def test_a_session_that_is_gone_leaves_no_trace_in_scores(tmp_path: Path) -> None:
    said = [("We sailed to Malta in spring", "Tom", "x"), ("I adopted a puppy named Coco", "Maria", "y")]
    found: list[list[float]] = []
    for name in ("never", "gone"):
        with Memory(tmp_path / f"{name}.hmem") as memory:
            if name == "gone":
                memory.forget(memory.add("The puppy chewed slippers", speaker="Ann", session="s").id)
            for text, speaker, session in said:
                memory.add(text, speaker=speaker, session=session, at="2024-05-01T10:00Z")
            found.append([item.score for item in memory.search("Who adopted a puppy?")])
    assert found[0] == pytest.approx(found[1])


def test_ids_may_be_given_as_a_list(memory: Memory) -> None:
    first, second = memory.add(["I ski.", "I swim."])
    assert memory.forget([first.id, second.id]).turns == 2
    with pytest.raises(InvalidQuery, match="7 is no id - give texts such as 'turn_"):
        memory.forget(7)
