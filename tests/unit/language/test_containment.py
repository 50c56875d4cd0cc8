import pytest

from hmem.errors import EmbedderUnavailable, NumberTooLarge, StorageFull
from hmem.language.containment import Fault, attempted, contained


def broken(error: Exception) -> int:
    raise error


class Unknown(Exception):
    pass


@pytest.mark.parametrize("error", [ValueError("secret"), Unknown("secret"), RecursionError(), AssertionError()])
def test_whatever_is_raised_becomes_a_fault_that_tells_the_place_and_not_the_words(error: Exception) -> None:
    fault = contained(lambda: broken(error))
    assert isinstance(fault, Fault)
    assert not fault.of_surroundings
    assert str(fault).startswith(f"{type(error).__name__} in test_containment.py:")
    assert attempted(lambda: broken(error), 7) == 7


def test_a_result_is_returned_as_it_is() -> None:
    assert contained(lambda: 7) == attempted(lambda: 7, 0) == 7


@pytest.mark.parametrize("error", [EmbedderUnavailable("away - wait"), StorageFull("full - free some")])
def test_a_fault_that_has_a_name_is_raised_unless_it_is_to_be_held(error: Exception) -> None:
    with pytest.raises(type(error)):
        contained(lambda: broken(error))
    assert str(contained(lambda: broken(error), raising=())) == str(error)


def test_what_the_storage_raises_is_not_replaced_by_another_result() -> None:
    assert attempted(lambda: broken(EmbedderUnavailable("away")), 7) == 7
    with pytest.raises(StorageFull):
        attempted(lambda: broken(StorageFull("full")), 7)


@pytest.mark.parametrize("error", [OSError(), MemoryError(), EmbedderUnavailable("away"), StorageFull("full")])
def test_a_disk_memory_or_an_encoder_may_be_missing_whatever_the_work_is_about(error: Exception) -> None:
    assert Fault(error).of_surroundings
    assert not Fault(NumberTooLarge("too large")).of_surroundings


def test_an_interrupt_is_no_fault() -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        contained(interrupted)
