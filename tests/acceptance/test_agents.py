"""The examples for frameworks of agents run as they stand, offline."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hmem import Memory

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"
# The frameworks of the development environment; `make hosts` runs the examples of the others.
INSTALLED = ("langgraph_store", "openai_agents_session", "pydantic_ai_memory")


@pytest.mark.parametrize("example", [EXAMPLES / f"{name}.py" for name in INSTALLED], ids=INSTALLED)
def test_an_example_tells_in_a_second_conversation_what_was_said_in_the_first(example: Path, path: Path) -> None:
    outside = {name: value for name, value in os.environ.items() if name not in ("OPENAI_BASE_URL", "MODEL")}
    done = subprocess.run(
        [sys.executable, "-W", "error", example, path],
        check=False,
        capture_output=True,
        text=True,
        env=outside,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, "")
    # The stand-in answers with the sentence of all that it was given that is most like the question.
    assert done.stdout.count("I adopted a puppy named Coco.") >= 2
    with Memory(path, create=False) as memory:
        assert "What is my puppy called?" in [turn.text for turn in memory.list()]
