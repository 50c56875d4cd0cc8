"""Proof that what was formed agrees with the turns and with itself."""

from collections.abc import Iterable, Iterator

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import EVENT_TREES, TURN_TREES, Arrangement
from hmem.hierarchy.part import turn_of

_MEND = "run `hmem rebuild`"


def problems(corpus: Corpus, arrangement: Arrangement) -> list[str]:
    """What is wrong; call it inside ``corpus.reading()``, with the arrangement caught up. To be behind is not wrong."""
    columns, judgements = corpus.columns, arrangement.judgements
    alive = set(columns.seq[columns.alive].tolist())
    formed = set(judgements.seqs())
    events = {event.number for seq in arrangement.events.turns() for event in arrangement.events.of(seq)}
    memorable = {seq for seq in formed if (kept := judgements.of(seq)) is not None and kept.memorable}
    found = [
        *_strange("what was formed", formed, alive),
        *_strange("events", {turn_of(event) for event in events}, memorable),
        *_strange("notes", {note.turn for note in arrangement.notes.all()}, {*memorable, *arrangement.learnt.seqs()}),
        *_strange("entities", _named(arrangement), formed),
    ]
    for name, tree in arrangement.trees.items():
        leaves = set(tree.under(0))
        if leaves and name in TURN_TREES:
            found += _differ(f"{name} tree and the memorable turns", leaves, memorable)
        if leaves and name in EVENT_TREES:
            found += _differ(f"{name} tree and the events", leaves, events)
    return found


def _named(arrangement: Arrangement) -> set[int]:
    return {seq for entity in arrangement.graph.entities() for seq in arrangement.graph.mentions(entity)}


def _differ(what: str, one: set[int], other: set[int]) -> Iterator[str]:
    if wrong := len(one ^ other):
        yield f"the {what} differ in {wrong} - {_MEND}"


def _strange(what: str, turns: Iterable[int], known: set[int]) -> Iterator[str]:
    if wrong := len(set(turns) - known):
        yield f"{what} is of {wrong} turns that are not there, or not memorable - {_MEND}"
