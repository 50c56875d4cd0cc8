"""Events: what a turn states, by name and by date."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.base import Passage, Statement
from hmem.language.english.events import LONGEST, MOST, events
from hmem.model.turn import Turn

AT = datetime(2024, 5, 15, 10, tzinfo=UTC)


def turn(text: str, speaker: str = "Maria", caption: str | None = None, number: int = 0) -> Turn:
    return Turn(f"t{number}", speaker, text, AT, "s", caption=caption)


def said(text: str, before: str = "", caption: str | None = None) -> list[Statement]:
    """What Maria states, to John, who spoke before her."""
    context = [turn(before, "John", number=1)] if before else []
    passage = Passage((*context, turn(text, caption=caption)), len(context), ("Maria", "John"))
    return events(passage)[0]


STATED = [
    # Who speaks.
    ("I adopted a puppy.", "Maria adopted a puppy."),
    ("i got a dog", "Maria got a dog."),
    ("I'm allergic to peanuts.", "Maria is allergic to peanuts."),
    ("I am a baker in Ghent.", "Maria is a baker in Ghent."),
    ("I've got my piano back.", "Maria has got Maria's piano back."),
    ("I have two cats.", "Maria has two cats."),
    ("I was a nurse in Leeds.", "Maria was a nurse in Leeds."),
    ("I don't eat meat.", "Maria does not eat meat."),
    ("I haven't painted since school.", "Maria has not painted since school."),
    ("I love hiking and I really enjoy my bike.", "Maria loves hiking and Maria really enjoys Maria's bike."),
    ("I always carry a whistle.", "Maria always carries a whistle."),
    ("I fly kites on Sundays.", "Maria flies kites on Sundays."),
    ("I teach chemistry.", "Maria teaches chemistry."),
    ("I no longer drink coffee.", "Maria no longer drinks coffee."),
    ("I'd been saving for a kayak.", "Maria had been saving for a kayak."),
    ("I'd love to see Iceland.", "Maria would love to see Iceland."),
    ("I'll paint the fence.", "Maria will paint the fence."),
    ("I can't stand cilantro.", "Maria cannot stand cilantro."),
    ("I put the keys in the drawer.", "Maria put the keys in the drawer."),
    ("My wife and I bought a house in Leeds.", "Maria's wife and Maria bought a house in Leeds."),
    ("My cousin and I love Rome.", "Maria's cousin and Maria love Rome."),
    ("Clara gave me a lamp.", "Clara gave Maria a lamp."),
    ("That red scarf is mine, from Oslo.", "That red scarf is Maria's, from Oslo."),
    ("The vet called, and so did I.", "The vet called, and so did Maria."),
    # We, and you.
    ("We went camping and took our kids.", "Maria and others went camping and took their kids."),
    ("We both studied law in Ghent.", "Maria and John both studied law in Ghent."),
    ("Our roof leaks above the shelf.", "Maria's roof leaks above the shelf."),
    ("Your kids broke my window.", "John's kids broke Maria's window."),
    ("I think you should try the ramen at Kento.", "Maria thinks John should try the ramen at Kento."),
    ("I'll help you move the piano.", "Maria will help John move the piano."),
    ("Chamomile helps you sleep on planes.", "Chamomile helps you sleep on planes."),
    # Quotations stay.
    ('She said "I am sorry" and left the choir.', 'She said "I am sorry" and left the choir.'),
    ("She said \u201cI am sorry\u201d and left the choir.", 'She said "I am sorry" and left the choir.'),
    # Subjects that were left out, and what precedes a statement.
    ("Just got back from Norway.", "Maria just got back from Norway."),
    ("Been painting fences all week.", "Maria has been painting fences all week."),
    ("Went to the dentist.", "Maria went to the dentist."),
    ("Oh, and by the way, I sold my boat.", "Maria sold Maria's boat."),
    ("Hey John, I moved to Porto.", "Maria moved to Porto."),
    ("I moved to Porto, John!", "Maria moved to Porto!"),
    ("Yeah, John, the ferry sank.", "The ferry sank."),
    ("Did I tell you that I bought a sailboat?", "Maria bought a sailboat."),
    ("You moved to Boston, right?", "John moved to Boston."),
    # Dates.
    ("I sold the car yesterday.", "Maria sold the car yesterday (14 May 2024)."),
    ("I moved here in March 2021.", "Maria moved here in March 2021."),
    ("I've played the cello since 2016.", "Maria has played the cello since 2016."),
    ("Let's meet at the station on Friday.", "Maria and others plan to meet at the station on Friday (17 May 2024)."),
    ("Paying rent takes half my wage.", "Paying rent takes half Maria's wage."),
    # Other scripts.
    ("Я купила новую лодку в Праге.", "Я купила новую лодку в Праге."),
    ("今日は犬を飼いました。", "今日は犬を飼いました。"),
]


@pytest.mark.parametrize(("text", "expected"), STATED)
def test_a_statement_stands_by_itself(text: str, expected: str) -> None:
    assert [statement.text for statement in said(text)] == [expected]


NOTHING = [
    "",
    "Wow!",
    "Thanks, John!",
    "How about you?",
    "Wow! Thanks so much! How about you?",
    "Keep it up!",
    "That sounds amazing!",
    "I'm so proud of you, John!",
    "Good luck, you got this!",
    "I totally agree.",
    "Where do you live?",
    "If I had a dog, I would walk more.",
    "Can't wait!",
    "No worries. Talk soon!",
    "😊😊",
    "def area(x): return x * 2;",
    "```\nx = 1\n```",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_states_nothing_is_no_event(text: str) -> None:
    assert said(text) == []


ANSWERED = [
    ("How long have you been married?", "5 years already!", "Maria has been married: 5 years already."),
    ("Do you have any pets?", "Yes, two cats.", "Maria has pets: two cats."),
    ("Do you have any pets?", "No.", "Maria does not have any pets."),
    ("Have you been to Rome?", "Yes, twice.", "Maria has been to Rome twice."),
    ("Are you married?", "Not yet.", "Maria is not married."),
    ("Did you see my garden?", "Yes!", "Maria did see John's garden."),
    ("Where do you live?", "In Ghent.", "Maria lives in Ghent."),
    ("What's your favorite food?", "Ramen!", "Maria's favorite food is Ramen."),
    ("What do you bake?", "Sourdough, mostly.", 'Asked "What do you bake?", Maria said: Sourdough, mostly.'),
    ("Do you like tea or coffee?", "Tea.", 'Asked "Do you like tea or coffee?", Maria said: Tea.'),
]


@pytest.mark.parametrize(("question", "answer", "expected"), ANSWERED)
def test_an_answer_that_means_nothing_alone_is_joined_to_its_question(
    question: str, answer: str, expected: str
) -> None:
    assert [(one.text, one.context) for one in said(answer, question)] == [(expected, 1)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("How are you?", "Fine, thanks!"), ("Any advice?", "Yes!"), ("Do you have any tips?", "Sure!")],
)
def test_a_formula_answers_nothing(question: str, answer: str) -> None:
    assert said(answer, question) == []


def test_an_answer_that_stands_alone_is_left_alone() -> None:
    found = said("Yes, I loved the ending in Rome.", "Did you like the film?")
    assert [(one.text, one.context) for one in found] == [("Maria loved the ending in Rome.", 0)]


def test_the_same_person_does_not_answer_themselves() -> None:
    passage = Passage((turn("Do I have any pets?"), turn("Two cats in Rome.")), 1, ("Maria", "John"))
    assert events(passage)[0][0].context == 0


PICTURES = [
    ("", "a photo of a red boat", ["Maria shared a picture: a red boat."]),
    ("Thanks!", "A newborn in a hat", ["Maria shared a picture: A newborn in a hat."]),
    ("Look at this!", "a photo of a dog", ["Maria shared a picture: a dog."]),
    ("Here's my new bike!", "a photo of a blue bicycle", ["Here's Maria's new bike (picture: a blue bicycle)."]),
    ("I sold the quilt.", "a photo of a quilt", ["Maria sold the quilt.", "Maria shared a picture: a quilt."]),
]


@pytest.mark.parametrize(("text", "caption", "expected"), PICTURES)
def test_a_picture_is_stated(text: str, caption: str, expected: list[str]) -> None:
    assert [one.text for one in said(text, caption=caption)] == expected


def test_what_leans_on_the_sentence_before_stays_with_it() -> None:
    found = said("I got a dog from the shelter. Its name is Rex. The weather in Oslo is mild.")
    assert [one.text for one in found] == [
        "Maria got a dog from the shelter. Its name is Rex.",
        "The weather in Oslo is mild.",
    ]


def test_she_is_the_one_relative_that_was_just_named() -> None:
    found = said("My sister Anna plays chess. She won a tournament in Prague.")
    assert [one.text for one in found] == ["Maria's sister Anna plays chess.", "Anna won a tournament in Prague."]


def test_she_is_nobody_when_two_were_named() -> None:
    found = said("My sister Anna met my aunt Clara. She won a tournament in Prague.")
    assert [one.text for one in found] == [
        "Maria's sister Anna met Maria's aunt Clara. She won a tournament in Prague."
    ]


def test_he_is_not_a_sister() -> None:
    assert said("My sister plays chess. He won in Prague.")[0].text.endswith("He won in Prague.")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("I sold the car yesterday.", (2024, 5, 14), (2024, 5, 15)),
        ("I moved here in March 2021.", (2021, 3, 1), (2021, 4, 1)),
        ("We fly to Crete next month.", (2024, 6, 1), (2024, 7, 1)),
        ("I just sold the car.", (2024, 5, 9), (2024, 5, 16)),
    ],
)
def test_a_statement_knows_when_it_happened(text: str, start: tuple[int, int, int], end: tuple[int, int, int]) -> None:
    happened = said(text)[0].happened
    assert happened is not None
    assert (happened.start, happened.end) == (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))


def test_a_statement_without_a_date_does_not_guess_one() -> None:
    assert said("I sold the car.")[0].happened is None


def test_you_stay_you_among_more_than_two() -> None:
    passage = Passage((turn("I met your kids in Rome."),), 0, ("Maria", "John", "Clara"))
    assert [one.text for one in events(passage)[0]] == ["Maria met your kids in Rome."]


def test_a_role_is_named_with_an_article() -> None:
    passage = Passage((turn("I need your help with my tax form.", "user"),), 0, ("user", "assistant"))
    assert events(passage)[0][0].text == "The user needs the assistant's help with the user's tax form."


def test_a_long_text_gives_its_most_informative_statements_in_order() -> None:
    filler = "It was a day. " * 2_000
    found = said(
        f"I sold my old red boat to Paul Keller in Oslo, Norway, in 2019. {filler}"
        + " ".join(f"Clara met Paul in Rome in {n}." for n in range(2000, 2020))
    )
    assert len(found) == MOST
    assert found[0].text.startswith("Maria sold Maria's old red boat")


def test_no_statement_is_longer_than_the_limit() -> None:
    assert all(len(one.text) <= LONGEST + 40 for one in said("I walked with Clara and my dog through Porto " * 40))


VOCABULARY = """
I we you my your me us they she it . ! ? , \" ( ) am have don't I'm we've love went adopted dog Anna Rome yesterday
2019 since how long yes no Mel 😊 - • ``` { 犬 named last Friday and
"""
WORDS = st.sampled_from((*VOCABULARY.split(), "\n", "I\u2019m"))
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join))


@given(
    st.lists(st.tuples(st.sampled_from(["Maria", "John", "user", "O'Neill (2)", "§"]), TEXTS), min_size=1, max_size=4)
)
def test_any_turns_give_statements_that_are_not_empty_and_always_the_same(rows: list[tuple[str, str]]) -> None:
    turns = tuple(turn(text, speaker, number=place) for place, (speaker, text) in enumerate(rows))
    passage = Passage(turns, 0, tuple(dict.fromkeys(one.speaker for one in turns)))
    found = events(passage)
    assert len(found) == len(turns)
    assert all(one.text.strip() and one.context in (0, 1) for statements in found for one in statements)
    assert events(passage) == found


@given(st.lists(st.tuples(st.sampled_from(["Maria", "John"]), TEXTS), min_size=2, max_size=5))
def test_a_batch_gives_what_turns_give_one_by_one(rows: list[tuple[str, str]]) -> None:
    turns = tuple(turn(text, speaker, number=place) for place, (speaker, text) in enumerate(rows))
    speakers = ("Maria", "John")
    singly = [
        events(Passage(turns[max(place - 1, 0) : place + 1], min(place, 1), speakers))[0] for place in range(len(turns))
    ]
    assert events(Passage(turns, 0, speakers)) == singly


@pytest.mark.parametrize(
    "unit", ["I ", "we and ", '"', "you ", "really ", "my sister Anna. She ", "Mel, ", "{x} ", "😊", "yesterday "]
)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    """A quadratic rule would take minutes here."""
    assert len(said(unit * (76_000 // len(unit)))) <= MOST
