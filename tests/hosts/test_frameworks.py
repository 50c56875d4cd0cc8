"""Agents of Python frameworks with a memory: the real packages, each in its own environment, and the stand-in."""

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from tests.hosts.environments import ROOT, python_environment
from tests.serving import serving

import hmem
from hmem import Memory, Turn
from hmem_testing.fake_llm import ReplyRule, StandIn

HERE: Final = Path(__file__).with_name("frameworks")
ADAPTERS: Final = ROOT / "packages" / "hmem-agents" / "src" / "hmem_agents"
EXTRAS: Final[dict[str, list[str]]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
EXAMPLES: Final = ROOT / "examples" / "agents"


@dataclass(frozen=True)
class Framework:
    """A framework: what its agents need besides the extra, and what its tools are called."""

    name: str
    needs: tuple[str, ...]
    remember: tuple[str, dict[str, Any]] | None = ("remember", {"text": "Maria moved to Lisbon in May."})
    recall: tuple[str, dict[str, Any]] = ("recall", {"question": "Where did Maria move?"})
    files: tuple[str, ...] = field(default=())

    @property
    def python(self) -> Path:
        extra = self.name.replace("_", "-")
        return python_environment(extra, [*EXTRAS[extra], *EXTRAS["client"], *self.needs])

    def __str__(self) -> str:
        return self.name


FRAMEWORKS: Final = [
    Framework("agent_framework", ("agent-framework-openai>=1,<2",)),
    Framework("autogen", ("autogen-ext[openai]>=0.7.5,<0.8",)),
    Framework(
        "crewai",
        (),
        ("save_to_memory", {"contents": ["Maria moved to Lisbon in May."]}),
        ("search_memory", {"queries": ["Where did Maria move?"]}),
        files=("crewai", "crewai_records"),
    ),
    Framework(
        "google_adk",
        ("anthropic>=0.79",),
        # ADK gives a model no tool that keeps something.
        None,
        ("load_memory", {"query": "Where did Maria move?"}),
    ),
    Framework("haystack", ()),
    Framework("llama_index", ()),
    Framework(
        "strands",
        (),
        ("add_memory", {"entries": ["Maria moved to Lisbon in May."]}),
        ("search_memory", {"query": "Where did Maria move?"}),
    ),
]

pytestmark = pytest.mark.parametrize("framework", FRAMEWORKS, ids=str)


def run(python: Path, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a framework's environment, as a process of its own."""
    # Neither our packages nor anything of the framework outside of the folder.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"HOME": str(folder), "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false"}
    environment |= {"OTEL_SDK_DISABLED": "true", "OPENAI_API_KEY": "any", "NO_PROXY": "*"}
    return subprocess.run(
        [python, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def talk(framework: Framework, place: str | Path, model: StandIn, session: str, *said: str, folder: Path) -> list[str]:
    """Talk with an agent in a process of its own, and return its replies."""
    done = run(framework.python, HERE / "driver.py", framework.name, str(place), model.url, session, *said,
               folder=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr[-4_000:]
    (folder / "stderr").write_text(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def told(model: StandIn, since: int = 0) -> list[str]:
    """What the model was sent from a call on."""
    return [json.dumps(call.request, ensure_ascii=False) for call in model.calls[since:]]


def recalled_in(request: str) -> str:
    """The recalled text in a request, with the marks around it."""
    found = re.search(r"<hmem-recalled>.*?</hmem-recalled>|<PAST_CONVERSATIONS>.*?</PAST_CONVERSATIONS>|Recalled from "
                      r"memory:.*?IMPORTANT", request, re.DOTALL)  # fmt: skip
    return found[0] if found else ""


def said_in(turns: list[Turn], session: str | None = None) -> list[tuple[str | None, str, str]]:
    return [(turn.role, turn.speaker, turn.text) for turn in turns if session in (None, turn.session)]


def check_turns(turns: list[Turn]) -> None:
    """Check that nothing recalled was kept as said."""
    for turn in turns:
        assert "hmem-recalled" not in turn.text
        assert "Recalled from memory" not in turn.text


def test_what_was_said_in_one_session_is_recalled_in_the_next_process(framework: Framework, tmp_path: Path) -> None:
    place = tmp_path / "maria.hmem"
    with StandIn() as model:
        talk(framework, place, model, "s1", "I adopted a puppy named Coco", folder=tmp_path)
        first = len(model.calls)
        assert not any("hmem-recalled" in each for each in told(model))
        talk(framework, place, model, "s2", "Which puppy do I have?", folder=tmp_path)
        second = told(model, first)[0]
    assert "Maria: I adopted a puppy named Coco" in recalled_in(second)
    # `-s` shows it.
    print(f"{framework}: {len(recalled_in(second)):,} characters recalled")
    with Memory(place) as memory:
        turns = memory.list()
    check_turns(turns)
    assert ("user", "Maria", "I adopted a puppy named Coco") in said_in(turns)
    assert ("user", "Maria", "Which puppy do I have?") in said_in(turns)
    assert [turn.role for turn in turns] == ["user", "assistant"] * 2
    assert {turn.session for turn in turns} == {"s1", "s2"}


def test_a_model_remembers_and_recalls_by_its_tools(framework: Framework, tmp_path: Path) -> None:
    place = tmp_path / "maria.hmem"
    with Memory(place) as memory:
        memory.add("My sister lives in Porto", speaker="Maria", user="app/Maria", session="s0")
    tools = [framework.remember, framework.recall] if framework.remember else [framework.recall]
    # The first call of a tool is answered by the second call of the model.
    script = [
        ReplyRule("tool", calls=str(2 * number + 1), name=name, content=content)
        for number, (name, content) in enumerate(tools)
    ]
    said = ["Keep this", "Where did I move?"][-len(tools) :]
    with StandIn(script) as model:
        talk(framework, place, model, "s1", *said, folder=tmp_path)
        offered = told(model)[0]
        last = told(model)[-1]
    for name, _ in tools:
        assert f'"name": "{name}"' in offered
    assert ("moved to Lisbon" if framework.remember else "sister lives in Porto") in last
    with Memory(place) as memory:
        turns = memory.list()
    check_turns(turns)
    # A model may answer with the sentence that it recalled.
    texts = [turn.text for turn in turns if turn.role == "user"]
    assert texts.count("Maria moved to Lisbon in May.") == (1 if framework.remember else 0)


def test_a_memory_at_a_server_serves_as_well_and_its_absence_stops_no_agent(
    framework: Framework, tmp_path: Path
) -> None:
    (tmp_path / "root").mkdir()
    with StandIn() as model:
        with serving(tmp_path / "root") as site:
            address = f"{site.address}/maria"
            hmem.connect(address, create=True).close()
            talk(framework, address, model, "s1", "I adopted a puppy named Coco", folder=tmp_path)
            first = len(model.calls)
            talk(framework, address, model, "s2", "Which puppy do I have?", folder=tmp_path)
            assert "I adopted a puppy named Coco" in recalled_in(told(model, first)[0])
            with hmem.connect(address) as memory:
                turns = memory.list()
        assert ("user", "Maria", "I adopted a puppy named Coco") in said_in(turns, "s1")
        check_turns(turns)
        # The server is away now.
        (reply,) = talk(framework, address, model, "s3", "Hello", folder=tmp_path)
    assert reply
    assert "does not answer" in (tmp_path / "stderr").read_text()


def test_it_does_what_the_interface_of_its_framework_promises(framework: Framework, tmp_path: Path) -> None:
    done = run(framework.python, HERE / f"check_{framework.name}.py", folder=tmp_path)
    assert done.returncode == 0, done.stderr[-4_000:]


def test_its_example_runs(framework: Framework, tmp_path: Path) -> None:
    done = run(framework.python, EXAMPLES / f"{framework.name}_memory.py", folder=tmp_path)
    assert done.returncode == 0, done.stderr[-4_000:]


def test_its_types_are_right(framework: Framework, tmp_path: Path) -> None:
    # The development environment lacks the frameworks, so that pyright checks nothing of them there.
    names = framework.files or (framework.name,)
    files = [os.path.relpath(ADAPTERS / f"{name}.py", tmp_path) for name in names]
    settings = {"include": files, "strict": files, "extraPaths": [str(ROOT / "src")], "pythonVersion": "3.11"}
    settings |= {"reportMissingTypeStubs": False, "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    pyright = [Path(sys.executable).with_name("pyright"), "-p", tmp_path, "--pythonpath", framework.python]
    done = subprocess.run(pyright, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-4_000:]
