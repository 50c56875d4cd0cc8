"""Command ``hmem sync``."""

import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import Any, Final

import click

import hmem
from hmem.errors import InputError
from hmem.interfaces.cli.options import emit, flag, memory_command, option
from hmem.interfaces.cli.output import number, visible
from hmem_import.sync import Sync, SyncReport

_POLL_SECONDS: Final = 1.0
# Syncs in a row, when files are edited while they are read.
_ATTEMPTS: Final = 5


@memory_command(
    "sync",
    'JSON: {"added", "corrected", "retracted", "forgotten", "written": [...], "conflicts": [...], "again"}. '
    "Exit code 1 when there are conflicts.",
    click.argument("folder", type=click.Path(path_type=Path, file_okay=False)),
    option(
        "--as", "NAME", "Who edits the files; without it a new line has the authority of a document.", dest="author"
    ),
    flag("--forget", "Forget what is gone from the files, after a preview, instead of retracting it."),
    flag("--watch", "Go on, and sync whenever a file or the memory changes."),
    flag("--yes", "Agree to what would be asked, such as a file that is gone."),
    create=True,
)
def sync(memory: hmem.Memory, folder: Path, *, author: str | None, forget: bool, watch: bool, yes: bool) -> None:
    """Keep a memory and a folder of Markdown the same.

    The folder gets a profile, notes by subject, and a file for each day. What is edited there becomes a correction, a
    line that is gone a retraction, a new line a turn. Comments carry ids, so lines may be moved. Other Markdown in the
    folder is read, and never changed. What both sides changed stands in conflicts.md.
    """
    if forget and watch:
        raise click.UsageError("--forget asks each time - leave out --watch")

    def once(consent: Callable[[str], bool]) -> SyncReport:
        total = SyncReport()
        for _ in range(_ATTEMPTS):
            total.add(Sync(memory, folder, author=author, forget=forget, consent=consent).run())
            if not total.again:
                break
        return total

    if watch:
        _watch(memory, folder, lambda: once(lambda _: yes))
    report = once(lambda text: _agrees(text, yes=yes))
    emit(report, _summary(report))
    if report.conflicts:
        click.get_current_context().exit(1)


def _agrees(text: str, *, yes: bool) -> bool:
    click.echo(visible(text), err=True)
    return yes or (sys.stdin.isatty() and click.confirm("Go on?", err=True))


def _summary(report: SyncReport) -> str:
    counts = ", ".join(f"{getattr(report, name):,} {name}" for name in ("added", "corrected", "retracted", "forgotten"))
    lines = [f"{counts}; {number(len(report.written), 'file')} written"]
    return "\n".join([*lines, *(f"conflict: {visible(text)}" for text in report.conflicts)])


def _watch(memory: hmem.Memory, folder: Path, once: Callable[[], SyncReport]) -> None:
    """Sync whenever the folder or the memory is another, and was so for one interval, until it is interrupted."""
    synced: Any = None
    before = seen = _state(memory, folder)
    while True:
        if seen == before != synced:
            # What changes while it syncs, and what it changes itself, is looked at once more.
            synced = seen
            try:
                report = once()
                if any((report.added, report.corrected, report.retracted, report.written, report.conflicts)):
                    click.echo(_summary(report))
            except InputError as error:
                click.echo(f"hmem: {error}", err=True)
        sleep(_POLL_SECONDS)
        before, seen = seen, _state(memory, folder)


def _state(memory: hmem.Memory, folder: Path) -> Any:
    """Return what changes with the files and with the memory."""
    files = [(str(path), path.stat().st_mtime_ns) for path in sorted(folder.rglob("*.md"))]
    stats = memory.stats()
    return files, stats.turns, stats.notes, len(memory.history())
