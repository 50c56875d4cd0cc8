from tests.formation import arrangement, example

from hmem import Memory
from hmem.hierarchy.standing import standing


def test_there_is_a_row_for_each_turn_with_its_importance(memory: Memory) -> None:
    memory.add(example(60))
    kept = arrangement(memory)
    with memory.corpus.reading():
        rows, columns = standing(memory.corpus, kept)
        assert len(rows) == len(columns) == 60
        assert columns.importance.min() >= 1
        assert columns.importance.max() <= 10
        assert set(columns.uses.tolist()) == {1}
        seqs = memory.corpus.columns.seq[rows].tolist()
        assert columns.importance.tolist() == [kept.judgements.of(seq).importance for seq in seqs]  # type: ignore[union-attr]


def test_turns_are_likened_to_their_own_speakers_persona(memory: Memory) -> None:
    memory.add(example(150))
    kept = arrangement(memory)
    with memory.corpus.reading():
        rows, columns = standing(memory.corpus, kept)
        speakers = memory.corpus.columns.speaker[rows]
        for number in set(speakers.tolist()):
            known = kept.personas.of(number) is not None
            assert bool(columns.similarity[speakers == number].any()) == known


def test_an_empty_memory_stands_nowhere(memory: Memory) -> None:
    with memory.corpus.reading():
        rows, columns = standing(memory.corpus, arrangement(memory))
        assert len(rows) == len(columns) == 0
    assert memory.tiers().counts == {"cache": 0, "buffer": 0, "archive": 0}
