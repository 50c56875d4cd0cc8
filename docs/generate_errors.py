"""Write the table in docs/errors.md, from ``hmem.errors``; ``--check`` only compares."""

import sys
from pathlib import Path

from marked import keep

from hmem.errors import HmemError

COMMAND = "python docs/generate_errors.py"


def rows(error: type[HmemError], depth: int = 0) -> list[str]:
    """Return a row for an error and for each subclass."""
    about = " ".join((error.__doc__ or "").split()).replace("``", "`").replace("|", "\\|")
    own = [f"| {'&nbsp;&nbsp;' * depth}`{error.__name__}` | {error.exit_code} | {about} |"]
    children = [child for child in error.__subclasses__() if child.__module__ == HmemError.__module__]
    return own + [row for child in children for row in rows(child, depth + 1)]


if __name__ == "__main__":
    head = ["| error | exit code | what it says |", "|---|---|---|"]
    sys.exit(keep(Path(__file__).parent / "errors.md", "\n".join(head + rows(HmemError)), COMMAND))
