"""The npm package: built, packed, and used as its users do, against real servers."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from tests.hosts.environments import NODE, NPM, ROOT, node_environment, npm_environment
from tests.serving import serving

from hmem_testing.fake_llm import StandIn

CLIENT: Final = ROOT / "clients" / "typescript"
# The oldest versions of what users may have are those of package.json; these are what is tested.
PACKAGES: Final = (
    "@ai-sdk/openai-compatible@3.0.92",
    "@mastra/core@1.71.0",
    "@types/node@24",
    "ai@7.0.173",
    "eventsource-parser@^3.0.6",
    "openapi-fetch@^0.17.0",
    "openapi-typescript@^7.13.0",
    "typescript@5.9",
    "zod@^4",
)
# The core must run where the AI SDK does not.
OLDEST: Final = ("node@20.9.0",)
_EXAMPLE: Final = re.compile(r"^```ts\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def project() -> Path:
    """The folder of a project that has the packed package installed, with its tests and the README's examples."""
    folder = npm_environment("typescript", PACKAGES)
    source, installed = folder / "package", folder / "node_modules" / "hmem"
    for old in (source, installed, folder / "test"):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(CLIENT, source, ignore=shutil.ignore_patterns("node_modules", "dist", "generated"))
    described = _described()
    run(folder, NODE, source / "scripts" / "generate.mjs", told=described)
    run(source, NODE, folder / "node_modules" / "typescript" / "bin" / "tsc")
    (packed,) = json.loads(run(source, NPM, "pack", "--json", "--loglevel=error"))
    with tarfile.open(source / packed["filename"]) as package:
        package.extractall(folder, filter="data", members=_within(package, folder / "node_modules" / "hmem"))
    (folder / "packed.json").write_text(json.dumps(packed))
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    shutil.copytree(source / "test", folder / "test")
    (folder / "test" / "errors.json").write_text(json.dumps(json.loads(described)["errors"]))
    for number, example in enumerate(_examples()):
        (folder / "test" / f"example{number}.ts").write_text(example)
    return folder


def _described() -> str:
    """What the package is made from, as the server tells it."""
    return run(ROOT, sys.executable, CLIENT / "scripts" / "describe.py")


def _within(package: tarfile.TarFile, folder: Path) -> list[tarfile.TarInfo]:
    """The members of a package, under the folder where npm would put them."""
    members = package.getmembers()
    for member in members:
        member.name = str(Path("node_modules", folder.name, *Path(member.name).parts[1:]))
    return members


def _examples() -> list[str]:
    return _EXAMPLE.findall((CLIENT / "README.md").read_text())


def run(folder: Path, *command: str | Path, told: str | None = None, also: Mapping[str, str] | None = None) -> str:
    """Run a program and return what it says; its failure is the test's, with all that it said."""
    done = subprocess.run(
        command, cwd=folder, input=told, env={**node_environment(), **(also or {})}, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


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
    assert packed["version"] == json.loads(_described())["openapi"]["info"]["version"]


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
        for number in range(len(_examples())):
            example = compiled / "test" / "js" / f"example{number}.js"
            text = example.read_text().replace("http://127.0.0.1:8765", site.address)
            example.write_text(text.replace("http://127.0.0.1:8766/v1", model.url))
            said.append(run(compiled, NODE, example, also={"HOME": os.environ.get("HOME", str(tmp_path))}))
    assert len(said) == 7
    assert "I adopted a puppy named Coco" in said[0]
    assert "Maria\nsure" in said[1]
    assert "I visited city 4" in said[2]
    assert "422" in said[3]
    assert "Coco" in said[4]
