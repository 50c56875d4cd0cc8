"""``hmem torture``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hmem.errors import InputError
from hmem.interfaces.cli.options import json_option
from hmem.interfaces.cli.output import write_json

if TYPE_CHECKING:
    from hmem_testing.torture.suite import Attacked

_MAX_SHOWN = 5


@click.command(
    "torture",
    epilog='JSON: a line for each test: {"test", "tries", "unit", "seconds", '
    '"failures": [{"life", "what", "history"}], "skipped"}. Exit code 1 when anything failed.',
)
@click.argument("tests", nargs=-1, metavar="[TEST]...")
@click.option("--night", is_flag=True, help="As much as a night is for; a few minutes otherwise.")
@click.option(
    "--scale", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="Multiplies all sizes."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed makes other choices.")
@click.option(
    "--keep",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the memories that failed are kept.",
)
@json_option
@click.pass_context
def torture(
    context: click.Context,
    *,
    tests: tuple[str, ...],
    night: bool,
    scale: float,
    seed: int,
    keep: Path | None,
    as_json: bool,
) -> None:
    """Attack memories of its own.

    Kills, full disks, wrong clocks, damaged indices, many writers, forks, made-up inputs: all, or those named.
    Every turn is told apart, and the full history of each is kept, so that whatever is lost, altered, or there again
    after it was forgotten is shown with all that was done to it.
    """
    from hmem_testing.torture.suite import ATTACKS, run, show  # noqa: PLC0415 - loads the engine

    if unknown := set(tests) - {attack.name for attack in ATTACKS}:
        names = ", ".join(attack.name for attack in ATTACKS)
        raise InputError(f"there is no test {', '.join(sorted(unknown))} - choose from {names}")
    attacks = [attack for attack in ATTACKS if not tests or attack.name in tests]
    outcomes: list[Attacked] = []
    for outcome in run(attacks, keep, seed, night=night, scale=scale):
        outcomes.append(outcome)
        if as_json:
            write_json(_as_json(outcome))
        else:
            _print_failures(outcome)
    if not as_json:
        show(outcomes)
    if any(outcome.failures for outcome in outcomes):
        context.exit(1)


def _as_json(outcome: "Attacked") -> dict[str, object]:
    return {
        "test": outcome.attack.name,
        "tries": outcome.tries,
        "unit": outcome.attack.unit,
        "failures": [
            {"life": failure.life, "what": failure.problem, "history": list(failure.history)}
            for failure in outcome.failures
        ],
        "seconds": round(outcome.seconds, 1),
        "skipped": outcome.skipped,
    }


def _print_failures(outcome: "Attacked") -> None:
    for failure in outcome.failures[:_MAX_SHOWN]:
        click.echo(f"{outcome.attack.name}: {failure.problem}")
        for line in failure.history:
            click.echo(f"    {line}")
