from hmem.derived.changes import Revisions
from hmem.derived.chunks import number_in_turn
from hmem.language.analyst import Verdict

OLD, NEW, LATE = number_in_turn(3, 0), number_in_turn(40, 1), number_in_turn(900, 0)


def filled() -> Revisions:
    revisions = Revisions()
    revisions.replace(OLD, NEW, Verdict("contradicts", "changed", "rules/2"))
    revisions.replace(OLD, LATE, Verdict("contradicts", "corrected", "a model"))
    revisions.replace(NEW, LATE, Verdict("same", "said again", "rules/2"))
    return revisions


def test_verdicts_come_back_from_their_chunks() -> None:
    kept, loaded = filled(), Revisions()
    for number in kept.changed:
        loaded.load(number, kept.dump(number))
    assert loaded.pairs() == kept.pairs() == [(OLD, NEW), (OLD, LATE), (NEW, LATE)]
    assert loaded.get(OLD, LATE) == Verdict("contradicts", "corrected", "a model")
    assert loaded.get(LATE, OLD) is None
    assert (loaded.revised, len(loaded)) == (1, 3)
    assert not loaded.changed


def test_a_turn_that_goes_takes_its_verdicts_along() -> None:
    revisions = filled()
    revisions.changed.clear()
    revisions.take(900)
    assert revisions.pairs() == [(OLD, NEW)]
    assert revisions.revised == 1
    revisions.take(3)
    assert (revisions.pairs(), revisions.revised) == ([], 0)
    assert all(revisions.dump(number) is None for number in revisions.changed)


def test_a_chunk_that_is_loaded_again_replaces_what_was_there() -> None:
    revisions = filled()
    revisions.load(900 >> 5, None)
    assert revisions.pairs() == [(OLD, NEW)]


def test_news_are_the_pairs_that_changed() -> None:
    revisions = filled()
    assert len(revisions.take_news()) == 3
    revisions.replace(OLD, NEW, Verdict("contradicts", "changed", "rules/2"))
    assert revisions.take_news() == []
    revisions.replace(OLD, NEW, Verdict("extends"))
    assert revisions.take_news() == [(OLD, NEW)]
    assert revisions.revised == 1
