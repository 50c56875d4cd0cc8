from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.episodes import TurnJudgement, TurnJudgements

judgements = st.builds(
    TurnJudgement,
    session=st.integers(0, 40),
    memorable=st.booleans(),
    importance=st.integers(1, 10),
    cut=st.sampled_from([None, "topic", "surprise", "session", "length"]),
    made_by=st.sampled_from(["rules/1", "a model"]),
)


@given(st.dictionaries(st.integers(0, 2_000), judgements, max_size=60))
def test_judgements_come_back_from_their_chunks(made: dict[int, TurnJudgement]) -> None:
    kept = TurnJudgements()
    for seq, judgement in made.items():
        kept.put(seq, judgement)
    loaded = TurnJudgements()
    for number in kept.changed:
        loaded.load(number, kept.dump(number))
    assert {seq: loaded.of(seq) for seq in loaded.seqs()} == made
    assert not loaded.changed


def test_what_is_taken_is_gone() -> None:
    kept = TurnJudgements()
    kept.put(7, TurnJudgement(1, True, 5))
    kept.take(7)
    assert 7 not in kept
    assert kept.dump(0) is None
    kept.load(0, None)
    assert len(kept) == 0


def test_turns_that_were_formed_again_are_told_here_and_in_another_process() -> None:
    here, there = TurnJudgements(), TurnJudgements()
    for seq in (1, 2, 3):
        here.put(seq, TurnJudgement(1, True, 5))
    there.load(0, here.dump(0))
    assert (here.altered, there.altered) == (set(), set())
    here.take(2)
    here.put(2, TurnJudgement(1, True, 5, made_by="openai:small/1"))
    here.take(3)
    there.load(0, here.dump(0))
    assert here.altered == there.altered == {2, 3}
