"""Environments of peers: each has its own folder, made once with what pip installs."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from hmem.errors import HmemError
from hmem_evals.peers.catalogue import Peer


def interpreter(peer: Peer, home: Path) -> Path:
    """Return the interpreter of a peer's environment below ``home``, which is made if it is missing.

    Raises:
        HmemError: it cannot be made, or pip cannot install the packages.
    """
    if not peer.requirements:
        return Path(sys.executable)
    folder = folder_of(peer, home)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    ready = folder / ".ready"
    if not ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        _run(peer, [sys.executable, "-m", "venv", str(folder)])
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run(peer, [*pip, *peer.requirements])
        ready.touch()
    return python


def folder_of(peer: Peer, home: Path) -> Path:
    """Return the folder of a peer's environment."""
    # Other requirements make another folder, so that a changed list is installed anew.
    return (home / f"{peer.name}-{sha256(repr(peer.requirements).encode()).hexdigest()[:8]}").absolute()


def _run(peer: Peer, command: list[str]) -> None:
    process = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed list of packages
    if process.returncode != 0:
        lines = process.stderr.strip().splitlines() or [f"exit code {process.returncode}"]
        raise HmemError(f"the environment of {peer.name} cannot be made ({lines[-1]}) - leave it out by --peers")
