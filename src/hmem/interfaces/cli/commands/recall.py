"""``hmem search`` and ``hmem context``."""

import click

from hmem.interfaces.cli.options import json_option, memory_option, open_memory, recipe_option
from hmem.interfaces.cli.output import visible, write_json


@click.command(
    "search",
    epilog='JSON: {"question", "evidence": [{"id", "kind", "text", "when", "score", "why": {"strategies", "terms": '
    '{name: {"value", "weight", "contribution"}}, "words", "paths"}, "session", "speaker", "caption", "message_id", '
    '"sources"}], "trace": null or {"words", "speakers", "candidates", "milliseconds"}}.',
)
@click.argument("question", metavar="QUERY")
@click.option("-k", "k", type=int, default=10, show_default=True, help="How many pieces of evidence at most.")
@click.option("--why", is_flag=True, help="Say under each piece of evidence why it was found.")
@click.option("--trace", is_flag=True, help="Tell how the question was read and how long each stage took.")
@recipe_option
@memory_option
@json_option
def search(*, question: str, k: int, why: bool, trace: bool, recipe: str | None, memory: str, as_json: bool) -> None:
    """Find the evidence for a question.

    The best comes first, with its score, its time, its speaker and its id.
    """
    with open_memory(memory, recipe=recipe) as opened:
        found = opened.search(question, k, trace=trace)
    if as_json:
        write_json(found)
        return
    from hmem.interfaces.cli.drawing import draw, evidence_table, trace_table  # noqa: PLC0415 - not for JSON

    draw(evidence_table(found, why=why) if found else "nothing found")
    if trace:
        draw("", trace_table(found))


@click.command("context", epilog='JSON: {"question", "text", "tokens", "budget", "evidence", "citations"}.')
@click.argument("question", metavar="QUERY")
@click.option("--tokens", type=int, default=1_200, show_default=True, help="How many tokens at most.")
@recipe_option
@memory_option
@json_option
def context(*, question: str, tokens: int, recipe: str | None, memory: str, as_json: bool) -> None:
    """Write what answers a question, ready for a prompt.

    The turns stand in order under their days, each with the number to cite it by, within the budget.
    """
    with open_memory(memory, recipe=recipe) as opened:
        written = opened.context(question, tokens)
    if as_json:
        write_json(written)
    else:
        click.echo(visible(written.text))
