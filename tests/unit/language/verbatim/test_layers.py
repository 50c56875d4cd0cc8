import numpy as np

from hmem.language.embed import embedder
from hmem.language.verbatim.layers import UNLIKE_ANY, labels, taxonomy


def labelled(*texts: str) -> list[str]:
    return [each.domain for each in labels(texts, embedder("minilm").embed(texts))]


def test_a_sentence_has_the_labels_of_what_it_resembles_most() -> None:
    assert labelled("My daughter started school this week.", "I have a new job at a bank.") == ["family", "work"]


def test_what_resembles_nothing_and_what_cannot_be_read_have_no_labels() -> None:
    assert labelled("मैं दिल्ली में रहता हूँ") == [UNLIKE_ANY.domain]
    assert labels(["x"], np.zeros((1, 384), np.float32)) == [UNLIKE_ANY]


def test_every_line_has_a_domain_and_a_category() -> None:
    assert all(each.domain and each.category for each in taxonomy().labels)


def test_no_sentences_have_no_labels() -> None:
    assert labels([], np.zeros((0, 384), np.float32)) == []
