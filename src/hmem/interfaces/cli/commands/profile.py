"""Command ``hmem profile``."""

import click

import hmem
from hmem.interfaces.cli.options import json_option, memory_option, open_memory, seen_from, standpoint_options
from hmem.interfaces.cli.output import json_of, visible, write_json
from hmem.model.profile import PROFILE_TOKENS


@click.command("profile", epilog=json_of(hmem.Profile))
@click.argument("person", required=False)
@click.option("--tokens", type=int, default=PROFILE_TOKENS, show_default=True, help="How many tokens at most.")
@click.option("--user", metavar="ID", help="Only what belongs to one user.")
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
