"""Environments of real host programs: npm packages and Python packages, each installed once under out/hosts.

`make hosts` sets ``HMEM_HOSTS=install``: what is missing is installed from the registries. Without it a test whose
program is missing is skipped by its name.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
HOSTS: Final = ROOT / "out" / "hosts"
# Node 24 and npm come from a wheel of the development environment.
NODE: Final = Path(sys.executable).with_name("node")
NPM: Final = Path(sys.executable).with_name("npm")
_INSTALL: Final = os.environ.get("HMEM_HOSTS") == "install"


def node_environment() -> dict[str, str]:
    """Return the process's environment, with the wheel's Node first on the path."""
    return {**os.environ, "PATH": f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def npm_environment(name: str, packages: Sequence[str]) -> Path:
    """Return the folder that has these npm packages in its ``node_modules``, or skip the test."""

    def install(folder: Path) -> None:
        (folder / "package.json").write_text('{"private": true}')
        arguments = ["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error", *packages]
        subprocess.run([NPM, *arguments], cwd=folder, env=node_environment(), check=True, timeout=900)

    return _environment(name, packages, install)


def python_environment(name: str, requirements: Sequence[str], *, with_hmem: bool = True) -> Path:
    """Return the interpreter of an environment that has these packages, and this hmem, or skip the test."""

    def install(folder: Path) -> None:
        subprocess.run(["sh", ROOT / ".ci" / "venv", folder], check=True, timeout=300)
        packages = ("hmem-agents", "hmem-encoder", "hmem-english", "hmem-import", "hmem-testing")
        places = [ROOT, *(ROOT / "packages" / name for name in packages)] if with_hmem else []
        local = [argument for place in places for argument in ("--editable", str(place))]
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # pip looks at names before it looks at folders: an extra's hmem-agents has to be there already.
        for chosen in (local, requirements):
            if chosen:
                subprocess.run([*pip, *chosen], check=True, timeout=900)

    return _environment(name, requirements, install) / "bin" / "python"


def _environment(name: str, packages: Sequence[str], install: Callable[[Path], None]) -> Path:
    # Other packages make another folder, so that a changed list is installed anew.
    folder = HOSTS / f"{name}-{sha256(repr(sorted(packages)).encode()).hexdigest()[:8]}"
    ready = folder / ".ready"
    if ready.exists():
        return folder
    if not _INSTALL:
        pytest.skip(f"{', '.join(packages)}: not installed - run `make hosts`")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    install(folder)
    ready.touch()
    return folder
