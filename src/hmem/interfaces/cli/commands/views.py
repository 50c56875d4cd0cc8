"""Commands that list what a memory holds: ``get``, ``list``, ``notes``, ``profile``, and those of ``hmem show``."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, timedelta
from typing import Any, Final, TypeVar, cast, get_args

import click

import hmem
from hmem.interfaces.cli.options import json_option, memory_option, open_memory, seen_from, standpoint_options
from hmem.interfaces.cli.output import day, json_of, number, one_line, period, visible, write_json
from hmem.interfaces.cli.short_ids import whole_id, whole_ids
from hmem.interfaces.serialisation import form_of
from hmem.model.entity import Entity, GraphShape, KnowledgeGraph
from hmem.model.event import Episode, EpisodeShape, Event
from hmem.model.node import Branch, NodeShape, TreeName
from hmem.model.note import Note, NoteKind
from hmem.model.persona import PROFILE_TOKENS, Persona, PersonaShape, PersonaVersion
from hmem.model.span import Span
from hmem.model.tier import Tiers
from hmem.model.turn import Session, Turn

_Command = TypeVar("_Command", bound=Callable[..., Any])
_NOTHING: Final = "nothing to show yet"
_LABEL: Final = 60
_TEXT: Final = 160
_RELATIONS: Final = 5
_SHOWN_LEAVES: Final = 3

_at_least_one: Final = click.IntRange(min=1)
_user: Final = click.option("--user", metavar="ID", help="Only what belongs to one user.")
_session: Final = click.option("--session", metavar="ID", help="Only of one session.")
_offset: Final = click.option(
    "--offset", type=click.IntRange(min=0), default=0, show_default=True, help="How many to leave out first."
)


def _limit(count: int | None) -> Callable[[_Command], _Command]:
    return click.option(
        "--limit", type=_at_least_one, default=count, show_default=count is not None, help="How many at most."
    )


# Lines.


def turn_line(turn: Turn) -> str:
    """Return a turn on one line: its id, when it was said, by whom, what."""
    photo = f" [photo: {one_line(turn.caption, _TEXT)}]" if turn.caption else ""
    text = f"{one_line(turn.text, _TEXT)}{photo}"
    return f"{turn.id}  {turn.at:%Y-%m-%d %H:%M}  {one_line(turn.speaker, _LABEL)}: {text}"


def event_line(event: Event) -> str:
    """Return an event on one line: its id, when it was said, what, and when it happened."""
    happened = "" if event.happened is None else f" (happened {period(event.happened)})"
    return f"{event.id}  {event.said:%Y-%m-%d}  {one_line(event.text, _TEXT)}{happened}"


def note_line(note: Note) -> str:
    """Return a note: its id and value on one line, then its text, and the sentences before it."""
    said = [f"said {day(note.recorded)}"]
    if valid := _validity(note):
        said.append(valid)
    if note.reinforcements:
        said.append("said again" if note.reinforcements == 1 else f"said again {note.reinforcements:,} times")
    if note.status != "current":
        became = f" -> {note.successor}" if note.successor else ""
        said.append(f"{note.status}{f': {note.why}' if note.why else ''}{became}")
    earlier = (f"\n    earlier, {day(each.recorded)}: {one_line(each.text, _TEXT)}" for each in note.earlier)
    head = f"{note.id}  {one_line(note.subject, _LABEL)}, {slot_of(note)}  ({', '.join(said)})"
    return f"{head}\n    {one_line(note.text, _TEXT)}{''.join(earlier)}"


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
    who = one_line(", ".join(session.speakers), _LABEL)
    about = f"{who}, {number(session.turns, 'turn')}: {one_line(session.opening, _LABEL)}"
    return f"{one_line(session.id, _LABEL)}  {session.start:%Y-%m-%d %H:%M}  {about}"


def _episode_line(episode: Episode) -> str:
    start, end = episode.span.start, max(episode.span.end - timedelta(microseconds=1), episode.span.start)
    until = f"{end:%H:%M}" if end.date() == start.date() else f"{end:%Y-%m-%d %H:%M}"
    of = f"{one_line(episode.session, _LABEL)}, {number(len(episode.turns), 'turn')}, cut by {episode.cut}"
    summary = f"\n    {one_line(episode.summary, _TEXT)}" if episode.summary else ""
    return f"{episode.id}  {start:%Y-%m-%d %H:%M}-{until}  {of}{summary}"


def _entity_line(entity: Entity) -> str:
    also = f", also {one_line(', '.join(entity.aliases), _LABEL)}" if entity.aliases else ""
    return f"{entity.id}  {one_line(entity.name, _LABEL)}  {entity.type}{also}"


def _persona_line(known: Persona | PersonaVersion) -> str:
    by = f"version {known.version}" if isinstance(known, Persona) else f"by {known.by}"
    undone = ", undone" if isinstance(known, PersonaVersion) and known.undone else ""
    traits = "".join(f"\n    - {one_line(trait, _TEXT)}" for trait in known.traits)
    text = f"\n    {one_line(known.text)}" if known.text else ""
    return f"{one_line(known.speaker, _LABEL)}  {day(known.at)}, {by}{undone}{text}{traits}"


# Lists.


@dataclass(frozen=True, slots=True)
class _List:
    """Command that lists values: its name and help, the method that returns them, their type, and the line of each."""

    name: str
    help: str
    form: Any
    line: Callable[[Any], str]
    options: tuple[Callable[[Any], Any], ...]
    method: str = ""
    looks_back: bool = True

    def command(self) -> click.Command:
        """Return the command."""

        def run(*, memory: str, as_json: bool, **asked: Any) -> None:
            with open_memory(memory) as opened:
                seen = seen_from(opened, asked.pop("as_of", None), asked.pop("valid_at", None))
                arguments = whole_ids(opened, asked, "entity", "node", "after")
                items = getattr(seen, self.method or self.name)(**arguments)
            if as_json:
                write_json(items)
                return
            click.echo("\n".join(map(self.line, items)) or _NOTHING)
            if asked["limit"] == len(items):
                on = f"--after {items[-1].id}" if "after" in asked else f"--offset {asked['offset'] + len(items)}"
                click.echo(f"go on with {on}", err=True)

        command: Any = memory_option(json_option(run))
        for option in reversed(self.options):
            command = option(command)
        command = standpoint_options(command) if self.looks_back else command
        return click.command(self.name, help=self.help, epilog=json_of(self.form))(command)


turns: Final = _List(
    "list",
    "List turns as they were said.\n\nThey come in the order in which they were added.",
    list[Turn],
    turn_line,
    (
        _session,
        click.option("--speaker", metavar="NAME", help="Only of one speaker."),
        click.option("--entity", metavar="NAME", help="Only what names someone or something, by name or id."),
        click.option("--node", metavar="ID", help="Only what lies below a node of a tree."),
        click.option("--after", metavar="ID", help="Only turns behind this one."),
        _limit(100),
    ),
    looks_back=False,
).command()
notes: Final = _List(
    "notes",
    "List what is held to be so, with its history.\n\nA note says what somebody's slot holds or what was said of one "
    "matter, since when, and what took its place.",
    list[Note],
    note_line,
    (
        click.option("--subject", metavar="NAME", help="The notes about one person or thing."),
        click.option("--slot", metavar="SLOT", help="The notes in one slot, such as pet."),
        click.option("--kind", type=click.Choice(get_args(NoteKind)), help="The notes of one kind."),
        _user,
        _limit(100),
        _offset,
    ),
).command()
sessions: Final = _List(
    "sessions",
    "Show sessions.\n\nEach has its speakers, its number of turns and its opening words.",
    tuple[Session, ...],
    _session_line,
    (_limit(None), _offset),
    looks_back=False,
).command()
episodes: Final = _List(
    "episodes",
    "Show episodes.\n\nAn episode is a coherent run of turns; it is said why it begins where it does.",
    list[EpisodeShape],
    _episode_line,
    (_session, _user, _limit(100), _offset),
).command()
events: Final = _List(
    "events",
    "Show events.\n\nAn event is a statement that stands by itself, with the time at which it happened.",
    list[Event],
    event_line,
    (_session, _user, _limit(100), _offset),
).command()
entities: Final = _List(
    "entities",
    "Show entities.\n\nThose that most turns name come first.",
    list[Entity],
    _entity_line,
    (
        click.option("--name", metavar="TEXT", help="Only those whose name contains it."),
        _user,
        _limit(100),
        _offset,
    ),
).command()


# Single things.


@click.command("get", epilog=json_of(Turn | Event | Note))
@click.argument("target", metavar="ID")
@memory_option
@json_option
def get(*, target: str, memory: str, as_json: bool) -> None:
    """Show a turn, an event or a note by its id, or by the first characters of it.

    The text is whole and as it was said; below it stand its ids, and those of what it was made from.
    """
    with open_memory(memory) as opened:
        found = opened.get(whole_id(opened, target))
    if as_json:
        write_json(found)
        return
    click.echo(f"{visible(found.text)}\n")
    for name, value in _told(found):
        click.echo(f"{name:<10}{value}")


def _told(found: Turn | Event | Note) -> list[tuple[str, str]]:
    """Return names and values for people, those that are there."""
    sources = [("made from" if not count else "", each) for count, each in enumerate(getattr(found, "sources", ()))]
    if isinstance(found, Turn):
        said = f"{one_line(found.speaker)}, {found.at:%a} {day(found.at)} {found.at:%H:%M}"
        photo = [("photo", one_line(found.caption))] if found.caption else []
        return [("said by", said), *photo, ("session", one_line(found.session)), ("id", found.id)]
    if isinstance(found, Event):
        happened = [] if found.happened is None else [("happened", period(found.happened))]
        return [("said", f"{found.said:%a} {day(found.said)}"), *happened, ("id", found.id), *sources]
    became = [("became", found.successor)] if found.successor else []
    return [
        ("note", f"{one_line(found.subject)}, {slot_of(found, None)}"),
        ("status", f"{found.status}, said {day(found.recorded)}"),
        *became,
        ("id", found.id),
        *sources,
    ]


@click.command("profile", epilog=json_of(hmem.Profile))
@click.argument("person", required=False)
@click.option("--tokens", type=int, default=PROFILE_TOKENS, show_default=True, help="How many tokens at most.")
@_user
@standpoint_options
@memory_option
@json_option
def profile(
    *, person: str | None, tokens: int, user: str | None, as_of: str | None, valid_at: str | None, memory: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Write what a person said of themselves that holds now, ready for a prompt.

    Typed facts come first, then the most telling sentences, as they were said, each with its date. Without a name it is
    the person who said most. What others said of them, an assistant or a document among them, is not in it.
    """
    with open_memory(memory) as opened:
        found = seen_from(opened, as_of, valid_at).profile(person, user=user, tokens=tokens)
    if as_json:
        write_json(found)
    else:
        click.echo(visible(found.text) or "nothing is known yet")


