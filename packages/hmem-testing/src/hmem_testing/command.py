"""``hmem standin``."""

import signal
from pathlib import Path
from threading import Event

import click

from hmem.errors import InputError
from hmem.interfaces.cli.options import json_option
from hmem.interfaces.cli.output import write_json
from hmem.interfaces.cli.waiting import wait_for
from hmem.util.amounts import amount


@click.command("standin", epilog='JSON: {"url", "port"}, before it listens; {"calls"} when it ends.')
@click.option("--port", type=click.IntRange(0, 65_535), default=0, show_default=True, help="0 takes any that is free.")
@click.option("--fail", metavar="CALLS", help="The calls that fail with a status of 500, such as every:3 or first:2.")
@click.option(
    "--script",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Which calls go wrong, and how; see the README of hmem-testing.",
)
@click.option("--key", metavar="TEXT", help="Refuse calls without this key; by default any will do.")
@json_option
def standin(*, port: int, fail: str | None, script: Path | None, key: str | None, as_json: bool) -> None:
    """Stand in for a model, on this machine.

    A server that speaks the OpenAI wire protocol (chat, embeddings, reranking) and answers hmem's own questions by
    rules, at once and without a model. Whatever it is asked, it says the same each time. It runs until it is
    interrupted.
    """
    from hmem_testing.fake_llm import StandIn, failing, read_script  # noqa: PLC0415 - loads the engine

    rules = [*([failing(fail)] if fail else ()), *(read_script(script) if script else ())]
    try:
        server = StandIn(rules, port=port, key=key)
    except OSError as error:
        raise InputError(f"port {port} cannot be had ({error.strerror}) - choose another, or 0 for any") from error
    interrupted = Event()

    def end(*_: object) -> None:
        interrupted.set()

    signal.signal(signal.SIGTERM, end)
    with server:
        if as_json:
            write_json({"url": server.url, "port": server.port})
        else:
            click.echo(f"{server.url} - a client needs OPENAI_BASE_URL={server.url} and OPENAI_API_KEY={key or 'any'}")
        try:
            wait_for(interrupted)
        except KeyboardInterrupt:
            interrupted.set()
        calls = len(server.calls)
    if as_json:
        write_json({"calls": calls})
    else:
        click.echo(f"{amount(calls, 'call')} answered")
