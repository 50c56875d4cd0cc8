"""Views of ``hmem show`` as nested lines: trees, episodes, notes, the graph, personas and tiers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, date, datetime, timedelta
from itertools import groupby
from typing import Final

from hmem.interfaces.cli.output import number, one_line
from hmem.model.entity import KnowledgeGraph, Relation
from hmem.model.episode import Cut, Episode
from hmem.model.event import Event
from hmem.model.node import Branch, Node
from hmem.model.note import Note
from hmem.model.persona import Persona, PersonaVersion
from hmem.model.span import Span
from hmem.model.tier import Record, Tiers
from hmem.model.turn import Session, Turn

_LABEL: Final = 60
_TEXT: Final = 160
_SUMMARY: Final = 320
_RELATIONS: Final = 5
_LINES: Final = 400
_DAY: Final = timedelta(days=1)
_CUTS: Final[Mapping[Cut, str]] = {
    "topic": "begins with a new topic",
    "surprise": "begins with a surprise",
    "session": "begins the session",
    "length": "begins because the one before was long enough",
}


@dataclass(frozen=True, slots=True)
class Twig:
    """Line with fainter text after it and below it, and its nested lines."""

    text: str
    more: str = ""
    below: str = ""
    twigs: "tuple[Twig, ...]" = ()


@dataclass(frozen=True, slots=True)
class Folding:
    """Limits of a drawn tree: levels of nodes, nodes below a node, leaves below a node."""

    depth: int | None = None
    limit: int = 12
    leaves: int = 3


Tell = Callable[[str], Twig]


def day(moment: date) -> str:
    """Return a day for people: ``11 Aug 2023``."""
    return f"{moment.day} {moment:%b} {moment.year}"


def period(span: Span) -> str:
    """Return the days of a span: ``11 Aug 2023``, or ``11 Aug 2023 - 3 Sep 2023``."""
    last = max(span.end - timedelta(microseconds=1), span.start)
    first, until = day(span.start), day(last)
    return first if first == until else f"{first} - {until}"


def _folded(twigs: Sequence[Twig], count: int) -> tuple[Twig, ...]:
    """Return the twigs and, if ``count`` is larger, a last one with the number left out."""
    left = count - len(twigs)
    return (*twigs, Twig(f"… {left:,} more")) if left > 0 else tuple(twigs)


# Trees.


def timeline(tree: Branch, tell: Tell, folding: Folding) -> tuple[Twig, ...]:
    """Return years, months, days and turns, in order."""
    return _below(tree, tell, folding, _calendar_line, _by_time)


def topics(tree: Branch, tell: Tell, folding: Folding) -> tuple[Twig, ...]:
    """Return topics, those with the most turns first."""
    return _below(tree, tell, folding, _named_line("turn"), _by_size)


def layers(tree: Branch, tell: Tell, folding: Folding) -> tuple[Twig, ...]:
    """Return domains, categories, traces and events, those with the most events first."""
    return _below(tree, tell, folding, _named_line("event"), _by_size)


def evolution(tree: Branch, tell: Tell, folding: Folding) -> tuple[Twig, ...]:
    """Return clusters of similar events, the largest first; nodes with a single child are left out."""
    return _below(_gathering(tree), tell, folding, _named_line("event"), _by_size)


View = Callable[[Branch, Tell, Folding], tuple[Twig, ...]]


def fitting(view: View, tree: Branch, folding: Folding) -> Folding:
    """Return the folding with the greatest depth at which the tree has at most 400 lines."""
    if folding.depth is not None:
        return folding
    for depth in (None, *range(tree.node.level - 1, 1, -1)):
        tried = Folding(depth, folding.limit, folding.leaves)
        if _count(view(tree, Twig, tried)) <= _LINES:
            return tried
    return Folding(1, folding.limit, folding.leaves)


def _count(twigs: Iterable[Twig]) -> int:
    return sum(1 + _count(twig.twigs) for twig in twigs)


Line = Callable[[Node], Twig]
Order = Callable[[Iterable[Branch]], list[Branch]]


def _below(tree: Branch, tell: Tell, folding: Folding, line: Line, order: Order) -> tuple[Twig, ...]:
    """Return the lines below a node: its children, then its leaves, within the limits."""
    if folding.depth is not None and folding.depth <= 0:
        return ()
    deeper = Folding(None if folding.depth is None else folding.depth - 1, folding.limit, folding.leaves)
    children = order(tree.children)[: folding.limit]
    twigs = [_node(child, line, _below(child, tell, deeper, line, order)) for child in children]
    leaves = [tell(leaf) for leaf in tree.leaves[: folding.leaves]]
    if not folding.leaves:
        return _folded(twigs, len(tree.children))
    return (*_folded(twigs, len(tree.children)), *_folded(leaves, len(tree.leaves)))


def _node(branch: Branch, line: Line, twigs: tuple[Twig, ...]) -> Twig:
    """Return the line of a node; its summary is left out if its only child's is drawn."""
    twig = line(branch.node)
    told_below = len(branch.children) == 1 and not branch.leaves and bool(twigs)
    return Twig(twig.text, twig.more, "" if told_below else twig.below, twigs)


