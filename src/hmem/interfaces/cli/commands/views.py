"""Commands that list what a memory holds: ``get``, ``list``, ``notes``, ``profile``, and those of ``hmem show``."""

from collections.abc import Callable, Iterator
from datetime import MAXYEAR, timedelta
from typing import Any, Final, get_args

import click

import hmem
from hmem.interfaces.cli.options import (
    POSITIVE,
    STANDPOINT,
    emit,
    flag,
    invocation,
    memory_command,
    option,
    user_option,
)
from hmem.interfaces.cli.output import day, json_of, one_line, period, visible
from hmem.interfaces.operations import view_at
from hmem.interfaces.serialisation import form_of
from hmem.model.entity import Entity, GraphShape, KnowledgeGraph
from hmem.model.event import Episode, EpisodeShape, Event
from hmem.model.node import Branch, NodeShape, TreeName
from hmem.model.note import Note, NoteKind
from hmem.model.persona import PROFILE_TOKENS, Persona, PersonaShape, PersonaVersion
from hmem.model.span import Span
from hmem.model.tier import Tiers
from hmem.model.turn import Session, Turn
from hmem.util.amounts import amount

_View = hmem.Memory | hmem.AsOf
_EMPTY: Final = "nothing to show yet"
_LABEL: Final = 60
_TEXT: Final = 160
_RELATIONS: Final = 5
_SHOWN_LEAVES: Final = 3

_session = option("--session", "ID", "Only of one session.")
_offset = option("--offset", None, "How many to leave out first.", type=click.IntRange(min=0), default=0)


def _limit(count: int | None) -> Callable[[Any], Any]:
    return option("--limit", None, "How many at most.", type=POSITIVE, default=count)


# Lines.


def turn_line(turn: Turn) -> str:
    """Return a turn on one line: its id, when it was said, by whom, what."""
    photo = f" [photo: {one_line(turn.caption, _TEXT)}]" if turn.caption else ""
    text = f"{one_line(turn.text, _TEXT)}{photo}"
    return f"{turn.id}  {turn.at:%Y-%m-%d %H:%M}  {one_line(turn.speaker, _LABEL)}: {text}"


def event_line(event: Event) -> str:
    """Return an event on one line: its id, when it was said, what, and when it happened."""
    date = "" if event.happened is None else f" (happened {period(event.happened)})"
    return f"{event.id}  {event.said:%Y-%m-%d}  {one_line(event.text, _TEXT)}{date}"


def note_line(note: Note) -> str:
    """Return a note: its id and value on one line, then its text, and the sentences before it."""
    remarks = [f"said {day(note.recorded)}"]
    if validity := _validity(note):
        remarks.append(validity)
    if note.reinforcements:
        remarks.append(
            "said again" if note.reinforcements == 1 else f"said again {amount(note.reinforcements, 'time')}"
        )
    if note.status != "current":
        successor = f" -> {note.successor}" if note.successor else ""
        remarks.append(f"{note.status}{f': {note.why}' if note.why else ''}{successor}")
    sentences = (f"\n    earlier, {day(former.recorded)}: {one_line(former.text, _TEXT)}" for former in note.earlier)
    head = f"{note.id}  {one_line(note.subject, _LABEL)}, {slot_of(note)}  ({', '.join(remarks)})"
    return f"{head}\n    {one_line(note.text, _TEXT)}{''.join(sentences)}"


def slot_of(note: Note, longest: int | None = _LABEL) -> str:
    """Return the slot of a note with its value, each cut; the slot alone if it has no value."""
    slot = one_line(note.slot, longest)
    return f"{slot}: {'' if note.positive else 'not '}{one_line(note.value, longest)}" if note.value else slot


def _validity(note: Note) -> str:
    """Return the period in which a note holds; an end in the last possible year means for good."""
    start, end = note.valid_from, note.valid_to
    if end is None or end.year == MAXYEAR:
        return "" if start is None else f"since {day(start)}"
    return f"until {day(end)}" if start is None else period(Span(start, end))


def _session_line(session: Session) -> str:
    speakers = one_line(", ".join(session.speakers), _LABEL)
    opening = f"{speakers}, {amount(session.turns, 'turn')}: {one_line(session.opening, _LABEL)}"
    return f"{one_line(session.id, _LABEL)}  {session.start:%Y-%m-%d %H:%M}  {opening}"


