from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst import Coverage, Curation, Extraction, Passage, analyst
from hmem.language.blocks import EXAMINED
from hmem.language.english import readable as module
from hmem.language.english.readable import LONGEST, MOST, english, quoted, readable
from hmem.model.turn import Turn

SAID = datetime(2024, 1, 10, tzinfo=UTC)
RULES = analyst("rules")
GERMAN = "Am 5. März heirate ich Jana, und wir ziehen nach Hamburg!"
CODE = "```python\nclass Rome:\n    name = 'Rome'\n```"


def passage(*texts: str, start: int = 0) -> Passage:
    turns = tuple(Turn(id=f"t{i}", speaker="Max", text=text, at=SAID, session="s") for i, text in enumerate(texts))
    return Passage(turns, start, ("Max", "Ann"))


def test_english_prose_is_read_as_it_stands() -> None:
    found = readable("I moved to Rome.\n\n  We have a dog. ")
    assert (found.language, found.text, found.unread) == ("en", "I moved to Rome.\n\n  We have a dog. ", ())
    assert found.spans == [(0, 16), (20, 34)]


def test_blocks_are_blanks_and_the_rest_keeps_its_places() -> None:
    text = f"I moved to Rome.\n{CODE}\nWe have a dog, see https://a.example/dog\nhttps://a.example/dog"
    found = readable(text)
    assert (found.language, found.unread) == ("en", ("code", "url"))
    assert [text[start:end] for start, end in found.spans] == [
        "I moved to Rome.",
        "We have a dog, see https://a.example/dog",
    ]
    assert len(found.text) == len(text)


def test_nothing_is_read_of_a_text_in_another_language() -> None:
    found = readable(GERMAN)
    assert (found.language, found.unread, found.spans) == ("de", ("language:de",), [])


def test_a_line_in_another_language_is_not_read_in_an_english_text() -> None:
    text = f"Can you please translate this letter for my sister?\n\n{GERMAN}\n\nShe moved to Rome with the dogs."
    found = readable(text)
    assert (found.language, found.unread) == ("en", ("language:de",))
    assert [text[start:end] for start, end in found.spans] == [
        "Can you please translate this letter for my sister?",
        "She moved to Rome with the dogs.",
    ]


def test_the_turns_before_tell_the_language_of_a_short_one() -> None:
    assert readable("ok super", [GERMAN]).unread == ("language:de",)
    assert readable("ok super", ["I moved to Rome with my sister."]).unread == ()


def test_no_more_than_a_bounded_amount_of_prose_is_read() -> None:
    sentence = "I moved to Rome with the dogs. "
    found = readable(sentence * 40_000)
    assert found.unread == ("length",)
    assert len(found.text) == len(sentence) * 40_000
    kept = found.text.strip("\n")
    assert MOST - LONGEST < len(kept) <= MOST
    assert kept.endswith("dogs.")


def test_a_long_block_leaves_room_for_the_prose_behind_it() -> None:
    text = "Why does it fail?\n```\n" + "x = 1\n" * 3_000 + "```\nI tried it in Rome."
    found = readable(text)
    assert found.unread == ("code",)
    assert [text[start:end] for start, end in found.spans] == ["Why does it fail?", "I tried it in Rome."]


def test_what_is_behind_the_part_that_is_examined_is_told_as_too_long() -> None:
    text = "I moved to Rome.\n" + "x" * EXAMINED + "\nWe have a dog."
    found = readable(text)
    assert found.unread == ("data", "length")
    assert found.spans == [(0, 16)]


def test_control_characters_are_blanks() -> None:
    assert readable("I moved\x00 to\x1b Rome\x7f.").text == "I moved  to  Rome ."


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_what_is_read_is_the_text_at_the_same_places(text: str) -> None:
    found = readable(text)
    assert len(found.text) == len(text)
    assert all(new in (old, " ", "\n") for new, old in zip(found.text, text, strict=True))
    assert all(found.text[start:end].strip() == found.text[start:end] != "" for start, end in found.spans)


def test_a_turn_in_another_language_becomes_one_quoted_statement_and_nothing_else() -> None:
    given = passage(GERMAN)
    events = RULES.events([given])
    assert [statement.text for statement in events[0][0]] == [f'Max: "{GERMAN}"']
    assert RULES.claims([given], events) == [[[]]]
    assert RULES.entities([given]) == [[Extraction()]]
    assert RULES.curate([given]) == [[Curation(memorable=True, reasons=("language:de",))]]
    assert RULES.coverage([given]) == [[Coverage("de", ("language:de",))]]


def test_a_turn_of_code_states_nothing_and_is_memorable() -> None:
    given = passage(CODE)
    assert RULES.events([given]) == [[[]]]
    assert RULES.entities([given]) == [[Extraction()]]
    assert RULES.curate([given]) == [[Curation(memorable=True, reasons=("code",))]]
    assert RULES.coverage([given]) == [[Coverage("en", ("code",))]]


def test_a_turn_without_words_states_nothing_in_any_conversation() -> None:
    given = passage(GERMAN, "😀", start=1)
    assert RULES.events([given]) == [[[]]]
    assert RULES.curate([given])[0][0].memorable is False


def test_names_keep_their_places_behind_a_block() -> None:
    text = f"{CODE}\nWe met Coco at Siemens in Lisbon."
    for naming in RULES.entities([passage(text)])[0][0].namings:
        assert text[naming.start : naming.end] == naming.surface
        assert naming.start > len(CODE)


def test_a_long_statement_is_cut() -> None:
    statement = quoted(passage("Я живу в Москве. " * 100).turns[0])[0]
    assert statement.text.endswith('…"')
    assert len(statement.text) <= LONGEST + len('Max: ""')


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Wir heiraten am 05.03.2025 in Hamburg.", "2025-03-05"),
        ("On se marie le 05/03/2025 à Lyon.", "2025-03-05"),
        ("结婚日期是2025年3月5日", "2025-03-05"),
        ("Die Frist ist der 2025-03-05, glaube ich.", "2025-03-05"),
        (GERMAN, None),
        ("Version 10.12.2025.1 ist fertig geworden.", None),
        ("Das ist 45.13.2025, wirklich.", None),
    ],
)
def test_a_date_in_figures_is_the_time_of_a_quoted_statement(text: str, day: str | None) -> None:
    happened = quoted(passage(text).turns[0])[0].happened
    assert (happened and happened.start.date().isoformat()) == day


def test_a_passage_as_it_is_read_keeps_what_is_wanted() -> None:
    given = passage("I moved to Rome.", CODE, start=1)
    read = english(given)
    assert (read.start, read.speakers, read.turns[0]) == (1, given.speakers, given.turns[0])
    assert not read.turns[1].text.strip()


def test_a_turn_is_examined_once_for_all_that_is_asked_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    blocks = module.blocks
    monkeypatch.setattr(module, "blocks", lambda text: seen.append(text) or blocks(text))
    given = passage("I moved to Rome, and nobody has said so before this test.")
    RULES.coverage([given])
    RULES.claims([given], RULES.events([given]))
    RULES.entities([given])
    assert len(seen) == 1
