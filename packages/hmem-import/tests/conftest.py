"""What the tests of hmem share, these share too."""

from tests.conftest import _as_outside_of_tests, memory, path
from tests.transcripts import transcript
from tests.unit.interfaces.cli.conftest import run

__all__ = ["_as_outside_of_tests", "memory", "path", "run", "transcript"]