def _episode_line(episode: Episode) -> str:
    start, end = episode.span.start, max(episode.span.end - timedelta(microseconds=1), episode.span.start)
    until = f"{end:%H:%M}" if end.date() == start.date() else f"{end:%Y-%m-%d %H:%M}"
    origin = f"{one_line(episode.session, _LABEL)}, {amount(len(episode.turns), 'turn')}, cut by {episode.cut}"
    summary = f"\n    {one_line(episode.summary, _TEXT)}" if episode.summary else ""
    return f"{episode.id}  {start:%Y-%m-%d %H:%M}-{until}  {origin}{summary}"


def _entity_line(entity: Entity) -> str:
    aliases = f", also {one_line(', '.join(entity.aliases), _LABEL)}" if entity.aliases else ""
    return f"{entity.id}  {one_line(entity.name, _LABEL)}  {entity.type}{aliases}"


def _persona_line(persona: Persona | PersonaVersion) -> str:
    version = f"version {persona.version}" if isinstance(persona, Persona) else f"by {persona.by}"
    if isinstance(persona, PersonaVersion) and persona.undone:
        version += ", undone"
    traits = "".join(f"\n    - {one_line(trait, _TEXT)}" for trait in persona.traits)
    text = f"\n    {one_line(persona.text)}" if persona.text else ""
    return f"{one_line(persona.speaker, _LABEL)}  {day(persona.at)}, {version}{text}{traits}"


# Lists.


def _list(
    name: str, text: str, form: Any, line: Callable[[Any], str], *parameters: Callable[[Any], Any]
) -> click.Command:
    """Return a command that writes the memory's list of its name, with a line for each value of ``form``."""

    def run(view: _View, **arguments: Any) -> None:
        values = getattr(view, name)(**arguments)
        emit(values, map(line, values), _EMPTY)
        if not invocation().json and arguments["limit"] == len(values):
            start = arguments.get("offset")
            continuation = f"--after {values[-1].id}" if start is None else f"--offset {start + len(values)}"
            click.echo(f"go on with {continuation}", err=True)

    return memory_command(name, json_of(form), *parameters, text=text)(run)


turns: Final = _list(
    "list",
    "List turns as they were said.\n\nThey come in the order in which they were added.",
    list[Turn],
    turn_line,
    _session,
    option("--speaker", "NAME", "Only of one speaker."),
    option("--entity", "NAME", "Only what names someone or something, by name or id."),
    option("--node", "ID", "Only what lies below a node of a tree."),
    option("--query", "WORDS", "Only what has every word, in any form."),
    option("--since", "TIME", "Only what was said then or later."),
    option("--until", "TIME", "Only what was said before."),
    option("--after", "ID", "Only turns behind this one."),
    option("--before", "ID", "The last turns before this one."),
    _limit(100),
)
notes: Final = _list(
    "notes",
    "List what is held to be so, with its history.\n\nA note says what somebody's slot holds or what was said of one "
    "matter, since when, and what took its place.",
    list[Note],
    note_line,
    *STANDPOINT,
    option("--subject", "NAME", "The notes about one person or thing."),
    option("--slot", "SLOT", "The notes in one slot, such as pet."),
    option("--kind", None, "The notes of one kind.", type=click.Choice(get_args(NoteKind))),
    user_option,
    _limit(100),
    _offset,
)
sessions: Final = _list(
    "sessions",
    "Show sessions.\n\nEach has its speakers, its number of turns and its opening words.",
    tuple[Session, ...],
    _session_line,
    _limit(None),
    _offset,
)
episodes: Final = _list(
    "episodes",
    "Show episodes.\n\nAn episode is a coherent run of turns; it is said why it begins where it does.",
    list[EpisodeShape],
    _episode_line,
    *STANDPOINT,
    _session,
    user_option,
    _limit(100),
    _offset,
)
events: Final = _list(
    "events",
    "Show events.\n\nAn event is a statement that stands by itself, with the time at which it happened.",
    list[Event],
    event_line,
    *STANDPOINT,
    _session,
    user_option,
    _limit(100),
    _offset,
)
entities: Final = _list(
    "entities",
    "Show entities.\n\nThose that most turns name come first.",
    list[Entity],
    _entity_line,
    *STANDPOINT,
    option("--name", "TEXT", "Only those whose name contains it."),
    user_option,
    _limit(100),
    _offset,
)