def _by_time(branches: Iterable[Branch]) -> list[Branch]:
    return sorted(branches, key=lambda branch: (branch.node.span.start, branch.node.id))


def _by_size(branches: Iterable[Branch]) -> list[Branch]:
    return sorted(branches, key=lambda branch: (-branch.node.size, branch.node.span.start, branch.node.id))


def _calendar_line(node: Node) -> Twig:
    count = number(node.size, "turn")
    parts = node.label.split("-")
    if not all(part.isdecimal() for part in parts) or len(parts) > len(("year", "month", "day")):
        return Twig(one_line(node.label, _LABEL), count, one_line(node.summary, _SUMMARY))
    first = date(*map(int, [*parts, "1", "1"][:3]))
    name = (f"{first.year}", f"{first:%B} {first.year}", f"{first:%a} {day(first)}")[len(parts) - 1]
    return Twig(name, count, one_line(node.summary, _SUMMARY))


def _named_line(leaf: str) -> Line:
    def line(node: Node) -> Twig:
        name = one_line(node.label, _LABEL) or period(node.span)
        return Twig(name, f"{number(node.size, leaf)}, {period(node.span)}", one_line(node.summary, _SUMMARY))

    return line


def _gathering(tree: Branch) -> Branch:
    """Return the tree without nodes that have a single child or leaf, which takes their place."""
    children: list[Branch] = []
    leaves = [*tree.leaves]
    for child in map(_gathering, tree.children):
        if len(child.children) + len(child.leaves) > 1:
            children.append(child)
        else:
            children += child.children
            leaves += child.leaves
    return Branch(tree.node, tuple(children), tuple(leaves))


# Leaves.


def leaf(kept: Turn | Event | Note, *, dated: bool) -> Twig:
    """Return the line of a turn, an event or a note; ``dated`` adds the day to a turn."""
    if isinstance(kept, Note):
        return Twig(one_line(kept.text, _TEXT))
    if isinstance(kept, Event):
        happened = "" if kept.happened is None else f"happened {period(kept.happened)}"
        return Twig(f"{kept.said:%Y-%m-%d} {one_line(kept.text, _TEXT)}", happened)
    when = f"{kept.at:%Y-%m-%d %H:%M}" if dated else f"{kept.at:%H:%M}"
    photo = f" [photo: {one_line(kept.caption, _TEXT)}]" if kept.caption else ""
    return Twig(f"{when} {one_line(kept.speaker, _LABEL)}: {one_line(kept.text, _TEXT)}{photo}")


# Sessions, episodes and notes.


def sessions(held: Iterable[Session]) -> tuple[Twig, ...]:
    """Return days with their sessions: speakers, number of turns and opening words."""
    return tuple(
        Twig(f"{start:%a} {day(start)}", twigs=tuple(map(_session, of_day)))
        for start, of_day in groupby(held, key=lambda session: session.start.date())
    )


