"""Names and types of entities, by number."""

import json

from hmem.derived.graph.graph import Entities, KeptEntity
from hmem.model.scope import COMMON


def test_numbers_count_up_and_only_the_last_is_taken_again() -> None:
    entities = Entities("entities")
    assert [entities.new(KeptEntity(name, "other", COMMON)) for name in ("a", "b", "c")] == [0, 1, 2]
    entities.drop(1)
    assert entities.numbers() == [0, 2]
    assert entities.new(KeptEntity("d", "other", COMMON)) == 3
    entities.drop(3)
    entities.drop(2)
    assert entities.new(KeptEntity("e", "other", COMMON)) == 1


def test_a_chunk_holds_64_entities_and_comes_back_as_it_was() -> None:
    entities, other = Entities("entities"), Entities("entities")
    for number in range(70):
        entities.new(
            KeptEntity(f"name {number}", "person" if number % 2 else "location", "ann" if number % 3 else COMMON)
        )
    entities.drop(3)
    assert entities.changed == {0, 1}
    for number in (1, 0):
        other.load(number, json.loads(json.dumps(entities.dump(number))))
    assert other.numbers() == entities.numbers()
    assert [other.get(number) for number in other.numbers()] == [entities.get(number) for number in entities.numbers()]


def test_a_chunk_with_nothing_left_is_none() -> None:
    entities = Entities("entities")
    entities.drop(entities.new(KeptEntity("a", "other", COMMON)))
    assert entities.dump(0) is None
    assert entities.get(0) is None
    entities.load(0, None)
    assert entities.numbers() == []
