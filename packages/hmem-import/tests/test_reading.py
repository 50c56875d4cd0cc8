"""JSON that somebody else wrote."""

import pytest

from hmem_import.reading import digest, moment, nonempty


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (1_700_000_000.5, "2023-11-14T22:13:20.500000+00:00"),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
        (" ", None), (None, None), (True, None), (-1, None), (1e300, None), (float("nan"), None), ([], None),
    ],
)  # fmt: skip
def test_a_time_is_read_or_passed_over(value: object, read: str | None) -> None:
    assert moment(value) == read


def test_a_digest_tells_its_parts_apart() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("\ud800") == digest("\ud800")


def test_a_message_has_no_empty_fields_but_its_text() -> None:
    assert nonempty(text="", caption="a picture", at=None, metadata={}) == {"text": "", "caption": "a picture"}
