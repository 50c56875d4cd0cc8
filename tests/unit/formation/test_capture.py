from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem import Memory
from hmem.errors import InputError, InvalidTime, InvalidTurn, MessageConflict
from hmem.formation.capture import Defaults, to_turn
from hmem.model.span import zone
from hmem.model.turn import MessagesRejected

DEFAULTS = Defaults(zone("Europe/Lisbon"))


def test_a_text_alone_is_said_now_by_the_user_in_the_days_session() -> None:
    before = datetime.now(UTC)
    turn = to_turn("Hello", DEFAULTS)
    assert turn.speaker == "user"
    assert before <= turn.at <= datetime.now(UTC)
    assert turn.session == turn.at.date().isoformat()


def test_a_naive_time_is_in_the_configured_zone_and_its_day_is_the_session() -> None:
    turn = to_turn({"text": "Late", "at": "2025-07-01T23:30:00"}, DEFAULTS)
    assert turn.at.utcoffset() == timedelta(hours=1)
    assert turn.at == datetime(2025, 7, 1, 22, 30, tzinfo=UTC)
    assert turn.session == "2025-07-01"


def test_what_a_message_does_not_say_is_taken_from_the_arguments() -> None:
    given = Defaults(zone("UTC"), speaker="Ben", at="2025-01-01T00:00:00Z", session="s1", user="u1", agent="a1")
    turn = to_turn({"text": "x"}, given)
    assert (turn.speaker, turn.session, turn.user, turn.agent) == ("Ben", "s1", "u1", "a1")
    assert to_turn({"text": "x", "speaker": "Eva", "session": 7}, given).session == "7"


def test_the_given_speaker_is_the_person_and_an_assistant_speaks_for_itself() -> None:
    given = Defaults(zone("UTC"), speaker="Maria")
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}, "Bye"]
    assert [to_turn(message, given).speaker for message in said] == ["Maria", "assistant", "Maria"]


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("", "empty"),
        ("  \n\t", "empty"),
        ({"text": ""}, "empty"),
        ({}, "empty"),
        ({"text": 5}, "text"),
        (b"bytes", "mapping"),
        (None, "mapping"),
        ({"text": "x", "speaker": 5}, "speaker"),
        *(({"text": "x", name: " "}, name) for name in ("speaker", "session", "user", "agent", "message_id")),
        ({"text": "lone \ud800 surrogate"}, "Unicode"),
        ({"text": "x", "speaker": "\udfff"}, "Unicode"),
        ({"text": "x", "metadata": [1]}, "JSON object"),
        ({"text": "x", "metadata": {"a": object()}}, "JSON"),
        ({"text": "x", "metadata": {"a": float("nan")}}, "JSON"),
        ({"text": "x", "metadata": {"a": "\ud800"}}, "JSON"),
        ({"text": "x", "attachments": "one"}, "list"),
        ({"text": "x", "attachments": ["\ud800"]}, "Unicode"),
        ({"content": [{"type": "image_url", "image_url": "\ud800"}]}, "Unicode"),
    ],
)
def test_what_cannot_be_a_turn_is_refused_with_its_reason(message: Any, says: str) -> None:
    with pytest.raises(InvalidTurn, match=says):
        to_turn(message, DEFAULTS)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_any_value_makes_a_turn_or_a_named_error(value: Any) -> None:
    for message in (value, {"text": value}, {"text": "x", "at": value}, {"text": "x", "metadata": value}):
        try:
            turn = to_turn(message, DEFAULTS)
        except InputError:
            continue
        assert turn.text or turn.caption


def test_a_picture_without_words_is_a_turn_by_its_caption() -> None:
    assert to_turn({"text": "", "caption": "a dog on a beach"}, DEFAULTS).content.strip() == "a dog on a beach"


def test_a_message_id_makes_adding_again_a_duplicate(memory: Memory) -> None:
    first = memory.add("Hello", message_id="m1")
    again = memory.add("Hello", message_id="m1")
    assert (first.fate, again.fate) == ("stored", "duplicate")
    assert first.id == again.id
    assert memory.stats().turns == 1


