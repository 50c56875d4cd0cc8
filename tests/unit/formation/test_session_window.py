import numpy as np
from tests.formation import derived, example

from hmem import Memory
from hmem.formation.segment import SegmentOptions
from hmem.formation.session_window import SessionWindow, read_session_window
from hmem.language.analyst import analyst
from hmem.model.scope import COMMON
from hmem.model.turn import Turn

OPTIONS = SegmentOptions()


def heard(session_window: SessionWindow, turns: list[Turn], context: int = 4) -> SessionWindow:
    for seq, turn in enumerate(turns, 1):
        session_window.add(seq, turn, context)
    return session_window


def turns(*speakers: str) -> list[Turn]:
    with Memory(":memory:") as memory:
        memory.add([{"text": f"words {i}", "speaker": name, "session": "s"} for i, name in enumerate(speakers)])
        return memory.list()


def test_a_sitting_keeps_the_last_turns_and_everyone_who_spoke() -> None:
    session_window = heard(SessionWindow(), turns("Ana", "Ben", "Ana", "Eva", "Ben", "Ben"))
    assert [turn.text for turn in session_window.turns] == ["words 2", "words 3", "words 4", "words 5"]
    assert session_window.speakers == ["Ana", "Ben", "Eva"]
    assert session_window.last == 6
    assert heard(SessionWindow(), turns("Ana"), context=0).turns == []


def test_the_next_turns_come_behind_those_before_them() -> None:
    spoken = turns("Ana", "Ben", "Eva")
    passage = heard(SessionWindow(), spoken[:2]).passage(spoken[2:])
    assert passage.turns == tuple(spoken)
    assert passage.targets == (spoken[2],)
    assert passage.speakers == ("Ana", "Ben", "Eva")


def test_a_sitting_is_read_back_as_it_was_left() -> None:
    with Memory(":memory:") as memory:
        memory.add([message | {"session": "one"} for message in example(40)])
        kept = derived(memory)
        rules = analyst("rules")
        with memory.corpus.reading():
            seqs = kept.judgements.seqs()
            for before in (seqs[0], seqs[7], seqs[25], seqs[-1] + 1):
                session_window = read_session_window(
                    memory.corpus, kept, rules, 1, COMMON, before, 4, OPTIONS, lambda turn: turn
                )
                earlier = [seq for seq in seqs if seq < before]
                assert session_window.last == (earlier[-1] if earlier else -1)
                assert len(session_window.turns) == min(len(earlier), 4)
                cuts = [i for i, seq in enumerate(earlier) if kept.judgements.get(seq).cut is not None]  # type: ignore[union-attr]
                running = earlier[cuts[-1] :] if cuts else []
                assert session_window.recent.episode == len(running)
                vectors = memory.corpus.vectors_of(earlier[-OPTIONS.recent_turns :])
                for seen, vector in zip(session_window.recent.turns, vectors, strict=True):
                    assert np.array_equal(seen.vector, vector)
