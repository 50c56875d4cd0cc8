import pytest

from hmem.language.english.questions import cuts

PEOPLE = ("Ana", "Ben")


def texts(question: str) -> list[str]:
    return [cut.text for cut in cuts(question, PEOPLE)]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which city have both Ana and Ben visited?", ["Which city has Ana visited?", "Which city has Ben visited?"]),
        ("How do Ana and Ben both relax?", ["How does Ana relax?", "How does Ben relax?"]),
        ("Did Ana and Ben both dance?", ["Did Ana dance?", "Did Ben dance?"]),
        ("Are Ana and Ben both tall?", ["Is Ana tall?", "Is Ben tall?"]),
        ("What do Ana, Ben and Cleo all like?", ["What does Ana like?", "What does Ben like?", "What does Cleo like?"]),
        ("What have both Ana and I read?", ["What has Ana read?", "What have I read?"]),
    ],
)
def test_what_is_asked_of_several_is_asked_of_each(question: str, parts: list[str]) -> None:
    assert texts(question) == parts


def test_an_event_is_found_before_what_hangs_on_it() -> None:
    first, last = cuts("Where did Ana go after she adopted the dog?", PEOPLE)
    assert first.text == "When was it that Ana adopted the dog?"
    assert last.text == "Where did Ana go after she adopted the dog?"
    assert last.needs == (0,)


def test_a_journey_is_found_before_the_place_that_came_before() -> None:
    assert texts("Which city was Ana in before travelling to Rome?")[0] == "When was Ana travelling to Rome?"


def test_two_questions_are_asked_one_by_one() -> None:
    assert texts("What schools did Ana go to and how many years was she there?") == [
        "What schools did Ana go to?",
        "How many years was Ana there?",
    ]


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (
            "How many days passed between the day I bought the kayak and the day I sold it?",
            "When was it that I bought the kayak?",
            "When was it that I sold it?",
        ),
        (
            "How many days before I bought the kayak did I see the sea?",
            "When was it that I bought the kayak?",
            "When did I see the sea?",
        ),
        (
            "Which event happened first, the meeting with Ana or the parade?",
            "When was the meeting with Ana?",
            "When was the parade?",
        ),
        ("Who became a parent first, Ana or Ben?", "When was it that Ana became a parent?", None),
        ("Which did I buy first, the kayak or the bike?", "When did I buy the kayak?", "When did I buy the bike?"),
    ],
)
def test_events_that_are_compared_are_found_one_by_one(question: str, first: str, second: str | None) -> None:
    found = cuts(question, PEOPLE)
    assert found[0].text == first
    assert second is None or found[1].text == second
    assert found[-1].text == question
    assert found[-1].needs == (0, 1)


@pytest.mark.parametrize(
    "question",
    [
        "What do Ana and Ben both have in common?",
        "What did Ana and Ben do together?",
        "When did Ana and Ben decide to sing?",
        "How did Ana feel after the accident?",
        "What did Ana do after the trip to relax?",
        "How did Ana feel when someone wrote to her?",
        "What does Ana like and why?",
        "Where was Ana between 11 August and 15 August?",
        "Would Ana like the sea or the mountains?",
        "What did Ana say about when and where she met him?",
        "What did Ana bake? Answer in one word.",
        "both",
    ],
)
def test_most_questions_stay_whole(question: str) -> None:
    assert texts(question) == [question]
