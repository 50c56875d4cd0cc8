import numpy as np
from tests.formation import arrangement, example

from hmem import Memory
from hmem.language.analyst import analyst
from hmem.model.turn import Turn
from hmem.write.sitting import Sitting, read_sitting


def heard(sitting: Sitting, turns: list[Turn], context: int = 4) -> Sitting:
    for seq, turn in enumerate(turns, 1):
        sitting.heard(seq, turn, context)
    return sitting


def turns(*speakers: str) -> list[Turn]:
    with Memory(":memory:") as memory:
        memory.add([{"text": f"words {i}", "speaker": name, "session": "s"} for i, name in enumerate(speakers)])
        return memory.list()


def test_a_sitting_keeps_the_last_turns_and_everyone_who_spoke() -> None:
    sitting = heard(Sitting(), turns("Ana", "Ben", "Ana", "Eva", "Ben", "Ben"))
    assert [turn.text for turn in sitting.turns] == ["words 2", "words 3", "words 4", "words 5"]
    assert sitting.speakers == ["Ana", "Ben", "Eva"]
    assert sitting.last == 6
    assert heard(Sitting(), turns("Ana"), context=0).turns == []


def test_the_next_turns_come_behind_those_before_them() -> None:
    spoken = turns("Ana", "Ben", "Eva")
    passage = heard(Sitting(), spoken[:2]).passage(spoken[2:])
    assert passage.turns == tuple(spoken)
    assert passage.wanted == (spoken[2],)
    assert passage.speakers == ("Ana", "Ben", "Eva")


def test_a_sitting_is_read_back_as_it_was_left() -> None:
    with Memory(":memory:") as memory:
        memory.add([message | {"session": "one"} for message in example(40)])
        kept = arrangement(memory)
        rules = analyst("rules")
        with memory.corpus.reading():
            seqs = kept.judgements.seqs()
            for before in (seqs[0], seqs[7], seqs[25], seqs[-1] + 1):
                sitting = read_sitting(memory.corpus, kept.judgements, rules, 1, before, 4, 24)
                earlier = [seq for seq in seqs if seq < before]
                assert sitting.last == (earlier[-1] if earlier else -1)
                assert len(sitting.turns) == min(len(earlier), 4)
                cuts = [i for i, seq in enumerate(earlier) if kept.judgements.of(seq).cut is not None]  # type: ignore[union-attr]
                running = earlier[cuts[-1] :] if cuts else []
                assert len(sitting.episode) == len(running)
                kept_vectors = memory.corpus.vectors_of(running)
                for seen, vector in zip(sitting.episode, kept_vectors, strict=True):
                    assert np.array_equal(seen.vector, vector)
