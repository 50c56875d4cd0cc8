from tests.formation import derived, example

from hmem import Memory
from hmem.derived.speaker_names import ScopedPerson
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
