from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.base import Claim, PersonaText
from hmem.language.english.parser import parser
from hmem.language.english.persona import persona as persona_by
from hmem.language.tokens import count_tokens
from hmem.model.note import NoteKind
from hmem.model.span import Span


def persona(person: str, claims: Sequence[Claim], tokens: int, now: datetime | None = None) -> PersonaText:
    return persona_by(parser(), person, claims, tokens, now)


def claim(slot: str, value: str, text: str, kind: NoteKind = "profile", *, positive: bool = True) -> Claim:
    return Claim(kind, "Nadia", slot, value, text, positive=positive)


LIKES_BASS = claim("likes", "drum and bass", "Nadia likes drum and bass", "preference")
CLAIMS = [
    claim("home", "Leeds", "Nadia lives in Leeds"),
    LIKES_BASS,
    claim("home", "Lisbon", "Nadia lives in Lisbon"),
    claim("diet", "vegetarian", "Nadia is vegetarian"),
    claim("likes", "white pages", "Nadia does not like white pages", "preference", positive=False),
    claim("favourite drink", "galão", "Nadia's favourite drink is galão", "preference"),
    claim("favourite drink", "matcha", "Nadia's favourite drink is matcha", "preference"),
    claim("habit", "running", "Nadia goes running", "preference"),
    claim("plan", "a trip to São Miguel", "Nadia is planning a trip to São Miguel"),
]
ANY = st.builds(
    claim,
    st.sampled_from(["home", "likes", "pet", "plan", "favourite book", "x"]),
    st.text(max_size=30),
    st.text(max_size=30).map("Nadia {}".format),
    st.sampled_from(["preference", "profile"]),
    positive=st.booleans(),
)


def test_a_persona_tells_who_one_is_then_likes_habits_and_plans() -> None:
    assert persona("Nadia", CLAIMS, 100).text == (
        "Nadia is vegetarian. Nadia lives in Lisbon. Nadia likes drum and bass. Nadia dislikes white pages. "
        "Nadia's favourites: drink matcha. Nadia goes running. Nadia is planning a trip to São Miguel."
    )


def test_traits_are_short_and_those_of_the_text() -> None:
    assert set(persona("Nadia", CLAIMS, 100).traits) == {
        "vegetarian", "lives in Lisbon", "likes drum and bass", "dislikes white pages", "favourite drink matcha",
        "goes running", "planning a trip to São Miguel",
    }  # fmt: skip


def test_of_a_slot_with_one_value_only_the_latest_is_told() -> None:
    assert "Leeds" not in persona("Nadia", CLAIMS, 200).text


def test_who_no_longer_likes_something_dislikes_it() -> None:
    not_anymore = claim("likes", "Drum and bass", "Nadia does not like drum and bass", "preference", positive=False)
    assert persona("Nadia", [LIKES_BASS, not_anymore], 100).traits == ("dislikes Drum and bass",)


def test_what_is_claimed_often_comes_first() -> None:
    pottery = claim("likes", "pottery", "Nadia likes pottery", "preference")
    assert (
        persona("Nadia", [pottery, LIKES_BASS, pottery, LIKES_BASS, pottery, CLAIMS[4]], 100).traits[0]
        == "likes pottery"
    )


def test_who_has_a_name_is_told_by_slot_where_the_sentence_is_about_something_else() -> None:
    assert persona("Nadia", [claim("pet", "Biscuit", "Her dog is Biscuit")], 50).text == "Nadia's pet is Biscuit."


def test_a_claim_without_a_sentence_about_the_person_is_not_told() -> None:
    light = claim("habit", "light pages", "From now on it is light pages", "preference")
    assert persona("Nadia", [CLAIMS[0], light], 50).text == "Nadia lives in Leeds."


def test_of_what_an_assistant_was_asked_to_look_like_the_latest_holds() -> None:
    asked = [
        claim("instruction", value, f"Nadia asked the assistant: {value}.", "preference")
        for value in ("dark background", "short bullet points", "a light background with navy headings")
    ]
    assert persona("Nadia", asked, 60).text == (
        "Nadia asked for: a light background with navy headings; short bullet points."
    )


def test_a_plan_for_a_time_that_is_over_is_not_told() -> None:
    def dated(slot: str, value: str, text: str, month: int) -> Claim:
        day = datetime(2025, month, 1, tzinfo=UTC)
        return Claim("profile", "Nadia", slot, value, text, valid=Span(day, day + timedelta(days=1)))

    claims = [
        dated("plan", "a race", "Nadia is training for a race.", 2),
        dated("event", "a cake", "Nadia baked a cake.", 3),
        dated("plan", "Kyoto", "Nadia is planning to visit Kyoto.", 9),
    ]
    assert persona("Nadia", claims, 60).text == "Nadia is planning to visit Kyoto. Lately Nadia baked a cake."


def test_a_persona_begins_with_what_an_assistant_was_asked_to_do() -> None:
    asked = claim("instruction", "answers in metric units", "Nadia wants answers in metric units", "preference")
    assert persona("Nadia", [*CLAIMS, asked], 100).text.startswith("Nadia asked for: answers in metric units. Nadia is")


OPEN = [
    claim("work at", "the hospital", "Nadia works at the hospital.", "fact"),
    claim("be allergic to", "peanuts", "Nadia is allergic to peanuts.", "fact"),
    claim("enjoy", "long walks", "Nadia enjoys long walks.", "preference"),
    claim("want to", "learn Czech", "Nadia wants to learn Czech.", "fact"),
    claim("live in", "Porto", "Nadia's sister lives in Porto.", "fact"),
]


