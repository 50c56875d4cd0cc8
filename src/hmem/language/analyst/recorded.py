"""Recorded analyst: ``recorded:FILE``, notes and summaries that a model made earlier, added to the rules' results.

It measures what a model's notes add without asking a model. FILE is JSON lines, in UTF-8; each line is one of

- a note: ``{"note": "Ann has a dog.", "about": "Ann", "sources": [{"message_id": "m1", "text": "…"}]}``, with
  ``slot`` and ``value``, and ``kind`` (``fact``, ``preference`` or ``profile``) if they are known. Its last source
  states it; the others, just before in the session, complete it.
- a summary: ``{"summary": "…", "since": "2023-05-08T13:00Z", "until": "2023-05-08T14:00Z", "speakers": ["Ann"]}``,
  of what these people (all, if none are named) said in that time. It stands for a group of at least eight lines of it.

A source is a turn by its ``message_id``, its ``text``, or both. The rules read everything else: turns without a note,
and texts of other times.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, cast, get_args

from hmem.errors import InvalidFile, UnknownName
from hmem.language.analyst.base import AttributedText, Claim, Curation, Excerpt, Passage, Statement
from hmem.language.tokens import count_tokens
from hmem.language.verbatim.analyst import VerbatimAnalyst
from hmem.model.note import NOTE_KINDS, NoteKind
from hmem.model.turn import Turn

# Most statements of a turn, and most claims.
_STATEMENTS: Final = 32
_CLAIMS: Final = 16
# Slot of a note that names none.
_SLOT: Final = "noted"
# A summary of a whole conversation stands for no group of fewer lines.
_LEAST_LINES: Final = 8
_FIELDS: Final = {
    "note": {"note", "about", "sources", "slot", "value", "kind"},
    "summary": {"summary", "since", "until", "speakers"},
}


@dataclass(frozen=True, slots=True)
class RecordedNote:
    """Note about somebody or something, with the texts that its last source may have ("" for any)."""

    text: str
    about: str
    slot: str
    value: str
    kind: NoteKind
    source_text: str
    context: int


@dataclass(frozen=True, slots=True)
class RecordedSummary:
    """Summary of what some people said in a stretch of time; of anybody if they are not named."""

    text: str
    since: datetime
    until: datetime
    speakers: frozenset[str]

    def covers(self, group: Sequence[Excerpt]) -> bool:
        """Tell if a group is of enough lines, all of these people and of this time."""
        said_by = {line.speaker for line in group if line.speaker}
        if len(group) < _LEAST_LINES or (self.speakers and not said_by <= self.speakers):
            return False
        return all(self.since <= line.when <= self.until for line in group)


@dataclass(slots=True)
class Recording:
    """Contents of a file: notes by the message id, or else the text, of their last source; and summaries."""

    notes: dict[str, list[RecordedNote]] = field(default_factory=dict[str, list[RecordedNote]])
    summaries: list[RecordedSummary] = field(default_factory=list[RecordedSummary])

    def of(self, turn: Turn) -> list[RecordedNote]:
        """Return the notes of a turn."""
        keys = [f"id:{turn.message_id}"] if turn.message_id is not None else []
        found = (note for key in [*keys, f"text:{turn.text}"] for note in self.notes.get(key, ()))
        return [note for note in found if note.source_text in ("", turn.text)]


class RecordedAnalyst(VerbatimAnalyst):
    """The rules, with a recording's notes beside their own claims and its summaries in place of theirs."""

    def __init__(self, recording: Recording, made_by: str) -> None:
        super().__init__()
        self._recording = recording
        self._made_by = made_by

    @property
    def made_by(self) -> str:
        return f"{self._made_by}+{super().made_by}"

    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        made = super().curate(passages)
        return [
            [Curation(True, (*each.reasons, "noted")) if self._recording.of(turn) else each for turn, each in pairs]  # noqa: FBT003
            for pairs in _by_turn(passages, made)
        ]

    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        made = super().events(passages)
        return [
            [[*each, *self._statements(turn)][:_STATEMENTS] for turn, each in pairs]
            for pairs in _by_turn(passages, made)
        ]

    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        made = super().claims(
            passages, [self._own(passage, each) for passage, each in zip(passages, events, strict=True)]
        )
        return [
            [
                [*self._noted(turn, statements), *each][:_CLAIMS]
                for (turn, each), statements in zip(pairs, told, strict=True)
            ]
            for pairs, told in zip(_by_turn(passages, made), events, strict=True)
        ]

    def told(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[AttributedText]:
        made = super().summarise(groups, tokens)
        return [
            self._summary(group, tokens) or AttributedText(text, super(RecordedAnalyst, self).made_by)
            for group, text in zip(groups, made, strict=True)
        ]

    def summarise(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[str]:
        return [text for text, _ in self.told(groups, tokens)]

    def _statements(self, turn: Turn) -> Iterator[Statement]:
        return (Statement(note.text, context=note.context) for note in self._recording.of(turn))

    def _own(self, passage: Passage, events: Sequence[Sequence[Statement]]) -> list[Sequence[Statement]]:
        """Return the statements that the rules made themselves."""
        counts = [len(self._recording.of(turn)) for turn in passage.wanted]
        return [each[: max(len(each) - count, 0)] for each, count in zip(events, counts, strict=True)]

    def _noted(self, turn: Turn, statements: Sequence[Statement]) -> Iterator[Claim]:
        places = {statement.text: place for place, statement in enumerate(statements)}
        for note in self._recording.of(turn):
            if note.text in places:
                yield Claim(note.kind, note.about, note.slot, note.value, note.text, statement=places[note.text])

    def _summary(self, group: Sequence[Excerpt], tokens: int) -> AttributedText | None:
        """Return the shortest recorded summary that covers a group, or as much of it as fits; None without one."""
        covering = [each for each in self._recording.summaries if each.covers(group)]
        if not covering:
            return None
        chosen = min(covering, key=lambda each: each.until - each.since)
        text = ""
        for piece in self.lexicon.split(chosen.text):
            longer = f"{text} {piece.text}".strip()
            if count_tokens(longer) > tokens:
                break
            text = longer
        return AttributedText(text, self._made_by) if text else None


def _by_turn(passages: Sequence[Passage], made: Sequence[Sequence[Any]]) -> Iterator[list[tuple[Turn, Any]]]:
    return (list(zip(passage.wanted, each, strict=True)) for passage, each in zip(passages, made, strict=True))


def load(variant: str) -> RecordedAnalyst:
    """Return the analyst ``recorded:FILE``.

    Raises:
        UnknownName: no file is named.
        InvalidFile: the file is missing, or a line of it is neither a note nor a summary.
    """
    if not variant:
        raise UnknownName("name a file of recorded notes - write `recorded:FILE`")
    path = Path(variant)
    try:
        content = path.read_bytes()
        lines = content.decode("utf-8").splitlines()
    except FileNotFoundError as error:
        raise InvalidFile(f"there is no file {path} of recorded notes - check the path") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFile(f"{path} cannot be read ({error}) - recorded notes are JSON lines in UTF-8") from error
    made = f"recorded/{blake2b(content, digest_size=4).hexdigest()}"
    recording = Recording()
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                _record(recording, json.loads(line))
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise InvalidFile(
                    f"{path}, line {number}, is no recorded note or summary ({error}) - mend the line"
                ) from error
    return RecordedAnalyst(recording, made)


def _record(recording: Recording, said: Mapping[str, Any]) -> None:
    kind = "note" if "note" in said else "summary"
    if unknown := set(said) - _FIELDS[kind]:
        raise ValueError(f"unknown field: {min(unknown)}")
    if kind == "summary":
        speakers = frozenset(_text(name) for name in said.get("speakers", ()))
        summary = RecordedSummary(_text(said["summary"]), _time(said["since"]), _time(said["until"]), speakers)
        recording.summaries.append(summary)
        return
    sources = cast("list[Mapping[str, Any]]", said["sources"])
    last, text = sources[-1], _text(said["note"])
    note_kind = said.get("kind", "fact")
    if note_kind not in NOTE_KINDS:
        raise ValueError(f"no kind of note: {note_kind} - choose from {', '.join(get_args(NoteKind))}")
    source_text = _text(last["text"]) if "text" in last else ""
    key = f"id:{_text(last['message_id'])}" if "message_id" in last else f"text:{_text(last['text'])}"
    made = RecordedNote(
        text,
        _text(said["about"]),
        said.get("slot", _SLOT),
        said.get("value", text),
        note_kind,
        source_text,
        len(sources) - 1,
    )
    recording.notes.setdefault(key, []).append(made)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"no text: {value!r}")
    return value


def _time(value: Any) -> datetime:
    time = datetime.fromisoformat(_text(value))
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
