"""Core of the adapters: turns out of what was said, text and evidence for prompts, and servers that are away."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.serving import serving

import hmem
from hmem import AsyncMemory, Memory
from hmem.errors import InvalidQuery, InvalidTurn, ServerUnavailable
from hmem.language.prompt_text import NOTICE, framed
from hmem_agents.agent_memory import AgentMemory, blocking, line, words


@pytest.fixture
def known(memory: Memory) -> Memory:
    memory.add("I adopted a puppy named Coco", speaker="Maria", session="s1")
    memory.add("We painted the fence green", speaker="Ben", session="s1")
    return memory


@pytest.fixture
def away() -> Iterator[AgentMemory]:
    # Nothing listens at this port.
    with hmem.connect("http://127.0.0.1:9/maria", retries=0) as memory:
        yield AgentMemory(memory, speaker="Maria")


# Recall.


def test_a_question_becomes_a_context_in_a_frame(known: Memory) -> None:
    recalled = AgentMemory(known, tokens=100).recall("What is the puppy called?")
    assert recalled.startswith(f"<hmem-recalled>\n{NOTICE}\n")
    assert "Maria: I adopted a puppy named Coco" in recalled
    assert recalled.endswith("</hmem-recalled>")


def test_nothing_is_recalled_where_nothing_is_asked_or_known(known: Memory) -> None:
    assert AgentMemory(known).recall(" ") == ""
    assert AgentMemory(known).evidence(" ") == ()
    assert AgentMemory(known).evidence("Which puppy?", 0) == ()
    with Memory(":memory:") as empty:
        assert AgentMemory(empty).recall("Which puppy?") == ""
        assert AgentMemory(empty).look_up("Which puppy?") == "Nothing about this is remembered."


def test_a_budget_below_one_token_is_refused(known: Memory) -> None:
    with pytest.raises(InvalidQuery):
        AgentMemory(known, tokens=0).recall("Which puppy?")
    assert "Nothing was looked up" in AgentMemory(known, tokens=0).look_up("Which puppy?")


def test_a_user_recalls_only_what_was_said_with_them(memory: Memory) -> None:
    maria, ben = (AgentMemory(memory, speaker=name, user=name.lower()) for name in ("Maria", "Ben"))
    maria.keep([maria.turn("I adopted a puppy named Coco", "user")], "s1")
    ben.remember("I adopted a puppy named Rex")
    ben.keep([ben.turn("My puppy barks", "user")], "s2", user="eve")
    assert [item.text for item in maria.evidence("Which puppy?")] == ["I adopted a puppy named Coco"]
    assert "Rex" not in maria.recall("Which puppy?", user=None)
    assert "Rex" in ben.look_up("Which puppy?")
    assert [turn.user for turn in memory.list()] == ["maria", "ben", "eve"]


def test_conditions_bound_what_is_recalled(known: Memory) -> None:
    store = AgentMemory(known)
    assert "green" not in store.recall("What did you do?", speaker="Maria")
    assert [item.speaker for item in store.evidence("What did you do?", speaker="Ben")] == ["Ben"]


def test_evidence_is_written_on_a_line_with_time_and_speaker(known: Memory) -> None:
    known.add("Look", speaker="Maria", at="2025-01-02T03:04:05Z", caption="a grey parrot")
    found = AgentMemory(known).evidence("What was the parrot like?", 1)
    assert line(found[0]) == "2025-01-02 03:04 Maria: Look [photo: a grey parrot]"
    assert words(found[0]) == "Look [photo: a grey parrot]"


# Capture.


def test_messages_are_kept_once_by_their_ids_and_without_recalled_text(memory: Memory) -> None:
    store = AgentMemory(memory, speaker="Maria", agent="Helper")
    turns = [
        store.turn(f"{framed('old')} I live in Porto", "human", message_id="m1", at=1.5e9),
        store.turn("Porto is lovely", "model", message_id="m2"),
        store.turn(framed("old"), "user"),
        store.turn("Be brief", "system"),
        store.turn("{}", "tool"),
    ]
    for _ in range(2):
        assert store.keep(turns, "s") == 2
    assert [(turn.speaker, turn.role, turn.text, turn.session) for turn in memory.list()] == [
        ("Maria", "user", "I live in Porto", "s"),
        ("Helper", "assistant", "Porto is lovely", "s"),
    ]
    assert memory.list()[0].at.timestamp() == 1.5e9
    assert store.keep([]) == 0


def test_a_message_that_cannot_be_kept_is_told_and_hinders_no_other(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    store = AgentMemory(memory)
    store.keep([store.turn("I live in Porto", "user", message_id="m1")])
    assert store.keep([store.turn("I live in Rome", "user", message_id="m1"), store.turn("Hello", "user")]) == 1
    assert [turn.text for turn in memory.list()] == ["I live in Porto", "Hello"]
    assert "m1" in caplog.text


def test_a_text_is_kept_with_its_fields(memory: Memory) -> None:
    id = AgentMemory(memory, speaker="Maria").note("I live in Porto", session="s", metadata={"a": 1}, at=None)  # noqa: A001
    turn: Any = memory.get(id)
    assert (turn.speaker, turn.session, turn.metadata) == ("Maria", "s", {"a": 1})
    with pytest.raises(InvalidTurn, match="recalled"):
        AgentMemory(memory).note(framed("I live in Porto"))


# Tools.


def test_tools_remember_and_recall(memory: Memory) -> None:
    remember, recall = AgentMemory(memory, speaker="Maria").tools("s")
    assert remember("Maria moved to Lisbon in May.") == "Remembered."
    assert "Maria moved to Lisbon" in recall("Where did Maria move?")
    assert "empty" in remember(" ")
    assert [(turn.speaker, turn.session) for turn in memory.list()] == [("Maria", "s")]


# Asynchronous memories, and servers that are away.


def test_an_asynchronous_memory_is_used_through_the_one_that_it_wraps() -> None:
    async def run() -> str:
        async with await AsyncMemory.open(":memory:") as memory:
            assert blocking(memory) is memory.memory
            store = AgentMemory(memory, speaker="Maria")
            await asyncio.to_thread(store.keep, [store.turn("I adopted a puppy named Coco", "user")])
            return await asyncio.to_thread(store.recall, "Which puppy?")

    assert "Coco" in asyncio.run(run())


def test_an_agent_goes_on_when_the_server_is_away(away: AgentMemory, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "hmem.adapters"):
        assert away.recall("Which puppy?") == ""
        assert away.evidence("Which puppy?") == ()
        assert away.keep([away.turn("I adopted a puppy named Coco", "user")]) == 0
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    assert "127.0.0.1:9" in away.remember("I adopted a puppy named Coco")
    assert "127.0.0.1:9" in away.look_up("Which puppy?")
    with pytest.raises(ServerUnavailable):
        away.note("I adopted a puppy named Coco")


def test_what_was_said_meanwhile_is_kept_when_the_server_is_back(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        memory = hmem.connect(site.address, "maria", create=True, retries=0)
    with memory:
        store = AgentMemory(memory, speaker="Maria")
        assert store.keep([store.turn("I live in Porto", "user", at=1.5e9)], "s1") == 0
        assert store.keep([store.turn("I have a dog", "user")], "s2") == 0
        with serving(tmp_path, port=site.port):
            assert store.keep([store.turn("Hello again", "user")], "s3") == 3
            turns = memory.list()
    assert [(turn.text, turn.session) for turn in turns] == [
        ("I live in Porto", "s1"),
        ("I have a dog", "s2"),
        ("Hello again", "s3"),
    ]
    assert turns[0].at.timestamp() == 1.5e9


def test_it_finds_what_the_same_memory_kept_before(opens: Callable[[], Any]) -> None:
    with opens() as memory:
        store = AgentMemory(memory, speaker="Maria")
        store.keep([store.turn("I adopted a puppy named Coco", "user")], "s1")
    with opens() as memory:
        assert "Coco" in AgentMemory(memory).recall("Which puppy?")
