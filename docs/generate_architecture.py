"""Write the table of rooms in ARCHITECTURE.md, from the packages' docstrings; ``--check`` only compares."""

import ast
import re
import sys
from pathlib import Path

from marked import keep

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
    return first.replace("``", "`").replace("|", "\\|")


def packages(source: Path) -> list[Path]:
    """Return the folders with code below a source: rooms in reading order, each before what is inside it."""
    found = {path.parent for path in source.rglob("*.py")}

    def order(folder: Path) -> tuple[int, tuple[str, ...]]:
        parts = folder.relative_to(source).parts
        return (ROOMS.index(parts[0]) if parts and parts[0] in ROOMS else len(ROOMS) if parts else -1, parts)

    return sorted(found, key=order)


def table() -> str:
    """Return one table for the library, and one for each distribution beside it."""
    sources = [SOURCE, *sorted((ROOT / "packages").glob("*/src/*/"))]
    return "\n".join(line for source in sources for line in table_of(source))


def table_of(source: Path) -> list[str]:
    """Return the lines of one table: a row for each folder, with what it holds and the names of its modules."""
    lines = [f"**{source.name}**", "", "| folder | what it holds | modules |", "|---|---|---|"]
    for folder in packages(source):
        modules = sorted(path.stem for path in folder.glob("*.py") if path.name != "__init__.py")
        package = folder / "__init__.py"
        about = summary(package) if package.exists() else ""
        place = folder.relative_to(ROOT).as_posix()
        shown = folder.relative_to(source.parent).as_posix()
        names = " ".join(f"`{name.replace('__main__', 'main')}`" for name in modules)
        lines.append(f"| [{shown}]({place}) | {about} | {names} |")
    return [*lines, ""]


if __name__ == "__main__":
    sys.exit(keep(ROOT / "ARCHITECTURE.md", table(), COMMAND))
