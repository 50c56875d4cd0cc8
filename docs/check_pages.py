"""Check that the paths and decisions that pages name exist, and that the pages do not grow: `make check` runs it.

A path is a code span, or a word of a plain block, that has a slash and begins with a folder of the repository or of
``src/hmem``, or ends as its files do. It is looked for from the repository, the page, the library and each package.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# Words in the pages of the repository's root and of docs together. It is only ever lowered.
MOST_WORDS: Final = 40_000

ROOT: Final = Path(__file__).parent.parent
FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN: Final = re.compile(r"`([\w.-]+/[\w./-]*)(?:::\w+)?`")
DRAWN: Final = re.compile(r"(?<![\w/.])[a-z_]+/[\w/]*\w\.py\b")
DECISION: Final = re.compile(r"\bdecisions?[/ ]\[?(\d{4})")
SUFFIXES: Final = {".py", ".md", ".toml", ".sql", ".ts", ".mjs", ".svg", ".txt", ".yml"}
# What is made lies there, and is in no checkout.
OUTPUTS: Final = {"out", "dist"}


def tracked(*patterns: str) -> list[Path]:
    """Return the files of the repository that match."""
    command = ["git", "ls-files", "-z", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [path for name in names if name and (path := ROOT / name).exists()]


def bases() -> list[Path]:
    """Return the folders from which a page may name a path."""
    packages = sorted((ROOT / "packages").iterdir())
    sources = [module for package in packages for module in (package / "src").glob("*")]
    return [ROOT, ROOT / "src", ROOT / "src/hmem", ROOT / "explorer", ROOT / "clients/typescript", *packages, *sources]


def named(text: str) -> Iterator[str]:
    """Yield what looks like a path in a page."""
    yield from SPAN.findall(FENCE.sub("", text))
    for language, block in FENCE.findall(text):
        if language in {"", "text"}:
            yield from DRAWN.findall(block)


def missing(page: Path, folders: list[Path]) -> Iterator[str]:
    """Yield the paths that a page names and that do not exist; `NAME` in one stands for anything."""
    tops = {path.name for base in (ROOT, ROOT / "src/hmem") for path in base.iterdir() if path.is_dir()}
    for name in named(page.read_text("utf-8")):
        top, suffix = name.split("/")[0], Path(name).suffix
        if top in OUTPUTS or not (top in tops or suffix in SUFFIXES):
            continue
        pattern = name.rstrip("/").replace("NAME", "*")
        if not any(any(folder.glob(pattern)) for folder in (page.parent, *folders)):
            yield name


def main() -> int:
    """Print what is wrong, and return 1 if anything is."""
    pages = tracked(":(glob)*.md", "docs/*.md")
    decisions = {path.name[:4] for path in (ROOT / "docs/decisions").glob("[0-9]*.md")}
    folders, wrong = bases(), list[str]()
    for page in (*pages, *tracked("packages/*.md", "tests/*.md", "clients/*.md", "integrations/*.md")):
        wrong += [f"{page.relative_to(ROOT)}: there is no {name}" for name in missing(page, folders)]
    for source in (*pages, *tracked("*.py")):
        absent = set(DECISION.findall(source.read_text("utf-8"))) - decisions
        wrong += [f"{source.relative_to(ROOT)}: there is no decision {number}" for number in sorted(absent)]
    words = sum(len(page.read_text("utf-8").split()) for page in pages)
    if words > MOST_WORDS:
        wrong.append(f"the pages have {words} words, and {MOST_WORDS} are allowed - shorten one")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
