"""The JSONL of MCP's reference memory server."""

from typing import Any

import pytest

from hmem_import.knowledge_graph import looks_like, messages

ENTITY = {
    "type": "entity", "name": "Ana_Silva", "entityType": "person",
    "observations": ["Speaks Spanish", "Ana Silva works as a baker", {"content": "Lives in Porto"}, "", None],
}  # fmt: skip
RELATION = {"type": "relation", "from": "Ana_Silva", "to": "Corner_Shop", "relationType": "works_at"}


def test_each_observation_is_a_sentence_of_its_own() -> None:
    assert looks_like(ENTITY)
    read = list(messages(ENTITY, "2026-03-01"))
    assert [each["text"] for each in read] == [
        "Ana Silva is a person.", "Ana Silva: Speaks Spanish", "Ana Silva works as a baker",
        "Ana Silva: Lives in Porto",
    ]  # fmt: skip
    assert len({each["message_id"] for each in read}) == 4
    assert read == list(messages(ENTITY, "2026-03-01"))
    assert {(each["at"], each["session"], each["speaker"]) for each in read} == {
        ("2026-03-01", "mcp-memory:Ana_Silva", "memory")
    }


def test_a_relation_is_a_sentence() -> None:
    assert looks_like(RELATION)
    assert [each["text"] for each in messages(RELATION)] == ["Ana Silva works at Corner Shop."]


@pytest.mark.parametrize("broken", [None, [], {}, {"type": "entity"}, {"type": "relation", "from": "a"}, {"text": "x"}])
def test_what_is_no_such_line_says_nothing(broken: Any) -> None:
    assert list(messages(broken)) == []
    assert not looks_like(broken)
