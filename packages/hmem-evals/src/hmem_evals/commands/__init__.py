"""Commands that this distribution adds to ``hmem``: ``eval`` and ``bench``."""

from typing import Final

import click

from hmem.interfaces.cli.lazy import Entry, LazyGroup

_COMMANDS: Final = "hmem_evals.commands"


@click.group(
    "eval",
    cls=LazyGroup,
    lazy={
        "locomo": Entry(f"{_COMMANDS}.evaluate:locomo", "Measure recall on a LoCoMo file."),
        "longmemeval": Entry(f"{_COMMANDS}.evaluate:longmemeval", "Measure recall on a LongMemEval file."),
        "realtalk": Entry(f"{_COMMANDS}.evaluate:realtalk", "Measure recall on a folder of REALTALK files."),
        "compare": Entry(f"{_COMMANDS}.compare:compare", "Measure all recipes and what each part of them is worth."),
        "peers": Entry(f"{_COMMANDS}.peers:quality", "Measure other memories and indices beside hmem."),
    },
)
def evaluation() -> None:
    """Measure recall on a benchmark."""


@click.group(
    "bench",
    cls=LazyGroup,
    lazy={
        "ingest": Entry(f"{_COMMANDS}.bench:ingest", "Measure how fast the turns of a file are kept."),
        "scale": Entry(f"{_COMMANDS}.bench:scale", "Measure a memory of a given size."),
        "routing": Entry(
            f"{_COMMANDS}.bench:routing", "Measure routing through the layers against FAISS's flat search."
        ),
        "tiers": Entry(f"{_COMMANDS}.bench:tiers", "Measure what the tiers save against exhaustive search."),
        "peers": Entry(f"{_COMMANDS}.peers:growth", "Measure how others slow down as they fill, beside hmem."),
    },
)
def benchmarks() -> None:
    """Measure speed and size."""
