"""JSON as models write it."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.llm.json_output import NotJson, PartialJson, repaired_json

WHOLE = '{"turns": [{"n": 1, "statements": [{"text": "a {b} \\"c\\" ]"}]}, {"n": 2, "statements": []}]}'


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"Sure! Here it is:\n```\n{WHOLE}\n```\nAnything else?",
        f"Here it is: {WHOLE} I hope it helps {{really}}.",
        WHOLE.replace("}]}]}", "}],},],}").replace("[]}]}", "[],},],}"),
        f"<think>maybe {{}} or []?</think>{WHOLE}",
    ],
)
def test_an_object_is_made_out_amid_what_stands_around_it(text: str) -> None:
    assert repaired_json(text) == json.loads(WHOLE)


def test_quotes_and_keys_of_another_language_are_understood() -> None:
    assert repaired_json("{'reaction': 'none', 'why': None, agreed: True}") == {
        "reaction": "none",
        "why": None,
        "agreed": True,
    }


def test_what_was_cut_off_is_taken_back_to_its_last_whole_item() -> None:
    cut = WHOLE[: WHOLE.index('"n": 2') + 20]
    assert repaired_json(cut) == {"turns": [{"n": 1, "statements": [{"text": 'a {b} "c" ]'}]}]}


def test_a_quotation_mark_that_was_not_escaped_loses_nothing() -> None:
    assert repaired_json('{"answer": "a 5" shelf", "citations": [1, 2]}')["citations"] == [1, 2]


def test_of_an_object_that_was_cut_off_its_whole_members_are_left() -> None:
    assert repaired_json('{"reaction": "reject", "why": "by its wor') == {"reaction": "reject"}


def test_half_a_statement_is_never_validated() -> None:
    cut = '{"turns": [{"n": 1, "text": "a"}, {"n": 2, "text": "Maria adopted a pup'
    assert repaired_json(cut) == {"turns": [{"n": 1, "text": "a"}]}


@pytest.mark.parametrize("text", ["", "I cannot do that.", "[1, 2", "null, or so", "```\n\n```", "x" * 1_000_001])
def test_what_holds_no_object_is_not_json(text: str) -> None:
    with pytest.raises(NotJson):
        repaired_json(text)


@given(st.text(alphabet='{}[]",:\\ntrue1 a`<>', max_size=80))
def test_any_text_gives_a_value_or_the_one_error(text: str) -> None:
    with suppress(NotJson):
        repaired_json(text)


@given(st.integers(0, len(WHOLE)))
def test_wherever_it_is_cut_off_only_whole_items_are_left(place: int) -> None:
    try:
        turns = repaired_json(WHOLE[:place])["turns"]
    except (NotJson, KeyError):
        return
    assert turns in (json.loads(WHOLE)["turns"][:count] for count in range(3))


SAID = {
    "parts": [{"n": 1, "answer": "not this one"}],
    "sufficient": False,
    "answer": 'Łódź 🎨 "x"\n{"answer": 1}\\',
    "citations": [1, 2],
    "confidence": 0.5,
}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("size", [1, 2, 7, 1_000])
@pytest.mark.parametrize(
    "around", ["{}", "Sure!\n```json\n{}\n```\nAnything else?", "<think>maybe {{}} or []?</think>{}"]
)
def test_the_text_of_a_field_comes_as_it_is_said(size: int, ascii_only: bool, around: str) -> None:
    text, growing = around.format(json.dumps(SAID, ensure_ascii=ascii_only)), PartialJson()
    pieces = [growing.feed(text[i : i + size], "answer") for i in range(0, len(text), size)]
    assert "".join(pieces) == SAID["answer"]
    assert growing.value == SAID
    assert len(list(filter(None, pieces))) > (size < 1_000) * 2


def test_what_comes_before_a_field_is_known_before_it() -> None:
    growing = PartialJson()
    assert growing.feed('{"sufficient": fals', "answer") == ""
    assert "sufficient" not in growing.value
    assert growing.feed('e, "answer": "Lis', "answer") == "Lis"
    assert growing.value["sufficient"] is False


def test_a_field_that_is_not_its_own_is_none_of_it() -> None:
    assert PartialJson().feed('[{"answer": "within a list"}]', "answer") == ""
    assert PartialJson().feed('{"parts": [{"answer": "within"}]', "answer") == ""


def test_a_line_break_that_was_not_escaped_ends_no_text() -> None:
    growing = PartialJson()
    assert "".join(growing.feed(sign, "answer") for sign in '{\n "answer": "to Lis\nbon"}') == "to Lis bon"


@pytest.mark.parametrize("text", ['Sure! ]] {"answer": "\\ud83c\\uZZZZ half', "no", "null", '{"answer": 7}', "{{{"])
def test_what_is_no_json_gives_nothing_and_is_no_error(text: str) -> None:
    growing = PartialJson()
    assert [growing.feed(sign, "answer") for sign in text] == [""] * len(text)