def _session(session: Session) -> Twig:
    who = one_line(", ".join(session.speakers), _LABEL)
    line = f"{session.start:%H:%M} {one_line(session.id, _LABEL)}: {who}, {number(session.turns, 'turn')}"
    return Twig(line, one_line(session.opening, _LABEL))


def episodes(held: Iterable[Episode]) -> tuple[Twig, ...]:
    """Return sessions with their episodes: times, number of turns and summary."""
    return tuple(
        Twig(one_line(session, _LABEL), twigs=tuple(map(_episode, of_session)))
        for session, of_session in groupby(held, key=lambda episode: episode.session)
    )


def _episode(episode: Episode) -> Twig:
    start, end = episode.span.start, max(episode.span.end - timedelta(microseconds=1), episode.span.start)
    until = f"{end:%H:%M}" if end - start < _DAY else f"{day(end)} {end:%H:%M}"
    line = f"{day(start)} {start:%H:%M}-{until}, {number(len(episode.turns), 'turn')}"
    return Twig(line, _CUTS[episode.cut], one_line(episode.summary, _SUMMARY))


def notes(held: Iterable[Note]) -> tuple[Twig, ...]:
    """Return subjects with their notes by slot, oldest first."""
    subjects: dict[str, list[Note]] = {}
    for note in held:
        subjects.setdefault(note.subject, []).append(note)
    told = {note.id: note for about in subjects.values() for note in about}
    return tuple(
        Twig(
            one_line(subject, _LABEL),
            number(len(about), "note"),
            twigs=tuple(_note(note, told) for note in _by_slot(about)),
        )
        for subject, about in subjects.items()
    )


def _by_slot(about: Sequence[Note]) -> list[Note]:
    slots = list(dict.fromkeys(note.slot for note in about))
    return sorted(about, key=lambda note: slots.index(note.slot))


def _note(note: Note, told: Mapping[str, Note]) -> Twig:
    said = [note.kind, f"said {day(note.recorded)}"]
    if validity := _validity(note):
        said.append(validity)
    if note.reinforcements:
        said.append(f"said again {note.reinforcements:,} times" if note.reinforcements > 1 else "said again")
    if note.status != "current":
        said.append(_became(note, told))
    earlier = tuple(Twig(f"earlier, {day(each.recorded)}: {one_line(each.text, _TEXT)}") for each in note.earlier)
    return Twig(filled(note), ", ".join(said), one_line(note.text, _TEXT), earlier)


def filled(note: Note, longest: int | None = _LABEL) -> str:
    """Return the slot of a note with its value, each cut; the slot alone if it has no value."""
    slot = one_line(note.slot, longest)
    return f"{slot}: {_value(note, longest)}" if note.value else slot


def _value(note: Note, longest: int | None = _LABEL) -> str:
    return f"{'' if note.positive else 'not '}{one_line(note.value, longest)}"


def _became(note: Note, told: Mapping[str, Note]) -> str:
    """Return the status of a note, with the reason and its successor."""
    why = f": {note.why}" if note.why else ""
    if note.successor is None:
        return note.status + why
    by = told.get(note.successor)
    named = note.successor if by is None else _value(by)
    return f"{note.status}{why} -> {named}"


def _validity(note: Note) -> str:
    """Return the period in which a note holds; an end in the last possible year means for good."""
    start, end = note.valid_from, note.valid_to
    if end is None or end.year == MAXYEAR:
        return "" if start is None else f"since {day(start)}"
    return f"until {day(end)}" if start is None else period(Span(start, end))


# Graph, personas, tiers.


