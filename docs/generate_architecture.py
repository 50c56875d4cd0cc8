"""Writes the table of concepts in ARCHITECTURE.md, from the modules' docstrings; ``--check`` only compares."""

import ast
import re
import sys
from pathlib import Path

from marked import keep

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hmem"
COMMAND = "python docs/generate_architecture.py"

# The order in which a reader meets the rooms; new ones follow by name.
ROOMS = ("", "model", "storage", "index", "language", "hierarchy", "write", "evolve", "read", "interfaces", "evals")


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


def modules(room: str) -> list[Path]:
    """The modules of a room, a folder after the files beside it."""
    files = (SOURCE / room).rglob("*.py") if room else SOURCE.glob("*.py")
    return sorted(files, key=lambda path: (len(path.parts), path.parent, path.name))


def table() -> str:
    """One table for each room."""
    parts: list[str] = []
    for room in rooms():
        files = modules(room)
        about = summary(SOURCE / room / "__init__.py") if (SOURCE / room / "__init__.py").exists() else ""
        parts += [f"**{room or 'hmem'}**{f': {about}' if about else ''}", "", "| concept | file | what it holds |"]
        parts.append("|---|---|---|")
        for path in files:
            is_package = path.name == "__init__.py"
            if is_package and (path.parent == SOURCE / room or not summary(path)):
                continue
            concept = path.parent.name if is_package else path.stem
            place = path.relative_to(ROOT).as_posix()
            parts.append(f"| {concept.replace('_', ' ')} | [{place.removeprefix('src/')}]({place}) | {summary(path)} |")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.exit(keep(ROOT / "ARCHITECTURE.md", table(), COMMAND))
