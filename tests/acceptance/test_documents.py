"""The documents are true: generated parts are up to date, links lead somewhere, figures are those of the code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import hmem
from hmem.recipes import FLAT_WEIGHTS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")])
# The tables of ablations are made of measurements, which take hours.
GENERATORS = sorted(path for path in (ROOT / "docs").glob("generate_*.py") if path.stem != "generate_ablations")


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda path: path.stem)
def test_the_generated_part_is_what_would_be_generated_now(generator: Path) -> None:
    command = [sys.executable, generator, "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_page_on_recall_gives_the_weights_that_are_used() -> None:
    page = (ROOT / "docs" / "recall.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z._]+)` \| ([\d.]+) \|", page, re.MULTILINE)
    assert {term: float(weight) for term, weight in rows} == FLAT_WEIGHTS


def test_the_page_on_python_has_every_public_name() -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    named = set(re.findall(r"^\.\. auto(?:class|function):: hmem\.(\w+)$", page, re.MULTILINE))
    assert named == set(hmem.__all__) - {"errors"}


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    decisions = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert re.findall(r"\]\((\d{4}-[a-z-]+\.md)\)", (folder / "README.md").read_text("utf-8")) == decisions


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_between_the_pages_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
