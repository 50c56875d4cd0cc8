from hmem.derived.notes import KeptNote, Notes, note_number


def note(seq: int, ordinal: int = 0, **fields: object) -> KeptNote:
    made = {"subject": "Maria", "slot": "pet", "value": "Coco", "text": "Maria has a puppy, Coco", **fields}
    return KeptNote(note_number(seq, ordinal), "fact", **made)  # type: ignore[arg-type]


def filled() -> Notes:
    notes = Notes()
    notes.put(3, [note(3), note(3, 1, slot="job", value="baker", start=100)])
    notes.put(90, [note(90, subject="John", positive=False, event=2, end=7, made_by="a model")])
    return notes


def test_notes_come_back_from_their_chunks() -> None:
    notes, loaded = filled(), Notes()
    for number in notes.changed:
        loaded.load(number, notes.dump(number))
    assert loaded.all() == notes.all()
    assert loaded.subjects() == ["John", "Maria"]
    assert loaded.about("Maria", "job") == notes.about("Maria", "job") != []
    assert not loaded.changed


def test_notes_are_found_by_subject_slot_and_number() -> None:
    notes = filled()
    assert [each.value for each in notes.about("Maria")] == ["Coco", "baker"]
    assert [each.value for each in notes.about("Maria", "pet")] == ["Coco"]
    assert notes.about("Nobody") == []
    assert notes.get(note_number(3, 1)) == notes.about("Maria", "job")[0]
    assert notes.get(note_number(3, 2)) is None
    assert notes.latest("Maria") == note_number(3, 1)
    assert notes.latest("Nobody") == -1


def test_a_turn_whose_notes_are_taken_leaves_none_behind() -> None:
    notes = filled()
    notes.put(3, ())
    assert notes.about("Maria") == []
    assert notes.subjects() == ["John"]
    assert notes.dump(0) is None
    notes.load(2, None)
    assert notes.all() == []


def test_news_are_told_once() -> None:
    notes = filled()
    assert notes.take_news() == ["John", "Maria"]
    assert notes.take_news() == []
    notes.put(3, [note(3)])
    assert notes.take_news() == ["Maria"]


def test_the_newest_notes_about_a_subject_come_oldest_first() -> None:
    notes = filled()
    notes.put(1, [note(1)])
    assert [each.turn for each in notes.recent("Maria", 2)] == [3, 3]
    assert [each.turn for each in notes.recent("Maria", 9)] == [1, 3, 3]
    assert notes.count("Maria") == 3
    notes.put(3, ())
    assert (notes.count("Maria"), notes.latest("Maria")) == (1, note_number(1, 0))
    assert notes.recent("Nobody", 5) == []
