"""Observations and session summaries of LoCoMo, which a model made, as records for the analyst ``recorded:FILE``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hmem_evals import locomo
from hmem_evals.conversations import Conversation, not_this_format, read_json, repaired

_SESSION: Final = re.compile(r"(session_\d+)_(?:observation|summary)")


def records(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the notes and the summaries of all conversations of a LoCoMo file.

    Raises:
        InvalidFile: the file is missing or not LoCoMo's, or has neither observations nor summaries.
    """
    conversations, count = locomo.load(path), 0
    for conversation, sample in zip(conversations, read_json(path), strict=True):
        try:
            for each in (*_notes(conversation, sample), *_summaries(conversation, sample)):
                count += 1
                yield each
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise not_this_format(path, "LoCoMo", error) from error
    if not count:
        raise not_this_format(path, "LoCoMo", ValueError("no observations"))


def _notes(conversation: Conversation, sample: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    texts = {message["message_id"]: message["text"] for message in conversation.messages}
    for by_person in sample.get("observation", {}).values():
        for person, observed in by_person.items():
            for note, sources in observed:
                known = [each for each in _ids(sources) if texts.get(each, "").strip()]
                if known:
                    # Numbers of turns repeat in each conversation, their texts hardly.
                    named = [{"message_id": each, "text": texts[each]} for each in known]
                    yield {"note": note, "about": person, "sources": named}


def _ids(sources: str | Sequence[str]) -> tuple[str, ...]:
    return repaired([sources] if isinstance(sources, str) else list(sources))


def _summaries(conversation: Conversation, sample: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for key, summary in sample.get("session_summary", {}).items():
        match = _SESSION.fullmatch(key)
        said = [message for message in conversation.messages if match and message["session"] == match[1]]
        if said and summary.strip():
            yield {
                "summary": summary,
                "since": min(message["at"] for message in said).isoformat(),
                "until": max(message["at"] for message in said).isoformat(),
                "speakers": sorted({message["speaker"] for message in said}),
            }
