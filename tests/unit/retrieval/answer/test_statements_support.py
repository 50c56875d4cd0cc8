from tests.recall import query, sources

from hmem import Memory
from hmem.language.analyst import analyst
from hmem.retrieval.answer.answering import measured


def test_what_a_person_says_of_themselves_fits_better_than_what_another_says() -> None:
    with Memory(":memory:") as memory:
        memory.add("I adopted a dog from the shelter.", speaker="Tom", session="s", at="2023-05-01T10:00:00Z")
        memory.add("I adopted a cat from the shelter.", speaker="Nora", session="s", at="2023-05-01T10:01:00Z")
        found = memory.search("What did Nora adopt from the shelter?", 5).evidence
        with sources(memory) as held:
            asked = query(held, "What did Nora adopt from the shelter?")
            best = measured(
                held, asked, analyst("rules").answer_reader.target(asked.text, asked.names, asked.part), found
            )
    assert "cat" in best[0].line.text
    assert best[0].features["own"] == 1.0
    assert best[-1].features["other"] == 1.0
