"""Commands ``hmem search``, ``hmem context`` and ``hmem ask``."""

from collections.abc import Iterator
from typing import Any, Final

import click

import hmem
from hmem.errors import InvalidQuery
from hmem.interfaces.cli.options import RECALL_OPTIONS, emit, flag, invocation, memory_command, option, recipe_option
from hmem.interfaces.cli.output import evidence_list, json_of, one_chunk, one_line, trace_table, visible, write_json
from hmem.interfaces.cli.waiting import clear_sign
from hmem.model.answer import assurance
from hmem.model.evidence import SEARCH_KINDS, SearchKind
from hmem.util.amounts import amount

_View = hmem.Memory | hmem.AsOf
_EXPLANATION: Final = (
    flag("--why", "Say under each piece of evidence why it was found.", dest="explain"),
    flag("--trace", "Tell how the question was read, what each strategy did, and how long it took."),
    recipe_option,
)


@memory_command(
    "search",
    json_of(hmem.Found),
    click.argument("question", metavar="QUERY"),
    option("-k", None, "How many pieces of evidence at most.", type=int, default=10),
    option(
        "--kind", None, "What to look for; may be repeated; turns by default.", dest="kinds", multiple=True,
        type=click.Choice(SEARCH_KINDS),
    ),
    option(
        "--min-score", "CHANCE",
        "Leave out what is less relevant: the chance, 0 to 1, that it tells what is asked.", type=float,
    ),
    *RECALL_OPTIONS,
    *_EXPLANATION,
)  # fmt: skip
def search(view: _View, question: str, kinds: tuple[SearchKind, ...], *, explain: bool, **arguments: Any) -> None:
    """Find the evidence for a question.

    The best comes first: who said it when, its relevance (the chance that it tells what is asked) and its score, the
    text with the question's words marked, why it was found, and its id for `hmem get`. Nothing is marked in a file.
    """
    evidence = view.search(question, kinds=kinds or SEARCH_KINDS[:1], **arguments)
    trace = () if evidence.trace is None else (f"\n{trace_table(evidence.trace)}",)
    emit(evidence, (evidence_list(evidence, explain=explain) if evidence else "nothing found", *trace))


@memory_command(
    "context",
    json_of(hmem.Context),
    click.argument("question", metavar="QUERY"),
    option("--tokens", None, "How many tokens at most.", type=int, default=1_200),
    *RECALL_OPTIONS,
    recipe_option,
)
def context(view: _View, question: str, **arguments: Any) -> None:
    """Write what answers a question, ready for a prompt.

    The turns stand in order under their days, each with the number to cite it by, within the budget.
    """
    text = view.context(question, **arguments)
    emit(text, visible(text.text or text.remark))


@memory_command(
    "ask",
    json_of(hmem.Answer, '; with --stream a line {"piece"} for each before it. To abstain is no error'),
    click.argument("question", metavar="QUESTION"),
    option(
        "--analyst", "NAME", "Who answers this once: rules, or a model; by default what reads the memory.",
        dest="answerer",
    ),
    option("--tokens", None, "How much evidence a model is shown.", type=int, default=1_272),
    flag("--stream", "Write the answer while it is said, and then what is made of it."),
    *RECALL_OPTIONS,
    *_EXPLANATION,
)  # fmt: skip
def ask(view: _View, question: str, answerer: str | None, *, stream: bool, explain: bool, **arguments: Any) -> None:
    """Answer a question.

    The answer is short, with the chance that it is right and the evidence that it was read from, or it says that
    the memory does not tell. The rules answer, unless a language model reads the memory or is named.
    """
    if stream:
        answer, complete = _write_stream(view.ask_stream(question, analyst=answerer, **arguments))
    else:
        answer, complete = view.ask(question, analyst=answerer, **arguments), False
    emit(answer, _answer_lines(answer, complete=complete, explain=explain))


def _answer_lines(answer: "hmem.Answer", *, complete: bool, explain: bool) -> Iterator[str]:
    yield f"{'' if complete else one_line(answer.text)}\n\n{assurance(answer)}{_usage(answer)}"
    yield from map(one_line, answer.why if explain else ())
    if answer.evidence:
        yield f"\n{evidence_list(answer.evidence, explain=explain)}"
    if answer.trace is not None:
        yield f"\n{trace_table(answer.trace)}"


def _write_stream(chunks: "Iterator[str | hmem.Answer]") -> "tuple[hmem.Answer, bool]":
    """Write the chunks of an answer as they come; return the answer, and True if the chunks were its whole text."""
    text, as_json = "", invocation().json
    for chunk in chunks:
        clear_sign()
        if not isinstance(chunk, str):
            complete = one_line(text) == one_line(chunk.text)
            if not (as_json or complete):
                click.echo("\n")
            return chunk, complete
        text += chunk
        if as_json:
            write_json({"piece": chunk})
        else:
            click.echo(one_chunk(chunk), nl=False)
    raise InvalidQuery("the answer broke off - ask again")


def _usage(answer: "hmem.Answer") -> str:
    """Return the model that answered, with its calls and tokens; empty if the rules did."""
    if answer.usage is None:
        return ""
    usage = answer.usage
    tokens = f"{amount(usage.input_tokens, 'token')} in and {usage.output_tokens:,} out"
    return f", by {answer.made_by}; {amount(usage.calls, 'call')} took {tokens}"
