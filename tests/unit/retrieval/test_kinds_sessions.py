"""Sessions as evidence."""

from collections.abc import Iterator

import pytest
from tests.formation import FormedExample

from hmem import Memory


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, formed_example: FormedExample) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("sessions") / "test.hmem"
    formed_example(path)
    with Memory(path) as memory:
        yield memory


def test_the_sitting_in_which_something_was_talked_about_comes_first(lived: Memory) -> None:
    best = lived.search("Where does Tomas practise with the choir?", 3)[0]
    found = lived.search("Where does Tomas practise with the choir?", 5, kinds=("session",))
    assert best.session == found[0].session
    assert [(item.kind, item.id == item.session) for item in found] == [("session", True)] * 5
    assert len({item.id for item in found}) == 5


def test_a_session_is_told_by_its_best_turn_and_names_its_turns(lived: Memory) -> None:
    (first,) = lived.search("Which races did Nadia run?", 1, kinds=("session",))
    turns = [lived.get(source) for source in first.sources]
    assert {turn.session for turn in turns} == {first.id}
    assert turns[0].text == first.text
    assert set(first.why.terms) == {"best_turn"}
    assert sum(term.contribution for term in first.why.terms.values()) == pytest.approx(first.score, abs=1e-4)


def test_filters_hold_for_sessions(lived: Memory) -> None:
    some = lived.sessions()[2].id
    assert [item.id for item in lived.search("choir", 10, kinds=("session",), session=some)] == [some]
    assert lived.search("choir", 10, kinds=("session",), since="2100-01-01").evidence == ()


def test_sessions_and_turns_are_found_side_by_side(lived: Memory) -> None:
    kinds = [item.kind for item in lived.search("choir", 6, kinds=("turn", "session"))]
    assert kinds.count("turn") == kinds.count("session") == 3


def test_a_memory_without_turns_has_no_sessions_to_find() -> None:
    with Memory(":memory:") as memory:
        assert memory.search("choir", kinds=("session",)).evidence == ()
