import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem.derived.note_states import Authority, authority
from hmem.errors import InvalidTurn
from hmem.formation.capture import Defaults, to_turns
from hmem.model.scope import scoped
from hmem.model.span import zone
from hmem.model.turn import MessagesRejected

DEFAULTS = Defaults(zone("UTC"))
_SHAPES = json.loads(Path(__file__).with_name("message_shapes.json").read_text("utf-8"))
SHAPES = [
    pytest.param(message, turns, id=f"{sdk}, {name}")
    for sdk, about in _SHAPES.items()
    for name, message, turns in about["shapes"]
]


@pytest.mark.parametrize(("message", "expected"), SHAPES)
def test_a_message_of_an_sdk_becomes_its_turns(message: Any, expected: list[dict[str, Any]]) -> None:
    turns = to_turns(message, DEFAULTS).turns
    assert len(turns) == len(expected)
    for turn, fields in zip(turns, expected, strict=True):
        became = {name: getattr(turn, name) for name in fields}
        became |= {"at": turn.at.isoformat()} if "at" in fields else {}
        assert became | ({"attachments": [*turn.attachments]} if "attachments" in fields else {}) == fields


@dataclass
class Block:
    type: str
    text: str = ""
    name: str = ""
    input: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass
class Message:
    role: str
    content: list[Block]
    mood: str | None = None


def test_an_object_is_added_as_it_is_and_the_receipt_tells_of_all_its_turns(memory: Memory) -> None:
    message = Message("assistant", [Block("text", "Noted"), Block("tool_use", name="f", input={"a": 1})], "glad")
    receipt = memory.add(message)
    assert receipt.note == "kept as metadata: mood"
    assert memory.get(receipt.id).metadata == {"mood": "glad"}
    assert [memory.get(name).text for name in receipt.further_turns] == ['f({"a": 1})']


def test_a_result_has_not_the_authority_of_who_hands_it_over() -> None:
    blocks = [
        {"type": "tool_result", "tool_use_id": "t", "content": "He lives in Faro"},
        {"type": "text", "text": "Well?"},
    ]
    said, result = to_turns({"role": "user", "content": blocks}, DEFAULTS).turns
    assert authority(said, scoped("", "user")) is Authority.OWN
    assert authority(result, scoped("", "user")) is Authority.NOBODY


def test_a_message_with_an_id_is_kept_once_with_all_its_turns(memory: Memory) -> None:
    blocks = [{"type": "text", "text": "Noted"}, {"type": "tool_use", "name": "f", "input": {}}]
    message = {"role": "assistant", "id": "m", "content": blocks}
    assert [memory.add(message).fate, memory.add(message).fate] == ["stored", "duplicate"]
    assert [turn.message_id for turn in memory.list()] == ["m", "m/2"]


def test_a_thought_is_skipped_in_a_list_and_refused_alone(memory: Memory) -> None:
    thought = {"type": "reasoning", "id": "r", "summary": []}
    assert [receipt.fate for receipt in memory.add([thought, "Hello"])] == ["skipped", "stored"]
    with pytest.raises(InvalidTurn, match="nothing is said in it"):
        memory.add(thought)


def test_a_bad_message_in_a_list_is_warned_of_where_the_list_was_added(memory: Memory) -> None:
    with pytest.warns(MessagesRejected, match="1 of 3 messages not kept; that at 1: .*empty") as caught:
        receipts = memory.add(["one", "", "three"])
    assert Path(caught[0].filename) == Path(__file__)
    assert [receipt.fate for receipt in receipts] == ["stored", "rejected", "stored"]


@pytest.mark.parametrize(
    ("message", "note", "metadata"),
    [
        ({"text": "x", "mood": "glad", "n": float("nan")}, "kept as metadata: mood, n", {"mood": "glad", "n": None}),
        ({"role": "king", "content": "x"}, "the role 'king' is none of hmem's", {}),
        ({"content": ["x", {"type": "sound"}]}, "type 'sound'", {"parts": [{"type": "sound"}]}),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_kept_with_a_word(message: Any, note: str, metadata: Any) -> None:
    turns, said = to_turns(message, DEFAULTS)
    assert note in (said or "")
    assert turns[0].metadata == metadata


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda memory: memory.add("x", user_id="u"), "add.. has no argument 'user_id' - it is called 'user'"),
        (lambda memory: memory.search("x", limit=3), "search.. has no argument 'limit' - it is called 'k'"),
        (lambda memory: memory.search("x", n_results=3), "search.. has no argument 'n_results' - it is called 'k'"),
        (lambda memory: memory.search("x", user_id="u"), "'user_id' - it is called 'user'"),
        (lambda memory: memory.context("x", max_tokens=9), "'max_tokens' - it is called 'tokens'"),
        (lambda memory: memory.search(query="x"), "'query' - it is called 'question'"),
    ],
)
def test_an_argument_of_another_library_names_ours(memory: Memory, call: Callable[[Any], Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        call(memory)


def test_no_warning_of_a_list_that_was_kept(memory: Memory) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(memory.add(["one", {"role": "user", "content": "two", "mood": "glad"}]))


def test_a_result_has_the_name_of_its_call_in_an_earlier_message_of_a_list(memory: Memory) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "timetable", "arguments": "{}"}}
    memory.add(
        [
            {"role": "user", "content": "Which train?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "9:14 from platform 3"},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "delayed"}]},
            {"role": "tool", "tool_call_id": "c2", "content": "of an unknown call"},
        ]
    )
    results = [(turn.speaker, turn.metadata.get("tool_call_id")) for turn in memory.list() if turn.role == "tool"]
    assert results == [("timetable", "c1"), ("timetable", "c1"), ("timetable", "c1"), ("tool", "c2")]


def test_a_role_and_a_text_are_one_message(memory: Memory) -> None:
    assert memory.add(("user", "I ski")).fate == "stored"
    memory.add([("assistant", "Where?"), "In Sestriere"])
    assert [(turn.role, turn.text) for turn in memory.list()] == [
        ("user", "I ski"), ("assistant", "Where?"), (None, "In Sestriere"),
    ]  # fmt: skip


def test_a_mapping_of_messages_is_refused_with_the_right_call(memory: Memory) -> None:
    with pytest.raises(InvalidTurn, match=r"add the list: add\(value\['messages'\]\)"):
        memory.add({"messages": [{"role": "user", "content": "Hello"}]})