# Trees, graph, personas, tiers. `hmem explore` draws them.


@click.command("tree", epilog=json_of(NodeShape))
@click.argument("name", type=click.Choice(get_args(TreeName)))
@click.option("--depth", type=_at_least_one, help="How many levels of nodes, from above; by default all.")
@click.option(
    "--limit", type=_at_least_one, default=31, show_default=True, help="How many nodes are written under one."
)
@click.option("--summaries", is_flag=True, help="Write the summaries first that are not written yet.")
@_user
@standpoint_options
@memory_option
@json_option
def tree(
    *, name: TreeName, depth: int | None, limit: int, summaries: bool, user: str | None, as_of: str | None,
    valid_at: str | None, memory: str, as_json: bool,
) -> None:  # fmt: skip
    """Show a tree and its turns or events.

    The calendar has years, months and days; topics gather turns; layers are domains, categories and traces; evolution
    gathers events that resemble each other by week, month and year. `hmem explore` draws them.
    """
    with open_memory(memory) as opened:
        shown = seen_from(opened, as_of, valid_at).tree(name, summaries=summaries, user=user)
        if as_json:
            write_json(NodeShape.from_branch(shown, depth))
            return
        found = "\n".join(_branch(opened, shown, "", depth, limit))
    click.echo(found or _NOTHING)


