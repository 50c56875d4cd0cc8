from tests.unit.language.english.told import claims, short


def test_a_correction_says_anew_what_was_said_wrong() -> None:
    assert short("I live in Ghent.", "Sorry, I meant Bruges, not Ghent.") == [("home", "Bruges", True)]
    assert claims("I live in Ghent.", "Sorry, I meant Bruges, not Ghent.")[0].text == "Maria lives in Bruges."


def test_a_correction_of_what_nobody_said_claims_nothing() -> None:
    assert short("I live in Ghent.", "Sorry, I meant Bruges, not Namur.") == []
    assert short("Sorry, I meant Bruges, not Ghent.") == []
