"""The MCP server with a real client of each generation of the SDK, over stdio and HTTP."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from tests.hosts.environments import python_environment

from hmem import Memory
from hmem.interfaces.paths import project_memory
from hmem.language.tokens import count_tokens

FIRST: Final = "1.30.0"
# Strands needs mcp below 2.2.
STRANDS: Final = "2.1.1"
SECOND: Final = ""
CLIENT: Final = Path(__file__).with_name("mcp_client.py")
_SECONDS: Final = 300


def python(version: str) -> str:
    """Return the interpreter of an environment with this version of mcp; of our own for none."""
    return str(python_environment("mcp", [f"mcp=={version}", "uvicorn>=0.30"])) if version else sys.executable


def command(version: str, root: Path, *arguments: str) -> list[str]:
    return [python(version), "-m", "hmem", "mcp", "--root", str(root), *arguments]


def talked(version: str, *arguments: str) -> dict[str, Any]:
    """Return what a client of this version was told."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("HMEM_")}
    done = subprocess.run(
        [python(version), CLIENT, *arguments], capture_output=True, text=True, env=own, timeout=_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@contextmanager
def serving(version: str, root: Path, project: Path) -> Generator[str]:
    """Serve over HTTP by this version, and yield the URL."""
    arguments = command(version, root, "--project", str(project), "--http", "127.0.0.1:0")
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found
        try:
            yield found[0]
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(_SECONDS)


def check(told: dict[str, Any]) -> None:
    """Check what a client of a new memory was told: the same, whatever the generations."""
    assert told["server"] == "hmem"
    assert [tool["name"] for tool in told["tools"]] == ["context", "recall", "remember", "correct", "forget"]
    assert not any("outputSchema" in tool for tool in told["tools"])
    assert all(tool["annotations"]["readOnlyHint"] == (tool["name"] in ("context", "recall")) for tool in told["tools"])
    shown = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in told["tools"]]
    assert sum(count_tokens(json.dumps(tool)) for tool in shown) <= 2_000
    fact = "Ana reviews the release notes on Thursdays."
    for name in ("recall", "context", "forget"):
        assert fact in told[name]["text"]
        assert told[name]["text"].count("<hmem-recalled>") == 1
    for name in ("remember", "recall", "context", "forget"):
        assert not told[name]["error"]
        assert not told[name]["structured"]
    for name, error in (
        ("correct", "InvalidQuery: 'turn_0'"),
        ("unknown argument", "InvalidArguments: everything: not an argument"),
        ("wrong argument", "InvalidArguments: k: "),
    ):
        assert told[name]["error"]
        assert told[name]["text"].startswith(error)
        assert "\n" not in told[name]["text"]
    assert "hmem://notes" in told["resources"]
    assert fact in told["notes"]
    assert f"> {fact}" in told["turn"]
    assert told["no turn"].startswith("refused: UnknownId: ")
    assert told["prompts"] == ["answer_from_memory", "catch_up", "keep_what_matters"]
    assert fact in json.dumps(told["prompt"])


@pytest.mark.parametrize(("server", "client"), [(SECOND, FIRST), (SECOND, SECOND), (STRANDS, FIRST)])
def test_each_client_talks_to_each_server_over_stdio(server: str, client: str, tmp_path: Path) -> None:
    project = tmp_path / "theirs"
    project.mkdir()
    check(talked(client, "stdio", str(project), *command(server, tmp_path / "root")))
    # The client told its folder.
    with Memory(project_memory(tmp_path / "root", project), read_only=True) as memory:
        assert memory.stats().turns == 1


def test_clients_of_both_generations_talk_to_a_server_over_http(tmp_path: Path) -> None:
    project = tmp_path / "theirs"
    project.mkdir()
    with serving(SECOND, tmp_path / "root", project) as url:
        check(talked(FIRST, "http", url))
        told = talked(SECOND, "http", url)
    assert told["remember"]["text"].startswith("stored: turn_")
    with Memory(project_memory(tmp_path / "root", project), read_only=True) as memory:
        assert memory.stats().turns == 2


BUG: Final = """
import anyio
from mcp.server.mcpserver.exceptions import ToolError
from hmem.interfaces.mcp.tools import PlainTool

def broken() -> str:
    "A tool."
    raise KeyError("the secret")

try:
    anyio.run(PlainTool.from_function(broken).run, {}, None)
except ToolError as error:
    print(error)
"""


@pytest.mark.parametrize("version", [STRANDS, SECOND])
def test_the_message_of_a_bug_goes_to_no_client(version: str) -> None:
    told = subprocess.run([python(version), "-c", BUG], capture_output=True, text=True, check=True, timeout=_SECONDS)
    assert told.stdout == "Error executing tool broken\n"