def _branch(opened: "hmem.Memory", branch: Branch, indent: str, depth: int | None, limit: int) -> Iterator[str]:
    """Yield the lines below a node: its children with what is below them, then its leaves."""
    if depth == 0:
        return
    order = sorted(branch.children, key=lambda child: (child.node.span.start, child.node.id))
    for child in order[:limit]:
        node = child.node
        summary = f": {one_line(node.summary, _TEXT)}" if node.summary else ""
        yield f"{indent}{one_line(node.label, _LABEL) or period(node.span)} ({node.size:,}){summary}"
        yield from _branch(opened, child, indent + "  ", None if depth is None else depth - 1, limit)
    yield from (indent + _leaf_line(opened.get(leaf)) for leaf in branch.leaves[:_SHOWN_LEAVES])
    hidden = max(len(order) - limit, 0) + max(len(branch.leaves) - _SHOWN_LEAVES, 0)
    if hidden:
        yield f"{indent}… {hidden:,} more"


def _leaf_line(leaf: Turn | Event | Note) -> str:
    return turn_line(leaf) if isinstance(leaf, Turn) else event_line(leaf) if isinstance(leaf, Event) else leaf.text


@click.command("graph", epilog=json_of(GraphShape))
@click.option("--entity", metavar="NAME", help="An entity, by name or id, and those around it.")
@_limit(40)
@_user
@standpoint_options
@memory_option
@json_option
def graph(
    *, entity: str | None, user: str | None, as_of: str | None, valid_at: str | None, limit: int,
    memory: str, as_json: bool,
) -> None:  # fmt: skip
    """Show entities and what relates them.

    Those that most turns name come first, or one and those around it.
    """
    with open_memory(memory) as opened:
        shown = seen_from(opened, as_of, valid_at).graph(entity and whole_id(opened, entity), limit=limit, user=user)
    if as_json:
        write_json(shown)
    else:
        click.echo("\n".join(_graph_lines(shown, None if entity else _RELATIONS)) or _NOTHING)


