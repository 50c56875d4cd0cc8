"""Evidence from turns and other hits: text, id, time, sources, and paths in the trees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from hmem.derived.chunks import number_in_turn, turn_of
from hmem.derived.events import KeptEvent
from hmem.derived.notes import by_model
from hmem.derived.state import EVENT_TREES, TREES, DerivedState
from hmem.derived.text_writer import LINES
from hmem.derived.trees.nodes import ROOT
from hmem.language.containment import attempted
from hmem.model.evidence import Evidence, Term, Why
from hmem.model.ids import numbered
from hmem.model.span import from_stored, to_stored
from hmem.model.turn import DOCUMENT, Turn
from hmem.retrieval.browse import episode_id, note_id
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Hit
from hmem.retrieval.visibility import labels_shown

# Number of source turns that a summary or a profile names; it may have any number.
SOURCES: Final = 64
_LAST: Final = (1 << 62) - 1


def turn_evidence(turn: Turn, score: float, explanation: Why, relevance: float | None = None) -> Evidence:
    """Return a turn as evidence."""
    if turn.echoes:
        explanation = replace(explanation, echoes=repeated_ids(turn))
    return Evidence(
        id=turn.id, kind="turn", text=turn.text, when=turn.at, score=score, why=explanation, session=turn.session,
        speaker=turn.speaker, caption=turn.caption, message_id=turn.message_id, sources=(turn.id,),
        relevance=relevance, place=_location_in_document(turn) if turn.role == DOCUMENT else None,
    )  # fmt: skip


def repeated_ids(turn: Turn) -> tuple[str, ...]:
    """Return the ids of the turns that a turn repeats."""
    return tuple(dict.fromkeys(source for _, _, source in turn.echoes if source))


def _location_in_document(turn: Turn) -> str | None:
    """Return where a turn stands in its document, from its metadata."""
    page, heading = turn.metadata.get("page"), turn.metadata.get("heading")
    labels = (f"page {page}" if page else "", str(heading) if heading else "")
    return ", ".join(filter(None, labels)) or None


def evidence_of(
    sources: Sources, hits: Sequence[Hit], reasons: Sequence[Why], user: str | None = None
) -> list[Evidence]:
    """Return hits as evidence, each with its reason and its paths. Call it inside ``reading()``.

    A hit without a text is left out: its sources are gone, or its text is not written yet and would take long. A
    ``user`` is shown no path that others' turns may have named.
    """
    derived = sources.derived
    source_seqs = {seq: None for hit in hits for seq in _source_seqs(sources, derived, hit)}
    turns = sources.text_writer.turns(list(source_seqs))
    items = (
        _evidence(sources, derived, hit, explanation, turns) for hit, explanation in zip(hits, reasons, strict=True)
    )
    shown_items = [item for item in items if item is not None]
    return shown_items if labels_shown(sources, user) else list(map(without_labels, shown_items))


def without_labels(item: Evidence) -> Evidence:
    """Return evidence without the names of nodes, which others' turns may have given; dates stay."""
    date_paths = {tree: labels for tree, labels in item.why.paths.items() if tree == _DATES}
    return replace(item, why=replace(item.why, paths=date_paths))


def reason(strategy: str, hit: Hit) -> Why:
    """Return the reason of a hit that a strategy scored as a whole."""
    return Why((strategy,), {strategy: Term(hit.score, 1.0)})


def _source_seqs(sources: Sources, derived: DerivedState, hit: Hit) -> list[int]:
    """Return the turns that a hit names as its sources; for an event or a note, the one that states it is last."""
    if hit.kind in ("event", "note"):
        seq = hit.turns[-1]
        return [*_before(sources, seq, _context(derived, hit)), seq]
    return list(hit.turns[:SOURCES])


def _context(derived: DerivedState, hit: Hit) -> int:
    """Return the number of earlier turns that complete what an event or a note states."""
    event = _event(derived, hit)
    return event.context if event is not None else 0


def _event(derived: DerivedState, hit: Hit) -> KeptEvent | None:
    """Return the event itself, or the one that a note was extracted from."""
    if hit.kind == "event":
        return derived.events.get(hit.number)
    note = derived.notes.get(hit.number)
    events = derived.events.of_turn(note.turn)[note.event : note.event + 1] if note is not None else ()
    return events[0] if events else None


