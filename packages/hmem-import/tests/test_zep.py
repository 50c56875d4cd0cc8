"""Zep's threads, sessions and facts, as its API returns them."""

from typing import Any

import pytest

from hmem import Memory
from hmem_import.zep import looks_like, messages

THREAD = {
    "thread_id": "t1", "user_id": "ana", "row_count": 2, "total_count": 2, "messages": [
        {"uuid": "m1", "role": "user", "name": "Ana", "content": "I moved to Porto \U0001f30a", "processed": True,
         "created_at": "2025-03-01T10:00:00Z", "metadata": {"app": "web"}},
        {"uuid": "m2", "role": "assistant", "content": "Nice!", "created_at": "2025-03-01T10:00:05Z"},
        {"uuid": "m3", "role": "tool", "content": "", "created_at": "2025-03-01T10:00:05Z"},
    ],
}  # fmt: skip
SESSION = {
    "session_id": "s1", "messages": [
        {"uuid": "m1", "role": "Ana", "role_type": "user", "content": "Hello", "created_at": "2025-03-01T10:00:00Z"},
        {"uuid": "m2", "role": "lookup", "role_type": "function", "content": "42"},
    ], "relevant_facts": [],
}  # fmt: skip
FACTS = {
    "edges": [
        {"uuid": "e1", "name": "LIVES_IN", "fact": "Ana lives in Porto", "created_at": "2025-03-01T10:00:00Z",
         "valid_at": "2025-02-01T00:00:00Z", "invalid_at": "2025-06-01T00:00:00Z"},
    ]
}  # fmt: skip


def test_a_thread_is_read_with_names_times_and_its_user() -> None:
    assert looks_like(THREAD)
    first, second = messages(THREAD)
    assert first == {
        "text": "I moved to Porto \U0001f30a", "speaker": "Ana", "role": "user", "at": "2025-03-01T10:00:00Z",
        "session": "zep:t1", "message_id": "zep:m1", "user": "ana", "metadata": {"app": "web"},
    }  # fmt: skip
    assert (second["role"], "speaker" in second) == ("assistant", False)


def test_an_older_session_names_its_speakers_by_role() -> None:
    assert looks_like(SESSION)
    first, second = messages(SESSION)
    assert (first["speaker"], first["role"]) == ("Ana", "user")
    assert (second["speaker"], second["role"]) == ("lookup", "tool")


def test_a_fact_was_told_when_it_began_to_hold() -> None:
    assert looks_like(FACTS)
    (fact,) = messages(FACTS)
    assert (fact["text"], fact["speaker"], fact["at"]) == ("Ana lives in Porto", "memory", "2025-02-01T00:00:00Z")
    assert fact["metadata"] == {"relation": "LIVES_IN", "invalid_at": "2025-06-01T00:00:00Z"}


def test_lists_of_threads_and_of_facts_are_read() -> None:
    assert len(list(messages({"threads": [THREAD, SESSION]}))) == 4
    assert len(list(messages(FACTS["edges"]))) == 1


@pytest.mark.parametrize(
    "other", [None, {}, [], {"messages": [{"role": "user", "content": "x"}]}, {"threads": [None]}, 3]
)
def test_other_data_is_none_of_zep(other: Any) -> None:
    assert not looks_like(other)
    assert list(messages(other)) == []


def test_a_memory_takes_every_message_and_none_twice(memory: Memory) -> None:
    for fate in ("stored", "duplicate"):
        assert {receipt.fate for receipt in memory.add([*messages(THREAD), *messages(FACTS)])} == {fate}
