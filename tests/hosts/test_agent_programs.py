"""Programs with hooks, installed by the lines of docs/hosts.md as they stand there, over the stand-in for a model."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.hosts.claude_code import PACKAGE, eventually
from tests.hosts.environments import NODE, ROOT, npm_environment, python_environment

from hmem import Memory
from hmem.interfaces.paths import project_memory
from hmem_agents import hosts
from hmem_agents.hooks.client import ask
from hmem_agents.hooks.settings import HookSettings
from hmem_testing.fake_llm import ReplyRule, StandIn

PAGE: Final = (ROOT / "docs" / "hosts.md").read_text("utf-8")
PNPM: Final = "We use pnpm in this repository, never npm."
ASKED: Final = "I am going to add a package with npm to this repository."
ANSWER: Final = "Understood."
FRAME: Final = re.compile(r"(?:<|&lt;)hmem-recalled(?:>|&gt;).*?(?:<|&lt;)/hmem-recalled(?:>|&gt;)", re.DOTALL)
_SECONDS: Final = 300
_LEFT_OUT: Final = ("HMEM_", "CLAUDE", "ANTHROPIC_", "OPENAI_", "CODEX_", "GEMINI_", "GOOGLE_", "COPILOT_", "HERMES_")


class Program(NamedTuple):
    """A program: its name on the page, where its command is, what points it to the stand-in, how it is asked."""

    name: str
    folder: Callable[[], Path]
    configure: Callable[[Path, StandIn], Mapping[str, str]]
    command: Sequence[str]


def npm(name: str, package: str) -> Callable[[], Path]:
    return lambda: npm_environment(name, [package]) / "node_modules" / ".bin"


def claude(_: Path, model: StandIn) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": model.url.removesuffix("/v1"), "ANTHROPIC_API_KEY": "any", "IS_SANDBOX": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
    }  # fmt: skip


def codex(home: Path, model: StandIn) -> Mapping[str, str]:
    provider = f'[model_providers.local]\nname = "local"\nbase_url = "{model.url}"\nwire_api = "responses"\n'
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(f'model = "any"\nmodel_provider = "local"\n{provider}', "utf-8")
    return {}


def copilot(_: Path, model: StandIn) -> Mapping[str, str]:
    return {
        "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": model.url, "COPILOT_MODEL": "any",
        "COPILOT_AUTO_UPDATE": "false",
    }  # fmt: skip


def gemini(home: Path, model: StandIn) -> Mapping[str, str]:
    (home / ".gemini").mkdir()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings), "utf-8")
    return {"GEMINI_API_KEY": "any", "GOOGLE_GEMINI_BASE_URL": model.url.removesuffix("/v1")}


def hermes(home: Path, model: StandIn) -> Mapping[str, str]:
    (home / ".hermes").mkdir()
    model_settings = {"provider": "custom", "base_url": model.url, "default": "any"}
    (home / ".hermes" / "config.yaml").write_text(json.dumps({"model": model_settings}), "utf-8")
    return {"OPENAI_API_KEY": "any"}


PROGRAMS: Final = (
    Program("Claude Code", npm("claude-code", PACKAGE), claude, ["claude", "-p", "{prompt}"]),
    Program(
        "Codex CLI", npm("codex", "@openai/codex@0.171.0"), codex,
        # What a person does once in /hooks.
        ["codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "{prompt}"],
    ),
    Program(
        "GitHub Copilot CLI", npm("copilot", "@github/copilot@1.0.102"), copilot,
        ["copilot", "-p", "{prompt}", "--allow-all-tools", "--trust-folder"],
    ),
    Program(
        "Gemini CLI", npm("gemini-cli", "@google/gemini-cli@0.61.0"), gemini,
        ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "-p", "{prompt}"],
    ),
    Program(
        "Hermes agent", lambda: python_environment("hermes", ["hermes-agent==0.19.0"], with_hmem=False).parent, hermes,
        ["hermes", "-z", "{prompt}"],
    ),
)  # fmt: skip


def lines_of(name: str) -> str:
    """Return the lines of the page that install hmem, and that connect a program."""
    blocks = {"": PAGE[: PAGE.index("**Claude Code**")]}
    blocks |= dict(re.findall(r"^\*\*([^*]+)\*\*(.*?)(?=^\*\*|^## )", PAGE, re.DOTALL | re.MULTILINE))
    return "\n".join(re.search(r"```sh\n(.*?)```", blocks[part], re.DOTALL)[1] for part in ("", name))  # type: ignore[index]


class Home:
    """A user's home with a program, whose model is the stand-in, and a project."""

    def __init__(self, folder: Path, program: Program, model: StandIn) -> None:
        self.folder, self.program, self.model = folder, program, model
        self.project = folder / "shop"
        self.project.mkdir()
        subprocess.run(["git", "init", "--quiet", self.project], check=True)
        own = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
        places = (Path(sys.executable).parent, program.folder(), NODE.parent)
        self.environment = own | {
            "HOME": str(folder), "HMEM_ROOT": str(folder / ".hmem"), "HMEM_HOOK_START_SECONDS": "14",
            "HMEM_HOOK_PROMPT_SECONDS": "9", "PATH": os.pathsep.join([*map(str, places), own.get("PATH", "")]),
            **program.configure(folder, model),
        }  # fmt: skip
        self.settings = HookSettings(root=folder / ".hmem")

    def run(self, command: Sequence[str], cwd: Path, typed: str = "") -> str:
        done = subprocess.run(
            command, cwd=cwd, env=self.environment, input=typed, capture_output=True, text=True, timeout=_SECONDS,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
        return done.stdout

    def say(self, prompt: str) -> str:
        """Say something in a session of its own, and return what the model received, as one text."""
        before = self.model.count
        self.run([part.format(prompt=prompt) for part in self.program.command], self.project)
        calls = [call.request for call in self.model.calls if call.number > before]
        (*_, last) = [request for request in calls if prompt in json.dumps(request)]
        return "\n".join(texts(last))

    def turns(self) -> list[tuple[str, str]]:
        home = self.folder / ".hermes"
        place = project_memory(self.settings.root, home if home.exists() else self.project)
        if not place.exists():
            return []
        with Memory(place, read_only=True) as memory:
            return [(str(turn.role), turn.text) for turn in memory.list(limit=100)]


def texts(value: Any) -> list[str]:
    """Return all texts in a request."""
    if isinstance(value, Mapping):
        value = list(value.values())
    return (
        [value]
        if isinstance(value, str)
        else [t for part in value for t in texts(part)]
        if isinstance(value, list)
        else []
    )


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.name)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Home]:
    with StandIn([ReplyRule("text", text=ANSWER)]) as model:
        made = Home(tmp_path, request.param, model)
        yield made
        ask(made.settings, {"do": "stop"}, 5)
        eventually(lambda: not made.settings.socket.exists())


