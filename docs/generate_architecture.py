"""Write the lists of rooms and of recall's stages in ARCHITECTURE.md, from docstrings; ``--check`` only compares."""

import ast
import re
import sys
from pathlib import Path

from marked import keep

from hmem.retrieval.stages import STAGES

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "hmem"
COMMAND = "python docs/generate_architecture.py"

# The order in which a reader meets the rooms; new ones follow by name.
ROOMS = ("api", "model", "formation", "retrieval", "evolution", "derived", "corpus", "language", "storage", "recipes")


def summary(path: Path) -> str:
    """Return the first sentence of a module's docstring, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    paragraph = " ".join(docstring.split("\n\n")[0].split())
    first = re.split(r"(?<=\.) (?=[A-Z])", paragraph)[0]
    return first.replace("``", "`")


def rooms(source: Path) -> list[Path]:
    """Return the folders with code right below a source, in reading order."""
    folders = {source / path.relative_to(source).parts[0] for path in source.glob("*/**/*.py")}
    return sorted(folders, key=lambda room: (ROOMS.index(room.name) if room.name in ROOMS else len(ROOMS), room.name))


def table() -> str:
    """Return a line for each room of the library, and one for each distribution beside it."""
    return "\n".join(map(line, [*rooms(SOURCE), *sorted((ROOT / "packages").glob("*/src/*/"))]))


def line(folder: Path) -> str:
    """Return the line of a folder: what it holds, and the names of the folders in it."""
    place = folder.relative_to(ROOT).as_posix()
    shown = folder.relative_to(SOURCE.parent if SOURCE in folder.parents else folder.parent).as_posix()
    inside = ", ".join(room.name for room in rooms(folder))
    return f"- [{shown}]({place}){f' ({inside})' if inside else ''}: {summary(folder / '__init__.py')}"


def stages() -> str:
    """Return a line for each stage of a recall, in order."""
    return "\n".join(f"- {stage.phase}, `{stage.name}`: {(stage.apply.__doc__ or '').strip()}" for stage in STAGES)


if __name__ == "__main__":
    page = ROOT / "ARCHITECTURE.md"
    sys.exit(keep(page, table(), COMMAND) or keep(page, stages(), f"{COMMAND} (stages)"))
