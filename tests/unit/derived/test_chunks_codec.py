import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.chunks import decode, encode

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_what_is_encoded_comes_back(content: object) -> None:
    assert decode(encode(content)) == content


@given(st.binary(max_size=300))
def test_bytes_come_back_as_they_were(content: bytes) -> None:
    assert decode(encode(content)) == content


@pytest.mark.parametrize("damaged", [b"", b"x", b"\x78\x9c", encode([1, 2, 3])[:-3]])
def test_damage_is_an_error(damaged: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(damaged)


def test_half_a_surrogate_does_no_harm() -> None:
    assert decode(encode(["\ud800"])) == ["\ud800"]