def test_by_the_lines_of_the_page_a_session_is_told_what_another_one_said(home: Home) -> None:
    # Gemini CLI asks whether it may trust the folder.
    home.run(["bash", "-e", "-c", lines_of(home.program.name)], ROOT, typed="y\n")
    assert not FRAME.search(home.say(PNPM))
    eventually(lambda: len(home.turns()) == 2)
    assert home.turns() == [("user", PNPM), ("assistant", ANSWER)]
    told = "\n".join(FRAME.findall(home.say(ASKED)))
    assert told.count(PNPM) == 1
    eventually(lambda: len(home.turns()) == 4)
    assert not any(FRAME.search(text) for _, text in home.turns())
    assert not home.settings.log.exists() or home.settings.log.read_text("utf-8") == ""


def agent_sdk_in_python(folder: Path) -> Program:
    python = python_environment("claude-agent-sdk", ["claude-agent-sdk==0.2.189"])
    (code,) = re.findall(r"```python\n(from hmem_agents.*?)```", PAGE, re.DOTALL)
    script = folder / "talk.py"
    script.write_text(
        f"import asyncio, sys\nfrom claude_agent_sdk import ClaudeAgentOptions, query\n{code}\n"
        "async def talk():\n    async for message in query(prompt=sys.argv[1], options=options):\n"
        "        print(type(message).__name__)\nasyncio.run(talk())\n",
        "utf-8",
    )
    return Program("Claude Agent SDK", lambda: python.parent, claude, [str(python), str(script), "{prompt}"])


