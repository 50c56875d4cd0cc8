"""The plugin in the real Claude Code, which speaks to a stand-in for its model."""

import json
import os
import re
import secrets
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.hosts.claude_code import PLUGIN, TOOL, Home, Session, calling, eventually
from tests.hosts.environments import ROOT

from hmem import Memory
from hmem.interfaces.paths import project_memory
from hmem.language.tokens import count_tokens
from hmem_testing.fake_llm import ReplyRule, StandIn

PNPM = "We use pnpm in this repository, never npm."
ASKED = "Which package manager do we use in this repository?"
CACHE = "The slow cache came from a missing index on the orders table."
UNDERSTOOD = ReplyRule("text", text="Understood.")
FRAME = "<hmem-recalled>"


@pytest.fixture
def standin() -> Generator[StandIn]:
    """A model that says that it has understood, and calls a tool when it is told so."""
    rules = [
        calling("recall", "look it up", question="Which package manager do we use here?"),
        calling("context", "whole context", question=ASKED),
        calling("remember", "keep for me", text="I drink tea, never coffee.", memory="user"),
        calling("correct", "is yarn now", id="turn_0", text="We use yarn."),
        calling("forget", "drop the tea", query="tea", memory="user"),
        UNDERSTOOD,
    ]
    with StandIn(rules) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, standin: StandIn) -> Generator[Home]:
    """A user of Claude Code."""
    made = Home(tmp_path, standin)
    yield made
    made.stop_worker()


# The plugin.


@pytest.mark.parametrize("place", [PLUGIN, ROOT], ids=["plugin", "marketplace"])
def test_claude_code_finds_nothing_wrong_with_the_manifests(home: Home, place: Path) -> None:
    assert "Validation passed" in home.command("plugin", "validate", "--strict", str(place))


def test_the_plugin_installs_from_the_marketplace_of_this_repository(home: Home) -> None:
    home.command("plugin", "marketplace", "add", "./")
    home.command("plugin", "install", "hmem@hmem")
    told = home.command("plugin", "details", "hmem")
    assert "SessionStart, UserPromptSubmit, PreCompact, Stop, SessionEnd" in told
    assert "Skills (3)  forget, recall, remember" in told
    assert "MCP servers (1)  hmem" in told
    assert "enabled" in home.command("plugin", "list")


# Sessions.


def test_a_session_is_told_what_another_one_said(home: Home) -> None:
    project = home.project("shop")
    with home.session(project) as first:
        assert first.say(PNPM) == "Understood."
        assert first.told_by("SessionStart") == []
    eventually(lambda: len(home.turns(project)) == 2)
    assert home.turns(project) == [("user", PNPM), ("assistant", "Understood.")]
    with home.session(project) as second:
        second.say(ASKED)
        (start,) = second.told_by("SessionStart")
        assert FRAME in start
        assert PNPM in start
        assert PNPM not in "".join(second.told_by("UserPromptSubmit"))
        # What was said in the session itself stands in it already.
        second.say("And which package manager again?")
        assert ASKED not in second.told()
    eventually(lambda: len(home.turns(project)) == 6)
    assert not any(FRAME in text for _, text in home.turns(project))
    assert home.log() == ""


def test_projects_have_their_own_memories_and_share_the_users(home: Home) -> None:
    one, other = home.project("one"), home.project("other")
    home.remember(PNPM, one)
    home.remember("I like short answers about package managers in a repository.")
    with home.session(one) as session:
        session.say(ASKED)
        told = session.told()
        assert "pnpm" in told
        assert "short answers" in told
    with home.session(other) as session:
        session.say(ASKED)
        told = session.told()
        assert "pnpm" not in told
        assert "short answers" in told
    eventually(lambda: len(home.turns(other)) == 2)


def test_the_first_session_of_a_day_is_told_too_and_no_worker_runs_for_it(home: Home) -> None:
    project = home.project("shop")
    home.remember(PNPM, project)
    home.remember(CACHE, project, "assistant")
    assert home.worker() is None
    with home.session(project) as session:
        session.say("Why was the cache slow?")
        assert PNPM in session.told_by("SessionStart")[0]
        assert CACHE in session.told_by("UserPromptSubmit")[0]
    assert eventually(home.worker)
    assert home.log() == ""


def test_a_resumed_session_is_captured_once(home: Home) -> None:
    project = home.project("shop")
    with home.session(project) as session:
        session.say(PNPM)
    eventually(lambda: len(home.turns(project)) == 2)
    with home.session(project, "--resume", session.id) as resumed:
        resumed.say("What was the reason?")
    eventually(lambda: len(home.turns(project)) == 4)
    assert [text for role, text in home.turns(project) if role == "user"] == [PNPM, "What was the reason?"]


def test_compaction_keeps_what_was_said_and_recalls_it_after(home: Home) -> None:
    project = home.project("shop")
    with home.session(project) as session:
        session.say(PNPM)
        session.say("The release is on Friday.")
        session.say("/compact")
        session.say(ASKED)
        # The session began anew: what it said before is recalled into it.
        assert PNPM in session.told()
    eventually(lambda: len(home.turns(project)) == 6)
    said = [text for role, text in home.turns(project) if role == "user"]
    assert said == [PNPM, "The release is on Friday.", ASKED]


