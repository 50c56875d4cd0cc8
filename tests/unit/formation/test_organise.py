from tests.formation import derived, example
from tests.models import Derived, open_with

from hmem import Memory
from hmem.derived.speaker_names import ScopedPerson
from hmem.language.analyst import Curation, Passage
from hmem.language.analyst.base import TurnExtraction
from hmem.model.scope import COMMON


def test_a_turn_that_is_not_memorable_is_judged_and_searchable_but_in_no_tree(memory: Memory) -> None:
    memory.add("Thanks!", speaker="Ana", session="a")
    kept = derived(memory)
    with memory.corpus.reading():
        assert kept.judgements.seqs() == [1]
        assert not any(len(tree) for tree in kept.trees.values())
    assert memory.search("thanks")


def test_a_persona_is_renewed_when_a_session_begins(memory: Memory) -> None:
    memory.add("I love hiking in the mountains.", speaker="Nadia", session="a")
    memory.add("I am allergic to peanuts.", speaker="Nadia", session="a")
    assert derived(memory).personas.people() == []
    memory.add("Good morning, the train to Porto leaves at nine.", speaker="Nadia", session="b")
    with memory.corpus.reading():
        persona = derived(memory).personas.get(ScopedPerson(COMMON, 1))
        assert persona is not None
        assert "hiking" in persona.text
        assert "peanuts" in persona.text


def test_importance_is_judged_against_the_persona_of_the_speaker(memory: Memory) -> None:
    memory.add([message | {"session": f"s{i}"} for i, message in enumerate(example(60))])
    scores = [record.importance for record in (*memory.tiers().cache, *memory.tiers().buffer)]
    assert min(scores) <= 3
    assert max(scores) >= 7


def test_a_persona_forgets_what_was_deleted(memory: Memory) -> None:
    told = memory.add("I am allergic to peanuts.", speaker="Nadia", session="a").id or ""
    memory.add("I love hiking in the mountains.", speaker="Nadia", session="a")
    memory.add("I live in Porto.", speaker="Nadia", session="b")
    memory.delete(told)
    with memory.corpus.reading():
        stored = derived(memory).personas.get(ScopedPerson(COMMON, 1))
        assert stored is None or "peanuts" not in stored.text
    persona = memory.persona("Nadia")
    assert persona is not None
    assert "peanuts" not in persona.text


class Skimmer(Derived):
    """Model that finds that the second turn tells nothing."""

    def _reading(self, passage: Passage, place: int) -> TurnExtraction:
        reading = super()._reading(passage, place)
        return reading if place == 0 else TurnExtraction(self.made_by, Curation(memorable=False), importance=1)


def test_of_a_turn_that_a_model_found_empty_only_names_of_earlier_turns_are_in_the_graph() -> None:
    with open_with(":memory:", Skimmer()) as memory:
        memory.add(
            [
                {"text": text, "speaker": "Ann", "session": "s"}
                for text in ("I met Biscuit.", "Say hello to Biscuit and Rosalind!")
            ]
        )
        named = {entity.name for entity in memory.graph().entities}
        assert {"Biscuit", "Rosalind"} <= named
        memory.model.run_jobs(concurrency=1)
        graph = memory.graph()
        assert named - {entity.name for entity in graph.entities} == {"Rosalind"}
        (biscuit,) = (entity for entity in graph.entities if entity.name == "Biscuit")
        assert graph.mentions[biscuit.id] == 2
