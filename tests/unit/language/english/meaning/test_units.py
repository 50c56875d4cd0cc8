"""Events of turns, as sentences that stand alone."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst import Passage, analyst
from hmem.language.english.meaning.units import TurnUnits, Unit, units
from hmem.language.english.parser import Parser, parser
from hmem.model.turn import Turn

SAID = datetime(2024, 3, 14, tzinfo=UTC)
SENTENCES = (
    "I sold my car last week.", "My sister Lucy moved to Oslo.", "She loves it there.", "We had dinner with Tom.",
    "Did you see the game?", "I don't like coffee, but I drink tea.", "never been to japan", "Thanks a lot!",
    "Started a new job at Zillow.", "The weather was awful.", "lol", "He said he'd call me.", "Max and Daisy.",
)  # fmt: skip


def passage(lines: Sequence[tuple[str, str]], start: int = 0) -> Passage:
    turns = tuple(Turn(id=f"t{n}", speaker=who, text=text, at=SAID, session="s") for n, (who, text) in enumerate(lines))
    return Passage(turns, start, ("Maria", "Tom"))


def walk(found: Sequence[TurnUnits]) -> list[Unit]:
    return [unit for turn in found for unit in turn.units]


def told(*texts: str) -> list[str]:
    """Return the events of the last of some turns of Maria's."""
    found = units(parser(), passage([("Maria", text) for text in texts], len(texts) - 1))
    return [unit.text for unit in walk(found)]


def test_the_speaker_is_named_and_the_verb_agrees() -> None:
    assert told("I love gardens.") == ["Maria loves gardens."]


def test_a_subject_that_was_left_out_is_the_speaker() -> None:
    assert told("Never been to Japan.") == ["Maria has never been to Japan."]


def test_a_pronoun_is_named_by_the_sentence_before() -> None:
    assert told("My sister sold her car. She loves her new bike.")[1] == "Maria's sister loves her new bike."


def test_a_relative_day_is_completed() -> None:
    assert told("I sold the boat yesterday.") == ["Maria sold the boat yesterday (13 March 2024)."]


@pytest.mark.parametrize("text", ["Thanks so much!", "Hello Tom, how are you?", "Good luck!", "😊", ""])
def test_courtesies_are_no_events(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Translate to French: My wife is pregnant.",
        "Rewrite this: I'm Sam, I work at Google and I love pizza.",
        "Imagine you're a pirate. I am your captain and my ship is the Black Pearl.",
    ],
)
def test_a_text_given_to_be_worked_on_tells_nothing_of_the_speaker(text: str) -> None:
    assert told(text) == []


def test_an_answer_without_a_verb_takes_the_question_along() -> None:
    found = units(parser(), passage([("Tom", "What are your dogs called?"), ("Maria", "Max and Daisy.")], 1))
    [unit] = walk(found)
    assert "What are your dogs called?" in unit.text
    assert "Max and Daisy" in unit.text


lines = st.lists(
    st.tuples(st.sampled_from(("Maria", "Tom")), st.lists(st.sampled_from(SENTENCES), max_size=3).map(" ".join)),
    min_size=1,
    max_size=4,
)


@given(lines)
def test_an_event_never_holds_a_placeholder_nor_two_subjects(said: list[tuple[str, str]]) -> None:
    for unit in walk(units(parser(), passage(said))):
        assert "§" not in unit.text
        assert unit.text[0] != " "
        if not unit.quoted:
            assert not any(
                f"{one} {other} " in unit.text
                for one in ("Maria", "Tom", "I")
                for other in ("Maria", "I", "she", "they")
            )


@given(lines)
def test_turns_read_one_by_one_are_those_of_a_batch(said: list[tuple[str, str]]) -> None:
    whole = units(parser(), passage(said))
    single = [units(parser(), passage(said[: place + 1], place))[0] for place in range(len(said))]
    assert [[unit.text for unit in turn.units] for turn in whole] == [
        [unit.text for unit in turn.units] for turn in single
    ]


@pytest.mark.parametrize("between", [0, 3, 4, 5])
def test_a_turn_uses_the_same_turns_before_it_in_a_batch(between: int) -> None:
    said = [("Maria", "Tom Baker called."), *[("Maria", "It rained.")] * between, ("Maria", "He bought a boat.")]
    whole = units(parser(), passage(said))[-1]
    single = units(parser(), passage(said[-5:], len(said[-5:]) - 1))[0]
    assert [unit.text for unit in whole.units] == [unit.text for unit in single.units]
    assert any("Tom Baker" in unit.text for unit in whole.units) == (between < 4)


@given(st.text(max_size=80))
def test_no_text_stops_the_reading(text: str) -> None:
    rules = analyst("rules")
    said = passage([("Maria", text)])
    events = rules.events([said])
    assert len(rules.claims([said], events)[0]) == 1
    assert len(rules.entities([said])[0]) == 1


def test_the_units_do_not_depend_on_what_the_parser_read_before() -> None:
    said = passage([("Maria", "I sold my car. It was old.")])
    used = Parser()
    used.parse(["Something else.", "My cat is ill."])
    assert [unit.text for unit in walk(units(used, said))] == [unit.text for unit in walk(units(Parser(), said))]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("I have a cat, and it sleeps all day.", ["Maria has a cat, and it sleeps all day."]),
        ("The book arrived. It was heavy.", ["The book arrived. It was heavy."]),
        ("They moved me to room 305.", ["They moved Maria to room 305."]),
        ("I sold my car. Really made me miss it.", ["Maria sold their car. It really made Maria miss it."]),
        ("I gotta sell my car.", ["Maria has to sell their car."]),
        (
            "I need to close my account and apply for a card.",
            ["Maria needs to close their account and apply for a card."],
        ),
        (
            "I'm thinking of hosting a party and want to cook.",
            ["Maria is thinking of hosting a party and wants to cook."],
        ),
    ],
)
def test_a_sentence_is_told_whole_with_what_it_points_back_to(text: str, events: list[str]) -> None:
    assert told(text) == events


@pytest.mark.parametrize(
    "text",
    ["Life is short.", "I won't quit.", "Those moments were great.", "I'm so happy!"],
)
def test_what_names_nothing_or_is_true_of_all_is_no_event(text: str) -> None:
    assert told(text) == []


def test_words_that_are_cited_at_length_are_not_the_speakers_own() -> None:
    cited = "I have grown tomatoes in my garden for many years, and I sell them on Sundays."
    assert told(f'Please shorten this: "{cited}"') == []
    assert told(cited) != []


def test_a_yes_tells_something_only_if_nothing_else_does() -> None:
    asked = ("Tom", "Do you have a dog?")
    [alone] = walk(units(parser(), passage([asked, ("Maria", "Yes!")], 1)))
    assert 'said: "Yes!"' in alone.text
    more = walk(units(parser(), passage([asked, ("Maria", "Yes! I bought a beagle in May.")], 1)))
    assert [unit.text for unit in more] == ["Maria bought a beagle in May (May 2023)."]


def test_a_clause_that_stands_alone_is_told_without_one_that_does_not() -> None:
    assert told("The landlord raised it, from this May the rent is 1240.")[-1].endswith("the rent is 1240.")