def in_typescript(folder: Path, packages: Path, code: str) -> list[str]:
    """Return the command that runs a script with the page's line for the shell; Node looks for packages beside it."""
    (line,) = re.findall(r"^export HMEM_PLUGIN=.*$", PAGE, re.MULTILINE)
    (folder / "node_modules").symlink_to(packages / "node_modules")
    (folder / "talk.mts").write_text(code, "utf-8")
    return ["bash", "-e", "-c", f'{line}\nexec "$0" "$@"', str(NODE), str(folder / "talk.mts"), "{prompt}"]


def agent_sdk_in_typescript(folder: Path) -> Program:
    packages = npm_environment("claude-agent-sdk-typescript", ["@anthropic-ai/claude-agent-sdk@0.3.332", "zod@^4"])
    (line,) = re.findall(r"^const options: Options = .*$", PAGE, re.MULTILINE)
    code = (
        f'import {{ type Options, query }} from "@anthropic-ai/claude-agent-sdk";\n{line}\n'
        "for await (const message of query({ prompt: process.argv[2], options })) console.log(message.type);\n"
    )
    return Program("Claude Agent SDK", lambda: NODE.parent, claude, in_typescript(folder, packages, code))


def copilot_sdk(folder: Path) -> Program:
    packages = npm_environment("copilot-sdk", ["@github/copilot-sdk@1.0.14"])
    (line,) = re.findall(r"^const client = new CopilotClient.*$", PAGE, re.MULTILINE)
    code = (
        f'import {{ approveAll, CopilotClient }} from "@github/copilot-sdk";\n{line}\n'
        'const provider = { type: "openai" as const, baseUrl: process.env.COPILOT_PROVIDER_BASE_URL! };\n'
        'const settings = { model: "any", provider, onPermissionRequest: approveAll };\n'
        "const session = await client.createSession(settings);\n"
        "await session.sendAndWait({ prompt: process.argv[2]! }, 60_000);\n"
        "await session.disconnect();\nawait client.stop();\n"
    )
    return Program("GitHub Copilot's SDK", lambda: NODE.parent, copilot, in_typescript(folder, packages, code))


@pytest.mark.parametrize("sdk", [agent_sdk_in_python, agent_sdk_in_typescript, copilot_sdk])
def test_an_sdk_loads_the_plugin_by_the_lines_of_the_page(tmp_path: Path, sdk: Callable[[Path], Program]) -> None:
    program = sdk(tmp_path)
    with StandIn([ReplyRule("text", text=ANSWER)]) as model:
        home = Home(tmp_path, program, model)
        home.say(PNPM)
        eventually(lambda: len(home.turns()) == 2)
        assert "\n".join(FRAME.findall(home.say(ASKED))).count(PNPM) == 1
        ask(home.settings, {"do": "stop"}, 5)
        eventually(lambda: not home.settings.socket.exists())


def test_the_folder_of_the_plugins_is_a_marketplace_too() -> None:
    folder = Path(hosts.PLUGIN).parent
    offered = json.loads((folder / ".claude-plugin" / "marketplace.json").read_text("utf-8"))
    assert [(folder / plugin["source"]).samefile(hosts.PLUGIN) for plugin in offered["plugins"]] == [True]
