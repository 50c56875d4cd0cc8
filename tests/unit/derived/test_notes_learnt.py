from hmem.derived.notes import RelearntTurns


def test_turns_come_back_from_their_chunks() -> None:
    learnt, loaded = RelearntTurns(), RelearntTurns()
    for seq in (5, 9_000):
        learnt.add(seq)
    for number in learnt.changed:
        loaded.load(number, learnt.dump(number))
    assert loaded.seqs() == [5, 9_000]
    assert 5 in loaded and 6 not in loaded and len(loaded) == 2  # noqa: PT018


def test_a_turn_that_goes_is_forgotten() -> None:
    learnt = RelearntTurns()
    learnt.add(5)
    learnt.take(5)
    learnt.take(6)
    assert learnt.seqs() == []
    assert learnt.dump(0) is None
