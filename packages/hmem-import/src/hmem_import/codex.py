"""Rollouts of Codex: JSONL with an entry on each line, from ``~/.codex/sessions``."""

import re
from collections.abc import Iterator
from typing import Any, Final

from hmem.language.prompt_text import without_frames
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, digest, fields, nonempty, objects, text
from hmem_import.tree import ImportTree, Item, json_lines

NAME: Final = "codex"
# What Codex puts before the words of the user, as messages of theirs.
_INSERTED: Final = re.compile(
    r"<(environment_context|user_instructions|INSTRUCTIONS|turn_aborted|permissions instructions|skill|"
    r"user_shell_command|collaboration_mode)[ >].*|# AGENTS\.md instructions.*",
    re.DOTALL,
)


def looks_like(line: Any) -> bool:
    """Tell if a line is the head of a rollout, of this form or of that until September 2025."""
    entry = fields(line)
    is_old = {"id", "timestamp", "instructions"} <= entry.keys() and "type" not in entry
    return is_old or (entry.get("type") == "session_meta" and "payload" in entry)


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield what was said in sessions, without tools, thoughts and what Codex inserts."""

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        session, start = file.title.partition(".")[0], ""
        for item in json_lines(file):
            entry = fields(item.message)
            payload = fields(entry.get("payload"))
            if looks_like(entry):
                head = payload or entry
                session, start = text(head.get("id")) or session, text(head.get("timestamp"))
            message = _message(payload if entry.get("type") == "response_item" else entry, entry, session, start)
            if message is not None or item.error is not None:
                yield item._replace(message=message)

    return tree.items(of_file, None if tree.is_single else lambda name: name.lower().endswith(".jsonl"))


def _message(message: Fields, entry: Fields, session: str, start: str) -> dict[str, Any] | None:
    role = text(message.get("role"))
    if message.get("type") != "message" or role not in ("user", "assistant"):
        return None
    texts = (text(part.get("text")) for part in objects(message.get("content")))
    body = without_frames("\n\n".join(words for words in texts if words and not _INSERTED.fullmatch(words))).strip()
    if not body:
        return None
    time = text(entry.get("timestamp")) or start
    mark = text(message.get("id")) or digest(text(entry.get("timestamp")), role, body)
    return nonempty(
        text=body, role=role, at=time, session=session, message_id=f"{NAME}:{session}:{mark}", agent=NAME
    )  # fmt: skip