def test_the_id_of_a_message_is_its_message_id_unless_it_has_one(memory: Memory) -> None:
    receipts = memory.add(
        [{"id": "a1", "text": "Hello"}, {"id": 7, "text": "Bye"}, {"id": "x", "message_id": "m", "text": "Hi"}]
    )
    assert [memory.get(receipt.id or "").message_id for receipt in receipts] == ["a1", "7", "m"]
    assert memory.add({"id": "a1", "text": "Hello"}).fate == "duplicate"


def test_a_message_id_with_another_text_is_a_conflict_and_changes_nothing(memory: Memory) -> None:
    memory.add("Hello", message_id="m1")
    with pytest.raises(MessageConflict, match="never edited"):
        memory.add("Goodbye", message_id="m1")
    assert [turn.text for turn in memory.list()] == ["Hello"]


def test_a_batch_keeps_the_good_and_tells_the_fate_of_each(memory: Memory) -> None:
    messages = ["one", "", {"text": "two", "at": "not a time"}, *2 * [{"text": "three", "message_id": "m"}]]
    with pytest.warns(MessagesRejected):
        receipts = memory.add(messages)
    assert [receipt.fate for receipt in receipts] == ["stored", "rejected", "rejected", "stored", "duplicate"]
    assert [bool(receipt) for receipt in receipts] == [True, False, False, True, True]
    assert "empty" in (receipts[1].error or "")
    assert "time" in (receipts[2].error or "")
    assert receipts[3].id == receipts[4].id
    assert [turn.text for turn in memory.list()] == ["one", "three"]
    assert memory.add([]) == []


@pytest.mark.parametrize("message", [b"Maria moved", bytearray(b"Maria moved"), memoryview(b"Maria moved"), [b"a"]])
def test_bytes_are_no_messages(memory: Memory, message: Any) -> None:
    if isinstance(message, list):
        with pytest.warns(MessagesRejected):
            assert [receipt.fate for receipt in memory.add(message)] == ["rejected"]
    else:
        with pytest.raises(InvalidTurn, match=f"this one is {type(message).__name__}, decode it first"):
            memory.add(message)
    assert memory.stats().turns == 0


def test_a_single_bad_message_raises_and_nothing_is_kept(memory: Memory) -> None:
    with pytest.raises(InvalidTurn):
        memory.add("")
    with pytest.raises(InvalidTime):
        memory.add("x", at="never")
    assert memory.stats().turns == 0


def test_every_field_comes_back(memory: Memory) -> None:
    receipt = memory.add(
        {"text": "Look", "attachments": ["a.png"], "role": "user"}, speaker="Maria", at="2025-03-14T19:02:00+09:00",
        session="s1", caption="a dog", message_id="m", metadata={"mood": ["good", 1, None]}, user="u", agent="a",
    )  # fmt: skip
    turn = memory.get(receipt.id or "")
    assert (turn.speaker, turn.text, turn.caption, turn.session) == ("Maria", "Look", "a dog", "s1")
    assert (turn.role, turn.attachments, turn.user, turn.agent) == ("user", ("a.png",), "u", "a")
    assert (turn.message_id, turn.metadata) == ("m", {"mood": ["good", 1, None]})
    assert turn.at.isoformat() == "2025-03-14T19:02:00+09:00"


def test_a_turn_has_a_limit_that_counts_all_its_texts() -> None:
    few = Defaults(zone("UTC"), speaker="Ben", session="s", turn_characters=100)
    assert to_turn("x" * 96, few).text == "x" * 96
    for message in ({"text": "x" * 97}, {"text": "x", "caption": "y" * 99}, {"text": "x", "metadata": {"a": "y" * 99}}):
        with pytest.raises(InvalidTurn, match=r"up to 100 characters, this one 1\d\d - .*capture.turn_characters"):
            to_turn(message, few)


@pytest.mark.parametrize("depth", [99, 100, 5_000, 200_000])
def test_metadata_nested_too_deeply_is_a_named_error(depth: int) -> None:
    nested: object = "x"
    for _ in range(depth):
        nested = [nested]
    message = {"text": "Hello", "metadata": {"a": nested}}
    if depth < 100:
        assert to_turn(message, DEFAULTS).metadata == {"a": nested}
        return
    with pytest.raises(InvalidTurn, match="nested more than 100 deep"):
        to_turn(message, DEFAULTS)
