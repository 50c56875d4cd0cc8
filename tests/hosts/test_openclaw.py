"""The plugin for OpenClaw in the real command line and gateway, with the stand-in for a model.

A turn of OpenClaw takes 5 to 30 s, so most tests share a gateway, and each says what no other says.
"""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from tests.hosts.environments import NODE, NPM, ROOT, node_environment, npm_environment

from hmem_testing.fake_llm import ReplyRule, StandIn

OPENCLAW: Final = "openclaw@2026.9.6"
TYPESCRIPT: Final = ("typescript@5.9.3", "@types/node@24.10.1")
PLUGIN: Final = ROOT / "integrations" / "openclaw"
HMEM: Final = NODE.with_name("hmem")
PAGE: Final = (ROOT / "docs" / "openclaw.md").read_text("utf-8")
TOKEN: Final = "token-of-the-test"  # noqa: S105 - guards a gateway on loopback while a test runs
TOOLS: Final = ["memory_search", "memory_get", "memory_add", "memory_forget"]
_SECONDS: Final = 300
_FRAME: Final = re.compile(r"<hmem-recalled>\n(.*?)\n</hmem-recalled>", re.DOTALL)


# OpenClaw, as a test uses it.


@dataclass(frozen=True)
class Exchange:
    """What the model was sent in a turn, as the texts of the last request, and what OpenClaw printed."""

    prompts: list[str]
    printed: str

    @property
    def recalled(self) -> str:
        """What stood in frames in the user's last message."""
        return "\n".join(_FRAME.findall(self.prompts[-1])) if self.prompts else ""


