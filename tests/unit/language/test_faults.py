"""What a library raises while it runs a model."""

import sys
from types import ModuleType

import pytest

from hmem.errors import HmemError
from hmem.language.faults import FAULTS, in_words, onnx_faults


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
