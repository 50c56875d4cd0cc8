"""Exports in the forms in which programs write them, and the turns that each must become.

``python packages/hmem-import/tests/real_forms.py`` prints how many are right.
"""

import json
import sqlite3
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hmem.errors import HmemError
from hmem.formation.capture import Defaults, to_turns
from hmem_import.formats import read

FOLDER: Final = Path(__file__).with_name("forms")
EXPECTED: Final[dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text("utf-8"))


def became(name: str, folder: Path) -> Any:
    """Return the format that a form is read as, and its turns: time, speaker, role, text and caption; or the error.

    Of what has no time of its own, it is not told.
    """
    path = FOLDER / name
    if path.suffix == ".sql":
        path = folder / "chat.db"
        with sqlite3.connect(path) as database:
            database.executescript((FOLDER / name).read_text("utf-8"))
    try:
        source = read(path)
        items = list(source.items)
    except HmemError as error:
        return str(error).replace(f"{FOLDER}/", "")
    turns: list[Any] = []
    for item in items:
        message = item.message
        timed = source.format != "document" and ("at" in message or "timestamp" in message)
        for turn in to_turns(message, Defaults(UTC)).turns:
            time = turn.at.isoformat().removesuffix("+00:00") if timed else None
            turns.append([time, turn.speaker, turn.role, turn.text, *([turn.caption] if turn.caption else [])])
    return [source.format, *turns]


def main() -> None:
    """Print which forms are not read right, and how many are."""
    wrong = 0
    with TemporaryDirectory() as folder:
        for name, expected in EXPECTED.items():
            if (read_as := became(name, Path(folder))) != expected:
                wrong += 1
                print(f"{name}:\n  {read_as}\n  {expected}")
    print(f"{len(EXPECTED) - wrong} of {len(EXPECTED)} forms are read right")


if __name__ == "__main__":
    main()
