"""The one SQLite that this library uses."""

import ast
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import hmem
from hmem.model.key import MemoryKey
from hmem.storage.sqlite import driver
from hmem.storage.sqlite.driver import Connection, Error, error_name, fault, read_start


def test_no_module_uses_another_sqlite() -> None:
    """Two builds with one file open in a process drop each other's locks."""
    imports = {
        (path.stem, name.split(".")[0])
        for path in Path(hmem.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    assert {(module, name) for module, name in imports if name in ("sqlite3", "apsw")} == {("driver", "apsw")}


def test_the_installed_sqlite_is_sound() -> None:
    assert fault() is None


@pytest.mark.parametrize("version", ["3.40.1", "3.51.2"])
def test_a_sqlite_that_can_corrupt_a_memory_is_named(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "VERSION", version)
    assert "can corrupt" in (fault() or "")


def test_an_error_has_the_name_that_sqlite_gives_it(path: Path) -> None:
    with closing(Connection(str(path))) as one, closing(Connection(str(path))) as other:
        one.execute("BEGIN IMMEDIATE")
        with pytest.raises(Error) as caught:
            other.execute("BEGIN IMMEDIATE")
        assert error_name(caught.value) == "SQLITE_BUSY"
        with pytest.raises(Error) as caught:
            one.execute("SELECT ?", (1, 2))
        assert error_name(caught.value) == ""


def test_reading_the_start_of_a_file_keeps_the_locks_on_it(path: Path) -> None:
    with closing(Connection(str(path))) as one:
        one.execute("CREATE TABLE a (b)")
        one.execute("BEGIN EXCLUSIVE")
        assert read_start(str(path), 6) == b"SQLite"
        code = (
            "import sqlite3, sys\n"
            "try:\n    sqlite3.connect(sys.argv[1], timeout=0).execute('SELECT * FROM a').fetchall()\n"
            "except sqlite3.OperationalError as error:\n    print(error)"
        )
        told = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert told.stdout == "database is locked\n"


def test_what_was_set_lasts_when_it_has_rested(path: Path) -> None:
    with closing(Connection(str(path), key=MemoryKey("secret"))) as one:
        one.define("twice", lambda number: 2 * number)
        one.set("foreign_keys = ON")
        one.execute("CREATE TABLE a (b)")
        one.suspend()
        assert one.execute("SELECT twice(4), foreign_keys FROM pragma_foreign_keys").fetchall() == [(8, 1)]
    assert b"CREATE TABLE" not in path.read_bytes()


def test_threads_run_their_statements_one_after_the_other(path: Path) -> None:
    with closing(Connection(str(path))) as one:
        one.execute("CREATE TABLE a (b)")

        def work(number: int) -> int:
            for _ in range(200):
                one.execute("INSERT INTO a VALUES (?)", (number,))
            return len(list(one.walk("SELECT * FROM a"))) + one.total_changes

        with ThreadPoolExecutor(4) as threads:
            assert min(threads.map(work, range(4))) >= 400
        assert one.execute("SELECT count(*) FROM a").fetchone() == (800,)
