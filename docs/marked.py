"""The generated part of a page: what stands between two markers, written anew or compared."""

import sys
from pathlib import Path


def keep(page: Path, text: str, command: str) -> int:
    """Write the text between the page's markers; with ``--check`` only compare. The exit code: 1 when stale."""
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
