"""Tests of amounts."""

from hmem.util.amounts import amount


def test_one_of_a_thing_is_not_many() -> None:
    assert [amount(count, "turn") for count in (0, 1, 2_500)] == ["0 turns", "1 turn", "2,500 turns"]
    assert [amount(count, "memory", "memories") for count in (1, 2)] == ["1 memory", "2 memories"]
