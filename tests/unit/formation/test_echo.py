from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.formation.echo import ShownText, ShownTexts, is_agent, may_echo
from hmem.formation.turn_analysis import all_echo, without_echoes
from hmem.language.analyst import analyst
from hmem.model.turn import Role, Turn

LEXICON = analyst("rules").lexicon
BEGIN = datetime(2023, 8, 11, 10, tzinfo=UTC)

PUPPY = "I adopted a puppy named Coco two weeks ago. He loves the beach in the morning!"
PARIS = "I haven't been to Paris since my sister moved to Lyon in 2019."
CLINIC = "My appointment with Doctor Lee at the clinic in the old town is on Thursday at three in the afternoon."


def turn(text: str, speaker: str = "Maria", role: Role | None = None, *, days: int = 0, session: str = "s1") -> Turn:
    return Turn(f"turn {days} {speaker}", speaker, text, BEGIN + timedelta(days=days), session, role=role)


def shelf(*turns: Turn) -> ShownTexts:
    made = ShownTexts(LEXICON)
    made.add(ShownText(each.id, each.text, each.speaker, each.session, each.at) for each in turns)
    return made


def echoed(text: str, *shown: str, speaker: str = "assistant", role: Role | None = "assistant") -> list[str]:
    """What of a text, said in a later session, is an echo of what Maria said."""
    known = shelf(*(turn(each, days=i) for i, each in enumerate(shown)))
    made = known.mark_echoes(turn(text, speaker, role, days=30, session="s9"))
    return [text[start:end].strip() for start, end, _ in made.echoes]


@pytest.mark.parametrize(
    "text",
    [
        PUPPY,
        "You adopted a puppy named Coco two weeks ago.",
        "Maria adopted a puppy named Coco two weeks ago.",
        "She adopted a puppy named Coco two weeks ago.",
        "As you told me in May, you adopted a puppy named Coco.",
        "You told me you adopted a puppy named Coco.",
        "According to my notes, you adopted a puppy named Coco two weeks ago.",
        'You said: "I adopted a puppy named Coco two weeks ago."',
        "I remember that you've adopted a puppy named Coco two weeks ago",
        "Here is what I remember:\n- You adopted a puppy named Coco two weeks ago\n- He loves the beach in the morning",
        "YOU ADOPTED A PUPPY NAMED COCO, two weeks ago",
        "As you told me, Coco! You adopted a puppy named Coco two weeks ago.",
        "You adopted a puppy named Coco two weeks ago. A puppy.",
    ],
)
def test_what_an_assistant_quotes_is_an_echo(text: str) -> None:
    assert echoed(text, PUPPY) == [text]
    assert all_echo(without_echoes(turn_of(text), LEXICON))


def turn_of(text: str) -> Turn:
    return shelf(turn(PUPPY)).mark_echoes(turn(text, "assistant", "assistant", days=9, session="s9"))


@pytest.mark.parametrize(
    ("text", "echo", "left"),
    [
        (
            "As you told me in May, you adopted a puppy named Coco, and I booked a vet for Friday.",
            "As you told me in May, you adopted a puppy named Coco,",
            "and I booked a vet for Friday.",
        ),
        (
            "You adopted a puppy named Coco two weeks ago. The new leash arrives on Monday.",
            "You adopted a puppy named Coco two weeks ago.",
            "The new leash arrives on Monday.",
        ),
        (
            "The new leash arrives on Monday; you adopted a puppy named Coco two weeks ago.",
            "you adopted a puppy named Coco two weeks ago.",
            "The new leash arrives on Monday;",
        ),
    ],
)
def test_what_is_new_in_the_same_turn_is_left(text: str, echo: str, left: str) -> None:
    assert echoed(text, PUPPY) == [echo]
    assert without_echoes(turn_of(text), LEXICON).text == left
    assert not all_echo(without_echoes(turn_of(text), LEXICON))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ben adopted a puppy named Coco two weeks ago.", PUPPY),
        ("You adopted a puppy named Rex two weeks ago.", PUPPY),
        ("You adopted two puppies named Coco and Rex ten weeks ago.", PUPPY),
        ("You have been to Paris since your sister moved to Lyon in 2019.", PARIS),
        ("You haven't been to Paris since your sister moved to Lyon in 2020.", PARIS),
        (CLINIC.replace("My", "Your").replace("Thursday", "Friday"), CLINIC),
        (CLINIC.replace("My", "Your").replace(" is on", " is not on"), CLINIC),
        ("Would you like a puppy?", PUPPY),
        ("You.", PUPPY),
        ("", PUPPY),
        ("As you told me, you like to swim.", PUPPY),
    ],
)
def test_what_says_something_else_is_none(text: str, shown: str) -> None:
    assert echoed(text, shown) == []


