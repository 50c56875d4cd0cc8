"""The npm package: built, packed, and used as its users do, against real servers."""

import json
import os
import re
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from tests.hosts.environments import NODE, npm_environment
from tests.hosts.typescript_package import CLIENT, described, examples, install, pack, run
from tests.serving import serving

from hmem_testing.fake_llm import StandIn

# The core must run where the AI SDK does not.
OLDEST: Final = ("node@20.9.0",)


@pytest.fixture(scope="module")
def project() -> Path:
    """The folder of a project that has the packed package installed, with its tests and the README's examples."""
    file, packed = pack()
    folder = file.parents[1]
    install(file, folder)
    (folder / "packed.json").write_text(json.dumps(packed))
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    shutil.rmtree(folder / "test", ignore_errors=True)
    shutil.copytree(CLIENT / "test", folder / "test")
    (folder / "test" / "errors.json").write_text(json.dumps(json.loads(described())["errors"]))
    for number, example in enumerate(examples()):
        (folder / "test" / f"example{number}.ts").write_text(example)
    return folder


@pytest.fixture(scope="module")
def compiled(project: Path) -> Path:
    """The project with its tests and examples compiled, strictly typed."""
    run(project, NODE, project / "node_modules" / "typescript" / "bin" / "tsc", "-p", "test")
    return project


def passes(project: Path, name: str, node: Path = NODE) -> None:
    """Have a file of tests pass."""
    also = {"HMEM_PYTHON": sys.executable, "HMEM_ERRORS": str(project / "test" / "errors.json")}
    print(run(project, node, "--test", "--test-reporter=spec", f"test/js/{name}.test.js", also=also))


def test_the_package_is_small_and_holds_what_is_needed_alone(project: Path) -> None:
    packed = json.loads((project / "packed.json").read_text())
    print(f"hmem {packed['version']}: {packed['size']:,} bytes packed, {packed['unpackedSize']:,} unpacked")
    paths = {each["path"] for each in packed["files"]}
    assert {"README.md", "LICENSE", "package.json", "dist/index.js", "dist/ai.js", "dist/mastra.js"} <= paths
    assert {path.partition("/")[0] for path in paths} == {"README.md", "LICENSE", "package.json", "dist"}
    assert packed["size"] < 60_000
    assert packed["version"] == json.loads(described())["openapi"]["info"]["version"]


def test_the_client_uses_nothing_of_node(project: Path) -> None:
    for file in (project / "node_modules" / "hmem" / "dist").rglob("*.js"):
        assert not re.search(r"\bnode:|\bprocess\b\.|\bBuffer\b|\brequire\(", file.read_text()), file


def test_tests_and_examples_are_strictly_typed(compiled: Path) -> None:
    assert (compiled / "test" / "js" / "client.test.js").exists()


@pytest.mark.parametrize("name", ["client", "errors", "retries"])
def test_the_client_with_a_real_server(compiled: Path, name: str) -> None:
    passes(compiled, name)


def test_the_client_in_the_oldest_node(compiled: Path) -> None:
    oldest = npm_environment("node20", OLDEST) / "node_modules" / "node" / "bin" / "node"
    passes(compiled, "client", oldest)


def test_the_vercel_ai_sdk_with_a_real_server(compiled: Path) -> None:
    passes(compiled, "ai")


def test_agents_of_mastra_with_a_real_server(compiled: Path) -> None:
    passes(compiled, "mastra")


def test_the_examples_of_the_page_run(compiled: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        site, model = stack.enter_context(serving(tmp_path)), stack.enter_context(StandIn())
        said: list[str] = []
        for number in range(len(examples())):
            example = compiled / "test" / "js" / f"example{number}.js"
            text = example.read_text().replace("http://127.0.0.1:8765", site.address)
            example.write_text(text.replace("http://127.0.0.1:8766/v1", model.url))
            said.append(run(compiled, NODE, example, also={"HOME": os.environ.get("HOME", str(tmp_path))}))
    assert len(said) == 7
    assert "I adopted a puppy named Coco" in said[0]
    assert re.search(r"^Maria, .*: “I adopted a puppy named Coco”\nsure ", said[1])
    assert "I visited city 4" in said[2]
    assert "422" in said[3]
    assert "Coco" in said[4]
