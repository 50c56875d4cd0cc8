"""Command that this distribution adds to ``hmem``: ``database``."""

from typing import Final

import click

from hmem.interfaces.cli.lazy import Entry, LazyGroup

_COMMANDS: Final = "hmem_postgres.commands"


@click.group(
    "database",
    cls=LazyGroup,
    lazy={
        "init": Entry(f"{_COMMANDS}:init", "Make the tables for memories in a database."),
        "migrate": Entry(f"{_COMMANDS}:migrate_tables", "Bring a database's tables to the present schema."),
        "status": Entry(f"{_COMMANDS}:status", "Tell a database's schema and number of memories."),
    },
)
def database() -> None:
    """Prepare a Postgres database for memories."""
