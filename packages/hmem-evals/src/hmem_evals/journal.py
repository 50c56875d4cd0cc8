"""Journal of an evaluation on disk, line by line, from which an interrupted run resumes.

The first line identifies the evaluation; the journal of another one is started over.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec

from hmem_evals.asking import Gold, Outcome
from hmem_evals.conversations import Conversation, Question

_FILE: Final = "outcomes.jsonl"
# Fields of an outcome that come from the dataset.
_CONTEXT_FIELDS: Final = ("question", "gold")
# Version of the lines' format; a journal of another one is started over.
_FORM: Final = 2


def digest(conversations: Sequence[Conversation], facts: Mapping[str, Any]) -> str:
    """Return a digest that identifies an evaluation by its data and parameters."""
    hasher = blake2b(
        json.dumps({**facts, "hmem": version("hmem"), "journal": _FORM}, sort_keys=True, default=str).encode(),
        digest_size=16,
    )
    for conversation in conversations:
        hasher.update(repr(conversation).encode("utf-8", "surrogatepass"))
    return hasher.hexdigest()


class Journal:
    """Journal in a folder, created if missing. Without a folder it keeps nothing on disk."""

    def __init__(self, folder: Path | None, key: str) -> None:
        self._file = None if folder is None else folder / _FILE
        self._entries: dict[str, dict[str, Any]] = {}
        if folder is None or self._file is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        lines = _lines(self._file)
        if not lines or lines[0].get("run") != key:
            for old in folder.iterdir():
                if old.suffix in (".hmem", ".jsonl") or ".hmem-" in old.name:
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
            lines = [{"run": key}]
        self._entries = {line["of"]: line for line in lines if "of" in line}
        # This drops a last line that was cut off.
        self._file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the entry under a key, or None."""
        return self._entries.get(key)

    def note(self, key: str, content: Mapping[str, Any]) -> None:
        """Append an entry under a key."""
        line = {"of": key, **content}
        self._entries[key] = line
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps(line)}\n")

    def outcome(self, key: str, question: Question, gold: Gold) -> Outcome | None:
        """Return the outcome of a question, or None if it was not asked yet."""
        line = self.get(key)
        if line is None:
            return None
        fields = {**line["outcome"], "question": question, "gold": gold}
        return msgspec.convert(fields, Outcome, from_attributes=True)

    def note_outcome(self, key: str, outcome: Outcome) -> None:
        """Append the outcome of a question."""
        fields: dict[str, Any] = msgspec.to_builtins(outcome)
        self.note(
            key,
            {"question": outcome.question.id, "outcome": {k: v for k, v in fields.items() if k not in _CONTEXT_FIELDS}},
        )


def _lines(file: Path) -> list[dict[str, Any]]:
    """Return the lines of a journal up to the first broken one."""
    if not file.exists():
        return []
    entries: list[dict[str, Any]] = []
    for line in file.read_text("utf-8").splitlines():
        try:
            entries.append(json.loads(line))
        except ValueError:
            break
    return entries