def _before(sources: Sources, seq: int, count: int) -> list[int]:
    """Return the sequence numbers of the ``count`` turns of its owner just before one, in their order."""
    columns, owner = sources.corpus.columns, sources.derived.judgements.owner
    row, earlier_seqs = int(columns.rows_of([seq])[0]), list[int]()
    while row >= 0 and len(earlier_seqs) < count:
        row = int(columns.previous[row])
        if row >= 0 and owner(int(columns.seq[row])) == owner(seq):
            earlier_seqs.append(int(columns.seq[row]))
    return earlier_seqs[::-1]


@dataclass(frozen=True, slots=True)
class _Content:
    """Content of a hit: its id, text, time and paths in the trees."""

    id: str
    text: str
    moment: datetime
    paths: Mapping[str, tuple[str, ...]]


def _evidence(
    sources: Sources, derived: DerivedState, hit: Hit, explanation: Why, turns: Mapping[int, Turn]
) -> Evidence | None:
    source_turns = [turns[seq] for seq in _source_seqs(sources, derived, hit) if seq in turns]
    content = (
        _content(sources, derived, hit, source_turns[-1 if hit.kind in ("event", "note", "profile") else 0])
        if source_turns
        else None
    )
    if content is None or not content.text:
        return None
    # A hit made from turns of one session belongs to it; a summary of several sessions belongs to none.
    sessions = {turn.session for turn in source_turns}
    speaker = source_turns[-1].speaker if hit.kind in ("event", "note") else None
    reasons = Why(explanation.strategies, explanation.terms, explanation.words, content.paths)
    return Evidence(
        id=content.id, kind=hit.kind, text=content.text, when=content.moment, score=hit.score, why=reasons,
        session=source_turns[-1].session if len(sessions) == 1 else "", speaker=speaker,
        sources=tuple(turn.id for turn in source_turns),
    )  # fmt: skip


