import pytest
from tests.recall import query, sources

from hmem import Memory
from hmem.retrieval.answer.answering import target_of
from hmem.retrieval.answer.candidates import Rarities, is_of_sort


def test_a_word_of_few_turns_is_rarer() -> None:
    with Memory(":memory:") as memory:
        for number in range(8):
            memory.add(f"The garden is green, number {number}.", speaker="Nora", session="s")
        memory.add("The garden has a hydrangea.", speaker="Nora", session="s")
        with sources(memory) as held:
            rare = Rarities(held).of(["garden", "hydrangea"])
    assert 0.0 <= rare["garden"] < rare["hydrangea"] <= 1.0


@pytest.mark.parametrize(
    ("question", "thing", "person"),
    [("Who did Ben pay?", False, True), ("Where is Ben?", False, False), ("What is new?", True, True)],
)
def test_a_thing_is_no_person_and_no_place(question: str, thing: bool, person: bool) -> None:
    with Memory(":memory:") as memory:
        memory.add("I bought a laptop from my neighbour.", speaker="Ben", at="2023-05-08T13:00:00Z")
        with sources(memory) as held:
            asked = target_of(held, query(held, question))
            assert is_of_sort(held, asked, "a laptop") == thing
            assert is_of_sort(held, asked, "my neighbour") == person
            assert is_of_sort(held, asked, "")
