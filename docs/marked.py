"""Generated part of a page, between two markers: written or compared."""

import sys
from pathlib import Path


def keep(page: Path, text: str, command: str) -> int:
    """Write the text between the page's markers; with ``--check`` only compare. Return the exit code: 1 if stale."""
    begin, end = f"<!-- begin: {command} -->\n", "<!-- end -->\n"
    present = page.read_text("utf-8")
    before, found, rest = present.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        print(
            f"{page} lacks its markers - put {begin.strip()} and {end.strip()} on lines of their own", file=sys.stderr
        )
        return 1
    wanted = f"{before}{begin}\n{text.strip()}\n\n{end}{after}"
    if "--check" in sys.argv[1:]:
        if wanted != present:
            print(f"{page} is stale - run `make docs`", file=sys.stderr)
            return 1
        return 0
    page.write_text(wanted, "utf-8")
    return 0