def _content(sources: Sources, derived: DerivedState, hit: Hit, turn: Turn) -> _Content | None:
    """Return the content of a hit; ``turn`` is the turn that states it, or the first or last of its sources."""
    said_time = to_stored(turn.at)[0] // 1000
    text = text_of(sources, derived, hit, write=True)
    match hit.kind:
        case "event":
            event = derived.events.get(hit.number)
            if event is None:
                return None
            moment = turn.at if event.start is None else from_stored(event.start * 1_000_000, event.offset)
            return _Content(numbered("event", said_time, hit.number), text, moment, _event_paths(derived, hit.number))
        case "note":
            note = derived.notes.get(hit.number)
            return note and _Content(note_id(note, turn.at), text, turn.at, _turn_paths(derived, note.turn))
        case "episode":
            return _Content(episode_id(hit.number, turn.at), text, turn.at, {})
        case "profile":
            return _Content(numbered("profile", 0, hit.number), text, turn.at, {})
        case "summary":
            start = _start(sources, derived, hit)
            node_id = numbered("node", start // 1000, hit.number, TREES.index(hit.tree))
            labels = path_of(derived, hit)
            moment = from_stored(start, to_stored(turn.at)[1])
            return _Content(node_id, text, moment, {hit.tree: labels} if labels else {})


def path_of(derived: DerivedState, hit: Hit) -> tuple[str, ...]:
    """Return the labels of a summary's node and of its ancestors, from the top down."""
    return _labels(derived, hit.tree, hit.number, {})


def _start(sources: Sources, derived: DerivedState, hit: Hit) -> int:
    """Return the time of the first turn below a node, in microseconds since 1970."""
    leaves = derived.trees[hit.tree].leaves_below(hit.number)
    seqs = [turn_of(leaf) for leaf in leaves] if hit.tree in EVENT_TREES else leaves
    columns = sources.corpus.columns
    rows = columns.rows_of(seqs)
    return int(columns.said[rows[rows >= 0]].min(initial=_LAST))


def text_of(sources: Sources, derived: DerivedState, hit: Hit, *, write: bool) -> str:
    """Return the text of a hit, or "" if it is not written yet.

    With ``write``, write it now if that is little work.
    """
    text_writer = sources.text_writer
    match hit.kind:
        case "event":
            event = derived.events.get(hit.number)
            return event.text if event is not None else ""
        case "note":
            note = derived.notes.get(hit.number)
            return note.text if note is not None else ""
        case "episode":
            texts = sources.cached(_episode_texts)
            if hit.number not in texts and write and text_writer.options.summaries:
                texts[hit.number] = attempted(lambda: text_writer.summary_of(hit.turns), "")
            return texts.get(hit.number, "")
        case "profile":
            profile = derived.profiles.get(hit.number)
            if profile is None and write and text_writer.options.profiles:
                profile = attempted(lambda: text_writer.profile(hit.number), None)
            return f"{profile.text} {profile.recent}".strip() if profile is not None else ""
        case "summary":
            summary = derived.written[hit.tree].summaries.get(hit.number)
            is_short = text_writer.options.summaries and derived.trees[hit.tree].size(hit.number) <= LINES
            if summary is None and write and is_short:
                summary = attempted(lambda: text_writer.summary(hit.tree, hit.number), None)
            return summary.text if summary is not None else ""


def is_by_model(derived: DerivedState, hit: Hit) -> bool:
    """Tell if a language model wrote the text of a note, a summary or a profile."""
    match hit.kind:
        case "note":
            text = derived.notes.get(hit.number)
        case "summary":
            text = derived.written[hit.tree].summaries.get(hit.number)
        case "profile":
            text = derived.profiles.get(hit.number)
        case _:
            text = None
    return text is not None and by_model(text.made_by)


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
        known = _LabelsOfNode()
        dates = ((_DATES, _path(sources.derived, _DATES, seq, known)) for seq in seqs)
        return [{tree: labels} if labels else {} for tree, labels in dates]
    known_paths, known_labels = sources.cached(_known_paths), sources.cached(_known_labels)
    for seq in seqs:
        if seq not in known_paths:
            known_paths[seq] = _turn_paths(sources.derived, seq, known_labels)
    return [known_paths[seq] for seq in seqs]


# Labels of nodes and their ancestors, from the top down, by tree and node.
_LabelsOfNode = dict[tuple[str, int], tuple[str, ...]]


def _known_paths(_: Sources) -> dict[int, dict[str, tuple[str, ...]]]:
    return {}


def _known_labels(_: Sources) -> _LabelsOfNode:
    return {}


def _turn_paths(
    derived: DerivedState, seq: int, known_labels: _LabelsOfNode | None = None
) -> dict[str, tuple[str, ...]]:
    known = {} if known_labels is None else known_labels
    labels_of_tree: dict[str, tuple[str, ...]] = {}
    event_numbers = number_in_turn(seq, 0), number_in_turn(seq + 1, 0)
    for tree in filter(derived.has_names, TREES):
        # The events themselves need not be read for that.
        first, end = event_numbers if tree in EVENT_TREES else (seq, seq + 1)
        nodes = derived.trees[tree].nodes_of(first, end)
        if labels := next(filter(None, (_labels(derived, tree, node, known) for node in nodes)), None):
            labels_of_tree[tree] = labels
    return labels_of_tree


def _event_paths(derived: DerivedState, number: int) -> dict[str, tuple[str, ...]]:
    leaves = {tree: number if tree in EVENT_TREES else turn_of(number) for tree in TREES}
    labels_of_tree = {tree: _path(derived, tree, leaf, {}) for tree, leaf in leaves.items()}
    return {tree: labels for tree, labels in labels_of_tree.items() if labels}


def _path(derived: DerivedState, tree: str, leaf: int, known_labels: _LabelsOfNode) -> tuple[str, ...]:
    home = derived.trees[tree].node_of(leaf)
    return () if home is None else _labels(derived, tree, home, known_labels)


def _labels(derived: DerivedState, tree: str, node: int, known_labels: _LabelsOfNode) -> tuple[str, ...]:
    """Return the labels of a node and its ancestors, from the top down; the root has none."""
    if node == ROOT:
        return ()
    labels = known_labels.get((tree, node))
    if labels is None:
        ancestors = _labels(derived, tree, derived.trees[tree].parent(node) or ROOT, known_labels)
        name = derived.name_of(tree, node)
        labels = known_labels[tree, node] = (*ancestors, name) if name else ancestors
    return labels
