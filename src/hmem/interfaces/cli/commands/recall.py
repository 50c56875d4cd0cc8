"""Commands ``hmem search``, ``hmem context`` and ``hmem ask``."""

from collections.abc import Iterator
from typing import Any

import click

import hmem
from hmem.errors import InvalidQuery
from hmem.interfaces.cli.options import (
    at_option,
    filter_options,
    json_option,
    memory_option,
    open_memory,
    recipe_option,
    seen_from,
    standpoint_options,
)
from hmem.interfaces.cli.output import (
    evidence_list,
    json_of,
    number,
    one_line,
    one_piece,
    trace_table,
    visible,
    write_json,
)
from hmem.interfaces.cli.short_ids import whole_ids
from hmem.interfaces.cli.waiting import enough
from hmem.model.answer import assurance
from hmem.model.evidence import SEARCH_KINDS, SearchKind

_why_option = click.option("--why", is_flag=True, help="Say under each piece of evidence why it was found.")
_trace_option = click.option(
    "--trace", is_flag=True, help="Tell how the question was read, what each strategy did, and how long it took."
)


@click.command("search", epilog=json_of(hmem.Found))
@click.argument("question", metavar="QUERY")
@click.option("-k", "k", type=int, default=10, show_default=True, help="How many pieces of evidence at most.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(SEARCH_KINDS),
    help="What to look for; may be repeated; turns by default.",
)
@click.option(
    "--min-score",
    type=float,
    metavar="CHANCE",
    help="Leave out what is less relevant: the chance, 0 to 1, that it tells what is asked.",
)
@at_option
@standpoint_options
@filter_options
@_why_option
@_trace_option
@recipe_option
@memory_option
@json_option
def search(
    *,
    question: str,
    k: int,
    kinds: tuple[SearchKind, ...],
    why: bool,
    trace: bool,
    recipe: str | None,
    as_of: str | None,
    valid_at: str | None,
    memory: str,
    as_json: bool,
    **asked: Any,
) -> None:
    """Find the evidence for a question.

    The best comes first: who said it when, its relevance (the chance that it tells what is asked) and its score, the
    text with the question's words marked, why it was found, and its id for `hmem get`. Nothing is marked in a file.
    """
    with open_memory(memory, recipe=recipe) as opened:
        found = seen_from(opened, as_of, valid_at).search(
            question, k, kinds=kinds or SEARCH_KINDS[:1], trace=trace, **whole_ids(opened, asked, "entity")
        )
    if as_json:
        write_json(found)
        return
    click.echo(evidence_list(found, why=why) if found else "nothing found")
    if found.trace is not None:
        click.echo(f"\n{trace_table(found.trace)}")


@click.command("context", epilog=json_of(hmem.Context))
@click.argument("question", metavar="QUERY")
@click.option("--tokens", type=int, default=1_200, show_default=True, help="How many tokens at most.")
@at_option
@standpoint_options
@filter_options
@recipe_option
@memory_option
@json_option
def context(
    *,
    question: str,
    tokens: int,
    recipe: str | None,
    as_of: str | None,
    valid_at: str | None,
    memory: str,
    as_json: bool,
    **asked: Any,
) -> None:
    """Write what answers a question, ready for a prompt.

    The turns stand in order under their days, each with the number to cite it by, within the budget.
    """
    with open_memory(memory, recipe=recipe) as opened:
        written = seen_from(opened, as_of, valid_at).context(question, tokens, **whole_ids(opened, asked, "entity"))
    if as_json:
        write_json(written)
    else:
        click.echo(visible(written.text or written.remark))


@click.command(
    "ask",
    epilog=json_of(hmem.Answer, '; with --stream a line {"piece"} for each before it. To abstain is no error'),
)
@click.argument("question", metavar="QUESTION")
@click.option(
    "--analyst", metavar="NAME", help="Who answers this once: rules, or a model; by default what reads the memory."
)
@click.option("--tokens", type=int, default=1_272, show_default=True, help="How much evidence a model is shown.")
@click.option("--stream", is_flag=True, help="Write the answer while it is said, and then what is made of it.")
@at_option
@standpoint_options
@filter_options
@_why_option
@_trace_option
@recipe_option
@memory_option
@json_option
def ask(
    *,
    question: str,
    why: bool,
    stream: bool,
    recipe: str | None,
    as_of: str | None,
    valid_at: str | None,
    memory: str,
    as_json: bool,
    **asked: Any,
) -> None:
    """Answer a question.

    The answer is short, with the chance that it is right and the evidence that it was read from, or it says that
    the memory does not tell. The rules answer, unless a language model reads the memory or is named.
    """
    with open_memory(memory, recipe=recipe) as opened:
        seen, asked = seen_from(opened, as_of, valid_at), whole_ids(opened, asked, "entity")
        if stream:
            answer, shown = _streamed(seen.ask_stream(question, **asked), as_json)
        else:
            answer, shown = seen.ask(question, **asked), False
    if as_json:
        write_json(answer)
        return
    click.echo(f"{'' if shown else one_line(answer.text)}\n\n{assurance(answer)}{_took(answer)}")
    for step in answer.why if why else ():
        click.echo(one_line(step))
    if answer.evidence:
        click.echo(f"\n{evidence_list(answer.evidence, why=why)}")
    if answer.trace is not None:
        click.echo(f"\n{trace_table(answer.trace)}")


def _streamed(pieces: "Iterator[str | hmem.Answer]", as_json: bool) -> "tuple[hmem.Answer, bool]":  # noqa: FBT001
    """Write the pieces of an answer as they come; return the answer, and True if the pieces were its whole text."""
    told = ""
    for piece in pieces:
        enough()
        if not isinstance(piece, str):
            shown = one_line(told) == one_line(piece.text)
            if not (as_json or shown):
                click.echo("\n")
            return piece, shown
        told += piece
        if as_json:
            write_json({"piece": piece})
        else:
            click.echo(one_piece(piece), nl=False)
    raise InvalidQuery("the answer broke off - ask again")


def _took(answer: "hmem.Answer") -> str:
    """Return the model that answered, with its calls and tokens; empty if the rules did."""
    if answer.usage is None:
        return ""
    usage = answer.usage
    tokens = f"{usage.input_tokens:,} tokens in and {usage.output_tokens:,} out"
    return f", by {answer.made_by}; {number(usage.calls, 'call')} took {tokens}"
