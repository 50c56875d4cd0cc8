from hmem.derived.endings import EndingNote, Endings
from hmem.model.scope import scoped

MARIA, TOM = scoped("", "Maria"), scoped("ann", "Tom")
SOLD = EndingNote(64, MARIA, "ended", "honda", ("honda",))
LEFT = EndingNote(64 * 400, MARIA, "ended job", "nurse", None)
GONE = EndingNote(65, TOM, "ended", "rex", ())


def filled() -> Endings:
    endings = Endings()
    for each in (LEFT, SOLD, GONE):
        endings.put(each)
    return endings


def test_endings_come_back_from_their_chunks() -> None:
    kept, loaded = filled(), Endings()
    for number in kept.changed:
        loaded.load(number, kept.dump(number))
    assert loaded.about(MARIA) == [SOLD, LEFT]
    assert loaded.about(TOM) == [GONE]
    assert (len(loaded), loaded.changed) == (3, set())


def test_an_ending_that_goes_is_found_no_more() -> None:
    endings = filled()
    endings.changed.clear()
    endings.take(999)
    assert not endings.changed
    endings.take(65)
    assert (endings.about(TOM), endings.changed) == ([], {0})
    endings.load(0, None)
    assert endings.about(MARIA) == [LEFT]
