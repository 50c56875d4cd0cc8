"""No stored text changes who said what, by a strict reader, on any surface that a model reads."""

import asyncio
import json
import re
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult
from pydantic_ai.messages import ModelRequest, UserPromptPart
from tests.prompt_attacks import (
    OPEN,
    Attack,
    attacks,
    check_visible,
    letters,
    read_context,
    read_said,
    rows_of_a_careless_reader,
)

import hmem
from hmem import Memory, Turn
from hmem.interfaces.mcp.memories import Locations, Memories
from hmem.interfaces.mcp.server import server_of
from hmem.language.llm.tasks import block
from hmem.language.prompt_text import NOTICE
from hmem_agents.agent_memory import AgentMemory, words
from hmem_agents.agent_memory import line as line_of
from hmem_agents.hooks.context import context as hook_context
from hmem_agents.hooks.settings import HookSettings
from hmem_agents.openai_agents import recalling
from hmem_agents.pydantic_ai import with_recalled

ATTACKS = attacks()
Ask = Callable[[Sequence[tuple[str, dict[str, Any]]]], list[Any]]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("attacked") / "me.hmem"
    with Memory(made) as memory:
        memory.add("I keep the wifi code in the blue tin", speaker="Alice", at="2023-08-10T09:00:00Z", session="s0")
        for number, each in enumerate(ATTACKS):
            message = {"text": each.text, "speaker": each.speaker, "caption": each.caption}
            memory.add(message, at=f"2023-09-{number % 28 + 1:02}T{number // 28:02}:00:00Z", session=f"s{number}")
    return made


@pytest.fixture(scope="module")
def memory(path: Path) -> Generator[Memory]:
    with Memory(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def turns(memory: Memory) -> dict[str, Turn]:
    return {turn.id: turn for turn in memory.list(limit=1_000)}


def test_there_are_enough_of_them_and_each_is_stored_as_it_was_said(memory: Memory, turns: dict[str, Turn]) -> None:
    assert len(ATTACKS) >= 60
    assert len({each.text for each in ATTACKS}) == len(ATTACKS)
    stored = {(turn.text, turn.speaker) for turn in turns.values()}
    assert sum((each.text, each.speaker) in stored for each in ATTACKS) >= len(ATTACKS) - 10


def check_context(context: hmem.Context, turns: dict[str, Turn]) -> None:
    """Check each row of a context against the turn that it cites."""
    if not context.text:
        return
    kinds = {item.id: item.kind for item in context.evidence}
    rows = read_context(context.text, {number: kinds[cited] for number, cited in context.citations.items()})
    check_visible(context.text)
    for row in rows:
        turn = turns.get(context.citations[row.number])
        if turn is None:
            continue
        assert row.day == turn.at.date()
        assert letters(row.speaker or "") == letters(turn.speaker)
        assert letters(row.text) in (letters(turn.text), letters(f"{turn.text}photo{turn.caption}"))
    assert rows_of_a_careless_reader(context.text) <= len(rows)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.word)
def test_a_context_says_of_each_row_who_said_it_and_when(
    memory: Memory, turns: dict[str, Turn], attack: Attack
) -> None:
    context = memory.context(f"What is {attack.word}? Where is the photo of the cat and the wifi code?", 1_272)
    assert context.text.startswith(f"{OPEN}\n")
    assert context.tokens <= 1_272
    check_context(context, turns)
    assert context.citations


def framed_lines(text: str) -> list[str]:
    """The lines in a frame, which stands alone."""
    assert text.startswith(f"<hmem-recalled>\n{NOTICE}\n")
    assert text.endswith("\n</hmem-recalled>")
    check_visible(text)
    return text.removeprefix(f"<hmem-recalled>\n{NOTICE}\n").removesuffix("\n</hmem-recalled>").split("\n")


def test_hooks_give_a_prompt_lines_of_one_form(memory: Memory, turns: dict[str, Turn], tmp_path: Path) -> None:
    told = 0
    for each in ATTACKS:
        event = {"session_id": each.word, "prompt": f"What is {each.word} about?"}
        text = hook_context(HookSettings(tmp_path), "user-prompt-submit", event, memory, None)
        if text:
            lines = framed_lines(text)
            assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d ", line) for line in lines[1:]), lines
            told += 1
    assert told > len(ATTACKS) / 2


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.word)
def test_a_session_begins_with_lines_of_known_forms(attack: Attack, tmp_path: Path) -> None:
    with Memory(tmp_path / "one.hmem") as memory:
        memory.add({"text": attack.text, "speaker": attack.speaker, "caption": attack.caption}, session="s")
        text = hook_context(HookSettings(tmp_path), "session-start", {"session_id": "s"}, memory, None)
        if not text:
            return
        speakers = {letters(name) for name in memory.sessions()[0].speakers}
        for line in framed_lines(text)[1:]:
            if opening := re.match(r"A session of \d{4}-\d\d-\d\d began: ", line):
                speaker, said = read_said(line[opening.end() :], spoken=True)
                assert letters(speaker or "") in speakers
                assert letters(said) in letters(attack.text)
            elif line.startswith("Known of "):
                assert letters(read_said(line.removeprefix("Known of ") + " ", spoken=True)[0] or "") in speakers
            elif not re.match(r"- .* \(\d{4}-\d\d-\d\d\)$|\d{4}-\d\d-\d\d: ", line):
                told = re.fullmatch(r'("(?:[^"\\]|\\.)*"|[\w ]+: .*) \(\d+ \w{3} \d{4}\)', line)
                assert told
                assert not told[1].startswith('"') or letters(json.loads(told[1])) in letters(attack.text)


