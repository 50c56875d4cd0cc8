"""The room of the papers is loaded when one of their recipes is named, and not by a user of ``fusion``."""

import subprocess
import sys
from pathlib import Path

import pytest

from hmem_evals.talks import DATA

TRY = """
import sys
from hmem import Memory
from hmem_evals.talks import load, questions

talk = load("texting")[0]
path, analyst, recipe = sys.argv[1:]
with Memory(path, analyst=analyst, recipe=recipe or None, settings={"retrieval.record": "true"}) as memory:
    memory.add(talk.messages[:80])
    memory.flush()
    if analyst != "verbatim":
        while memory.model.run_jobs().calls:
            pass
    for asked in questions(talk)[:3]:
        assert memory.search(asked.text, 5, at=asked.at, kinds=("turn", "note", "summary")).evidence
        memory.context(asked.text, 500, at=asked.at)
        if analyst == "verbatim":
            memory.ask(asked.text, at=asked.at)
    for tree in ("calendar", "topic", "layers", "evolution"):
        assert memory.tree(tree) is not None
    for view in ("episodes", "events", "notes", "conflicts", "graph", "entities", "personas", "profile"):
        assert getattr(memory, view)() is not None
    memory.consolidate()
    assert memory.verify().ok
with Memory(path) as memory:
    memory.search("Who called?", 3)
    loaded = [name for name in sys.modules if name.startswith("hmem.papers")]
    assert bool(loaded) == bool(recipe), loaded
    if not recipe:
        assert memory.tiers().counts
        assert "hmem.papers.tiers" in sys.modules
        assert "hmem.papers.recipes" not in sys.modules
"""


@pytest.mark.parametrize(
    ("analyst", "recipe"),
    [("verbatim", ""), (f"recorded:{DATA / 'recordings' / 'texting'}", ""), ("verbatim", "orchestrated")],
)
def test_only_a_recipe_of_a_paper_loads_the_papers(tmp_path: Path, analyst: str, recipe: str) -> None:
    command = [sys.executable, "-c", TRY, str(tmp_path / "m.hmem"), analyst, recipe]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
