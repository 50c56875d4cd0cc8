from pathlib import Path

import pytest
from tests.support import chatter

from hmem import Memory

pytestmark = pytest.mark.relevance_cut
FOREIGN = "How does a tokamak confine plasma?"


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.add(chatter(40))
    memory.add("My sister Lena opened a bakery in Porto.", speaker="Nadia", at="2025-03-04")
    return memory


def test_nothing_comes_for_a_question_that_the_memory_tells_nothing_of(told: Memory) -> None:
    assert not told.search(FOREIGN, 20)
    assert len(told.search(FOREIGN, 20, min_score=0)) == 20


def test_what_tells_of_the_question_comes_and_less_than_was_asked_for(told: Memory) -> None:
    found = told.search("What did Nadia's sister Lena open in Porto?", 20)
    assert found[0].text == "My sister Lena opened a bakery in Porto."
    assert len(found) < 20


def test_a_keyword_finds_the_turn_that_has_it(told: Memory) -> None:
    assert told.search("bakery")[0].text == "My sister Lena opened a bakery in Porto."


def test_a_least_relevance_is_a_plain_floor(told: Memory) -> None:
    found = told.search("What did Lena open?", 20, min_score=0)
    floor = sorted(item.relevance or 0 for item in found)[10]
    kept = told.search("What did Lena open?", 20, min_score=floor)
    reached = [item for item in found if (item.relevance or 0) >= floor]
    newer = {item.why.outdated.by for item in reached if item.why.outdated}
    assert [item.id for item in kept] == [item.id for item in found if item in reached or item.id in newer]


def test_what_is_newer_comes_with_what_it_is_newer_than_whatever_its_relevance(told: Memory) -> None:
    told.add("I live in Porto.", speaker="Nadia", at="2025-03-05", session="a")
    told.add("I live in Lisbon now.", speaker="Nadia", at="2025-03-06", session="b")
    found = told.search("I live in Porto.", 20, min_score=0)
    places = {item.text: item for item in found}
    older, newer = places["I live in Porto."], places["I live in Lisbon now."]
    assert older.why.outdated is not None
    assert older.why.outdated.by == newer.id
    assert (newer.relevance or 0) < (older.relevance or 0)
    kept = told.search("I live in Porto.", 20, min_score=older.relevance)
    assert {older.id, newer.id} <= {item.id for item in kept}


def test_a_recipe_can_turn_the_cut_off(told: Memory, path: Path) -> None:
    assert not told.search(FOREIGN, 20)
    with Memory(path, settings={"retrieval.cut": "false"}) as uncut:
        assert len(uncut.search(FOREIGN, 20)) == 20


def test_a_code_without_meaning_finds_the_turn_that_has_it(told: Memory) -> None:
    code = told.add("The xq77vz9 violin pocket lantern, and so on " + "and so on " * 20, speaker="Nadia").id
    assert told.search("xq77vz9")[0].id == code