def test_a_worker_that_was_killed_costs_no_prompt_and_no_capture(home: Home) -> None:
    project = home.project("shop")
    home.remember(PNPM, project)
    home.remember(CACHE, project, "assistant")
    with home.session(project) as session:
        session.say(ASKED)
        home.kill_worker()
        session.say("So, why was the cache slow?")
        assert CACHE in session.told_by("UserPromptSubmit")[-1]
        home.kill_worker()
    # Nobody took the end of the session; the next one finds it in its file.
    with home.session(project) as session:
        session.say("Good morning, what about the package manager?")
    eventually(lambda: len(home.turns(project)) == 8)


def test_no_line_is_told_twice_in_sixty_prompts(home: Home) -> None:
    project = home.project("shop")
    for number in range(30):
        fact = f"oven number {number} of the bakery in street {number * 7} bakes {number + 3} loaves."
        home.remember(f"The {fact}", project)
        home.remember(f"Yes, {fact}", project, "assistant")
    with home.session(project) as session:
        for number in range(60):
            session.say(f"Tell me which oven of the bakery bakes {number % 20 + 3} loaves, please.")
        facts = re.findall(r"oven number \d+ of the bakery in street \d+", session.told())
    assert len(facts) > 15
    assert len(facts) == len(set(facts))


def test_an_encrypted_memory_is_recalled_cold_and_warm(tmp_path: Path, standin: StandIn) -> None:
    key = tmp_path / "key"
    with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(secrets.token_hex(32))
    home = Home(tmp_path, standin, HMEM_KEY_FILE=str(key))
    project = home.project("shop")
    place = project_memory(home.root, project)
    place.parent.mkdir(mode=0o700)
    with Memory(place, key=key.read_text("ascii")) as memory:
        memory.add({"role": "user", "content": PNPM}, session="earlier", at="2026-03-02T10:00:00Z")
    try:
        with home.session(project) as session:
            session.say(ASKED)
            assert PNPM in session.told()
            eventually(home.worker)
            session.say("Once more: which package manager?")
            assert session.told().count(PNPM) == 1

        def captured() -> bool:
            with Memory(place, key=key.read_text("ascii"), read_only=True) as memory:
                return memory.stats().turns == 5

        eventually(captured)
        assert b"pnpm" not in place.read_bytes()
        assert home.log() == ""
    finally:
        home.stop_worker()


# The tools.


def test_the_model_gets_the_text_of_a_tool_and_no_json(home: Home) -> None:
    project = home.project("shop")
    home.remember(PNPM, project)
    prompts = {
        "recall": "Please look it up.",
        "context": "Give me the whole context.",
        "remember": "Please keep for me that I drink tea.",
        "correct": "The package manager is yarn now.",
        "forget": "Please drop the tea.",
    }
    with home.session(project) as session:
        session.say("Hello, are the tools there?")
        received: dict[str, str] = {}
        for name, prompt in prompts.items():
            before = len(session.results())
            session.say(prompt)
            results = session.results()
            assert len(results) == before + 1, name
            last = results[-1]
            received[name] = last if isinstance(last, str) else "".join(block["text"] for block in last)
        starts, told = session.told_by("SessionStart"), session.told_by("UserPromptSubmit")
    for name in ("recall", "context", "forget"):
        assert FRAME in received[name]
    assert PNPM in received["recall"]
    assert PNPM in received["context"]
    assert received["remember"].startswith("stored: turn_")
    assert "nothing was forgotten yet" in received["forget"]
    # An error is one line that says what to do.
    assert "\n" not in received["correct"]
    for text in received.values():
        with pytest.raises(ValueError, match=r"Expecting|Extra"):
            json.loads(text)
    with Memory(home.root / "user.hmem", read_only=True) as memory:
        assert [turn.text for turn in memory.list()] == ["I drink tea, never coffee."]
    for name, characters in {
        **{name: len(text) for name, text in received.items()},
        "SessionStart": len(starts[0]),
        "UserPromptSubmit": len(told[0]) if told else 0,
    }.items():
        print(f"{name}: {characters} characters")


def test_the_tools_cost_the_model_two_thousand_tokens_at_most(home: Home, standin: StandIn) -> None:
    project = home.project("shop")

    def offered(session: Session) -> list[Mapping[str, Any]]:
        """Say something, and return our tools in the request; Claude Code does not wait for servers to start."""
        session.say("Are the tools there?")
        (*_, last) = [call for call in standin.calls if call.request.get("tools")]
        return [tool for tool in last.request["tools"] if tool["name"].startswith(TOOL)]

    with home.session(project) as session:
        ours = eventually(lambda: offered(session))
    assert {tool["name"].removeprefix(TOOL) for tool in ours} == {
        "context",
        "recall",
        "remember",
        "correct",
        "outcome",
        "forget",
    }
    # The prefix of the names is Claude Code's.
    tokens = sum(count_tokens(json.dumps(tool).replace(TOOL, "")) for tool in ours)
    print(f"tools: {tokens} tokens")
    assert tokens <= 2_000
