"""Memories of before the first release: decisions of people about what their rules formed, carried over once.

English rules formed notes and events in words of their own, whose ids tell a place in a turn where another sentence may
stand now. So each decision is put on what is formed of the sentence that it was about. If that is not known, what was
withdrawn is withdrawn with its whole turn. All is formed anew then.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from hmem.derived.chunks import MOST, number_in_turn, turn_of, with_companions
from hmem.derived.events import Events
from hmem.derived.notes import Notes
from hmem.derived.state import PRESENT, RULES
from hmem.language.analyst import Analyst, Claim, Lexicon, Passage, Statement
from hmem.language.analyzer import query_stems, words
from hmem.model.ids import kind_of, number_of, numbered
from hmem.model.span import to_stored
from hmem.model.turn import Turn
from hmem.storage.base import LogEntry, Storage

# Value of the setting between the two steps of carrying over.
_LOG_REWRITTEN: Final = "carried"
# The language of the older rules.
_LANGUAGE: Final = ""
# Least share of a statement's words that the sentence holds which it was read from.
_LEAST_SHARE: Final = 0.6


def form_anew(storage: Storage, analyst: Analyst, as_read: Callable[[Turn], Turn]) -> None:
    """Carry over the decisions of an older memory, and clear what its rules formed.

    ``as_read`` turns a stored turn into the form that is read.
    """
    if storage.erasure is not None and storage.state().settings.get(RULES) != _LOG_REWRITTEN:
        carrier = _Carrier(storage, analyst, as_read)
        entries = [new for entry in storage.recorded() if (new := carrier.carry(entry)) != entry]
        storage.erasure.forget((), (), entries, {RULES: _LOG_REWRITTEN})
    storage.clear_formed({RULES: PRESENT})


class _Reading(NamedTuple):
    """Turn, and the statements and claims that are read of it now."""

    turn: Turn
    statements: Sequence[Statement]
    claims: Sequence[Claim]


class _Carrier:
    """Search for what is formed now of the sentences that decisions were about."""

    def __init__(self, storage: Storage, analyst: Analyst, as_read: Callable[[Turn], Turn]) -> None:
        self._storage = storage
        self._analyst = analyst
        self._as_read = as_read
        self._events, self._notes = Events(), Notes()
        chunks = with_companions(storage.chunks(parts=[self._events.name, self._notes.name]))
        for part in (self._events, self._notes):
            part.fill(sorted((number, content) for name, number, content in chunks if content and name == part.name))

    def carry(self, entry: LogEntry) -> LogEntry:
        """Return an entry of the log with the target that it has now."""
        kind = kind_of(entry.target)
        parsed = number_of(kind, entry.target) if kind in ("note", "event") else None
        reading = None if parsed is None else self._read(turn_of(parsed[1]))
        if kind is None or parsed is None or reading is None:
            return entry
        number, turn = parsed[1], reading.turn
        matches, target, text = self._matches(entry, kind, number, reading), turn.id, turn.content
        if len(matches) == 1:
            target = _id("event", turn, number_in_turn(turn_of(number), matches[0]))
            text = reading.statements[matches[0]].text
        match entry.verb:
            case "correct" | "retract":
                return entry._replace(target=target, before=text)
            case "pin":
                return entry._replace(target=target, after=text)
            case "rename":
                return entry._replace(target=target)
            case "resolve":
                return self._resolved(entry, number, matches, reading)
            case "revise":
                return entry._replace(target="", link=None)
            case _:
                return entry

    def _read(self, seq: int) -> _Reading | None:
        rows = self._storage.turns([seq])
        if not rows:
            return None
        turn = self._as_read(rows[0].turn)
        passages = [Passage((turn,), 0, (turn.speaker,))]
        events = self._analyst.events(passages)
        return _Reading(rows[0].turn, events[0][0][:MOST], self._analyst.claims(passages, events)[0][0][:MOST])

    def _matches(self, entry: LogEntry, kind: str, number: int, reading: _Reading) -> list[int]:
        """Return the places of the statements that stand now where that of an entry was read from."""
        content, lexicon = reading.turn.content, self._analyst.lexicon
        spans = (sentence_span(reading.turn, text, lexicon) for text in self._wordings(entry, kind, number))
        span = next((span for span in spans if span is not None), None)
        starts = [content.find(statement.text) for statement in reading.statements]
        return [
            ordinal
            for ordinal, (start, statement) in enumerate(zip(starts, reading.statements, strict=True))
            if span is not None and 0 <= start < span[1] and span[0] < start + len(statement.text)
        ]

    def _wordings(self, entry: LogEntry, kind: str, number: int) -> Iterator[str]:
        """Yield the statement that a decision was about, and the texts of its note, as the older rules formed them."""
        note = self._notes.get(number) if kind == "note" else None
        event = self._events.get(number if note is None else number_in_turn(note.turn, note.event))
        yield from (source.text for source in (event, note) if source is not None)
        yield from filter(None, [entry.after if entry.verb == "pin" else entry.before])

    def _resolved(self, entry: LogEntry, number: int, matches: Sequence[int], reading: _Reading) -> LogEntry:
        """Return a decision about a note, on a note of the same sentence, of its slot if there is one."""
        old = self._notes.get(number)
        ordinals = [i for i, claim in enumerate(reading.claims) if claim.statement in matches]
        ordinals.sort(key=lambda i: old is None or reading.claims[i].slot != old.slot)
        if not ordinals:
            return entry._replace(target="", link=None)
        last, turn = number_of("note", entry.link or ""), reading.turn
        # Notes of later turns are decided by nobody yet.
        link = None if last is None else _id("note", turn, number_in_turn(turn_of(last[1]), MOST - 1))
        return entry._replace(target=_id("note", turn, number_in_turn(turn_of(number), ordinals[0])), link=link)


def sentence_span(turn: Turn, text: str, lexicon: Lexicon) -> tuple[int, int] | None:
    """Return the place of the one sentence that a text was read from; None if no sentence, or several, may be it."""
    content = turn.content
    if (start := content.find(text)) >= 0:
        return (start, start + len(text)) if content.find(text, start + 1) < 0 else None
    # The rules put the speaker's name for "I".
    stems = _stems(text, lexicon) - _stems(turn.speaker, lexicon)
    rated = sorted(
        ((len(stems & _stems(span.text, lexicon)), span.start, span.end) for span in lexicon.split(content)),
        reverse=True,
    )
    if (
        not stems
        or not rated
        or rated[0][0] < _LEAST_SHARE * len(stems)
        or (len(rated) > 1 and rated[1][0] == rated[0][0])
    ):
        return None
    return rated[0][1:]


def _stems(text: str, lexicon: Lexicon) -> set[str]:
    return {
        stem for word in words(text.lower()) if word not in lexicon.stop_words for stem in query_stems(word, _LANGUAGE)
    }


def _id(kind: str, turn: Turn, number: int) -> str:
    return numbered(kind, to_stored(turn.at)[0] // 1_000, number)
