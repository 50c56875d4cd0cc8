from copy import deepcopy

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmem.model.evidence import Term
from hmem.retrieval.scoring.combine import TermRows, explain, weighted_sum

VALUES = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(lambda v: np.array(v, np.float32))


@given(VALUES, VALUES, st.floats(-3, 3, width=32), st.floats(-3, 3, width=32))
def test_the_contributions_that_are_told_sum_to_the_score(one, other, first, second) -> None:
    terms, weights = {"a": one, "b": other}, {"a": first, "b": second}
    scores = weighted_sum(terms, weights)
    for i, reasons in enumerate(explain(terms, weights, range(3))):
        told = sum(term.contribution for term in reasons.values())
        assert abs(told - scores[i]) < 1e-4


def test_a_term_without_a_weight_counts_nothing() -> None:
    terms = {"a": np.ones(2, np.float32), "b": np.ones(2, np.float32)}
    assert weighted_sum(terms, {"a": 2.0}).tolist() == [2.0, 2.0]
    assert explain(terms, {"a": 2.0}, [0])[0]["b"].contribution == 0


def test_a_term_that_is_0_is_not_told_and_only_the_first_are() -> None:
    terms = {"a": np.array([1, 0, 2], np.float32), "b": np.array([0, 0, 1], np.float32)}
    assert [list(each) for each in explain(terms, {"a": 1.0, "b": 1.0}, [0, 1])] == [["a"], []]


@given(st.permutations(range(3)), st.lists(VALUES, min_size=1, max_size=4))
def test_terms_in_one_array_are_told_as_those_that_lie_apart(order, rows) -> None:
    names = [f"t{at}" for at in range(len(rows))]
    apart = dict(zip(names, rows, strict=True))
    together = TermRows.from_array({name: at for at, name in enumerate(names)}, np.stack(rows))
    assert [(name, values.tolist()) for name, values in together.items()] == [(n, v.tolist()) for n, v in apart.items()]
    places = np.array(order)
    weights = dict.fromkeys(names, 2.0)
    assert explain(together, weights, order) == explain(apart, weights, order)
    assert explain(together.take(places), weights, [0, 1, 2]) == explain(together, weights, order)


def test_a_copy_of_terms_that_were_not_read_yet_has_their_values() -> None:
    terms = TermRows.from_array({"a": 0}, np.array([[1, 2]], np.float32)).with_term("b", np.array([3, 4], np.float32))
    told = explain(terms, {"a": 1.0, "b": 2.0}, [1, 0])[1]
    copied = deepcopy(told)
    assert dict(copied) == dict(told) == {"a": Term(1.0, 1.0), "b": Term(3.0, 2.0)}
    assert copied.greatest(1) == [("b", Term(3.0, 2.0))]
