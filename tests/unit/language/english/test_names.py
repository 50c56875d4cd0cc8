"""Which words of a text are names, and of what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.english.names import names

NAMED = [
    ("We flew to Lisbon in May.", {"Lisbon": "location"}),
    ("Lisbon was hot.", {"Lisbon": "location"}),
    ("My sister Ngozi called.", {"Ngozi": "person"}),
    ("A puppy named Shadow sleeps here.", {"Shadow": "person"}),
    ("Her name's Coco and she barks.", {"Coco": "person"}),
    ("A startup called Brightwave hired me.", {"Brightwave": "organization"}),
    ("I spoke with Dr. Okafor about it.", {"Dr. Okafor": "person"}),
    ('I finished "The Long Way Home" by Lea Maron.', {"The Long Way Home": "work", "Lea Maron": "person"}),
    ("I'm reading Middlemarch again.", {"Middlemarch": "work"}),
    ("We hiked to Lake Solitude and back.", {"Lake Solitude": "other"}),
    ("We walked around Solitude Lake.", {"Solitude Lake": "location"}),
    ("I sang at the Harvest Festival!", {"Harvest Festival": "event"}),
    ("She studies at Leiden University.", {"Leiden University": "organization"}),
    ("I bought a Kindle from Amazon.", {"Kindle": "product", "Amazon": "organization"}),
    ("We spent Thanksgiving in New York City.", {"Thanksgiving": "event", "New York City": "location"}),
    ("I'm learning Dutch now.", {"Dutch": "other"}),
    ("Emma's brother met Emma.", {"Emma": "person"}),
    ("Thanks, Tomasz!", {"Tomasz": "person"}),
    ("Hey Wren, how are you?", {"Wren": "person"}),
    ("We saw the Museum of Clocks in Vienna.", {"Museum of Clocks": "other", "Vienna": "location"}),
    ("George R. R. Martin writes slowly.", {"George R. R. Martin": "person"}),
]
NAMELESS = [
    "I think it's OK. Wow! Thankfully, my son was fine.",
    "On Monday and in March I rest. See you Friday!",
    "I love Irish music, French films and my German lessons.",
    "Pottery helps. Veggies are great! Congrats!",
    "THIS IS SO GOOD",
    "BTW the FAQ is on the TV.",
    "## Steps to Prepare Your Garden\n1. Gather Materials\n2. Water the Plants\n",
    'She said "Never give up" and "Hello".',
    "see https://Example.com/Some/Path or @Somebody #Tag",
    "",
    "   ",
    "我们去了北京。Мы были дома. 🎉🎉",
]


def found(text: str) -> dict[str, str]:
    return {naming.surface: naming.type for naming in names(text)}


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_names_are_found_with_their_types(text: str, expected: dict[str, str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("text", NAMELESS)
def test_what_only_has_a_capital_is_no_name(text: str) -> None:
    assert found(text) == {}


def test_a_speakers_name_is_one_wherever_it_stands() -> None:
    assert [naming.type for naming in names("Hope went home.", {"hope"})] == ["person"]
    assert names("Hope went home.") == []


def test_a_name_that_is_called_out_is_of_little_weight() -> None:
    [called] = names("Thanks, Ana!")
    [told] = names("I met Ana there.")
    assert called.salience < told.salience


def test_a_name_in_a_caption_is_of_less_weight() -> None:
    text = "Look! a poster of Madonna in Vienna"
    assert {naming.salience for naming in names(text, pictured=5)} == {0.5}


def test_a_doubtful_word_is_the_name_that_it_is_elsewhere() -> None:
    assert [naming.start for naming in names("Brixo barks. We named him Brixo.")] == [0, 26]


def test_no_more_names_are_given_than_asked_for() -> None:
    assert len(names("I saw Ana, Eva and Tom. " * 50, most=7)) == 7


@given(st.text(alphabet=st.sampled_from("AaZz İßǅ’'\".,!?*-–\n:&.I我é1🎉#@/"), max_size=200))
def test_any_text_is_read_and_offsets_are_those_of_the_text(text: str) -> None:
    for naming in names(text):
        assert text[naming.start : naming.end] == naming.surface
        assert naming.surface.strip()


@pytest.mark.parametrize("piece", ["I ", "Aa ", '"A ', "*A ", "A.", "St. ", "Coco, my big ", "A’s ", "-", "New York "])
def test_a_very_long_text_is_read_to_its_end(piece: str) -> None:
    assert len(names(piece * (76_000 // len(piece)), most=48)) <= 48
