"""Evidence from turns and derived pieces: text, id, time, sources, and paths in the trees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from hmem.derived.chunks import turn_of
from hmem.derived.events import KeptEvent
from hmem.derived.notes import by_model
from hmem.derived.state import EVENT_TREES, TREES, DerivedState
from hmem.derived.text_writer import LINES
from hmem.language.containment import attempted
from hmem.model.evidence import Evidence, Term, Why
from hmem.model.ids import numbered
from hmem.model.span import from_stored, to_stored
from hmem.model.turn import DOCUMENT, Turn
from hmem.retrieval.browse import episode_id, note_id
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import FoundPiece
from hmem.retrieval.visibility import labels_shown

# Number of source turns that a summary or a profile names; it may have any number.
SOURCES: Final = 64
_LAST: Final = (1 << 62) - 1


def turn_evidence(turn: Turn, score: float, why: Why, relevance: float | None = None) -> Evidence:
    """Return a turn as evidence."""
    if turn.echoes:
        why = replace(why, echoes=tuple(dict.fromkeys(source for _, _, source in turn.echoes if source)))
    return Evidence(
        id=turn.id, kind="turn", text=turn.text, when=turn.at, score=score, why=why, session=turn.session,
        speaker=turn.speaker, caption=turn.caption, message_id=turn.message_id, sources=(turn.id,),
        relevance=relevance, place=_place(turn) if turn.role == DOCUMENT else None,
    )  # fmt: skip


def _place(turn: Turn) -> str | None:
    """Return where a document has a part of it, as its metadata tells."""
    page, heading = turn.metadata.get("page"), turn.metadata.get("heading")
    named = (f"page {page}" if page else "", str(heading) if heading else "")
    return ", ".join(filter(None, named)) or None


def evidence_of(
    sources: Sources, pieces: Sequence[FoundPiece], reasons: Sequence[Why], user: str | None = None
) -> list[Evidence]:
    """Return pieces as evidence, each with its reason and its paths. Call it inside ``reading()``.

    A piece without a text is left out: its sources are gone, or its text is not written yet and would take long. A
    ``user`` is shown no path that others' turns may have named.
    """
    kept = sources.derived
    named = {seq: None for piece in pieces for seq in _named(sources, kept, piece)}
    turns = sources.text_writer.turns(list(named))
    made = (_evidence(sources, kept, piece, why, turns) for piece, why in zip(pieces, reasons, strict=True))
    found = [item for item in made if item is not None]
    return found if labels_shown(sources, user) else list(map(without_labels, found))


def without_labels(item: Evidence) -> Evidence:
    """Return evidence without the names of nodes, which others' turns may have given; dates stay."""
    kept = {tree: labels for tree, labels in item.why.paths.items() if tree == _DATES}
    return replace(item, why=replace(item.why, paths=kept))


def reason(strategy: str, piece: FoundPiece) -> Why:
    """Return the reason of a piece that a strategy scored as a whole."""
    return Why((strategy,), {strategy: Term(piece.score, 1.0)})


def _named(sources: Sources, kept: DerivedState, piece: FoundPiece) -> list[int]:
    """Return the turns that a piece names as its sources; for an event or a note, the one that states it is last."""
    if piece.kind in ("event", "note"):
        seq = piece.turns[-1]
        return [*_before(sources, seq, _context(kept, piece)), seq]
    return list(piece.turns[:SOURCES])


def _context(kept: DerivedState, piece: FoundPiece) -> int:
    """Return the number of earlier turns that complete what an event or a note states."""
    event = _event(kept, piece)
    return event.context if event is not None else 0


def _event(kept: DerivedState, piece: FoundPiece) -> KeptEvent | None:
    """Return the event itself, or the one that a note was extracted from."""
    if piece.kind == "event":
        return kept.events.get(piece.number)
    note = kept.notes.get(piece.number)
    stated = kept.events.of(note.turn)[note.event : note.event + 1] if note is not None else ()
    return stated[0] if stated else None


