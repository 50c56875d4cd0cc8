"""The documents are true: links lead somewhere, and names and figures are those of the code."""

import re
from pathlib import Path

import hmem
from hmem.recipes import FLAT_WEIGHTS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")])


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


def test_every_link_between_the_pages_leads_somewhere() -> None:
    links = {page: re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")) for page in PAGES}
    broken = [(page.name, link) for page, found in links.items() for link in found if not (page.parent / link).exists()]
    assert broken == []
