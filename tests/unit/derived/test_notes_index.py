from random import Random

from hmem.derived.chunks import encode
from hmem.derived.notes import NoteIndex, NoteKey
from hmem.model.scope import scoped

MARIA, TOM = scoped("", "Maria"), scoped("ann", "Tom")


def listed(index: NoteIndex, places: list[NoteKey]) -> None:
    """Check everything that the index tells of some notes."""
    assert index.rows(0, 1 << 40) == places
    assert len(index) == len(places)
    for subject in (MARIA, TOM):
        own = [place for place in places if place[1] == subject]
        assert index.numbers_of(subject).tolist() == [number for number, *_ in own]
        assert index.slots(subject) == sorted({slot for *_, slot in own})
        assert index.numbers_of(subject, "job").tolist() == [number for number, _, slot in own if slot == "job"]
    assert index.subjects() == sorted({subject for _, subject, _ in places})
    assert index.in_slots(["job", "none"]).tolist() == [number for number, _, slot in places if slot == "job"]


def test_it_follows_notes_that_come_and_go_in_any_order() -> None:
    random, index, kept = Random(3), NoteIndex(), dict[int, list[NoteKey]]()
    for _ in range(300):
        seq = random.randrange(1_000)
        kept[seq] = [
            (seq << 6 | i, random.choice([MARIA, TOM]), random.choice(["home", "job", "likes"]))
            for i in range(random.randrange(4))
        ]
        index.replace(seq << 6, (seq + 1) << 6, kept[seq])
    listed(index, [place for seq in sorted(kept) for place in kept[seq]])


def test_it_comes_back_from_its_chunks() -> None:
    index, loaded = NoteIndex(), NoteIndex()
    places = [(seq << 6, MARIA if seq % 3 else TOM, "job" if seq % 2 else "home") for seq in range(600)]
    index.replace(0, 1 << 40, places)
    assert index.chunks_of(range(600)) == {0, 1, 2}
    loaded.fill((number, encode(index.dump(number))) for number in range(3))
    listed(loaded, places)
    assert index.dump(9) is None
