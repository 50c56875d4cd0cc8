"""Writes the table of concepts in ARCHITECTURE.md, from the modules' docstrings; ``--check`` only compares."""

import ast
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from marked import keep

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hmem"
COMMAND = "python docs/generate_architecture.py"

# The order in which a reader meets the rooms; new ones follow by name.
ROOMS = ("", "model", "storage", "index", "language", "hierarchy", "write", "evolve", "read", "interfaces")


def summary(path: Path) -> str:
    """The first sentence of a module's docstring, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    paragraph = " ".join(docstring.split("\n\n")[0].split())
    first = re.split(r"(?<=\.) (?=[A-Z])", paragraph)[0]
    return first.replace("``", "`").replace("|", "\\|")


def rooms() -> list[str]:
    """The folders right under the source, in reading order."""
    present = {path.parent.relative_to(SOURCE).parts[:1] for path in SOURCE.rglob("*.py")}
    names = {parts[0] if parts else "" for parts in present}
    return [name for name in ROOMS if name in names] + sorted(names - set(ROOMS))


def in_order(files: Iterable[Path]) -> list[Path]:
    """Modules, a folder after the files beside it."""
    return sorted(files, key=lambda path: (len(path.parts), path.parent, path.name))


def table() -> str:
    """One table for each room, and for each distribution beside the library."""
    parts: list[str] = []
    for room in rooms():
        files = (SOURCE / room).rglob("*.py") if room else SOURCE.glob("*.py")
        parts += table_of(room or "hmem", SOURCE / room, in_order(files))
    for source in sorted((ROOT / "packages").glob("*/src/*/")):
        parts += table_of(source.name, source, in_order(source.rglob("*.py")))
    return "\n".join(parts)


def table_of(name: str, folder: Path, files: Iterable[Path]) -> list[str]:
    """The lines of one table; what its folder says of itself stands above it."""
    package = folder / "__init__.py"
    about = summary(package) if package.exists() else ""
    lines = [f"**{name}**{f': {about}' if about else ''}", "", "| concept | file | what it holds |", "|---|---|---|"]
    for path in files:
        is_package = path.name == "__init__.py"
        if is_package and (path.parent == folder or not summary(path)):
            continue
        concept = path.parent.name if is_package else path.stem
        place = path.relative_to(ROOT).as_posix()
        shown = place.removeprefix("src/").rpartition("/src/")[2]
        lines.append(f"| {concept.replace('_', ' ')} | [{shown}]({place}) | {summary(path)} |")
    return [*lines, ""]


if __name__ == "__main__":
    sys.exit(keep(ROOT / "ARCHITECTURE.md", table(), COMMAND))
