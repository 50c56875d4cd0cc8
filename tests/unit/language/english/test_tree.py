"""Trees of sentences."""

from hmem.language.english.parser import parse
from hmem.language.english.tree import Sentence


def tree(text: str) -> Sentence:
    [sentence] = parse([text])[0].sentences
    return sentence


def test_dependents_come_by_relation_and_in_order() -> None:
    sentence = tree("My old car needs new tires.")
    [car] = [token for token in sentence if token.text == "car"]
    assert [child.text for child in sentence.children(car)] == ["My", "old"]
    assert [child.text for child in sentence.children(car, "amod")] == ["old"]
    assert sentence.child(car, "obj") is None


def test_a_subtree_is_a_phrase_without_what_is_left_out() -> None:
    sentence = tree("My old car needs new tires.")
    [car] = [token for token in sentence if token.text == "car"]
    assert sentence.span(sentence.subtree(car)) == "My old car"
    kept = sentence.subtree(car, lambda token: token.relation == "amod")
    assert [token.text for token in kept] == ["My", "car"]


def test_the_root_is_its_own_head_and_stands_above_all() -> None:
    sentence = tree("Anna bought a red bike.")
    assert sentence.root.text == "bought"
    assert sentence.head(sentence.root) is None
    [red] = [token for token in sentence if token.text == "red"]
    assert [token.text for token in sentence.above(red)] == ["bike", "bought"]