def test_claims_in_open_slots_are_told_in_their_own_words() -> None:
    assert persona("Nadia", OPEN, 100).text == (
        "Nadia is allergic to peanuts. Nadia's sister lives in Porto. Nadia works at the hospital. "
        "Nadia likes long walks. Nadia wants to learn Czech."
    )


def test_what_is_no_longer_so_in_an_open_slot_is_not_told() -> None:
    left = claim("work at", "the hospital", "Nadia no longer works at the hospital.", "fact", positive=False)
    assert "hospital" not in persona("Nadia", [*OPEN, left], 100).text


def test_what_is_denied_in_an_open_slot_is_told_as_a_denial() -> None:
    meat = claim("eat", "meat", "Nadia does not eat meat.", "fact", positive=False)
    assert persona("Nadia", [meat], 30).text == "Nadia does not eat meat."


def test_things_gone_are_not_told() -> None:
    van = claim("owns", "van", "Nadia has a van", "profile")
    sold = claim("owns", "van", "Nadia no longer has the van", "profile", positive=False)
    assert persona("Nadia", [CLAIMS[0], van, sold], 60).text == "Nadia lives in Leeds."


def test_nothing_known_is_nothing_told() -> None:
    assert persona("Nadia", [], 50) == PersonaText("", ())


def test_a_bound_that_is_too_small_for_one_thing_cuts_it() -> None:
    made = persona("Nadia", [claim("home", "Lisbon", "Nadia lives in a tall green house in the old town of Lisbon")], 8)
    assert made.text.endswith("…")
    assert count_tokens(made.text) <= 8


@given(st.lists(ANY, max_size=12), st.integers(1, 60))
def test_the_bound_holds_and_the_persona_is_the_same_each_time(claims: list[Claim], tokens: int) -> None:
    made = persona("Nadia", claims, tokens)
    assert count_tokens(made.text) <= tokens
    assert made == persona("Nadia", claims, tokens)


@pytest.mark.parametrize(
    "unfit",
    [
        claim("pet", "Exciting", 'Asked "Do you have any pets?", Nadia said: "Exciting!"'),
        claim("likes", "list", "Nadia likes the list.", "preference"),
        claim("likes", "walk", "Nadia loved the walk.", "preference"),
        claim("likes", "free cake", "Nadia likes dairy-free cake.", "preference"),
        claim("uses", "app", "Nadia has been using that app on their phone."),
        claim("home", "work", "Nadia has moved closer to work."),
        claim("job", "role model", "Nadia being a role model for young athletes."),
        claim("art", "a source of joy", "Art can be a source of joy."),
        claim("goal", "ask", "Nadia has been meaning to ask.", "preference"),
        claim("plan", "check that out", "Nadia will check that out."),
        claim("instruction", "Write a report in 150 words", 'Nadia: "Write a report in 150 words."', "preference"),
        claim("instruction", "Don't ever quit on what you love", 'Nadia: "Don\'t ever quit on what you love."'),
        claim("instruction", "I always keep on going", 'Nadia: "I always keep on going."', "preference"),
        claim("name", "Nadia Okafor, NJ News", "Nadia is Nadia Okafor, NJ News."),
    ],
    ids=lambda each: each.text,
)
def test_what_is_not_plainly_about_a_person_is_left_out(unfit: Claim) -> None:
    assert persona("Nadia", [CLAIMS[0], unfit], 100).text == "Nadia lives in Leeds."


def test_an_order_for_good_is_told_in_its_own_words() -> None:
    order = claim("instruction", "From now on, answer me in French", 'Nadia: "From now on, answer me in French."')
    assert persona("Nadia", [order], 60).text == "Nadia asked for: From now on, answer me in French."


def test_a_plan_whose_date_is_past_when_the_persona_holds_is_left_out() -> None:
    day = datetime(2025, 9, 1, tzinfo=UTC)
    said = "Nadia is planning to visit Kyoto next month (September 2025)."
    plan = Claim("profile", "Nadia", "plan", "visit Kyoto", said, valid=Span(day, day + timedelta(days=30)))
    assert persona("Nadia", [plan], 60, day).text == "Nadia is planning to visit Kyoto in September 2025."
    assert persona("Nadia", [plan], 60, day + timedelta(days=31)).text == ""


def test_asides_and_fillers_are_left_out() -> None:
    said = claim("pet", "dog", "By the way, Nadia also has a dog, so it is hard to travel. It barks.")
    assert persona("Nadia", [said], 60).text == "Nadia has a dog."


def test_a_role_for_a_name_gets_an_article() -> None:
    said = Claim("profile", "user", "home", "Lisbon", "The user lives in Lisbon.")
    assert persona("user", [said], 60).text == "The user lives in Lisbon."


def test_what_is_told_already_is_not_told_twice() -> None:
    works = [
        claim(slot, value, "Nadia works as a nurse at Mercy.")
        for slot, value in (("job", "nurse"), ("employer", "Mercy"))
    ]
    assert persona("Nadia", works, 60).text == "Nadia works as a nurse at Mercy."


def test_a_full_name_is_told() -> None:
    assert persona("Nadia", [claim("name", "Nadia Okafor", "Nadia is Nadia Okafor.")], 60).text == (
        "Nadia is called Nadia Okafor."
    )