def test_a_negation_is_repeated_with_what_it_denies() -> None:
    text = "You haven't been to Paris since your sister moved to Lyon in 2019."
    assert echoed(text, PARIS) == [text]


def test_another_person_says_of_themselves_what_is_their_own() -> None:
    assert echoed("I adopted a puppy named Coco, too", PUPPY, speaker="Ben", role=None) == []
    assert echoed("I adopted a puppy named Rex two weeks ago", PUPPY, speaker="Ben", role="user") == []
    quoted = 'Maria said "I adopted a puppy named Coco two weeks ago."'
    assert echoed(quoted, PUPPY, speaker="Ben", role=None) == [quoted]


def test_who_says_it_again_on_their_own_is_no_echo() -> None:
    assert echoed(PUPPY, PUPPY, speaker="Maria", role=None) == []
    assert echoed(PUPPY, PUPPY, speaker="Maria", role="user") == []


def test_an_assistant_repeats_itself_in_a_later_session_only() -> None:
    known = shelf(turn(CLINIC, "assistant", "assistant"))
    again = turn(CLINIC, "assistant", "assistant", days=1, session="s9")
    assert known.mark_echoes(again).echoes == ((0, len(CLINIC), "turn 0 assistant"),)
    assert known.mark_echoes(turn(CLINIC, "assistant", "assistant", days=1)).echoes == ()


def test_what_was_said_before_what_was_shown_is_no_echo_of_it() -> None:
    known = shelf(turn(PUPPY, days=5))
    assert known.mark_echoes(turn(PUPPY, "assistant", "assistant", days=4)).echoes == ()


def test_the_turn_that_is_repeated_is_told() -> None:
    known = shelf(turn(PUPPY, days=1), turn(CLINIC, days=2))
    text = "Your appointment with Doctor Lee is at the clinic in the old town. He loves the beach in the morning!"
    made = known.mark_echoes(turn(text, "assistant", "assistant", days=3, session="s9"))
    assert {source for _, _, source in made.echoes} == {"turn 1 Maria"}
    assert text[slice(*made.echoes[0][:2])] == "He loves the beach in the morning!"


def test_a_pasted_context_is_an_echo_of_nobody_in_particular() -> None:
    text = "<memory>\n2023\nFri 11 Aug\n1 Maria: I adopted a puppy\n</memory>\nI also bought a cat."
    made = ShownTexts(LEXICON).mark_echoes(turn(text, "Ben", "user"))
    assert [source for _, _, source in made.echoes] == [""]
    assert without_echoes(made, LEXICON).text == "I also bought a cat."


def test_only_the_latest_showings_are_kept() -> None:
    few = ShownTexts(LEXICON, capacity=2)
    for i in range(5):
        few.add([ShownText(f"turn {i}", f"text {i}", "Maria", "s1", BEGIN)])
    few.add([ShownText("turn 3", "text 3", "Maria", "s1", BEGIN)])
    assert few.ids() == {"turn 3", "turn 4"}
    few.drop(["turn 3"])
    assert (len(few), few.ids()) == (1, {"turn 4"})


def test_a_summary_can_be_quoted_by_an_assistant_only() -> None:
    known = ShownTexts(LEXICON)
    known.add([ShownText("turn 1", "Maria adopted a puppy named Coco in August and loves him", None, "", BEGIN)])
    text = "Maria adopted a puppy named Coco in August and loves him"
    assert known.mark_echoes(turn(text, "assistant", "assistant", days=1)).echoes
    assert not known.mark_echoes(turn(text, "Ben", days=1)).echoes


def test_who_is_no_person() -> None:
    assert is_agent(turn("x", "Nova", "assistant"))
    assert is_agent(turn("x", "Assistant"))
    assert not is_agent(turn("x", "Maria", "user"))
    assert not is_agent(turn("x", "Maria"))


def test_a_short_turn_is_not_looked_at() -> None:
    assert not may_echo(turn("Thanks!"))
    assert may_echo(turn(PUPPY))


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_heard(text: str, shown: str) -> None:
    made = shelf(turn(shown)).mark_echoes(turn(text, "assistant", "assistant", days=1, session="s9"))
    places = [place for start, end, _ in made.echoes for place in (start, end)]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
    assert without_echoes(made, LEXICON).text is not None
