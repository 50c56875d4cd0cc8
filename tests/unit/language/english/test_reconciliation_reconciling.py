from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hmem.language.analyst import Claim, Stated, analyst
from hmem.language.english.reconciliation import is_single, kinship, likeness, manner, reconciled, single_role
from hmem.model.span import OPEN, Span

NOW = datetime(2024, 1, 10, tzinfo=UTC)


def stated(slot: str, value: str, words: str = "", days: int = 0, **fields: Any) -> Stated:
    claim = Claim("fact", "Maria", slot, value, words or f"Maria: {value}.", **fields)
    return Stated(claim, NOW + timedelta(days=days), words or f"Maria: {value}.")


def relation(older: Stated, newer: Stated) -> str:
    return reconciled(older, newer).relation


@pytest.mark.parametrize(
    ("slot", "older", "newer", "words", "expected"),
    [
        ("home", "Porto", "Lisbon", "Maria moved to Lisbon.", "contradicts"),
        ("home", "Porto", "Porto", "Maria lives in Porto.", "same"),
        ("home", "Porto", "Porto, Portugal", "Maria lives in Porto, Portugal.", "extends"),
        ("home", "Lisbon", "Portugal", "Maria lives in Portugal.", "independent"),
        ("home", "Porto", "Madrid", "Maria is living in Madrid for two weeks.", "independent"),
        ("home", "Porto", "Lisbon", "Maria moved to Lisbon this week.", "contradicts"),
        ("home", "Porto", "Rome", "Maria lives in Rome this week.", "independent"),
        ("home", "Porto", "Mars", "Maria said: just kidding, Maria moved to Mars.", "independent"),
        ("job", "nurse", "barista", "Maria also works as a barista on weekends.", "independent"),
        ("job", "writer", "teacher", "Maria works as a teacher.", "independent"),
        ("job", "nurse", "teacher", "Maria is a teacher now.", "contradicts"),
        ("pet", "a dog named Coco", "a dog named Rex", "Maria adopted a dog named Rex.", "independent"),
        ("pet", "a dog", "dog Coco", "Maria's dog Coco is here.", "extends"),
        ("owns", "bike", "bike", "Maria bought a bike.", "independent"),
        ("child", "two kids", "three kids", "Maria has three kids.", "contradicts"),
        ("diet", "vegetarian", "vegan", "Maria is vegan.", "contradicts"),
        ("diet", "vegetarian", "gluten-free", "Maria is gluten-free.", "independent"),
        ("email", "maria@old.example", "maria@new.example", "Maria's email is maria@new.example.", "contradicts"),
        ("partner", "married to John", "divorced", "Maria is divorced.", "contradicts"),
        ("partner", "a boyfriend", "Alex", "Maria is dating Alex.", "extends"),
        ("likes", "tea", "coffee", "Maria loves coffee.", "independent"),
        ("likes", "dogs", "small dogs", "Maria likes small dogs.", "extends"),
        ("favourite colour", "blue", "green", "Maria's favourite colour is green.", "contradicts"),
    ],
)
def test_a_newer_value_is_the_same_more_another_or_one_besides(
    slot: str, older: str, newer: str, words: str, expected: str
) -> None:
    assert relation(stated(slot, older), stated(slot, newer, words, 30)) == expected


@pytest.mark.parametrize(
    ("slot", "older", "denied", "expected"),
    [
        ("owns", "a Honda", "car", "contradicts"),
        ("owns", "guitar", "camera", "independent"),
        ("pet", "a dog named Coco", "dog Coco", "contradicts"),
        ("pet", "a dog named Coco", "dog Rex", "independent"),
        ("likes", "seafood", "raw oysters", "independent"),
        ("likes", "sushi", "sushi", "contradicts"),
        ("partner", "Alex", "Sam", "independent"),
        ("job", "nurse", "job", "contradicts"),
    ],
)
def test_a_denial_ends_what_it_names_and_nothing_else(slot: str, older: str, denied: str, expected: str) -> None:
    assert relation(stated(slot, older), stated(slot, denied, days=30, positive=False)) == expected


def test_a_thing_that_was_sold_can_be_had_anew() -> None:
    assert relation(stated("owns", "car", positive=False), stated("owns", "car", days=9)) == "independent"
    assert relation(stated("likes", "sushi", positive=False), stated("likes", "sushi", days=9)) == "contradicts"


def test_another_subject_or_slot_has_nothing_to_do_with_it() -> None:
    other = Stated(Claim("fact", "Tom", "home", "Lisbon", "Tom lives in Lisbon."), NOW, "")
    assert reconciled(stated("home", "Porto"), other).why == "another subject"
    assert reconciled(stated("home", "Porto"), stated("employer", "Lisbon")).why == "another slot"


def test_what_is_over_before_the_other_begins_holds_in_its_time() -> None:
    then = Span(datetime(2010, 1, 1, tzinfo=UTC), datetime(2012, 1, 1, tzinfo=UTC))
    since = Span(datetime(2016, 1, 1, tzinfo=UTC), OPEN)
    assert relation(stated("home", "Porto", valid=since), stated("home", "Rome", days=9, valid=then)) == "independent"


def test_a_plan_is_revised_when_it_is_put_off() -> None:
    older = stated("plan", "dentist appointment is on Friday")
    newer = stated("plan", "dentist appointment to Monday", "Maria's dentist appointment was moved to Monday.", 1)
    assert relation(older, newer) == "contradicts"
    assert relation(older, stated("plan", "yoga class on Monday", days=1)) == "independent"


def test_a_correction_takes_back_what_it_names() -> None:
    newer = stated("likes", "opera", "Maria meant opera, not jazz.")
    assert relation(stated("likes", "jazz"), newer) == "contradicts"
    assert relation(stated("likes", "tea"), newer) == "independent"


def test_only_claims_that_share_something_need_be_compared() -> None:
    assert likeness(stated("home", "Porto")) & likeness(stated("home", "Lisbon"))
    assert likeness(stated("owns", "a Honda")) & likeness(stated("owns", "car"))
    assert not likeness(stated("likes", "tea")) & likeness(stated("likes", "opera"))


def test_values_are_compared_by_their_content() -> None:
    assert kinship("a new dog", "the dog") == "equal"
    assert kinship("dog Coco", "dog Rex") == "other"
    assert kinship("green tea", "tea") == "wider"


def test_the_manner_is_that_of_the_sentence_that_says_the_value() -> None:
    words = "Maria would love a boat. Maria lives in Porto now."
    assert not manner(words, "Porto").unreal
    assert manner(words, "Porto").changed
    assert manner(words, "boat").unreal


def test_some_slots_and_parts_have_one_value_at_a_time() -> None:
    assert is_single("home") and is_single("favourite band") and not is_single("pet")  # noqa: PT018
    assert single_role("Carol is Maria's boss.") == "boss"
    assert single_role("Carol is Maria's colleague.") == ""


def test_verdicts_come_in_the_order_of_the_pairs() -> None:
    pair = stated("home", "Porto"), stated("home", "Porto", days=1)
    other = stated("home", "Porto"), stated("home", "Lisbon", "Maria moved to Lisbon.", 1)
    assert [each.relation for each in analyst("rules").reconcile([pair, other])] == ["same", "contradicts"]
