"""What the tests of hmem share, these share too."""

from tests.conftest import _as_outside_of_tests, formed_example, memory, path, postgres, ten_months
from tests.unit.interfaces.cli.conftest import filled, run

__all__ = ["_as_outside_of_tests", "filled", "formed_example", "memory", "path", "postgres", "run", "ten_months"]
