"""The npm package `hmem`: built, packed, and installed as npm would."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.hosts.environments import NODE, NPM, ROOT, node_environment, npm_environment

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
_EXAMPLE: Final = re.compile(r"^```ts\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run(folder: Path, *command: str | Path, told: str | None = None, also: Mapping[str, str] | None = None) -> str:
    """Run a program and return what it says; its failure is the test's, with all that it said."""
    done = subprocess.run(
        command, cwd=folder, input=told, env={**node_environment(), **(also or {})}, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def described() -> str:
    """What the package is made from, as the server tells it."""
    return run(ROOT, sys.executable, CLIENT / "scripts" / "describe.py")


def examples() -> list[str]:
    """The examples of the package's README."""
    return _EXAMPLE.findall((CLIENT / "README.md").read_text())


def pack() -> tuple[Path, dict[str, Any]]:
    """Build the package beside what it builds with; return the file that npm would publish, and what npm says of it."""
    folder = npm_environment("typescript", PACKAGES)
    source = folder / "package"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(CLIENT, source, ignore=shutil.ignore_patterns("node_modules", "dist", "generated"))
    run(folder, NODE, source / "scripts" / "generate.mjs", told=described())
    run(source, NODE, folder / "node_modules" / "typescript" / "bin" / "tsc")
    (packed,) = json.loads(run(source, NPM, "pack", "--json", "--loglevel=error"))
    return source / packed["filename"], packed


def install(file: Path, folder: Path) -> Path:
    """Install a packed package in a folder, where npm would put it; npm itself would remove the others."""
    installed = folder / "node_modules" / "hmem"
    shutil.rmtree(installed, ignore_errors=True)
    with tarfile.open(file) as package:
        members = package.getmembers()
        for member in members:
            # All that is in it stands under `package`.
            member.name = str(Path(*Path(member.name).parts[1:]))
        package.extractall(installed, members, filter="data")
    return installed
