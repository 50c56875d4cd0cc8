"""mem0's memories."""

from typing import Any

import pytest

from hmem import Memory
from hmem_import.mem0 import looks_like, messages

HELD = {
    "id": "892db2ae", "memory": "Lives in Porto", "hash": "abc", "metadata": {"source": "chat"},
    "created_at": "2024-07-20T01:30:36.275141-07:00", "updated_at": None, "user_id": "ana", "agent_id": None,
    "categories": ["home"], "score": 0.3,
}  # fmt: skip


@pytest.mark.parametrize("data", [[HELD], {"results": [HELD], "relations": []}, {"memories": [HELD]}])
def test_a_memory_is_what_its_user_is_held_to_have_said(data: Any) -> None:
    assert looks_like(data)
    (read,) = messages(data)
    assert read.pop("message_id").startswith("mem0:892db2ae:")
    assert read == {
        "text": "Lives in Porto", "speaker": "ana", "user": "ana", "at": "2024-07-20T01:30:36.275141-07:00",
        "session": "mem0", "metadata": {"source": "chat", "categories": ["home"]},
    }  # fmt: skip


def test_what_was_updated_is_another_text_at_a_later_time(memory: Memory) -> None:
    newer = HELD | {"memory": "Lives in Lisbon", "updated_at": "2025-01-01T00:00:00Z"}
    memory.add(list(messages([HELD])))
    memory.add(list(messages([newer])))
    assert [receipt.fate for receipt in memory.add(list(messages([newer])))] == ["duplicate"]
    assert [turn.text for turn in memory.list()] == ["Lives in Porto", "Lives in Lisbon"]


@pytest.mark.parametrize("broken", [None, 3, [], {}, [None], [{"memory": ""}], {"results": {}}])
def test_what_is_broken_says_nothing(broken: Any) -> None:
    assert list(messages(broken)) == []
    assert not looks_like(broken)