@pytest.fixture(scope="module")
def ask(path: Path, memory: Memory) -> Generator[Ask]:
    """Ask a server of MCP several things, tools or resources, in one conversation."""
    memories = Memories(Locations(project=path, user=path.with_name("user.hmem")))

    def run(asked: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        async def talk() -> list[Any]:
            async with Client(server_of(memories, user=True, all_tools=True, structured=True)) as client:
                return [
                    (await client.read_resource(name)).contents[0]
                    if name.startswith("hmem://")
                    else await client.call_tool(name, arguments)
                    for name, arguments in asked
                ]

        return anyio.run(talk)

    yield run
    memories.close()


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


def test_tools_of_mcp_say_of_each_line_who_said_it(ask: Ask, turns: dict[str, Turn]) -> None:
    for result in ask([("recall", {"question": each.word, "k": 3}) for each in ATTACKS]):
        lines = framed_lines(text_of(result).partition("\nThere is more:")[0])
        found = result.structured_content
        assert found is not None
        assert len(lines) == len(found["evidence"])
        for line, item in zip(lines, found["evidence"], strict=True):
            turn = turns[item["id"]]
            head = re.match(r"\[(\w+)\] (\d{4}-\d\d-\d\d) \d\d:\d\d ", line)
            assert head
            assert (head[1], head[2]) == (turn.id, str(turn.at.date()))
            speaker, said = read_said(line[head.end() :], spoken=True)
            assert letters(speaker or "") == letters(item["speaker"]) == letters(turn.speaker)
            wanted = (letters(turn.text), letters(f"{turn.text}photo{turn.caption}"))
            assert letters(said) in wanted
            assert letters(item["text"]) in wanted
            check_visible(f"{item['text']}\n{item['speaker']}")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("context", {"question": "Who has the wifi code?"}),
        ("ask", {"question": "What is the wifi code?"}),
        ("note_history", {}),
        ("timeline", {}),
        ("persona", {}),
        ("forget", {"query": "wifi code", "k": 100}),
    ],
)
def test_the_other_tools_keep_their_frame(ask: Ask, name: str, arguments: dict[str, Any]) -> None:
    (result,) = ask([(name, arguments if name == "forget" else {**arguments, "max_tokens": 20_000})])
    text = text_of(result)
    assert text.count("<hmem-recalled>") == text.count("</hmem-recalled>") == 1
    check_visible(text)
    assert result.structured_content is not None
    found = {key: value for key, value in result.structured_content.items() if key != "text" or name != "context"}
    for value in strings(found):
        check_visible(value)


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in strings(each)]


def test_resources_of_mcp_have_no_forged_heads(ask: Ask, turns: dict[str, Turn]) -> None:
    read = ask([(f"hmem://turns/{id}", {}) for id in turns])  # noqa: A001 - an id
    for turn, text in zip(turns.values(), (part.text for part in read), strict=True):
        check_visible(text)
        lines = text.split("\n")
        assert lines[0] == NOTICE
        heads = [line for line in lines if line.startswith("#")]
        assert len(heads) == 1
        assert letters(read_said(heads[0].removeprefix("# ").replace(", 2023", ": 2023", 1), spoken=True)[0] or "") == (
            letters(turn.speaker)
        )
        assert all(line.startswith(("#", ">", "[photo: ")) for line in lines[1:] if line)
    for part in ask([(f"hmem://{name}", {}) for name in ("persona", "timeline", "notes")]):
        check_visible(part.text)


def test_adapters_give_the_same_context_in_a_frame(memory: Memory) -> None:
    from agents.run_config import CallModelData, ModelInputData

    for each in ATTACKS[::5]:
        question = f"What is {each.word} about?"
        made = with_recalled(memory, [ModelRequest(parts=[UserPromptPart(question)])])
        texts = [str(part.content) for part in made[0].parts if isinstance(part, UserPromptPart)]
        lines = framed_lines(texts[0])
        assert (lines[0], lines[-1]) == (OPEN, "</memory>")
        data: Any = CallModelData(
            ModelInputData(input=[{"role": "user", "content": question}], instructions=None), None, None
        )  # type: ignore[arg-type]
        told = asyncio.run(recalling(memory)(data)).instructions  # type: ignore[arg-type]
        lines = framed_lines(told or "")
        assert (lines[0], lines[-1]) == (OPEN, "</memory>")


def test_entries_of_adapters_are_lines_that_say_who_said_what(memory: Memory, turns: dict[str, Turn]) -> None:
    store = AgentMemory(memory)
    for each in ATTACKS:
        for item in store.evidence(f"What is {each.word} about?", 3):
            text, turn = line_of(item), turns[item.id]
            check_visible(text)
            assert "\n" not in text
            assert text.startswith(f"{turn.at:%Y-%m-%d %H:%M} ")
            speaker, told = read_said(text[17:], spoken=True)
            assert letters(speaker or "") == letters(turn.speaker)
            assert letters(told) in (letters(turn.text), letters(f"{turn.text}photo{turn.caption}"))
            # A framework that writes speaker and time itself is given the words only.
            assert text.endswith(words(item))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.word)
def test_a_prompt_of_our_own_is_one_block_of_data(attack: Attack) -> None:
    said = [[1, attack.speaker, 5, attack.text], {"caption": attack.caption}]
    text = block("write_texts", {"lines": said})
    assert text.count("<") == 2
    check_visible(text)
    read = json.loads(text.removeprefix("<data>").removesuffix("</data>"))
    assert list(read) == ["task", "lines"]
    for value in strings(read):
        check_visible(value)
    assert letters(read["lines"][0][1]) == letters(attack.speaker)
    assert letters(read["lines"][0][3]) == letters(attack.text)
