"""Writing of figures as JSON, to stdout or to a file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hmem.interfaces.cli.options import STDOUT
from hmem.interfaces.cli.output import write_json
from hmem.model.plain import plain


def write_figures(report: Mapping[str, Any], destination: str) -> None:
    """Write figures as JSON: to stdout for ``-``, else to a file."""
    if destination == STDOUT:
        write_json(report)
        return
    try:
        Path(destination).write_text(json.dumps(plain(report), indent=2, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise click.UsageError(f"{destination} cannot be written ({error.strerror}) - give another path") from error
    click.echo(f"written to {destination}", err=True)
