import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.interfaces.formats.conversations import repaired, unique


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["D1:3"], ("D1:3",)),
        (["D8:6; D9:17"], ("D8:6", "D9:17")),
        (["D9:1 D4:4 D4:6"], ("D9:1", "D4:4", "D4:6")),
        (["D:11:26"], ("D11:26",)),
        (["D30:05"], ("D30:5",)),
        (["D2:2", "D2:02"], ("D2:2",)),
        (["D"], ()),
        ([], ()),
    ],
)
def test_evidence_is_repaired_as_it_was_published(written, meant):
    assert repaired(written) == meant


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 999)), unique=True))
def test_well_written_evidence_comes_back_unchanged(pairs):
    written = [f"D{number}:{turn}" for number, turn in pairs]
    assert repaired(written) == tuple(written)
    assert repaired(["; ".join(written)]) == tuple(written)


@given(st.lists(st.sampled_from(["D1:1", "D1:01", "D:1:1", "D1:1#2", "D2:1", "x"])))
def test_a_repeated_id_of_a_turn_is_told_apart_and_the_first_keeps_it(written):
    seen: set[str] = set()
    made = [unique(item, seen) for item in written]
    assert len(set(made)) == len(made)
    if "D2:1" in written:
        assert made[written.index("D2:1")] == "D2:1"