def _graph_lines(shown: KnowledgeGraph, most: int | None) -> Iterator[str]:
    """Yield each entity with its best supported relations."""
    names = {entity.id: one_line(entity.name, _LABEL) for entity in shown.entities}
    profiles = {profile.entity: profile.persistent or profile.recent for profile in shown.profiles}
    for entity in shown.entities:
        yield f"{_entity_line(entity)}, {number(shown.mentions.get(entity.id, 0), 'turn')}"
        if profiles.get(entity.id):
            yield f"    {one_line(profiles[entity.id], 2 * _TEXT)}"
        about = [relation for relation in shown.relations if entity.id in (relation.source, relation.target)]
        about.sort(key=lambda relation: (-len(relation.evidence), -relation.confidence, relation.id))
        for each in about[:most]:
            ends = f"{names.get(each.source, each.source)} → {names.get(each.target, each.target)}"
            label = one_line(each.label.replace("_", " "), _LABEL)
            yield f"    {ends}: {label} ({number(len(each.evidence), 'turn')})"


@click.command(
    "persona", epilog=json_of(list[PersonaShape], f"; with --history {form_of(list[PersonaVersion])}")
)  # fmt: skip
@click.option("--speaker", metavar="NAME", help="Only of this one.")
@click.option("--history", is_flag=True, help="Every version, the oldest first, with what brought it about.")
@_user
@standpoint_options
@memory_option
@json_option
def persona(
    *, speaker: str | None, history: bool, user: str | None, as_of: str | None, valid_at: str | None, memory: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Show what is known of those who speak.

    That is a text and traits, from the notes about a speaker.
    """
    with open_memory(memory) as opened:
        seen = seen_from(opened, as_of, valid_at)
        known = seen.personas(user=user) if speaker is None else (seen.persona(speaker, user=user),)
        found = [each for each in known if each is not None]
        people = [(speaker, user)] if speaker is not None else [(each.speaker, each.user) for each in found]
        versions = [
            version
            for name, owner in (people if history else ())
            for version in seen.persona_history(name, user=owner)
        ]  # fmt: skip
    items = cast("Iterable[Persona | PersonaVersion]", versions if history else found)
    if as_json:
        write_json(items)
    else:
        click.echo("\n".join(map(_persona_line, items)) or _NOTHING)


@click.command("tiers", epilog=json_of(Tiers))
@click.option(
    "--limit", type=click.IntRange(min=0), default=12, show_default=True, help="How many turns are written of a tier."
)
@_user
@memory_option
@json_option
def tiers(*, limit: int, user: str | None, memory: str, as_json: bool) -> None:
    """Show which turns are in the cache and the buffer.

    Each is shown with its score and what the score is made of, the best first. The rest is in the archive.
    """
    with open_memory(memory) as opened:
        shown = opened.tiers(user=user)
    if as_json:
        write_json(shown)
        return
    for name, count in shown.counts.items():
        click.echo(f"{name}: {number(count, 'turn')}")
        records = {"cache": shown.cache, "buffer": shown.buffer}.get(name, ())
        for record in records[:limit]:
            used = (
                f"importance {record.importance}, likeness {record.similarity:.2f}, used {number(record.uses, 'time')}"
            )
            said = f"{record.when:%Y-%m-%d %H:%M}  {one_line(record.speaker, _LABEL)}: {one_line(record.text, _TEXT)}"
            click.echo(f"    {record.score:.2f}  {said}  ({used}{', pivotal' if record.pivotal else ''})")
