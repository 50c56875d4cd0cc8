from hmem.derived.chunks import encode
from hmem.derived.slot_timeline import NoteKeys
from hmem.model.scope import scoped

LIKES = scoped("", "Maria"), "likes"
OTHER = scoped("", "Tom"), "likes"


def filled(count: int = 40) -> NoteKeys:
    keys = NoteKeys()
    for number in range(count):
        keys.replace(number * 512, LIKES, ["tea"] if number % 2 else ["tea", "green"])
    return keys


def test_notes_are_found_by_a_key_of_their_slot() -> None:
    keys = filled()
    assert keys.sharing(LIKES, "tea") == [number * 512 for number in range(40)]
    assert keys.sharing(LIKES, "green") == [number * 512 for number in range(0, 40, 2)]
    assert keys.sharing(OTHER, "tea") == keys.sharing(LIKES, "coffee") == []


def test_keys_come_back_from_their_chunks() -> None:
    kept, filled_in, loaded = filled(), NoteKeys(), NoteKeys()
    chunks = {number: kept.dump(number) for number in sorted(kept.changed)}
    filled_in.fill((number, encode(content)) for number, content in chunks.items())
    for number, content in chunks.items():
        loaded.load(number, content)
    for each in (filled_in, loaded):
        assert (len(each), each.changed) == (60, set())
        assert each.sharing(LIKES, "green") == kept.sharing(LIKES, "green")
    filled_in.replace(0, LIKES, [])
    filled_in.replace(999 * 512, LIKES, ["green"])
    assert filled_in.sharing(LIKES, "green") == [*(number * 512 for number in range(2, 40, 2)), 999 * 512]
    assert filled_in.sharing(LIKES, "green", 2) == [38 * 512, 999 * 512]


def test_many_changes_are_found_too() -> None:
    keys = filled(2_000)
    assert keys.sharing(LIKES, "tea") == [number * 512 for number in range(2_000)]
    for number in range(1_000):
        keys.replace(number * 512, LIKES, ())
    assert keys.sharing(LIKES, "tea") == [number * 512 for number in range(1_000, 2_000)]
    assert keys.sharing(LIKES, "tea", 3) == [number * 512 for number in range(1_997, 2_000)]
    assert keys.dump(0) is None
