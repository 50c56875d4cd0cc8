"""Memories with work for a language model, beside their rows, so that workers find them without asking each."""

from typing import Final

from hmem.storage.model_queue import READ_FROM
from hmem_postgres.transactions import WriteTransaction

_ADD: Final = """
    INSERT INTO hmem.due AS kept (memory, due) VALUES (%s, %s)
    ON CONFLICT (memory) DO UPDATE SET due = least(kept.due, excluded.due), renewed = true"""


def add_due(writing: WriteTransaction, memory: str, at: int = 0) -> None:
    """Let it wait to make a memory's work due at a time, if a model reads it."""
    if READ_FROM in writing.head.settings:
        writing.do(_ADD, (memory, at))