@dataclass
class OpenClaw:
    """Real OpenClaw in a folder of its own, over the stand-in."""

    home: Path
    model: StandIn
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    agents: dict[str, Any] = field(default_factory=dict[str, Any])
    plugin: Path | None = PLUGIN
    port: int = 0
    _gateway: "subprocess.Popen[bytes] | None" = None

    def __post_init__(self) -> None:
        # Not the wheel's script, which passes no signal on.
        self.node = subprocess.check_output([NODE, "-p", "process.execPath"], text=True).strip()
        self.program = npm_environment("openclaw", [OPENCLAW]) / "node_modules" / "openclaw" / "openclaw.mjs"
        self.home.mkdir(parents=True, exist_ok=True)
        self.configure()

    def configure(self, **settings: Any) -> None:
        """Write the configuration of the plugin's page, and a provider for the stand-in."""
        self.settings |= settings
        model: dict[str, Any] = {"id": "any", "name": "Any", "reasoning": False, "input": ["text"], "maxTokens": 4096}
        model |= {"cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}, "contextWindow": 128_000}
        provider = {"baseUrl": self.model.url, "apiKey": "any", "api": "openai-completions", "models": [model]}
        defaults = {"model": {"primary": "local/any"}, "workspace": str(self.home / "workspace")}
        own = {"command": str(HMEM), "timeoutMs": 14_000, **self.settings}
        entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": own}
        config = {
            "gateway": {"mode": "local"},
            "models": {"providers": {"local": provider}},
            "agents": {"defaults": defaults, **self.agents},
            "plugins": {
                "slots": {"memory": "hmem"},
                **({"load": {"paths": [str(self.plugin)]}} if self.plugin else {}),
                "entries": {"hmem": entry, "memory-core": {"enabled": False}},
            },
        }
        (self.home / "openclaw.json").write_text(json.dumps(config), "utf-8")

    # Its command line.

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run a command, and return what it printed on both streams."""
        done = subprocess.run(
            self._command(*arguments),
            env=self._environment(),
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        assert done.returncode == code, done.stdout[-4_000:]
        return done.stdout

    def say(self, message: str, session: str, *arguments: str, rules: Sequence[ReplyRule] = ()) -> Exchange:
        """Say something in a session, given by its id or its key; the model answers by rules."""
        self.model.follow([*rules, ReplyRule("text", text="I see.")])
        before, captured = self.model.count, self._captured()
        where = "--session-key" if ":" in session else "--session-id"
        printed = self.run("agent", where, session, "--message", message, "--json", *arguments)
        calls = [call for call in self.model.calls if call.number > before]
        assert calls, printed
        # The gateway answers before what was said is kept.
        wait_for(lambda: self._captured() > captured, 60)
        return Exchange(prompts_of(calls[-1].request), printed)

    def _captured(self) -> int:
        """Return when the plugin last kept something."""
        files = (self.home / "hmem" / "sessions").glob("*.json")
        return max((file.stat().st_mtime_ns for file in files), default=0)

    def _command(self, *arguments: str) -> list[str]:
        return [self.node, str(self.program), *arguments]

    def _environment(self) -> dict[str, str]:
        own = {"OPENCLAW_STATE_DIR": self.home, "OPENCLAW_CONFIG_PATH": self.home / "openclaw.json", "HOME": self.home}
        gateway = {"OPENCLAW_GATEWAY_PORT": self.port, "OPENCLAW_GATEWAY_TOKEN": TOKEN} if self.port else {}
        return node_environment() | {name: str(value) for name, value in {**own, **gateway}.items()}

    # Its gateway.

    @property
    def log(self) -> str:
        file = self.home / "gateway.log"
        return file.read_text("utf-8", "replace") if file.exists() else ""

    def start(self) -> None:
        """Start the gateway, and wait until the plugin has found its server."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        arguments = (
            "gateway",
            "run",
            "--port",
            str(self.port),
            "--auth",
            "token",
            "--token",
            TOKEN,
            "--bind",
            "loopback",
        )
        before = len(self.log)
        with (self.home / "gateway.log").open("ab") as log:
            command = self._command(*arguments)
            self._gateway = subprocess.Popen(command, env=self._environment(), stdout=log, stderr=log)
        wait_for(lambda: "hmem: the memory is served" in self.log[before:])

    def stop(self) -> None:
        """Stop the gateway."""
        if self._gateway is not None:
            self._gateway.send_signal(signal.SIGTERM)
            gateway, self._gateway, self.port = self._gateway, None, 0
            try:
                gateway.wait(100)
            finally:
                gateway.kill()

    # Its memory.

    @property
    def server(self) -> dict[str, Any]:
        """Where the server is that the plugin started, its key and its process."""
        return json.loads((self.home / "hmem" / "memories" / ".openclaw-server.json").read_text("utf-8"))

    @property
    def outbox(self) -> list[Path]:
        """What waits for the server."""
        return sorted((self.home / "hmem" / "outbox").glob("*.json"))

    def turns(self, session: str, memory: str = "openclaw-main") -> list[tuple[str, str]]:
        """Return who said what in a session, or in all of them, as the memory has it."""
        kept = self._ask(f"memories/{memory}/turns?limit=1000")["items"]
        own = [each for each in kept if not session or each["session"].startswith(f"{session} ")]
        return [(each["speaker"], each["text"]) for each in own]

    def id_of(self, text: str) -> str:
        """Return the id of the turn that says a text."""
        kept = self._ask("memories/openclaw-main/turns?limit=1000")["items"]
        return next(each["id"] for each in kept if each["text"] == text)

    def _ask(self, path: str) -> Any:
        url, key = self.server["url"], self.server["key"]
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.get(f"{url}/v1/{path}", headers=headers, trust_env=False, timeout=60).raise_for_status().json()


def json_in(printed: str) -> Any:
    """Return the object in what a command printed, among lines of its log."""
    return json.loads(
        printed[printed.index("\n{\n" if not printed.startswith("{") else "{") : printed.rindex("\n}") + 2]
    )


def prompts_of(request: Any) -> list[str]:
    """Return the texts of the user and of tools in a request, without what OpenClaw puts behind them."""
    texts: list[str] = []
    for message in request["messages"]:
        content = message.get("content") or ""
        text = content if isinstance(content, str) else "\n".join(each.get("text", "") for each in content)
        if message["role"] in ("user", "tool") and not text.startswith("<<<BEGIN_OPENCLAW"):
            texts.append(text)
    return texts


def calling(tool: str, **arguments: Any) -> ReplyRule:
    """Return the rule that the model calls a tool first; OpenClaw keeps tools of plugins behind one of its own."""
    return ReplyRule("tool", calls="1", name="tool_call", content={"id": tool, "args": arguments})


def wait_for(what: Callable[[], object], seconds: float = 240) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.5)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


