"""What `hmem doctor` finds."""

import pytest

from hmem.errors import HmemError
from hmem.interfaces.cli.checks import Check, failed


@pytest.mark.parametrize(
    ("message", "found", "mend"),
    [
        ("it is broken - mend it", "it is broken", "mend it"),
        ("a - b - mend it", "a - b", "mend it"),
        ("it is broken", "it is broken", None),
    ],
)
def test_an_error_is_split_into_what_is_wrong_and_what_mends_it(message: str, found: str, mend: str | None) -> None:
    assert failed("x", HmemError(message)) == Check("x", found, ok=False, mend=mend)