# Single things.


@memory_command("get", json_of(Turn | Event | Note), click.argument("target", metavar="ID"))
def get(memory: hmem.Memory, target: str) -> None:
    """Show a turn, an event or a note by its id, or by the first characters of it.

    The text is whole and as it was said; below it stand its ids, and those of what it was made from.
    """
    item = memory.get(target)
    emit(item, (f"{visible(item.text)}\n", *(f"{name:<10}{value}" for name, value in _properties(item))))


def _properties(item: Turn | Event | Note) -> list[tuple[str, str]]:
    """Return names and values for people, those that are there."""
    sources = [("" if count else "made from", source) for count, source in enumerate(getattr(item, "sources", ()))]
    if isinstance(item, Turn):
        speaker = f"{one_line(item.speaker)}, {item.at:%a} {day(item.at)} {item.at:%H:%M}"
        photo = [("photo", one_line(item.caption))] if item.caption else []
        return [("said by", speaker), *photo, ("session", one_line(item.session)), ("id", item.id)]
    if isinstance(item, Event):
        date = [] if item.happened is None else [("happened", period(item.happened))]
        return [("said", f"{item.said:%a} {day(item.said)}"), *date, ("id", item.id), *sources]
    successor = [("became", item.successor)] if item.successor else []
    return [
        ("note", f"{one_line(item.subject)}, {slot_of(item, None)}"),
        ("status", f"{item.status}, said {day(item.recorded)}"),
        *successor,
        ("id", item.id),
        *sources,
    ]


@memory_command(
    "profile",
    json_of(hmem.Profile),
    click.argument("person", required=False),
    option("--tokens", None, "How many tokens at most.", type=int, default=PROFILE_TOKENS),
    user_option,
    *STANDPOINT,
)
def profile(view: _View, person: str | None, **arguments: Any) -> None:
    """Write what a person said of themselves that holds now, ready for a prompt.

    Typed facts come first, then the most telling sentences, as they were said, each with its date. Without a name it is
    the person who said most. What others said of them, an assistant or a document among them, is not in it.
    """
    text = view.profile(person, **arguments)
    emit(text, visible(text.text) or "nothing is known yet")


# Trees, graph, personas, tiers. `hmem explore` draws them.


@memory_command(
    "tree",
    json_of(NodeShape),
    click.argument("name", type=click.Choice(get_args(TreeName))),
    option("--depth", None, "How many levels of nodes, from above; by default all.", type=POSITIVE),
    option("--limit", None, "How many nodes are written under one.", type=POSITIVE, default=31),
    flag("--summaries", "Write the summaries first that are not written yet."),
    user_option,
    *STANDPOINT,
    by_view=False,
)
def tree(memory: hmem.Memory, name: TreeName, depth: int | None, limit: int, **arguments: Any) -> None:
    """Show a tree and its turns or events.

    The calendar has years, months and days; topics gather turns; layers are domains, categories and traces; evolution
    gathers events that resemble each other by week, month and year. `hmem explore` draws them.
    """
    root = view_at(memory, arguments).tree(name, **arguments)
    emit(NodeShape.from_branch(root, depth), _branch(memory, root, "", depth, limit), _EMPTY)


def _branch(memory: hmem.Memory, branch: Branch, indent: str, depth: int | None, limit: int) -> Iterator[str]:
    """Yield the lines below a node: its children with what is below them, then its leaves."""
    if depth == 0:
        return
    children = sorted(branch.children, key=lambda child: (child.node.span.start, child.node.id))
    for child in children[:limit]:
        node = child.node
        summary = f": {one_line(node.summary, _TEXT)}" if node.summary else ""
        yield f"{indent}{one_line(node.label, _LABEL) or period(node.span)} ({node.size:,}){summary}"
        yield from _branch(memory, child, indent + "  ", None if depth is None else depth - 1, limit)
    yield from (indent + _leaf_line(memory.get(leaf)) for leaf in branch.leaves[:_SHOWN_LEAVES])
    omitted = max(len(children) - limit, 0) + max(len(branch.leaves) - _SHOWN_LEAVES, 0)
    if omitted:
        yield f"{indent}… {omitted:,} more"


