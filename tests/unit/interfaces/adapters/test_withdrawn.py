"""What was withdrawn is known at once, and by whom."""

from hmem import Memory
from hmem.interfaces.adapters.withdrawn import Withdrawn


def test_what_people_withdraw_is_told_from_what_the_framework_replaced(memory: Memory) -> None:
    withdrawn = Withdrawn(memory, "framework")
    first, second, third = (memory.add(f"The code is {number}").id for number in (1, 2, 3))
    assert first
    assert second
    assert third
    assert withdrawn.by_anyone() == frozenset()
    memory.retract(first, by="framework")
    change = memory.retract(second)
    correction = memory.correct(third, "The code is 4")
    assert withdrawn.by_anyone() == {first, second, third}
    assert withdrawn.by_people() == {second, third}
    assert withdrawn.corrections() == {correction.link}
    memory.undo(change.id)
    assert withdrawn.by_people() == {third}
