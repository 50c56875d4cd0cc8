"""What an evaluation has done so far, kept on disk line by line: one that was interrupted goes on where it stopped.

The first line says what is evaluated and how; a journal of anything else is begun anew.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec

from hmem.interfaces.formats.conversations import Conversation, Question
from hmem_evals.asking import Gold, Outcome

_FILE: Final = "outcomes.jsonl"
# Of an outcome, what the data that are evaluated say.
_GIVEN: Final = ("question", "gold")
# What a line looks like; a journal of another form is begun anew.
_FORM: Final = 2


def digest(conversations: Sequence[Conversation], facts: Mapping[str, Any]) -> str:
    """What tells one evaluation from another: the data, and all that it is run by."""
    made = blake2b(
        json.dumps({**facts, "hmem": version("hmem"), "journal": _FORM}, sort_keys=True, default=str).encode(),
        digest_size=16,
    )
    for conversation in conversations:
        made.update(repr(conversation).encode("utf-8", "surrogatepass"))
    return made.hexdigest()


class Journal:
    """The journal in a folder, made when it is not there. Without a folder it keeps nothing."""

    def __init__(self, folder: Path | None, key: str) -> None:
        self._file = None if folder is None else folder / _FILE
        self._known: dict[str, dict[str, Any]] = {}
        if folder is None or self._file is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        lines = _lines(self._file)
        if not lines or lines[0].get("run") != key:
            for old in folder.iterdir():
                if old.suffix in (".hmem", ".jsonl") or ".hmem-" in old.name:
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
            lines = [{"run": key}]
        self._known = {line["of"]: line for line in lines if "of" in line}
        # A last line that was cut off is written anew.
        self._file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")

    def get(self, of: str) -> dict[str, Any] | None:
        """What was noted, if anything."""
        return self._known.get(of)

    def note(self, of: str, told: Mapping[str, Any]) -> None:
        """Note that something is done."""
        line = {"of": of, **told}
        self._known[of] = line
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(line)}\n")

    def outcome(self, of: str, question: Question, gold: Gold) -> Outcome | None:
        """The outcome of a question, if it was asked already."""
        line = self.get(of)
        if line is None:
            return None
        kept = {**line["outcome"], "question": question, "gold": gold}
        return msgspec.convert(kept, Outcome, from_attributes=True)

    def note_outcome(self, of: str, outcome: Outcome) -> None:
        """Note that a question was asked, with all that came of it."""
        told: dict[str, Any] = msgspec.to_builtins(outcome)
        self.note(of, {"question": outcome.question.id, "outcome": {k: v for k, v in told.items() if k not in _GIVEN}})


def _lines(file: Path) -> list[dict[str, Any]]:
    """The whole lines of a journal."""
    if not file.exists():
        return []
    made: list[dict[str, Any]] = []
    for line in file.read_text("utf-8").splitlines():
        try:
            made.append(json.loads(line))
        except ValueError:
            break
    return made
