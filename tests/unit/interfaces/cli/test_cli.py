"""The page of the commands."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]


def test_the_page_of_the_commands_is_up_to_date() -> None:
    script = ROOT / "docs" / "generate_cli.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
