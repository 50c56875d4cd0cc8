"""What hmem is shipped with and from: licences of its dependencies, their last releases, and reproducible wheels.

    python .ci/supply.py licences [--latest]   a table of what is installed here of hmem's dependencies
    python .ci/supply.py wheels DIR            build every wheel twice, compare, and keep one of each with its digest

``--latest`` asks pip's index for the last release of each direct dependency. ``wheels`` needs ``hatchling``.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
OURS = {
    "hmem": ROOT,
    **{
        f"hmem-{name}": ROOT / "packages" / f"hmem-{name}"
        for name in ("agents", "encoder", "english", "evals", "import", "postgres", "testing")
    },
}
# Extras that are for who develops hmem.
FOR_DEVELOPERS = {"dev", "docs", "mutants"}
# Not for the wheel, and not the same in two checkouts.
LEFT_OUT = (
    ".git", ".venv", "node_modules", "out", "dist", "__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache",
)  # fmt: skip

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


class Dependency(NamedTuple):
    """Installed distribution; ``needed_by`` is ``core`` or the extras that bring it."""

    name: str
    version: str
    licence: str
    needed_by: tuple[str, ...]
    direct: bool


def canonical(name: str) -> str:
    """Return a name in the form in which two spellings of it are equal."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(found: Distribution) -> str:
    """Return the licence that a distribution declares, as shortly as it does."""
    told = found.metadata
    if expression := told.get("License-Expression"):
        return expression
    classified = [
        each.rpartition(" :: ")[2] for each in told.get_all("Classifier") or () if each.startswith("License ::")
    ]
    first = (told.get("License") or "").strip().split("\n")[0]
    return "; ".join(classified) or first[:40] or "not declared"


def ours(name: str) -> dict[str, Any]:
    """Return the project table of a distribution of hmem's, as it is in this checkout."""
    return tomllib.loads((OURS[name] / "pyproject.toml").read_text("utf-8"))["project"]


def requirements(name: str, extra: str | None) -> list[str]:
    """Return what a distribution requires by itself, or by an extra."""
    if name in OURS:
        return ours(name).get("optional-dependencies", {})[extra] if extra else ours(name)["dependencies"]
    found: list[str] = []
    for line in distribution(name).requires or ():
        marker = _EXTRA.search(line.partition(";")[2])
        if (marker[1] if marker else None) == extra:
            found.append(line)
    return found


def closure(extra: str | None) -> dict[str, bool]:
    """Return what the core, or an extra, brings besides hmem's own distributions; True for what it asks for itself."""
    found: dict[str, bool] = {}
    waiting: list[tuple[str, str | None, bool]] = [("hmem", extra, True)]
    seen: set[tuple[str, str | None]] = set()
    while waiting:
        name, asked, mine = waiting.pop()
        if (name, asked) in seen:
            continue
        seen.add((name, asked))
        try:
            lines = requirements(name, asked)
        except PackageNotFoundError:
            # Of another platform, or not installed here.
            continue
        for line in lines:
            match = _REQUIREMENT.match(line)
            assert match is not None
            other = canonical(match[1])
            if other not in OURS:
                found[other] = found.get(other, False) or mine
            inner = [part.strip() for part in (match[2] or "").split(",") if part.strip()]
            waiting += [(other, each, mine and other in OURS) for each in (None, *inner) if each or other != "hmem"]
    return {name: mine for name, mine in found.items() if installed(name)}


def installed(name: str) -> bool:
    """Tell if a distribution is installed here."""
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def dependencies() -> list[Dependency]:
    """Return all that hmem can bring and that is installed here, by name."""
    extras = ours("hmem")["optional-dependencies"].keys() - FOR_DEVELOPERS
    bringers: dict[str, list[str]] = {}
    direct: set[str] = set()
    for extra in (None, *sorted(extras)):
        for name, asked in closure(extra).items():
            bringers.setdefault(name, []).append(extra or "core")
            direct |= {name} if asked else set()
    made = []
    for name, by in sorted(bringers.items()):
        found = distribution(name)
        needed_by = ("core",) if "core" in by else tuple(by)
        made.append(Dependency(name, found.version, licence_of(found), needed_by, name in direct))
    return made


def last_release(name: str) -> str:
    """Return the version of a distribution's last release by pip's index; "?" if pip does not tell."""
    command = [sys.executable, "-m", "pip", "index", "versions", name]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    match = re.match(r"\S+ \(([^)]+)\)", said)
    return match[1] if match else "?"


def licences(*, latest: bool) -> None:
    """Print the table of licences."""
    print(f"{'distribution':<34} {'installed':<12} {'last release' if latest else '':<14} {'needed by':<34} licence")
    for each in dependencies():
        last = last_release(each.name) if latest and each.direct else ""
        mark = "" if each.direct else "  "
        print(f"{mark + each.name:<34} {each.version:<12} {last:<14} {', '.join(each.needed_by):<34} {each.licence}")


# Wheels.


def epoch() -> str:
    """Return the time of the last commit, for all files of a wheel."""
    told = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    return os.environ.get("SOURCE_DATE_EPOCH") or told.stdout.strip() or "1577836800"


def build(source: Path, into: Path) -> Path:
    """Build the wheel of a copy of a distribution, and return it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "source"
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(into)]
        subprocess.run(
            command, cwd=copy, check=True, capture_output=True, env=os.environ | {"SOURCE_DATE_EPOCH": epoch()}
        )
    (made,) = into.glob("*.whl")
    return made


def wheels(into: Path) -> int:
    """Build each wheel twice and compare; return 1 if one differs."""
    into.mkdir(parents=True, exist_ok=True)
    different = 0
    for source in OURS.values():
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            made = [build(source, Path(folder)) for folder in (one, other)]
            digests = [sha256(wheel.read_bytes()).hexdigest() for wheel in made]
            shutil.copy(made[0], into)
            same = digests[0] == digests[1]
            different += not same
            print(f"{digests[0]}  {made[0].name}{'' if same else '  DIFFERS when built again'}")
    return 1 if different else 0


def main() -> int:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("licences").add_argument("--latest", action="store_true")
    commands.add_parser("wheels").add_argument("into", type=Path)
    asked = parser.parse_args()
    if asked.command == "wheels":
        return wheels(asked.into)
    licences(latest=asked.latest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
