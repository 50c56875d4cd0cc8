from collections.abc import Sequence
from copy import deepcopy
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from hmem.model.evidence import Context, Evidence, Found, Term, Terms, Why

WHY = Why(("flat",), {"lexical.turn": Term(0.5, 2.0), "speaker": Term(0.0, 0.45)}, ("puppy",))
ITEM = Evidence("turn_1", "turn", "text", datetime(2025, 1, 1, tzinfo=UTC), 1.0, WHY, "s1")


def test_what_was_found_is_a_sequence_of_evidence() -> None:
    found = Found("what?", (ITEM,))
    assert len(found) == 1
    assert found[0] is ITEM
    assert found[:5] == (ITEM,)
    assert list(found) == [ITEM]


def test_a_why_reads_as_its_greatest_contributions_and_leaves_out_nothings() -> None:
    assert str(WHY) == "flat: lexical.turn +1.00; words: puppy"


def test_a_context_is_used_as_its_text() -> None:
    assert f"{Context('q', 'the text', 2, 10, (), {})}" == "the text"


class OneScore(NamedTuple):
    """Values of the terms of one score."""

    values: np.ndarray
    weights: Sequence[float]

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        return self.values[None], np.argsort(-np.abs(self.values * self.weights), kind="stable")[None]


def terms_of(names: Sequence[str], values: Sequence[float], weights: Sequence[float]) -> Terms:
    return Terms(names, weights, OneScore(np.array(values, np.float32), weights), 0)


def test_terms_read_as_the_mapping_that_they_stand_for() -> None:
    terms = terms_of(("a", "none", "b"), (2.0, 0.0, 1.0), (0.5, 0.0, 0.0))
    assert terms == {"a": Term(2.0, 0.5), "b": Term(1.0, 0.0)}
    assert (list(terms), "c" in terms, repr(terms)) == (["a", "b"], False, repr(dict(terms)))
    assert deepcopy(terms) == terms


def test_the_greatest_terms_are_those_that_add_or_take_most() -> None:
    terms = terms_of(("a", "none", "b", "c"), (2.0, 0.0, -9.0, 3.0), (0.5, 0.0, 1.0, 1.0))
    for held in (terms, dict(terms)):
        why = Why(("flat",), held)
        assert why.greatest(2) == [("b", Term(-9.0, 1.0)), ("c", Term(3.0, 1.0))]
        assert why.greatest(0) == []
        assert dict(why.greatest(9)) == dict(terms)
