from collections.abc import Sequence

import numpy as np
import pytest

from hmem.derived.chunks import encode, number_in_turn, turn_of
from hmem.derived.events import Events, EventVectors, KeptEvent
from hmem.errors import MemoryDamaged


def event(seq: int, ordinal: int = 0, **fields: object) -> KeptEvent:
    return KeptEvent(number_in_turn(seq, ordinal), f"Maria adopted puppy {seq}.{ordinal}", **fields)  # type: ignore[arg-type]


def test_events_come_back_from_their_chunks() -> None:
    events = Events()
    events.replace(3, [event(3), event(3, 1, start=100, end=200, offset=-90, context=2, made_by="model x/3")])
    events.replace(40, [event(40, start=0, end=86_400)])
    assert events.changed == {0, 1}
    loaded = Events()
    for number in events.changed:
        loaded.load(number, events.dump(number))
    assert loaded.of_turn(3) == events.of_turn(3)
    assert loaded.of_turn(40) == events.of_turn(40)
    assert loaded.turns() == [3, 40]
    assert len(loaded) == 3
    assert not loaded.changed


def test_events_that_are_filled_in_are_read_when_they_are_looked_at() -> None:
    events, loaded = Events(), Events()
    events.replace(3, [event(3)])
    events.replace(40, [event(40)])
    loaded.fill([(0, encode(events.dump(0))), (1, encode(events.dump(1))), (2, b"damaged")])
    assert loaded.of_turn(40) == events.of_turn(40)
    loaded.replace(4, [event(4)])
    assert loaded.of_turn(3) == events.of_turn(3)
    with pytest.raises(MemoryDamaged, match="hmem rebuild"):
        loaded.of_turn(64)


def test_events_that_nobody_looked_at_are_counted_and_stored_as_they_were() -> None:
    events, loaded = Events(), Events()
    for seq in (3, 4, 5):
        events.replace(seq, [event(seq), event(seq, 1, start=100, end=200, made_by="model x/3")])
    loaded.fill([(0, encode(events.dump(0)))])
    assert loaded.of_turn(4) == events.of_turn(4)
    assert (loaded.turns(), len(loaded)) == ([3, 4, 5], 6)
    loaded.replace(5, [])
    loaded.replace(3, [event(3)])
    events.replace(5, [])
    events.replace(3, [event(3)])
    assert loaded.dump(0) == events.dump(0)
    loaded.load(0, None)
    assert (loaded.turns(), loaded.of_turn(3)) == ([], ())


def test_an_event_is_found_by_its_number() -> None:
    events = Events()
    events.replace(3, [event(3), event(3, 1)])
    assert events.get(number_in_turn(3, 1)) == event(3, 1)
    assert events.get(number_in_turn(3, 2)) is None
    assert turn_of(number_in_turn(3, 1)) == 3


def test_a_chunk_without_events_is_gone() -> None:
    events = Events()
    events.replace(3, [event(3)])
    events.replace(3, [])
    assert events.dump(0) is None
    events.replace(4, [event(4)])
    events.load(0, None)
    assert len(events) == 0


def unit(rows: int, dimension: int = 64) -> np.ndarray:
    vectors = np.random.default_rng(1).normal(size=(rows, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("dimension", [64, 63])
def test_vectors_of_events_come_back_true_to_their_bits(dimension: int) -> None:
    vectors, kept = unit(5, dimension), EventVectors(dimension)
    numbers = [number_in_turn(seq, 1) for seq in (1, 2, 15, 16, 400)]
    kept.add(dict(zip(numbers, vectors, strict=True)))
    loaded = EventVectors(dimension)
    for number in kept.changed:
        loaded.load(number, kept.dump(number))
    assert np.array_equal(loaded.rows(numbers), kept.rows(numbers))
    assert (loaded.rows(numbers) * vectors).sum(axis=1).min() > 0.95
    assert np.allclose(np.linalg.norm(loaded.rows(numbers), axis=1), 1, atol=1e-5)
    assert loaded.rows([]).shape == (0, dimension)


def test_events_without_a_vector_of_their_own_take_another() -> None:
    vectors, rows = EventVectors(64), unit(3)
    vectors.add({number_in_turn(7, 0): rows[0], number_in_turn(9, 1): rows[1]})
    asked: list[Sequence[int]] = []

    def others(events: Sequence[int]) -> np.ndarray:
        asked.append(events)
        return np.repeat(rows[2:], len(events), axis=0)

    wanted = [number_in_turn(8, 0), number_in_turn(9, 1), number_in_turn(9, 2), number_in_turn(7, 0)]
    found = vectors.rows(wanted, others)
    assert asked == [[wanted[0], wanted[2]]]
    assert (found[[0, 2]] == rows[2]).all()
    assert (found[[1, 3]] == vectors.rows([wanted[1], wanted[3]], others)).all()
    assert vectors.rows([]).shape == (0, 64)
    with pytest.raises(KeyError):
        vectors.rows(wanted)


def test_a_vector_that_is_taken_is_gone_from_its_chunk() -> None:
    kept = EventVectors(64)
    one, other = number_in_turn(1, 0), number_in_turn(2, 0)
    kept.add(dict(zip((one, other), unit(2), strict=True)))
    kept.changed.clear()
    kept.take([one, number_in_turn(9, 9)])
    assert one not in kept
    assert kept.changed == {0}
    loaded = EventVectors(64)
    loaded.load(0, kept.dump(0))
    assert len(loaded) == 1
    assert other in loaded
    kept.take([other])
    assert kept.dump(0) is None


def test_vectors_are_read_as_they_are_asked_for_and_each_chunk_once() -> None:
    numbers = [number_in_turn(seq, 1) for seq in (1, 2, 15, 16, 400)]
    kept, asked = EventVectors(64), list[list[int]]()
    kept.add(dict(zip(numbers, unit(5), strict=True)))
    stored = {number: encode(kept.dump(number)) for number in kept.changed}

    def read(chunks: Sequence[int]) -> list[tuple[int, bytes]]:
        asked.append(list(chunks))
        return [(number, stored[number]) for number in chunks if number in stored]

    late = EventVectors(64)
    late.fill_later(read)
    assert np.array_equal(late.rows(numbers[:3]), kept.rows(numbers[:3]))
    assert numbers[0] in late
    assert number_in_turn(3, 0) not in late
    assert asked == [[0, 1]]
    # What is put beside stored vectors leaves them as they are.
    late.add({number_in_turn(401, 0): unit(1)[0]})
    assert late.dump(50) is not None
    assert np.array_equal(late.rows(numbers[4:]), kept.rows(numbers[4:]))
    late.take(numbers[3:4])
    assert late.dump(2) is None
    # A chunk that was loaded is not read again.
    late.load(1, None)
    late.load(125, None)
    assert numbers[2] not in late
    assert number_in_turn(1_000, 0) not in late
    assert asked == [[0, 1], [50], [2]]
