"""Extraction: the analyst reads new turns, and segmentation finds where episodes begin."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from hmem.derived.chunks import MOST
from hmem.formation.config import FormationConfig
from hmem.formation.segment import decide, see
from hmem.formation.session_window import SessionWindow
from hmem.formation.turn_analysis import TurnAnalysis, all_echo, verbatim
from hmem.language.analyst import Analyst, Cues, Curation, Passage
from hmem.model.turn import DOCUMENT

Runs = Sequence[tuple[SessionWindow, Sequence[TurnAnalysis]]]


def extract(analyst: Analyst, runs: Runs, config: FormationConfig, similarity: Callable[[float], float]) -> None:
    """Fill in what the analyst reads in runs of turns, and advance their session windows."""
    passages: list[Passage] = []
    groups: list[Sequence[TurnAnalysis]] = []
    for session_window, items in runs:
        for group in _by_newcomers(session_window, items):
            passages.append(_advance(session_window, group, config))
            groups.append(group)
    _read(analyst, passages, groups, config)
    if config.segmentation:
        cues = {
            item.seq: cue
            for group, group_cues in zip(groups, analyst.cues(passages), strict=True)
            for item, cue in zip(group, group_cues, strict=True)
        }
        for session_window, items in runs:
            _segment(session_window, items, cues, config, similarity)
    else:
        for _, items in runs:
            for item in items:
                item.cut = "session" if item.opens_session else None


def _by_newcomers(session_window: SessionWindow, items: Sequence[TurnAnalysis]) -> list[list[TurnAnalysis]]:
    """Split turns into groups in which only the first may have a new speaker.

    So a turn is read with exactly the speakers known who spoke before it, however many turns come at once.
    """
    heard = set(session_window.speakers)
    groups: list[list[TurnAnalysis]] = []
    for item in items:
        if not groups or item.turn.speaker not in heard:
            groups.append([])
        heard.add(item.turn.speaker)
        groups[-1].append(item)
    return groups


def _advance(session_window: SessionWindow, group: Sequence[TurnAnalysis], config: FormationConfig) -> Passage:
    """Return the passage of a group, and move the session window past it."""
    passage = session_window.passage([item.turn for item in group])
    for i, item in enumerate(group):
        item.opens_session = session_window.last < 0
        end = passage.start + i + 1
        item.passage = Passage(
            passage.turns[max(end - 1 - config.context_turns, 0) : end],
            min(end - 1, config.context_turns),
            passage.speakers,
        )
        session_window.add(item.seq, item.turn, config.context_turns)
    return passage


def _read(
    analyst: Analyst, passages: Sequence[Passage], groups: Sequence[Sequence[TurnAnalysis]], config: FormationConfig
) -> None:
    """Fill in coverage, curation, statements, claims, entities and labels of the passages' turns."""
    items = [item for group in groups for item in group]
    for item, coverage in zip(items, (c for batch in analyst.coverage(passages) for c in batch), strict=True):
        item.coverage = coverage
    if config.curation:
        for item, curation in zip(items, (c for batch in analyst.curate(passages) for c in batch), strict=True):
            # A correction is always worth remembering.
            item.curation = Curation(memorable=True, reasons=("correction",)) if item.corrects else curation
    for item in items:
        if all_echo(item.turn) or item.turn.role == DOCUMENT:
            item.curation = Curation(memorable=False, reasons=("echo" if item.turn.role != DOCUMENT else DOCUMENT,))
    _state(analyst, passages, groups, config)
    if config.graph:
        for item, extraction in zip(items, (e for batch in analyst.entities(passages) for e in batch), strict=True):
            if item.turn.role != DOCUMENT:
                item.extraction = extraction
    if config.layers:
        _label(analyst, items)


def _state(
    analyst: Analyst, passages: Sequence[Passage], groups: Sequence[Sequence[TurnAnalysis]], config: FormationConfig
) -> None:
    """Fill in statements and claims of memorable turns; notes are read from statements even without events."""
    if config.events or config.notes:
        runs = [run for passage, group in zip(passages, groups, strict=True) for run in _memorable(passage, group)]
        events = analyst.events([passage for passage, _ in runs])
        for (_, run), outputs in zip(runs, events, strict=True):
            for item, statements in zip(run, outputs, strict=True):
                item.statements = statements[:MOST]
        if config.notes:
            statements_by_run = [[item.statements for item in run] for _, run in runs]
            claims = analyst.claims([passage for passage, _ in runs], statements_by_run)
            for (_, run), outputs in zip(runs, claims, strict=True):
                for item, item_claims in zip(run, outputs, strict=True):
                    item.claims = item_claims[:MOST]
    if not config.events:
        for item in (item for group in groups for item in group if item.curation.memorable):
            item.statements = [verbatim(item.turn)]
            item.claims = [replace(claim, statement=0) for claim in item.claims]


def _memorable(passage: Passage, group: Sequence[TurnAnalysis]) -> Iterator[tuple[Passage, list[TurnAnalysis]]]:
    """Yield the runs of memorable turns of a passage, each with all that comes before it as context."""
    positions = enumerate(group, passage.start)
    for memorable, run in groupby(positions, key=lambda pair: pair[1].curation.memorable):
        if memorable:
            members = list(run)
            end = members[-1][0] + 1
            yield Passage(passage.turns[:end], members[0][0], passage.speakers), [item for _, item in members]


def _label(analyst: Analyst, items: Sequence[TurnAnalysis]) -> None:
    statements = [statement for item in items for statement in item.statements]
    turns = [item.turn for item in items for _ in item.statements]
    labels = iter(analyst.labels_of(statements, turns))
    for item in items:
        item.labels = [next(labels) for _ in item.statements]


def _segment(
    session_window: SessionWindow,
    items: Sequence[TurnAnalysis],
    cues: dict[int, Cues],
    config: FormationConfig,
    similarity: Callable[[float], float],
) -> None:
    """Decide before which turns an episode begins (HiMem)."""
    for item in items:
        view = see(item.turn, item.vector, cues[item.seq])
        cut = decide(config.segment, session_window.recent, view, similarity).cut
        # All earlier turns of the session may be set aside.
        item.cut = None if cut == "session" and not item.opens_session else cut
        session_window.recent.add(config.segment, view, begins=item.cut is not None)
