import sys
from types import ModuleType

import pytest

from hmem.errors import EmbedderUnavailable, HmemError, NumberTooLarge, StorageFull
from hmem.language.containment import FAULTS, Fault, attempted, contained, in_words, onnx_faults


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


def test_errors_of_python_are_faults_and_none_of_ours_is() -> None:
    assert {MemoryError, RuntimeError, OSError, ValueError} <= set(FAULTS)
    assert not issubclass(HmemError, FAULTS)
    assert not issubclass(KeyboardInterrupt, FAULTS)


def test_a_slip_in_the_code_that_runs_a_model_is_none() -> None:
    for slip in (AttributeError, KeyError, NameError, TypeError, ZeroDivisionError):
        assert not issubclass(slip, FAULTS)


def test_errors_of_onnxruntime_are_found_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "onnxruntime.capi.onnxruntime_pybind11_state"
    # With None in its place it is as if it were not installed.
    for missing in ("onnxruntime", name):
        monkeypatch.setitem(sys.modules, missing, None)
    assert onnx_faults() == FAULTS
    module, fail = ModuleType(name), type("Fail", (Exception,), {})
    vars(module).update(Fail=fail, SessionOptions=object)
    for parent in ("onnxruntime", "onnxruntime.capi"):
        monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
    monkeypatch.setitem(sys.modules, name, module)
    assert onnx_faults() == (*FAULTS, fail)


def test_an_error_is_told_in_a_line() -> None:
    assert in_words(RuntimeError("out of\n  memory")) == "RuntimeError: out of memory"
    assert in_words(MemoryError()) == "MemoryError"
    assert len(in_words(ValueError("x" * 10_000))) < 300