def graph(shown: KnowledgeGraph, *, everything: bool) -> tuple[Twig, ...]:
    """Return entities, the most mentioned first, with their relations, the best supported first, and overlaps."""
    names = {entity.id: one_line(entity.name, _LABEL) for entity in shown.entities}
    persistent = {profile.entity: profile.persistent or profile.recent for profile in shown.profiles}
    twigs: list[Twig] = []
    for entity in shown.entities:
        lines = [*_relations(shown, entity.id, names), *_overlaps(shown, entity.id, names)]
        said = [entity.type, number(shown.mentions.get(entity.id, 0), "turn")]
        if entity.aliases:
            said.append(f"also {one_line(', '.join(entity.aliases), _LABEL)}")
        cut = lines if everything else lines[:_RELATIONS]
        below = one_line(persistent.get(entity.id, ""), _SUMMARY)
        twigs.append(Twig(names[entity.id], ", ".join(said), below, _folded(cut, len(lines))))
    return tuple(twigs)


def _relations(shown: KnowledgeGraph, entity: str, names: Mapping[str, str]) -> list[Twig]:
    about = [relation for relation in shown.relations if entity in (relation.source, relation.target)]
    about.sort(key=lambda relation: (-len(relation.evidence), -relation.confidence, relation.id))
    return [
        Twig(
            f"→ {_label(each)} → {names.get(each.target, each.target)}"
            if each.source == entity
            else f"← {_label(each)} ← {names.get(each.source, each.source)}",
            number(len(each.evidence), "turn"),
        )
        for each in about
    ]


def _label(relation: Relation) -> str:
    return one_line(relation.label.replace("_", " "), _LABEL)


def _overlaps(shown: KnowledgeGraph, entity: str, names: Mapping[str, str]) -> list[Twig]:
    pairs = [pair for pair in shown.overlaps if entity in pair]
    others = [other for pair in pairs for other in pair if other != entity]
    return [Twig(f"≈ {names.get(other, other)}", "resembles its name") for other in others]


def personas(held: Iterable[Persona]) -> tuple[Twig, ...]:
    """Return people with the traits of their personas."""
    return tuple(
        Twig(
            one_line(persona.speaker, _LABEL),
            f"version {persona.version}, {day(persona.at)}, from {number(len(persona.sources), 'note')}",
            one_line(persona.text),
            tuple(Twig(one_line(trait, _TEXT)) for trait in persona.traits),
        )
        for persona in held
    )


def versions(held: Sequence[PersonaVersion]) -> tuple[Twig, ...]:
    """Return people with the versions of their personas, oldest first."""
    return tuple(
        Twig(one_line(speaker, _LABEL), "", "", tuple(_version(version) for version in group))
        for speaker, group in groupby(held, key=lambda version: version.speaker)
    )


def _version(version: PersonaVersion) -> Twig:
    said = [f"by {one_line(version.by, _LABEL)}", f"{number(len(version.notes), 'note')} came"]
    if version.why:
        said.append(one_line(version.why, _LABEL))
    if version.undone:
        said.append("undone")
    return Twig(day(version.at), ", ".join(said), one_line(version.text, _SUMMARY))


def tiers(shown: Tiers, limit: int) -> tuple[Twig, ...]:
    """Return cache, buffer and archive, with the best records of the first two."""
    sessions = one_line(", ".join(shown.sessions), _TEXT)
    cached = f"{number(shown.counts['cache'], 'turn')}" + (f"; the latest sessions: {sessions}" if sessions else "")
    return (
        Twig("cache", cached, twigs=_records(shown.cache, limit)),
        Twig("buffer", number(shown.counts["buffer"], "turn"), twigs=_records(shown.buffer, limit)),
        Twig("archive", number(shown.counts["archive"], "turn")),
    )


def _records(records: Sequence[Record], limit: int) -> tuple[Twig, ...]:
    return _folded([_record(record) for record in records[:limit]], len(records))


def _record(record: Record) -> Twig:
    when = _minute(record.when)
    why = f"importance {record.importance}, likeness {record.similarity:.2f}, used {number(record.uses, 'time')}"
    line = f"{record.score:.2f}  {when} {one_line(record.speaker, _LABEL)}: {one_line(record.text, _TEXT)}"
    return Twig(line, why + (", pivotal" if record.pivotal else ""))


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
