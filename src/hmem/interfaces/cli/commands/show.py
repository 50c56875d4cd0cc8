"""Commands ``hmem show``: trees, sessions, episodes, notes, the graph, personas and tiers."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast

import click

import hmem
from hmem.interfaces.cli import views
from hmem.interfaces.cli.drawing import draw, tree
from hmem.interfaces.cli.options import json_option, memory_option, open_memory, seen_from, standpoint_options
from hmem.interfaces.cli.output import json_of, one_line, write_json
from hmem.interfaces.cli.short_ids import whole_id
from hmem.interfaces.cli.views import Folding, Twig
from hmem.interfaces.serialisation import form_of
from hmem.model.entity import GraphShape
from hmem.model.episode import EpisodeShape
from hmem.model.node import Branch, NodeShape, TreeName
from hmem.model.note import NoteKind
from hmem.model.persona import PersonaShape, PersonaVersion
from hmem.model.tier import Tiers
from hmem.model.turn import Session

_Command = TypeVar("_Command", bound=Callable[..., Any])
_NOTHING: Final = "nothing to show yet"
_NODE: Final = json_of(NodeShape, ". Nothing is folded, but --depth holds")


def _tree_options(limit: int) -> Callable[[_Command], _Command]:
    """Return a decorator that adds the limits of a drawn tree."""

    def decorate(command: _Command) -> _Command:
        options = (
            click.option(
                "--depth", type=click.IntRange(min=1),
                help="How many levels of nodes, from above; by default all, or when drawn what some 400 lines hold.",
            ),
            click.option(
                "--limit", type=click.IntRange(min=1), default=limit, show_default=True,
                help="How many nodes are drawn under one node; the rest is folded.",
            ),
            click.option(
                "--leaves", type=click.IntRange(min=0), default=3, show_default=True,
                help="How many turns or events are drawn under one node.",
            ),
            click.option("--summaries", is_flag=True, help="Write the summaries first that are not written yet."),
        )  # fmt: skip
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_user_option = click.option("--user", metavar="ID", help="Only what belongs to one user.")
_limit_option = click.option(
    "--limit", type=click.IntRange(min=1), default=100, show_default=True, help="How many at most."
)
_offset_option = click.option(
    "--offset", type=click.IntRange(min=0), default=0, show_default=True, help="How many to leave out first."
)


def _tree(name: str, tree_name: TreeName, limit: int, text: str, *, dated: bool) -> click.Command:
    """Return the command that shows a tree."""

    @click.command(name, epilog=_NODE, help=text)
    @_tree_options(limit=limit)
    @_user_option
    @standpoint_options
    @memory_option
    @json_option
    def show(
        *, memory: str, user: str | None, as_of: str | None, valid_at: str | None, summaries: bool, **options: Any
    ) -> None:
        with open_memory(memory) as opened:
            shown: Branch = seen_from(opened, as_of, valid_at).tree(tree_name, summaries=summaries, user=user)
            _show(opened, memory, shown, getattr(views, name), dated=dated, **options)

    return show


timeline = _tree(
    "timeline",
    "calendar",
    31,
    "Show years, months and days, and the turns of each.\n\n"
    "These are the memorable turns; `hmem show sessions` counts all.",
    dated=False,
)
topics = _tree(
    "topics", "topic", 12, "Show topics and their turns.\n\nThose with the most turns come first.", dated=True
)
layers = _tree(
    "layers",
    "layers",
    12,
    "Show domains, categories and traces, and their events.\n\nThose with the most events come first.",
    dated=True,
)


evolution = _tree(
    "evolution",
    "evolution",
    12,
    "Show which events resemble each other, over time.\n\n"
    "Events are gathered by week, month and year. The largest clusters come first; an event that resembles no other "
    "one is drawn by itself.",
    dated=True,
)


def _show(
    opened: "hmem.Memory",
    memory: str,
    shown: Branch,
    view: views.View,
    *,
    dated: bool,
    depth: int | None,
    limit: int,
    leaves: int,
    as_json: bool,
) -> None:
    """Draw a tree, or write it as JSON."""
    if as_json:
        write_json(NodeShape.of(shown, depth))
        return

    def tell(leaf: str) -> Twig:
        return views.leaf(opened.get(leaf), dated=dated)

    twigs = view(shown, tell, views.fitting(view, shown, Folding(depth, limit, leaves)))
    draw(tree(one_line(memory), twigs) if twigs else _NOTHING)


@click.command("sessions", epilog=json_of(tuple[Session, ...]))
@click.option("--limit", type=click.IntRange(min=1), help="How many sessions at most; all by default.")
@_offset_option
@memory_option
@json_option
def sessions(*, limit: int | None, offset: int, memory: str, as_json: bool) -> None:
    """Show days and their sessions.

    Each session is shown with its speakers, its number of turns and its opening words.
    """
    with open_memory(memory) as opened:
        held = opened.sessions(limit=limit, offset=offset)
    if as_json:
        write_json(held)
    else:
        draw(tree(one_line(memory), views.sessions(held)) if held else _NOTHING)


@click.command("episodes", epilog=json_of(list[EpisodeShape]))
@click.option("--session", metavar="ID", help="The episodes of one session.")
@_user_option
@standpoint_options
@_limit_option
@_offset_option
@memory_option
@json_option
def episodes(
    *, session: str | None, user: str | None, as_of: str | None, valid_at: str | None, limit: int, offset: int,
    memory: str, as_json: bool,
) -> None:  # fmt: skip
    """Show sessions and their episodes.

    An episode is a coherent run of turns; it is said why it begins where it does.
    """
    with open_memory(memory) as opened:
        seen = seen_from(opened, as_of, valid_at)
        held = seen.episodes(session=session, user=user, limit=limit, offset=offset)
    if as_json:
        write_json(held)
    else:
        draw(_page(memory, views.episodes(held), held, limit, offset) if held else _NOTHING)


@click.command(
    "notes",
    epilog=json_of(list[hmem.Note]),
)
@click.option("--subject", metavar="NAME", help="The notes about one person or thing.")
@click.option("--slot", metavar="SLOT", help="The notes in one slot, such as pet.")
@click.option("--kind", type=click.Choice(["fact", "preference", "profile"]), help="The notes of one kind.")
@_user_option
@standpoint_options
@_limit_option
@_offset_option
@memory_option
@json_option
def notes(
    *, subject: str | None, slot: str | None, kind: str | None, user: str | None, as_of: str | None,
    valid_at: str | None, limit: int, offset: int, memory: str, as_json: bool,
) -> None:  # fmt: skip
    """Show what is held to be so, by subject.

    A note says what the value of a subject's slot is, since when, and on which turns that rests. One that is superseded
    shows what took its place, one that is merged what tells it too.
    """
    chosen = cast("NoteKind | None", kind)
    with open_memory(memory) as opened:
        seen = seen_from(opened, as_of, valid_at)
        held = seen.notes(subject=subject, slot=slot, kind=chosen, user=user, limit=limit, offset=offset)
    if as_json:
        write_json(held)
    else:
        draw(_page(memory, views.notes(held), held, limit, offset) if held else _NOTHING)


def _page(memory: str, twigs: tuple[Twig, ...], held: Sequence[object], limit: int, offset: int) -> Any:
    """Return a page as a tree, with the offset of the next one if the page is full."""
    more = (Twig(f"… go on with --offset {offset + limit}"),) if len(held) == limit else ()
    return tree(one_line(memory), (*twigs, *more))


@click.command(
    "graph",
    epilog=json_of(GraphShape),
)
@click.option("--entity", metavar="NAME", help="An entity, by name or id, and those around it.")
@click.option("--limit", type=click.IntRange(min=1), default=40, show_default=True, help="How many entities at most.")
@_user_option
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
        twigs = views.graph(shown, everything=entity is not None)
        draw(tree(one_line(memory), twigs) if twigs else _NOTHING)


@click.command(
    "persona",
    epilog=json_of(list[PersonaShape], f"; with --history {form_of(list[PersonaVersion])}"),
)
@click.option("--speaker", metavar="NAME", help="Only of this one.")
@click.option("--history", is_flag=True, help="Every version, the oldest first, with what brought it about.")
@_user_option
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
        held = [each for each in known if each is not None]
        people = [(speaker, user)] if speaker is not None else [(each.speaker, each.user) for each in held]
        found = (seen.persona_history(name, user=owner) for name, owner in (people if history else ()))
        versions = [version for each in found for version in each]
    if as_json:
        write_json(versions if history else held)
        return
    twigs = views.versions(versions) if history else views.personas(held)
    draw(tree(one_line(memory), twigs) if twigs else _NOTHING)


@click.command(
    "tiers",
    epilog=json_of(Tiers),
)
@click.option(
    "--limit", type=click.IntRange(min=0), default=12, show_default=True, help="How many turns are drawn of a tier."
)
@_user_option
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
    else:
        draw(tree(one_line(memory), views.tiers(shown, limit)) if any(shown.counts.values()) else _NOTHING)
