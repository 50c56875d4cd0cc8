"""JSON as models write it."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.model.salvage import NotJson, repaired_json

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


def test_half_a_statement_is_never_believed() -> None:
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
