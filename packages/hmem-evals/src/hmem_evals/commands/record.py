"""Command ``hmem eval record``: a model's notes in LoCoMo files, for the analyst ``recorded:FILE``."""

import json
from pathlib import Path

import click

from hmem.interfaces.cli.options import json_option
from hmem.interfaces.cli.output import write_json
from hmem_evals.recording import records


@click.command("record", epilog='JSON: {"notes", "summaries", "file"}.')
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@json_option
def record(*, file: Path, out: Path, as_json: bool) -> None:
    """Write the notes of a LoCoMo file for `recorded:FILE`.

    The notes are the observations and session summaries that a model made of the conversations.
    """
    made = list(records(file))
    out.write_text("".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in made), "utf-8")
    notes = sum("note" in each for each in made)
    if as_json:
        write_json({"notes": notes, "summaries": len(made) - notes, "file": str(out)})
        return
    click.echo(f"{notes:,} notes and {len(made) - notes:,} summaries written to {out}")