def _leaf_line(leaf: Turn | Event | Note) -> str:
    return turn_line(leaf) if isinstance(leaf, Turn) else event_line(leaf) if isinstance(leaf, Event) else leaf.text


@memory_command(
    "graph",
    json_of(GraphShape),
    option("--entity", "NAME", "An entity, by name or id, and those around it."),
    _limit(40),
    user_option,
    *STANDPOINT,
)
def graph(view: _View, entity: str | None, **arguments: Any) -> None:
    """Show entities and what relates them.

    Those that most turns name come first, or one and those around it.
    """
    neighbours = view.graph(entity, **arguments)
    emit(neighbours, _graph_lines(neighbours, None if entity else _RELATIONS), _EMPTY)


def _graph_lines(graph: KnowledgeGraph, limit: int | None) -> Iterator[str]:
    """Yield each entity with its best supported relations."""
    names = {entity.id: one_line(entity.name, _LABEL) for entity in graph.entities}
    profiles = {profile.entity: profile.persistent or profile.recent for profile in graph.profiles}
    for entity in graph.entities:
        yield f"{_entity_line(entity)}, {amount(graph.mentions.get(entity.id, 0), 'turn')}"
        if profiles.get(entity.id):
            yield f"    {one_line(profiles[entity.id], 2 * _TEXT)}"
        relations = [relation for relation in graph.relations if entity.id in (relation.source, relation.target)]
        relations.sort(key=lambda relation: (-len(relation.evidence), -relation.confidence, relation.id))
        for relation in relations[:limit]:
            ends = f"{names.get(relation.source, relation.source)} → {names.get(relation.target, relation.target)}"
            label = one_line(relation.label.replace("_", " "), _LABEL)
            was = ", no longer so" if relation.past else ""
            yield f"    {ends}: {label} ({amount(len(relation.evidence), 'turn')}{was})"


@memory_command(
    "persona",
    json_of(list[PersonaShape], f"; with --history {form_of(list[PersonaVersion])}"),
    option("--speaker", "NAME", "Only of this one."),
    flag("--history", "Every version, the oldest first, with what brought it about."),
    user_option,
    *STANDPOINT,
)
def persona(view: _View, speaker: str | None, *, history: bool, user: str | None) -> None:
    """Show what is known of those who speak.

    That is a text and traits, from the notes about a speaker.
    """
    if speaker is None:
        personas = list(view.personas(user=user))
    else:
        personas = [persona for persona in (view.persona(speaker, user=user),) if persona is not None]
    versions: list[Persona | PersonaVersion] = [*personas]
    if history:
        people = [(persona.speaker, persona.user) for persona in personas] if speaker is None else [(speaker, user)]
        versions = [version for name, owner in people for version in view.persona_history(name, user=owner)]
    emit(versions, map(_persona_line, versions), _EMPTY)


@memory_command(
    "tiers",
    json_of(Tiers),
    option("--limit", None, "How many turns are written of a tier.", type=click.IntRange(min=0), default=12),
    user_option,
)
def tiers(memory: hmem.Memory, limit: int, user: str | None) -> None:
    """Show which turns are in the cache and the buffer.

    Each is shown with its score and what the score is made of, the best first. The rest is in the archive.
    """
    tiers = memory.tiers(user=user)
    emit(tiers, _tier_lines(tiers, limit))


def _tier_lines(tiers: Tiers, limit: int) -> Iterator[str]:
    for name, count in tiers.counts.items():
        yield f"{name}: {amount(count, 'turn')}"
        records = {"cache": tiers.cache, "buffer": tiers.buffer}.get(name, ())
        for record in records[:limit]:
            uses = (
                f"importance {record.importance}, likeness {record.similarity:.2f}, used {amount(record.uses, 'time')}"
            )
            text = f"{record.when:%Y-%m-%d %H:%M}  {one_line(record.speaker, _LABEL)}: {one_line(record.text, _TEXT)}"
            yield f"    {record.score:.2f}  {text}  ({uses}{', pivotal' if record.pivotal else ''})"
