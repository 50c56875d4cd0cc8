"""What the tests of hmem share, these share too."""

from tests.benchmark_files import locomo
from tests.conftest import _as_outside_of_tests, formed_example, memory, path, ten_months
from tests.unit.interfaces.cli.conftest import filled, run

__all__ = ["_as_outside_of_tests", "filled", "formed_example", "locomo", "memory", "path", "run", "ten_months"]
