"""Command ``hmem eval record``: a model's notes in LoCoMo files, for the analyst ``recorded:FILE``."""

import json
from pathlib import Path

import click

from hmem_evals.recording import records


@click.command("record")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
def record(*, file: Path, out: Path) -> None:
    """Write the notes of a LoCoMo file for the analyst `recorded:OUT`.

    The notes are the observations and session summaries that a model made of the conversations.
    """
    made = list(records(file))
    out.write_text("".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in made), "utf-8")
    notes = sum("note" in each for each in made)
    click.echo(f"{notes:,} notes and {len(made) - notes:,} summaries written to {out}")
