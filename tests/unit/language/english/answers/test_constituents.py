import pytest

from hmem.language.english.answers.constituents import tree_phrases


def phrases(text: str, role: str) -> set[str]:
    return {text[each.start : each.end] for each in tree_phrases(text) if each.role == role}


@pytest.mark.parametrize(
    ("text", "role", "wanted"),
    [
        ("My sister adopted a puppy.", "subject", "My sister"),
        ("My sister adopted a puppy.", "object", "a puppy"),
        ("She lives in Ghent.", "place", "Ghent"),
        ("My sister is a nurse.", "complement", "a nurse"),
        ("He bought three ladders.", "number", "three"),
        ("He left because he was tired.", "reason", "he was tired"),
    ],
)
def test_a_phrase_has_its_role_in_its_clause(text: str, role: str, wanted: str) -> None:
    assert wanted in phrases(text, role)


def test_a_predicate_has_what_follows_the_verb_but_not_its_subject() -> None:
    assert "slipped on the stairs" in phrases("She slipped on the stairs.", "predicate")


def test_a_text_without_words_has_no_phrases() -> None:
    assert tree_phrases("...") == () or all(each.end > each.start for each in tree_phrases("..."))
