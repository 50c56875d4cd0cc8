import pytest

from hmem.derived.chunks import encode, number_in_turn
from hmem.derived.notes import KeptNote, Notes
from hmem.errors import MemoryDamaged
from hmem.model.scope import COMMON, scoped


def note(seq: int, ordinal: int = 0, **fields: object) -> KeptNote:
    made = {"subject": "Maria", "slot": "pet", "value": "Coco", "text": "Maria has a puppy, Coco", **fields}
    return KeptNote(number_in_turn(seq, ordinal), "fact", **made)  # type: ignore[arg-type]


def filled() -> Notes:
    notes = Notes()
    notes.replace(3, [note(3), note(3, 1, slot="job", value="baker", start=100)])
    notes.replace(90, [note(90, subject="John", positive=False, event=2, end=7, made_by="a model")])
    return notes


def test_notes_come_back_from_their_chunks() -> None:
    notes, loaded = filled(), Notes()
    for number in notes.changed:
        loaded.load(number, notes.dump(number))
    assert loaded.all() == notes.all()
    assert loaded.subjects() == [scoped(COMMON, "John"), scoped(COMMON, "Maria")]
    assert loaded.of_subject(scoped(COMMON, "Maria"), "job") == notes.of_subject(scoped(COMMON, "Maria"), "job") != []
    assert not loaded.changed


def test_notes_are_found_by_subject_slot_and_number() -> None:
    notes = filled()
    assert [each.value for each in notes.of_subject(scoped(COMMON, "Maria"))] == ["Coco", "baker"]
    assert [each.value for each in notes.of_subject(scoped(COMMON, "Maria"), "pet")] == ["Coco"]
    assert notes.of_subject(scoped(COMMON, "Nobody")) == []
    assert notes.get(number_in_turn(3, 1)) == notes.of_subject(scoped(COMMON, "Maria"), "job")[0]
    assert notes.get(number_in_turn(3, 2)) is None
    assert notes.latest(scoped(COMMON, "Maria")) == number_in_turn(3, 1)
    assert notes.latest(scoped(COMMON, "Nobody")) == -1


def test_a_turn_whose_notes_are_taken_leaves_none_behind() -> None:
    notes = filled()
    notes.replace(3, ())
    assert notes.of_subject(scoped(COMMON, "Maria")) == []
    assert notes.subjects() == [scoped(COMMON, "John")]
    assert notes.dump(0) is None
    notes.load(2, None)
    assert notes.all() == []


def test_news_are_told_once() -> None:
    notes = filled()
    assert notes.take_news(COMMON) == [scoped(COMMON, "John"), scoped(COMMON, "Maria")]
    assert notes.take_news(COMMON) == []
    notes.replace(3, [note(3)])
    assert notes.take_news(COMMON) == [scoped(COMMON, "Maria")]


def test_the_newest_notes_about_a_subject_come_oldest_first() -> None:
    notes = filled()
    notes.replace(1, [note(1)])
    assert [each.turn for each in notes.recent(scoped(COMMON, "Maria"), 2)] == [3, 3]
    assert [each.turn for each in notes.recent(scoped(COMMON, "Maria"), 9)] == [1, 3, 3]
    assert notes.count(scoped(COMMON, "Maria")) == 3
    notes.replace(3, ())
    assert (notes.count(scoped(COMMON, "Maria")), notes.latest(scoped(COMMON, "Maria"))) == (1, number_in_turn(1, 0))
    assert notes.recent(scoped(COMMON, "Nobody"), 5) == []


def test_notes_that_were_looked_at_follow_what_is_put_and_loaded() -> None:
    notes, other = filled(), Notes()
    assert [each.value for each in notes.of_turn(3)] == ["Coco", "baker"]
    assert notes.of_turn(4) == ()
    notes.replace(3, [note(3, value="Luna")])
    assert [each.value for each in notes.of_turn(3)] == ["Luna"]
    other.replace(4, [note(4, value="Rex")])
    notes.load(0, other.dump(0))
    assert notes.of_turn(3) == ()
    assert [each.value for each in notes.of_turn(4)] == ["Rex"]


def loaded_of(notes: Notes) -> Notes:
    """Return notes that were filled with what others store."""
    loaded = Notes()
    for part, stored in zip(loaded.parts, notes.parts, strict=True):
        part.fill((number, encode(stored.dump(number))) for number in sorted(stored.changed))
    return loaded


def test_notes_that_are_filled_in_answer_as_those_that_were_put() -> None:
    notes, owned = filled(), note(91, owner="ann")
    notes.replace(91, [owned])
    for ask in (
        lambda each: each.subjects(),
        lambda each: each.of_subject(scoped(COMMON, "Maria"), "job"),
        lambda each: each.of_turn(3),
        lambda each: each.all(),
        lambda each: (len(each), each.latest(scoped(COMMON, "John")), each.count(scoped("ann", "Maria"))),
        lambda each: (each.subjects_named("maria"), each.slots(scoped(COMMON, "Maria"))),
        lambda each: each.take_news("ann"),
        lambda each: [each.dump(number) for number in (0, 2)],
    ):
        loaded = loaded_of(notes)
        assert ask(loaded) == ask(filled_again(notes))
        assert not loaded.changed


def filled_again(notes: Notes) -> Notes:
    loaded = Notes()
    for number in sorted(notes.changed):
        loaded.load(number, notes.dump(number))
    return loaded


def test_a_chunk_that_was_filled_in_is_replaced_and_its_listener_hears_only_of_what_is_put() -> None:
    notes, told = filled(), list[tuple[int, bool]]()
    loaded = loaded_of(notes)
    loaded.watch = lambda note, *, is_kept: told.append((note.number, is_kept))
    notes.replace(3, [note(3, value="Rex"), note(3, 1, slot="job", value="baker", start=100)])
    loaded.load(0, notes.dump(0))
    assert loaded.all() == notes.all()
    assert told == []
    loaded.replace(3, [note(3, value="Rex")])
    assert told == [(number_in_turn(3, 1), False)]
    told.clear()
    loaded.load(2, notes.dump(2))
    assert told == []
    loaded.replace(90, ())
    assert loaded.subjects() == [scoped(COMMON, "Maria")]


def test_a_damaged_chunk_is_told_when_a_note_of_it_is_looked_at() -> None:
    notes = Notes()
    notes.fill([(0, b"damaged")])
    with pytest.raises(MemoryDamaged, match="hmem rebuild"):
        notes.of_turn(3)
