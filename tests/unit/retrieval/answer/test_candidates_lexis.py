from tests.recall import sources

from hmem import Memory
from hmem.retrieval.answer.candidates import Rarities


def test_a_word_of_few_turns_is_rarer() -> None:
    with Memory(":memory:") as memory:
        for number in range(8):
            memory.add(f"The garden is green, number {number}.", speaker="Nora", session="s")
        memory.add("The garden has a hydrangea.", speaker="Nora", session="s")
        with sources(memory) as held:
            rare = Rarities(held).of(["garden", "hydrangea"])
    assert 0.0 <= rare["garden"] < rare["hydrangea"] <= 1.0
