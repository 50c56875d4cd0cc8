"""Places of what older rules formed of a memory, and decisions of people about it, carried over by turn and span.

Before the first release English rules formed notes and events in words of their own, and the first edition (commit
ecb443f) stored all that it formed in other ways. None of that is used: its turns are recalled as they were said until
``rebuild`` forms them anew. Ids of notes and events tell a place in a turn, where
another sentence may stand then. So the sentence that each decision was about is looked up once, and only its place in
the text of the turn is kept: forgetting the turn leaves nothing of it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from hmem.derived.chunks import MOST, number_in_turn, turn_of
from hmem.derived.episodes import TurnJudgements
from hmem.derived.events import Events, KeptEvent
from hmem.derived.notes import KeptNote, Notes
from hmem.language.analyst import Lexicon
from hmem.language.analyzer import query_stems, words
from hmem.model.ids import number_of, numbered
from hmem.model.span import to_stored
from hmem.model.turn import Turn
from hmem.storage.base import LogEntry, Storage

# Set once no older rules formed any of what is formed.
BY_SENTENCES: Final = "formation.sentences"
# Set by what formed memories after the first edition.
_LATER: Final = "formation.owners"
# Maker and last turn of what older rules formed, while it is not formed anew.
OLDER: Final = "formation.older"
# Places of the sentences that decisions were about, by the numbers of their entries.
PLACES: Final = "formation.places"
# The language of the older rules.
_LANGUAGE: Final = ""
_MAKERS: Final = ("rules", "spacy")
# Least share of a statement's words that the sentence holds which it was read from.
_SHARED: Final = 0.6

Place = tuple[int, int]


class OlderRules(NamedTuple):
    """Name of the older rules that formed turns, and the last turn that they may have formed, by sequence number."""

    maker: str
    last: int


def older_rules(storage: Storage) -> OlderRules | None:
    """Return which older rules formed turns that are not formed anew, or None."""
    state = storage.state()
    if (setting := state.settings.get(OLDER)) is not None:
        maker, _, last = setting.rpartition(" ")
        return OlderRules(maker, int(last))
    maker = _maker(storage) if has_older_state(storage) else None
    return None if maker is None else OlderRules(maker, state.progress.watermark)


def has_older_state(storage: Storage) -> bool:
    """Tell if older rules, or the first edition, may have formed what is stored now."""
    state = storage.state()
    if BY_SENTENCES in state.settings or not state.progress.step:
        return False
    return _maker(storage) is not None


def _maker(storage: Storage) -> str | None:
    """Return what formed most of the turns by older rules, or in the first edition; None if nothing did."""
    judgements = TurnJudgements()
    _fill(storage, judgements)
    first = _LATER not in storage.state().settings
    return next((maker for maker in judgements.made_by() if first or maker.partition("/")[0] in _MAKERS), None)


def _fill(storage: Storage, part: TurnJudgements | Events | Notes) -> None:
    chunks = storage.chunks(parts=[part.name])
    part.fill(sorted((chunk.number, chunk.content) for chunk in chunks if chunk.content is not None))


# Where decisions were about.


def places_told(storage: Storage, lexicon: Lexicon) -> str:
    """Return the places of the sentences that all decisions were about, as a setting keeps them."""
    events, notes = Events(), Notes()
    _fill(storage, events)
    _fill(storage, notes)
    spans: dict[int, Place | None] = {}
    for entry in storage.recorded():
        if (unit := _unit(entry.target)) is not None:
            if (turn := _turn(storage, turn_of(unit[1]))) is None:
                continue
            candidates = (place_in(turn, text, lexicon) for text in _wordings(entry, unit, events, notes))
            spans[entry.number] = next((span for span in candidates if span is not None), None)
    return json.dumps(spans)


def _wordings(entry: LogEntry, unit: tuple[str, int], events: Events, notes: Notes) -> Iterator[str]:
    """Yield the statement that a decision was about, and the texts of its note, as the older rules formed them."""
    kind, number = unit
    note = notes.get(number) if kind == "note" else None
    event = events.get(number) if kind == "event" else None
    if note is not None:
        event = events.get(number_in_turn(note.turn, note.event))
    logged = {"retract": entry.before, "correct": entry.before, "pin": entry.after}.get(entry.verb)
    # What the decision itself says counts where the state is of later rules.
    yield from (source.text for source in (event, note) if source is not None)
    yield from filter(None, [logged])


def _unit(id: str | None) -> tuple[str, int] | None:
    """Return the kind and the number of a note or an event by its id."""
    for kind in ("note", "event"):
        if (number := number_of(kind, id or "")) is not None:
            return kind, number[1]
    return None


def _turn(storage: Storage, seq: int) -> Turn | None:
    rows = storage.turns([seq])
    return rows[0].turn if rows else None


def place_in(turn: Turn, text: str, lexicon: Lexicon) -> Place | None:
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
    if not stems or not rated or rated[0][0] < _SHARED * len(stems) or (len(rated) > 1 and rated[1][0] == rated[0][0]):
        return None
    return rated[0][1:]


def _stems(text: str, lexicon: Lexicon) -> set[str]:
    return {
        stem for word in words(text.lower()) if word not in lexicon.stop_words for stem in query_stems(word, _LANGUAGE)
    }


# What decisions are about now.


class CarriedDecisions(NamedTuple):
    """Entries about what older rules formed, by number, as they stand now; and those that find no target."""

    entries: Mapping[int, Sequence[LogEntry]]
    astray: Sequence[LogEntry]


def carried(
    storage: Storage, spans: str, entries: Iterable[LogEntry], events: Events, notes: Notes
) -> CarriedDecisions:
    """Return what decisions of the time of older rules are about, by turn and place in its text.

    An entry without a target has no place, except that a withdrawal of an unknown sentence covers its whole turn.
    """
    spans_by_entry: dict[str, Any] = json.loads(spans)
    targets: dict[int, Sequence[LogEntry]] = {}
    astray: list[LogEntry] = []
    for entry in entries:
        unit = _unit(entry.target)
        if unit is None or str(entry.number) not in spans_by_entry:
            continue
        span, seq = spans_by_entry[str(entry.number)], turn_of(unit[1])
        turn = _turn(storage, seq)
        if turn is None:
            targets[entry.number] = [entry._replace(target="")] if entry.verb in ("correct", "retract") else []
            continue
        nearby = [] if span is None else _at(turn.content, span, events.of(seq))
        targets[entry.number] = _about_now(entry, turn, nearby, events.of(seq), notes.of(seq), known=span is not None)
        # Before the turn is formed anew, there is nothing to find.
        if span is None:
            astray.append(entry)
        elif not targets[entry.number] and entry.verb in ("resolve", "rename") and events.of(seq):
            astray.append(entry._replace(before=turn.content[span[0] : span[1]]))
    return CarriedDecisions(targets, astray)


def _at(content: str, span: Place, events: Iterable[KeptEvent]) -> list[KeptEvent]:
    """Return the events of a turn that stand at a place of its text, or say the same elsewhere."""
    words = content[span[0] : span[1]]
    matches: list[KeptEvent] = []
    for event in events:
        start = content.find(event.text)
        if event.text == words or (start >= 0 and start < span[1] and span[0] < start + len(event.text)):
            matches.append(event)
    return matches


def _about_now(
    entry: LogEntry, turn: Turn, nearby: Sequence[KeptEvent], events: Iterable[KeptEvent], notes: Iterable[KeptNote],
    *, known: bool,
) -> list[LogEntry]:  # fmt: skip
    """Return an entry once for each of its present targets: a turn's events at a place, or their notes."""

    def of(event: KeptEvent) -> LogEntry:
        return entry._replace(target=_id("event", turn, event.number))

    match entry.verb:
        case "correct" | "retract":
            # An event in other words than the turn's may say what was withdrawn.
            loose = [event for event in events if not known or event.text not in turn.content]
            return [of(event) for event in dict.fromkeys([*nearby, *loose])] or [entry._replace(target="")]
        case "pin" if known and not nearby:
            return [entry._replace(target=turn.id, after=turn.content)]
        case "pin":
            return [of(event)._replace(after=event.text) for event in nearby[:1]]
        case "rename":
            return [of(event) for event in nearby[:1]]
        case "resolve":
            numbers, last = {event.number for event in nearby}, _unit(entry.link)
            near_notes = [note for note in notes if number_in_turn(note.turn, note.event) in numbers]
            # Notes of later turns are decided by nobody yet.
            link = None if last is None else _id("note", turn, number_in_turn(turn_of(last[1]), MOST - 1))
            return [entry._replace(target=_id("note", turn, note.number), link=link) for note in near_notes]
        case "revise":
            return []
        case _:
            return [entry]


def _id(kind: str, turn: Turn, number: int) -> str:
    return numbered(kind, to_stored(turn.at)[0] // 1_000, number)
