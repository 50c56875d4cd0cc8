from datetime import UTC, datetime

import pytest

from hmem.language.analyst import Claim, DatedClaim
from hmem.language.verbatim.threads import content_stems, keys, related, valued
from hmem.model.note import THREAD

SAID = datetime(2026, 5, 20, tzinfo=UTC)


def sentence(text: str) -> DatedClaim:
    return DatedClaim(Claim("fact", "Maria", THREAD, "", text), SAID)


def value(slot: str, words: str) -> DatedClaim:
    return DatedClaim(Claim("profile", "Maria", slot, words, f"{slot} {words}"), SAID)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I take the number 12 tram to the hospital.", "They closed the number 12 tram to the hospital."),
        ("The hearing with the notary is on Friday.", "The notary moved the hearing to Monday."),
        ("Meine Schwester zieht nach Hamburg.", "Meine Schwester ist jetzt in Hamburg."),
    ],
)
def test_sentences_on_one_matter_are_one_thread(older: str, newer: str) -> None:
    assert related(sentence(older), sentence(newer)).relation == "extends"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My knee hurts after the long runs.", "The library closes at six."),
        ("I bought new shoes for the wedding.", "The bus was late again, twenty minutes in the rain."),
        ("We went there.", "We were there."),
        # A word or a name alone joins nothing.
        ("My knee hurts after the long runs.", "The doctor looked at my knee and at my ears."),
        ("Dele gave up the trumpet and climbs now.", "We took the ferry to the island with Dele."),
    ],
)
def test_other_matters_are_other_threads(older: str, newer: str) -> None:
    assert related(sentence(older), sentence(newer)).relation == "independent"


def test_the_same_words_are_said_again() -> None:
    assert related(sentence("Coco likes carrots!"), sentence("coco likes carrots")).relation == "same"


def test_only_sentences_with_a_common_content_word_are_compared() -> None:
    one, other = sentence("The knee is better."), sentence("I hurt my knee.")
    assert keys(one) & keys(other)
    assert not keys(one) & keys(sentence("The library is closed."))


def test_function_words_of_each_language_are_no_content() -> None:
    assert content_stems("and then we were in the") == frozenset()
    assert content_stems("ich bin und war in der") == frozenset()


def test_a_later_value_replaces_that_of_a_slot_with_one_value() -> None:
    assert valued(value("home", "Porto"), value("home", "Lisbon")).relation == "contradicts"
    assert valued(value("home", "Porto"), value("home", "porto")).relation == "same"


def test_values_of_other_slots_stand_beside_each_other() -> None:
    assert valued(value("pet", "Coco"), value("pet", "Rex")).relation == "independent"
