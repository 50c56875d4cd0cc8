from datetime import UTC, datetime

import pytest

from hmem import Memory
from hmem.model.evidence import Outdated


def test_an_answer_is_read_from_what_took_the_place() -> None:
    with Memory(":memory:") as memory:
        memory.add("I live in Porto.", speaker="Maria", at="2024-01-05T10:00:00Z", session="a")
        last = memory.add("I moved to Lisbon this week.", speaker="Maria", at="2024-03-12T10:00:00Z", session="b")
        now = memory.ask("Where does Maria live?")
        assert "Lisbon" in now.text
        assert last.id in {source for item in now.evidence for source in item.sources}
        assert "Porto" in memory.ask("Where did Maria live before?").text


def test_a_turn_that_says_something_else_too_is_still_read_for_that() -> None:
    with Memory(":memory:") as memory:
        memory.add("I live in Porto and my brother Tim plays the cello.", speaker="Maria", at="2024-01-05T10:00:00Z")
        memory.add("I moved to Lisbon this week.", speaker="Maria", at="2024-03-12T10:00:00Z")
        assert "cello" in memory.ask("Which instrument does Tim play?").text


def test_an_outdated_turn_ranks_behind_the_one_that_replaced_it_and_says_so() -> None:
    with Memory(":memory:") as memory:
        porto = memory.add("I live in Porto, near the river.", speaker="Maria", at="2024-01-05T10:00:00Z")
        memory.add("I like the old trams a lot.", speaker="Maria", at="2024-02-05T10:00:00Z")
        lisbon = memory.add("I moved to Lisbon on 12 March.", speaker="Maria", at="2024-03-14T10:00:00Z")
        found = memory.search("Where does Maria live?", k=2)
        assert [item.id for item in found] == [lisbon.id, porto.id]
        old = found[1].why
        assert old.outdated == Outdated(datetime(2024, 3, 12, tzinfo=UTC), lisbon.id)
        assert f"outdated since 12 March 2024, see {lisbon.id}" in str(old)
        total = sum(term.contribution for term in old.terms.values())
        assert total == pytest.approx(found[1].score, rel=1e-3)


def test_a_question_about_then_finds_what_was_true_then_first() -> None:
    with Memory(":memory:") as memory:
        porto = memory.add("I live in Porto, near the river.", speaker="Maria", at="2024-01-05T10:00:00Z")
        memory.add("I moved to Lisbon on 12 March.", speaker="Maria", at="2024-03-14T10:00:00Z")
        found = memory.search("Where did Maria live before?", k=2)
        assert (found[0].id, found[0].why.outdated) == (porto.id, None)


def test_what_replaced_an_outdated_turn_is_found_with_it() -> None:
    with Memory(":memory:") as memory:
        memory.add("I live in Porto, near the river.", speaker="Maria", at="2024-01-05T10:00:00Z")
        lisbon = memory.add("I moved to Lisbon on 12 March.", speaker="Maria", at="2024-03-14T10:00:00Z")
        assert [item.id for item in memory.search("Where does Maria live, near the river?", k=1)] == [lisbon.id]


def test_a_context_says_what_is_outdated() -> None:
    with Memory(":memory:") as memory:
        memory.add("I live in Porto, near the river.", speaker="Maria", at="2024-01-05T10:00:00Z")
        memory.add("I moved to Lisbon on 12 March.", speaker="Maria", at="2024-03-14T10:00:00Z")
        text = memory.context("Where does Maria live?", tokens=300).text
        assert "near the river. [outdated since Tue 12 Mar 2024]" in text


def test_a_corrected_note_puts_its_turn_behind_the_correction() -> None:
    with Memory(":memory:") as memory:
        old = memory.add("My sister Rosa works at Bosch.", speaker="Maria", at="2024-01-05T10:00:00Z")
        memory.add("We had soup today.", speaker="Maria", at="2024-02-05T10:00:00Z")
        (note,) = (note for note in memory.notes() if note.value == "Bosch")
        made = memory.correct(note.id, "Rosa works at Siemens.")
        found = memory.search("Where does Rosa work?", k=2)
        assert [item.id for item in found] == [made.link, old.id]
        assert found[1].why.outdated is not None


def test_what_ended_ranks_behind_the_turn_that_ended_it() -> None:
    with Memory(":memory:") as memory:
        dog = memory.add("I have a dog called Rex and he barks.", speaker="Maria", at="2023-07-05T10:00:00Z")
        gone = memory.add("I gave Rex away. I no longer have a dog.", speaker="Maria", at="2024-04-05T10:00:00Z")
        found = memory.search("Does Maria have a dog?", k=2)
        assert [item.id for item in found] == [gone.id, dog.id]
        assert found[1].why.outdated is not None