def _before(sources: Sources, seq: int, count: int) -> list[int]:
    """Return the sequence numbers of the ``count`` turns of its owner just before one, in their order."""
    columns, owner = sources.corpus.columns, sources.derived.judgements.owner
    row, found = int(columns.rows_of([seq])[0]), list[int]()
    while row >= 0 and len(found) < count:
        row = int(columns.previous[row])
        if row >= 0 and owner(int(columns.seq[row])) == owner(seq):
            found.append(int(columns.seq[row]))
    return found[::-1]


@dataclass(frozen=True, slots=True)
class _Content:
    """Content of a piece: its id, text, time and paths in the trees."""

    id: str
    text: str
    when: datetime
    paths: Mapping[str, tuple[str, ...]]


def _evidence(
    sources: Sources, kept: DerivedState, piece: FoundPiece, why: Why, turns: Mapping[int, Turn]
) -> Evidence | None:
    named = [turns[seq] for seq in _named(sources, kept, piece) if seq in turns]
    content = (
        _content(sources, kept, piece, named[-1 if piece.kind in ("event", "note", "profile") else 0])
        if named
        else None
    )
    if content is None or not content.text:
        return None
    # A piece made from turns of one session belongs to it; a summary of several sessions belongs to none.
    sessions = {turn.session for turn in named}
    speaker = named[-1].speaker if piece.kind in ("event", "note") else None
    reasons = Why(why.strategies, why.terms, why.words, content.paths)
    return Evidence(
        id=content.id, kind=piece.kind, text=content.text, when=content.when, score=piece.score, why=reasons,
        session=named[-1].session if len(sessions) == 1 else "", speaker=speaker,
        sources=tuple(turn.id for turn in named),
    )  # fmt: skip


