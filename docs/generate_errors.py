"""Write the list in docs/errors.md, from ``hmem.errors``; ``--check`` only compares."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from marked import keep

from hmem.errors import HmemError

COMMAND = "python docs/generate_errors.py"


def lines(error: type[HmemError], code: int | None = None, depth: int = 0) -> Iterator[str]:
    """Yield a line for an error and for each subclass, with its exit code if that is another than its base's."""
    about = re.split(r"(?<=\.) (?=[A-Z])", " ".join((error.__doc__ or "").split()).replace("``", "`"))[0]
    own = f" ({error.exit_code})" if error.exit_code != code else ""
    yield f"{'  ' * depth}- `{error.__name__}`{own}: {about}"
    for child in error.__subclasses__():
        if child.__module__ == HmemError.__module__:
            yield from lines(child, error.exit_code, depth + 1)


if __name__ == "__main__":
    sys.exit(keep(Path(__file__).parent / "errors.md", "\n".join(lines(HmemError)), COMMAND))
