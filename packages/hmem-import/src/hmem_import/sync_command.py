"""Command ``hmem sync``."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep
from typing import Any, Final

import click

import hmem
from hmem.errors import InputError
from hmem.interfaces.cli.options import emit, flag, memory_command, option, user_option
from hmem.interfaces.cli.output import visible
from hmem.util.amounts import amount
from hmem_import.sync import Sync, SyncReport
from hmem_import.sync_folder import STATE

# Setting of a memory: the folders that it was synced with.
_FOLDERS: Final = "sync.folders"
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
    user_option,
    flag("--forget", "Forget what is gone from the files, after a preview, instead of retracting it."),
    flag("--watch", "Go on, and sync whenever a file or the memory changes."),
    flag("--yes", "Agree to what would be asked, such as a file that is gone."),
    create=True,
)
def sync(
    memory: hmem.Memory,
    folder: Path,
    *,
    author: str | None,
    user: str | None,
    forget: bool,
    watch: bool,
    yes: bool,
) -> None:
    """Keep a memory and a folder of Markdown the same.

    The folder gets a profile, notes by subject, and a file for each day. What is edited there becomes a correction, a
    line that is gone a retraction, a new line a turn. Comments carry ids, so lines may be moved. Other Markdown in the
    folder is read, and never changed. What both sides changed stands in conflicts.md.
    """
    if forget and watch:
        raise click.UsageError("--forget asks each time - leave out --watch")

    def once(consent: Callable[[str], bool]) -> SyncReport:
        total = SyncReport()
        _check_known(memory, folder, consent)
        for _ in range(_ATTEMPTS):
            total.add(Sync(memory, folder, author=author, user=user, forget=forget, consent=consent).run())
            if not total.again:
                break
        return total

    if watch:
        _watch(memory, folder, lambda: once(lambda _: yes))
    report = once(lambda text: _agrees(text, yes=yes))
    emit(report, _summary(report))
    if report.conflicts:
        click.get_current_context().exit(1)


def _check_known(memory: hmem.Memory, folder: Path, consent: Callable[[str], bool]) -> None:
    """Ask before a folder that was synced before, and is gone, is made anew; note that this one is synced.

    Raises:
        InputError: nobody agreed.
    """
    storage, place = memory.corpus.storage, str(folder.resolve())
    known: list[str] = json.loads(storage.state().settings.get(_FOLDERS, "[]"))
    if place in known and not (folder / STATE).exists():
        gone = f"{folder} was synced with this memory, and is gone, or its {STATE} is"
        if not consent(f"{gone}: it would be written anew, and nothing that was edited there would be taken over"):
            raise InputError(f"{gone} - nothing was changed; restore it, or agree with --yes")
    if place not in known:
        storage.put_settings({_FOLDERS: json.dumps([*known, place])})


def _agrees(text: str, *, yes: bool) -> bool:
    click.echo(visible(text), err=True)
    return yes or (sys.stdin.isatty() and click.confirm("Go on?", err=True))


def _summary(report: SyncReport) -> str:
    counts = ", ".join(f"{getattr(report, name):,} {name}" for name in ("added", "corrected", "retracted", "forgotten"))
    lines = [f"{counts}; {amount(len(report.written), 'file')} written"]
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