def _content(sources: Sources, kept: DerivedState, piece: FoundPiece, turn: Turn) -> _Content | None:
    """Return the content of a piece; ``turn`` is the turn that states it, or the first or last of its sources."""
    said = to_stored(turn.at)[0] // 1000
    text = text_of(sources, kept, piece, write=True)
    match piece.kind:
        case "event":
            event = kept.events.get(piece.number)
            if event is None:
                return None
            when = turn.at if event.start is None else from_stored(event.start * 1_000_000, event.offset)
            return _Content(numbered("event", said, piece.number), text, when, _event_paths(kept, piece.number))
        case "note":
            note = kept.notes.get(piece.number)
            return note and _Content(note_id(note, turn.at), text, turn.at, _turn_paths(kept, note.turn))
        case "episode":
            return _Content(episode_id(piece.number, turn.at), text, turn.at, {})
        case "profile":
            return _Content(numbered("profile", 0, piece.number), text, turn.at, {})
        case "summary":
            start = _start(sources, kept, piece)
            own = numbered("node", start // 1000, piece.number, TREES.index(piece.tree))
            above = path_of(kept, piece)
            when = from_stored(start, to_stored(turn.at)[1])
            return _Content(own, text, when, {piece.tree: above} if above else {})


def path_of(kept: DerivedState, piece: FoundPiece) -> tuple[str, ...]:
    """Return the labels of a summary's node and of its ancestors, from the top down."""
    return _labels(kept, piece.tree, _up(kept, piece.tree, piece.number))


def _start(sources: Sources, kept: DerivedState, piece: FoundPiece) -> int:
    """Return the time of the first turn below a node, in microseconds since 1970."""
    leaves = kept.trees[piece.tree].under(piece.number)
    seqs = [turn_of(leaf) for leaf in leaves] if piece.tree in EVENT_TREES else leaves
    columns = sources.corpus.columns
    rows = columns.rows_of(seqs)
    return int(columns.said[rows[rows >= 0]].min(initial=_LAST))


def text_of(sources: Sources, kept: DerivedState, piece: FoundPiece, *, write: bool) -> str:
    """Return the text of a piece, or "" if it is not written yet.

    With ``write``, write it now if that is little work.
    """
    text_writer = sources.text_writer
    match piece.kind:
        case "event":
            event = kept.events.get(piece.number)
            return event.text if event is not None else ""
        case "note":
            note = kept.notes.get(piece.number)
            return note.text if note is not None else ""
        case "episode":
            written = sources.cached(_episode_texts)
            if piece.number not in written and write and text_writer.options.summaries:
                written[piece.number] = attempted(lambda: text_writer.summary_of(piece.turns), "")
            return written.get(piece.number, "")
        case "profile":
            profile = kept.profiles.of(piece.number)
            if profile is None and write and text_writer.options.profiles:
                profile = attempted(lambda: text_writer.profile(piece.number), None)
            return f"{profile.text} {profile.more}".strip() if profile is not None else ""
        case "summary":
            summary = kept.written[piece.tree].summaries.of(piece.number)
            little = text_writer.options.summaries and kept.trees[piece.tree].size(piece.number) <= LINES
            if summary is None and write and little:
                summary = attempted(lambda: text_writer.summary(piece.tree, piece.number), None)
            return summary.text if summary is not None else ""


def is_by_model(kept: DerivedState, piece: FoundPiece) -> bool:
    """Tell if a language model wrote the text of a note, a summary or a profile."""
    match piece.kind:
        case "note":
            written = kept.notes.get(piece.number)
        case "summary":
            written = kept.written[piece.tree].summaries.of(piece.number)
        case "profile":
            written = kept.profiles.of(piece.number)
        case _:
            written = None
    return written is not None and by_model(written.made_by)


def _episode_texts(_: Sources) -> dict[int, str]:
    """Return a cache for the summaries of episodes, by first turn."""
    return {}


# Paths.


# The tree whose labels are dates; those of the others are made from turns.
_DATES: Final = "calendar"


def paths(sources: Sources, seqs: Sequence[int], user: str | None = None) -> list[dict[str, tuple[str, ...]]]:
    """Return the labels of each turn's ancestors, from the top down, in each tree that holds it or its first event.

    Names that are not written yet are skipped, so that this stays fast. A ``user`` is shown none that others' turns may
    have given.
    """
    if not labels_shown(sources, user):
        dates = ((_DATES, _path(sources.derived, _DATES, seq)) for seq in seqs)
        return [{tree: labels} if labels else {} for tree, labels in dates]
    known = sources.cached(_known_paths)
    for seq in seqs:
        if seq not in known:
            known[seq] = _turn_paths(sources.derived, seq)
    return [known[seq] for seq in seqs]


def _known_paths(_: Sources) -> dict[int, dict[str, tuple[str, ...]]]:
    return {}


def _turn_paths(kept: DerivedState, seq: int) -> dict[str, tuple[str, ...]]:
    events = kept.events.of(seq)
    found = {tree: _path(kept, tree, seq) for tree in TREES if tree not in EVENT_TREES}
    for tree in EVENT_TREES:
        found[tree] = next(filter(None, (_path(kept, tree, event.number) for event in events)), ())
    return {tree: labels for tree, labels in found.items() if labels}


def _event_paths(kept: DerivedState, number: int) -> dict[str, tuple[str, ...]]:
    leaves = {tree: number if tree in EVENT_TREES else turn_of(number) for tree in TREES}
    found = {tree: _path(kept, tree, leaf) for tree, leaf in leaves.items()}
    return {tree: labels for tree, labels in found.items() if labels}


def _path(kept: DerivedState, tree: str, leaf: int) -> tuple[str, ...]:
    home = kept.trees[tree].node_of(leaf)
    return () if home is None else _labels(kept, tree, _up(kept, tree, home))


def _up(kept: DerivedState, tree: str, node: int) -> list[int]:
    """Return a node and its ancestors but the root, from the top down."""
    branches, found = kept.trees[tree], list[int]()
    above: int | None = node
    while above:
        found.append(above)
        above = branches.parent(above)
    return found[::-1]


def _labels(kept: DerivedState, tree: str, nodes: Sequence[int]) -> tuple[str, ...]:
    return tuple(filter(None, (kept.name_of(tree, node) for node in nodes)))