@contextmanager
def openclaw(home: Path, *, plugin: Path | None = PLUGIN, agents: Any = None, **settings: Any) -> Iterator[OpenClaw]:
    with StandIn() as model:
        made = OpenClaw(home, model, settings, agents or {}, plugin)
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenClaw]:
    with openclaw(tmp_path_factory.mktemp("openclaw") / "home", user="Maria") as made:
        made.start()
        yield made


# What OpenClaw says of the plugin.


def test_openclaw_takes_the_configuration_and_loads_the_plugin(gateway: OpenClaw) -> None:
    assert "Config valid" in gateway.run("config", "validate")
    printed = gateway.run("plugins", "inspect", "hmem", "--runtime", "--json")
    told = json_in(printed)
    assert told["plugin"]["status"] == "loaded"
    assert told["plugin"]["memorySlotSelected"]
    assert told["plugin"]["toolNames"] == TOOLS
    assert {each["name"] for each in told["typedHooks"]} == {"before_prompt_build", "agent_end", "subagent_spawned"}
    assert told["plugin"]["services"] == ["hmem"]
    assert not [each for each in told["diagnostics"] if each["level"] == "error"]


def test_types_of_the_plugin_are_those_of_openclaw(tmp_path: Path) -> None:
    compiler, host = npm_environment("typescript", TYPESCRIPT), npm_environment("openclaw", [OPENCLAW])
    sdk = host / "node_modules" / "openclaw" / "dist" / "plugin-sdk" / "*.d.ts"
    options = {"typeRoots": [str(compiler / "node_modules" / "@types")], "paths": {"openclaw/plugin-sdk/*": [str(sdk)]}}
    project: dict[str, Any] = {"extends": str(PLUGIN / "tsconfig.json"), "compilerOptions": options}
    project["include"] = [str(PLUGIN / name) for name in ("index.js", "src", "tests")]
    (tmp_path / "tsconfig.json").write_text(json.dumps(project), "utf-8")
    command = [NODE, compiler / "node_modules" / "typescript" / "bin" / "tsc", "-p", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_packed_plugin_is_small_and_installs(tmp_path: Path) -> None:
    pack = [NPM, "pack", "--json", "--pack-destination", tmp_path, PLUGIN]
    packed = json.loads(subprocess.run(pack, env=node_environment(), capture_output=True, check=True).stdout)[0]
    assert packed["size"] < 30_000, packed["size"]
    assert {Path(each["path"]).parts[0] for each in packed["files"]} == {
        "LICENSE", "README.md", "index.js", "openclaw.plugin.json", "package.json", "src",
    }  # fmt: skip
    with tarfile.open(tmp_path / packed["filename"]) as archive:
        archive.extractall(tmp_path, filter="data")
    with openclaw(tmp_path / "home", plugin=None) as made:
        (made.home / "openclaw.json").unlink()
        (line,) = re.findall(r"^openclaw (plugins install .*)$", PAGE, re.MULTILINE)
        package = str(tmp_path / "package")
        made.run(*(package if word == "integrations/openclaw" else word for word in shlex.split(line)))
        told = json_in(made.run("plugins", "inspect", "hmem", "--runtime", "--json"))
        assert told["plugin"]["status"] == "loaded"
        # The installer gives it the place of the memory; what it may read remains the user's decision.
        assert told["plugin"]["memorySlotSelected"]
        assert "FAIL it may not read conversations" in made.run("hmem", "doctor", code=1)


# What an agent and its memory do.


def test_what_a_first_session_said_is_recalled_in_a_second(gateway: OpenClaw) -> None:
    fact = "My dentist is called Doctor Quillfeather and her practice is in Lisbon."
    first = gateway.say(fact, "dentist-1", rules=[ReplyRule("text", text="I shall remember your dentist.")])
    assert "Quillfeather" not in first.recalled
    second = gateway.say("What is the name of my dentist?", "dentist-2")
    assert f"Maria: {fact}" in second.recalled
    # What was recalled is captured no more, nor what OpenClaw adds to a message.
    assert gateway.turns("dentist-1") == [("Maria", fact), ("assistant", "I shall remember your dentist.")]
    assert gateway.turns("dentist-2") == [("Maria", "What is the name of my dentist?"), ("assistant", "I see.")]


def test_a_session_is_not_told_what_it_shows_already(gateway: OpenClaw) -> None:
    gateway.say("The spare key of the boathouse hangs behind the barometer.", "boathouse")
    second = gateway.say("Where does the spare key of the boathouse hang?", "boathouse")
    assert "barometer" not in second.recalled
    assert any("barometer" in each for each in second.prompts[:-1])
    assert len(gateway.turns("boathouse")) == 4


def test_an_agent_searches_reads_adds_and_forgets_by_tools(gateway: OpenClaw) -> None:
    fact = "The alarm code of the bakery is seven four one nine."
    gateway.say(fact, "tools-1")
    turn = gateway.id_of(fact)
    searched = gateway.say("Look it up.", "tools-2", rules=[calling("memory_search", query="alarm code of the bakery")])
    assert f"[{turn}]" in searched.prompts[-1]
    assert "seven four one nine" in searched.prompts[-1]
    read = gateway.say("Read it.", "tools-3", rules=[calling("memory_get", id=turn)])
    assert "seven four one nine" in read.prompts[-1]
    assert "I see." in read.prompts[-1]
    added = gateway.say("Keep it.", "tools-4", rules=[calling("memory_add", text="Maria wants invoices as PDF.")])
    assert "Kept as turn_" in added.prompts[-1]
    assert ("Maria", "Maria wants invoices as PDF.") not in gateway.turns("tools-4")
    assert gateway.id_of("Maria wants invoices as PDF.")

    preview = gateway.say("Forget it.", "tools-5", rules=[calling("memory_forget", ids=[turn])])
    assert "Nothing was forgotten yet" in preview.prompts[-1]
    assert gateway.id_of(fact) == turn
    refused = gateway.say("Do it.", "tools-6", rules=[calling("memory_forget", ids=[turn], confirm="00000000")])
    assert "Nothing was forgotten: the code" in refused.prompts[-1]
    assert gateway.id_of(fact) == turn
    code = re.findall(r'confirm=\\?"(\w{8})', preview.prompts[-1])[0]
    forgotten = gateway.say("Yes.", "tools-7", rules=[calling("memory_forget", ids=[turn], confirm=code)])
    assert "for good" in forgotten.prompts[-1]
    with pytest.raises(StopIteration):
        gateway.id_of(fact)


def test_openclaw_searches_the_memory_itself(gateway: OpenClaw) -> None:
    gateway.say("The ferry to Tavira leaves from the eastern pier.", "ferry")
    parameters = json.dumps({"query": "ferry to Tavira", "maxResults": 3})
    printed = gateway.run("gateway", "call", "memory.search", "--params", parameters, "--json")
    told = json_in(printed)
    assert told["provider"] == "hmem"
    assert told["results"][0]["path"].startswith("hmem/turn_")
    assert "eastern pier" in told["results"][0]["snippet"]


def test_a_sub_agent_is_not_told_and_not_captured(gateway: OpenClaw) -> None:
    task = "Count the letters of the word xylograph."
    gateway.say("The xylograph in the hall is by Hiroshige.", "prints")
    before = gateway.model.count
    child = ReplyRule("text", containing="[Subagent Task]", text="It has nine letters.")
    gateway.say("Let a helper count.", "sub", rules=[child, calling("sessions_spawn", task=task)])

    def prompts_of_the_child() -> list[str]:
        requests = [prompts_of(call.request) for call in gateway.model.calls if call.number > before]
        return [each for prompts in requests if any("[Subagent Task]" in each for each in prompts) for each in prompts]

    wait_for(prompts_of_the_child)
    assert not any(_FRAME.search(each) for each in prompts_of_the_child())
    # What it found is brought to the session in a run of its own, of which the answer is kept.
    wait_for(lambda: len(gateway.turns("sub")) == 3, 60)
    assert [speaker for speaker, _ in gateway.turns("sub")] == ["Maria", "assistant", "assistant"]
    assert not [text for _, text in gateway.turns("") if task in text or "nine letters" in text]


def test_use_promotes_and_the_profile_is_handed_over(gateway: OpenClaw) -> None:
    gateway.say("I love rye bread. My sister Ana is a nurse.", "profile-1")
    repeats = ReplyRule("text", text="As you told me, you love rye bread.")
    told = gateway.say("Which bread do I love most?", "profile-2", rules=[repeats])
    assert "Known of Maria:\n" in told.recalled
    assert "rye bread" in told.recalled
    shown = gateway.run("hmem", "show", "--consolidate")
    assert re.search(r"cache uses=[2-9] importance=\d+ Maria: I love rye bread", shown)
    assert re.search(r"Profile.*\n  Known of Maria:\n(?:  .*\n)*  .*My sister Ana is a nurse", shown)
    # Between two commands the server had nothing else to do.
    assert "Consolidated: 0 texts written, 0 left" in shown


def test_a_group_is_told_only_what_was_said_in_it(gateway: OpenClaw) -> None:
    group = "agent:main:telegram:group:77"
    gateway.say("The surprise for Ana is a telescope.", "secret")
    assert "telescope" not in gateway.say("What is the surprise for Ana?", group).recalled
    gateway.say("The regatta starts at the old lighthouse.", group)
    assert "old lighthouse" in gateway.say("Where does the regatta start?", f"{group}:thread:5").recalled
    assert "old lighthouse" in gateway.say("Where does the regatta start?", "regatta").recalled


def test_doctor_finds_all_in_order(gateway: OpenClaw) -> None:
    printed = gateway.run("hmem", "doctor")
    assert printed.count("ok   ") == 5
    assert "FAIL" not in printed
    assert re.search(r"openclaw-main: \d+ messages? of \d+ sessions?", printed)


# When something ends.


def test_a_killed_server_is_started_anew(gateway: OpenClaw) -> None:
    fact = "The piano tuner comes on the first Tuesday of March."
    gateway.say(fact, "killed-1")
    os.kill(gateway.server["pid"], signal.SIGKILL)
    told = gateway.say("When does the piano tuner come?", "killed-2")
    assert fact in told.recalled


def test_a_restart_of_the_gateway_keeps_the_memory(gateway: OpenClaw) -> None:
    fact = "The passport of Maria expires in November 2031."
    gateway.say(fact, "restart-1")
    server = gateway.server["pid"]
    gateway.stop()
    wait_for(lambda: not is_alive(server), 60)
    gateway.start()
    told = gateway.say("When does the passport of Maria expire?", "restart-2")
    assert fact in told.recalled
    gateway.say("And mine is the same.", "restart-1")
    assert len(gateway.turns("restart-1")) == 4


def test_without_a_server_the_agent_answers_and_nothing_is_lost(tmp_path: Path) -> None:
    fact = "The beehives stand in the orchard of Evora."
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}"
    with openclaw(tmp_path / "home", baseUrl=dead, timeoutMs=3_000) as made:
        answered = made.say(fact, "dead-1", "--local", rules=[ReplyRule("text", text="Understood.")])
        assert "Understood." in answered.printed
        assert not answered.recalled
        assert answered.printed.count(f"hmem: nothing was recalled: no server answers at {dead}") == 1
        assert len(made.outbox) == 1
        assert fact in made.outbox[0].read_text("utf-8")
        assert made.outbox[0].stat().st_mode & 0o777 == 0o600
        checked = made.run("hmem", "doctor", code=1)
        assert f"FAIL no server answers at {dead}" in checked
        assert "FAIL 1 capture waits" in checked

        # From here on the plugin starts its own; what had waited goes there, and is recalled.
        del made.settings["baseUrl"]
        made.configure(timeoutMs=14_000)
        assert "ok   1 capture that had waited was delivered" in made.run("hmem", "doctor")
        assert not made.outbox
        assert fact in made.say("Where do the beehives stand?", "dead-2", "--local").recalled


def test_each_agent_has_a_memory_of_its_own(tmp_path: Path) -> None:
    agents = {"ownership": "explicit", "entries": {"main": {}, "helper": {}}}
    with openclaw(tmp_path / "home", agents=agents) as made:
        made.say("The cellar of the museum floods in spring.", "own-1", "--local", "--agent", "main")
        other = made.say("What happens to the cellar of the museum?", "own-2", "--local", "--agent", "helper")
        assert "floods" not in other.recalled
        own = made.say("What happens to the cellar of the museum?", "own-3", "--local", "--agent", "main")
        assert "floods in spring" in own.recalled
        held = {path.stem for path in (made.home / "hmem" / "memories").glob("*.hmem")}
        assert held == {"openclaw-main", "openclaw-helper"}
