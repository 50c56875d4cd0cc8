from collections.abc import Iterator

import pytest
from tests.recall import plain

from hmem import Memory

SAID = [
    (
        "a",
        "2024-03-01T18:00:00Z",
        "Ines",
        "We got the keys to the flat! The rent is 780 euros a month, and it has three bedrooms.",
    ),
    (
        "a",
        "2024-03-01T18:01:00Z",
        "Omar",
        "Congratulations! I painted my kitchen dark green last week, it took me two days.",
    ),
    ("a", "2024-03-01T18:02:00Z", "Ines", "Lovely. The boiler is 14 years old, so the landlord will replace it."),
    (
        "a",
        "2024-03-01T18:03:00Z",
        "Omar",
        "The shelter wanted 90 euros for Pebble, my new kitten. She is four months old.",
    ),
    ("b", "2024-04-12T19:00:00Z", "Omar", "I paid $240 for a second-hand cello, and I practise every Thursday."),
    ("b", "2024-04-12T19:01:00Z", "Ines", "I swim three times a week, usually at 7 am before work."),
    ("b", "2024-04-12T19:02:00Z", "Omar", "My lesson starts at half past five, so I leave work early on Thursdays."),
    ("b", "2024-04-12T19:03:00Z", "Ines", "My sister Paula turned 31 on Sunday. She has been a nurse for eight years."),
    (
        "c",
        "2024-06-20T12:00:00Z",
        "Ines",
        "I bought a red bicycle for 150 euros. The ride to the office takes 25 minutes.",
    ),
    ("c", "2024-06-20T12:01:00Z", "Omar", "I sold 36 jars of honey at the market and made nearly 200 euros."),
    ("c", "2024-06-20T12:02:00Z", "Ines", "Great! How many hives do you have now?"),
    ("c", "2024-06-20T12:03:00Z", "Omar", "Five hives. The bees are calm this year, and the new queen has a blue dot."),
    ("c", "2024-06-20T12:04:00Z", "Ines", "I ran 12 kilometres along the canal yesterday, my longest run so far."),
    ("d", "2024-08-03T09:00:00Z", "Omar", "I am 1.84 m tall and the tent is far too short for me!"),
    ("d", "2024-08-03T09:01:00Z", "Ines", "Ha! We camped for ten days in Norway, and it rained on six of them."),
    ("d", "2024-08-03T09:02:00Z", "Omar", "My grandmother lent me her yellow raincoat, it weighs almost 2 kilos."),
    ("d", "2024-08-03T09:03:00Z", "Ines", "Our train leaves at 9:40 tomorrow morning."),
    (
        "d",
        "2024-08-03T09:04:00Z",
        "Omar",
        "I water the tomatoes twice a day in this heat, and I have lived here for six years.",
    ),
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add([{"session": s, "at": at, "speaker": who, "text": text} for s, at, who, text in SAID])
        yield made


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How much is the rent of Ines's flat?", "780 euros a month"),
        ("How many bedrooms does Ines's flat have?", "three"),
        ("What colour did Omar paint his kitchen?", "dark green"),
        ("How long did Omar take to paint his kitchen?", "two days"),
        ("How old is the boiler in Ines's flat?", "14 years"),
        ("How much did the shelter want for Pebble?", "90 euros"),
        ("How old is Omar's kitten Pebble?", "four months"),
        ("How much did Omar pay for the cello?", "$240"),
        ("How often does Omar practise the cello?", "every Thursday"),
        ("How often does Ines swim?", "three times a week"),
        ("What time does Ines swim?", "7 am"),
        ("What time does Omar's lesson start?", "half past five"),
        ("How old is Ines's sister Paula?", "31"),
        ("How long has Paula been a nurse?", "eight years"),
        ("What color is Ines's bicycle?", "red"),
        ("How much did Ines's bicycle cost?", "150 euros"),
        ("How long does the ride to the office take Ines?", "25 minutes"),
        ("How many jars of honey did Omar sell?", "36"),
        ("How much did Omar make at the market with honey?", "nearly 200 euros"),
        ("How many hives does Omar have?", "Five"),
        ("Which colour is the dot of Omar's new queen?", "blue"),
        ("How far did Ines run along the canal?", "12 kilometres"),
        ("How tall is Omar?", "1.84 m"),
        ("How long did Ines camp in Norway?", "ten days"),
        ("What colour is the raincoat of Omar's grandmother?", "yellow"),
        ("How much does the yellow raincoat weigh?", "almost 2 kilos"),
        ("What time does Ines's train leave?", "9:40"),
        ("How often does Omar water the tomatoes?", "twice a day"),
        ("How long has Omar lived here?", "six years"),
    ],
)
def test_a_measure_is_answered_with_a_value_of_its_sort(memory: Memory, question: str, wanted: str) -> None:
    assert plain(memory.ask(question)) == wanted.lower()


@pytest.mark.parametrize(
    "question",
    [
        "How much did Omar's tent cost?",
        "How old is Omar's grandmother?",
        "What colour is Omar's cello?",
        "How many cats does Ines have?",
        "How often does Paula visit Ines?",
        "How long is the cello?",
    ],
)
def test_it_abstains_where_no_value_of_the_sort_is_told(memory: Memory, question: str) -> None:
    assert memory.ask(question).abstained


@pytest.mark.parametrize(
    ("said", "question", "wanted"),
    [
        ("The vet charged me 65 for the jab.", "How much did the vet charge Lea?", "65"),
        ("My salary went up to 41,500 dollars a year.", "What is Lea's salary?", "41,500 dollars a year"),
        ("My grandson is 12, and mad about trains.", "How old is Lea's grandson?", "12"),
        ("My 9-year-old niece plays the harp.", "How old is Lea's niece?", "9 years"),
        ("We open the shop at nine.", "What time does Lea open the shop?", "nine"),
        ("The lake is about eight miles from our cabin.", "How far is the lake from Lea's cabin?", "about eight miles"),
        ("The rug is dark blue and white.", "What colour is Lea's rug?", "dark blue and white"),
        ("Ninety-five percent of the seeds came up.", "What percentage of Lea's seeds came up?", "Ninety-five percent"),
        ("The oven only reached 140 degrees.", "How hot did Lea's oven get?", "140 degrees"),
    ],
)
def test_a_value_is_read_in_the_ways_that_people_write_it(said: str, question: str, wanted: str) -> None:
    with Memory(":memory:") as made:
        made.add(said, speaker="Lea", at="2024-03-01T10:00:00Z", session="s")
        assert plain(made.ask(question)) == wanted.lower()
