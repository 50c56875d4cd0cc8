"""What the tests of hmem share, these share too."""

from tests.conftest import _as_outside_of_tests, _ten_months, memory, path, ten_months
from tests.unit.interfaces.cli.conftest import filled, run

__all__ = ["_as_outside_of_tests", "_ten_months", "filled", "memory", "path", "run", "ten_months"]
