from hmem.retrieval.answer.candidates import coefficients, names_of_features, weights
from hmem.retrieval.answer.confidence import SIGNS


def test_each_feature_has_a_weight() -> None:
    names = names_of_features()
    assert len(set(names)) == len(names) == len(weights())
    assert weights().any()


def test_the_signs_of_what_is_told_and_of_being_right_have_coefficients() -> None:
    assert set(coefficients("told")) == set(coefficients("right")) == set(SIGNS)
    assert coefficients("unheard of") == {}
