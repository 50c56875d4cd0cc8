"""A memory as it was known at a time, and what was true at a time."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.formation import FormedExample

from hmem import AsOf, Memory
from hmem.errors import InvalidQuery, InvalidTime


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, formed_example: FormedExample) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("lived") / "test.hmem"
    formed_example(path, 80)
    with Memory(path) as memory:
        yield memory


@pytest.fixture
def told() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        memory.add("I adopted a puppy named Coco.", speaker="Maria", at="2023-08-11T10:00:00Z", session="s1")
        memory.add("I live in Lisbon.", speaker="Maria", at="2023-08-12T10:00:00Z", session="s2")
        memory.add("I will move to Porto in May 2024.", speaker="Maria", at="2023-09-12T10:00:00Z", session="s3")
        yield memory


def texts(view: Memory | AsOf, question: str) -> list[str]:
    return [item.text for item in view.search(question, 9)]


def test_nothing_that_was_said_later_is_known(told: Memory) -> None:
    then = told.as_of("2023-08-11T23:00:00Z")
    assert texts(then, "Where does Maria live?") == ["I adopted a puppy named Coco."]
    assert "Lisbon" not in then.context("Where does Maria live?").text
    assert then.ask("Where does Maria live?").text != "Lisbon"
    assert [note.text for note in then.notes()] == ["I adopted a puppy named Coco."]
    assert "Lisbon" not in str(then.persona("Maria"))
    assert {entity.name for entity in then.graph().entities} == {"Maria", "Coco"}
    assert [event.sources for event in then.events()] == [(told.list()[0].id,)]
    assert then.tree("calendar").node.size == 1
    assert [len(episode.turns) for episode in then.episodes()] == [1]


def test_before_everything_there_is_nothing(told: Memory) -> None:
    then = told.as_of("2020-01-01")
    assert texts(then, "puppy") == []
    assert then.notes() == then.events() == then.episodes() == then.personas() == ()
    assert then.persona("Maria") is None
    assert then.graph().entities == ()


def test_as_of_now_equals_now(lived: Memory) -> None:
    now = lived.as_of(datetime.now(UTC) + timedelta(seconds=1))
    for question in ("What does Nadia say of the dog?", "Where does Tomas work?"):
        asked = datetime(2026, 1, 1, tzinfo=UTC)
        assert [(each.id, each.score) for each in now.search(question, at=asked)] == [
            (each.id, each.score) for each in lived.search(question, at=asked)
        ]
        assert now.ask(question, at=asked).text == lived.ask(question, at=asked).text
        assert now.context(question, at=asked).text == lived.context(question, at=asked).text
    assert now.notes() == lived.notes()
    assert now.events() == lived.events()
    assert now.episodes() == lived.episodes()
    assert {entity.id for entity in now.graph().entities} == {entity.id for entity in lived.graph().entities}
    assert [persona.text for persona in now.personas()] == [persona.text for persona in lived.personas()]


@pytest.mark.parametrize("days", [1, 20, 60, 120])
def test_what_is_known_only_grows_while_nothing_is_decided(lived: Memory, days: int) -> None:
    turns = lived.list(limit=1_000)
    moment = min(turn.at for turn in turns) + timedelta(days=days)
    then = lived.as_of(moment)
    known = {turn.id for turn in turns if turn.at <= moment}
    assert 0 < len(known) < len(turns) or days == 120
    assert {item.id for item in then.search("the dog, the choir and the garden", 200)} == known
    events = [(each.id, each.text) for each in lived.events(limit=10_000) if each.sources[-1] in known]
    assert [(each.id, each.text) for each in then.events(limit=10_000)] == events
    assert events
    # The newest sentence of a thread stands for those before it, which it names as sources.
    notes, now = then.notes(limit=10_000), lived.notes(limit=10_000)
    assert {note.id for note in now if note.sources[-1] in known} <= {note.id for note in notes}
    assert {each for note in notes for each in note.sources} <= {each for note in now for each in note.sources}
    assert notes


def test_what_was_decided_later_is_not_seen(told: Memory) -> None:
    before = datetime.now(UTC)
    told.correct(told.list()[0].id, "I adopted a kitten named Kona.")
    assert "I adopted a puppy named Coco." in texts(told.as_of(before), "Which animal did Maria adopt?")
    assert "I adopted a kitten named Kona." not in texts(told.as_of(before), "Which animal did Maria adopt?")
    after = told.as_of(datetime.now(UTC))
    assert "I adopted a kitten named Kona." in texts(after, "Which animal did Maria adopt?")
    assert "I adopted a puppy named Coco." not in texts(after, "Which animal did Maria adopt?")


def test_what_was_true_is_told_whenever_it_was_told(told: Memory) -> None:
    told.add("In 2021 I worked as a baker in Rome.", speaker="Maria", at="2023-10-01T10:00:00Z", session="s4")
    then = told.valid_at("2021-07-01")
    assert texts(then, "What did Maria do?") == ["In 2021 I worked as a baker in Rome."]


def test_both_bounds_can_be_set(told: Memory) -> None:
    view = told.as_of("2023-08-12T12:00:00Z").valid_at("2023-08-11T12:00:00Z")
    assert texts(view, "Maria") == ["I adopted a puppy named Coco."]
    assert texts(told.valid_at("2023-08-11T12:00:00Z").as_of("2023-08-12T12:00:00Z"), "Maria") == texts(view, "Maria")


def test_a_turn_that_is_dated_ahead_is_known_when_it_was_kept(told: Memory) -> None:
    told.add("Remember the fair.", speaker="Maria", at="2999-01-01T00:00:00Z")
    assert "Remember the fair." in texts(told.as_of(datetime.now(UTC) + timedelta(seconds=1)), "the fair")


def test_filters_hold_too(told: Memory) -> None:
    assert [item.session for item in told.as_of("2023-08-20").search("Maria", session="s2")] == ["s2"]
    assert list(told.as_of("2023-08-11T12:00:00Z").search("Maria", session="s2")) == []


def test_a_moment_that_is_none_and_the_tiers_are_refused(told: Memory) -> None:
    with pytest.raises(InvalidTime):
        told.as_of("no time")
    with pytest.raises(InvalidQuery, match="of now"):
        told.as_of("2024-01-01").tiers()


def test_a_view_says_from_when_it_looks(told: Memory) -> None:
    assert repr(told.as_of("2023-08-12")) == "AsOf(as_of=2023-08-12T00:00:00+00:00)"
    assert "valid_at=2023-09-01" in repr(told.as_of("2023-08-12").valid_at("2023-09-01"))
