"""Connections of a process to a database, shared by all its memories there.

``psycopg_pool`` connects anew, with growing pauses, after the database was away. A process that was forked makes its
own: it never touches those of its parent.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any, Final

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from hmem_postgres.texts import escaping

Connection = psycopg.Connection[tuple[Any, ...]]

# A call holds a connection for as long as its statements take, so a few serve many memories.
CONNECTIONS: Final = 8
# Seconds until the pool gives up an attempt to connect; the next call begins another at once.
_ATTEMPT: Final = 1.5
_IDLE: Final = 300.0


class Database:
    """Connections of this process to one database."""

    def __init__(self, conninfo: str) -> None:
        self.process = os.getpid()
        self.users = 0
        self.options: dict[str, Any] = {
            "autocommit": True,
            "context": escaping(),
            "client_encoding": "utf8",
            "application_name": "hmem",
            "prepare_threshold": 0,
        }
        self._conninfo = conninfo
        self._pool = ConnectionPool(
            conninfo, connection_class=psycopg.Connection[tuple[Any, ...]], kwargs=self.options, min_size=0,
            max_size=CONNECTIONS, max_idle=_IDLE, configure=_configure, reconnect_timeout=_ATTEMPT, num_workers=1,
            open=False,
        )  # fmt: skip

    def open(self, seconds: float) -> None:
        """Connect once, so that what is wrong is told as it is; then open the pool.

        Raises:
            psycopg.Error: the database cannot be reached, or does not let this role in.
        """
        timeout = max(1, round(seconds))
        psycopg.connect(self._conninfo, connect_timeout=timeout, **self.options).close()
        self._pool.open()

    @contextmanager
    def connection(self, deadline: float) -> Generator[Connection]:
        """Lend a connection; wait for one until a moment of ``monotonic``.

        Raises:
            PoolTimeout: there was none until then.
        """
        connection = self._get(deadline)
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def _get(self, deadline: float) -> Connection:
        while True:
            remaining = deadline - monotonic()
            try:
                return self._pool.getconn(timeout=max(0.05, min(_ATTEMPT, remaining)))
            except PoolTimeout:
                # Each call asks the pool for another attempt to connect.
                if remaining <= _ATTEMPT:
                    raise

    def check(self) -> None:
        """Drop the connections that are broken."""
        self._pool.check()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _configure(connection: Connection) -> None:
    """Let the server plan each statement once, and by an index.

    A plan for each call's values takes longer than the call. Every statement is of one memory's rows, and a plan that
    was made while the tables were small must not read them whole when they have grown.
    """
    for setting in ("SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off"):
        connection.execute(setting, prepare=False)


class _SharedDatabases:
    """Databases that are open in this process, by how to connect."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.databases: dict[str, Database] = {}
        # A child keeps its parent's, unused: to drop them would end the parent's connections.
        self.inherited: list[Database] = []


_shared = _SharedDatabases()


def share(conninfo: str, seconds: float) -> Database:
    """Return the connections of this process to a database, to be given back by ``give_back``.

    Raises:
        psycopg.Error: the database cannot be reached.
    """
    with _shared.lock:
        database = _shared.databases.get(conninfo)
        if database is None:
            database = Database(conninfo)
            database.open(seconds)
            _shared.databases[conninfo] = database
        database.users += 1
        return database


def give_back(conninfo: str, database: Database) -> None:
    """Close the connections to a database if nobody else in this process uses it."""
    with _shared.lock:
        database.users -= 1
        if database.users or _shared.databases.get(conninfo) is not database:
            return
        del _shared.databases[conninfo]
    database.close()


def _begin_anew() -> None:
    """Forget the parent's connections, in a process that was just forked: its threads and locks are not here."""
    inherited = [*_shared.inherited, *_shared.databases.values()]
    _shared.__init__()
    _shared.inherited = inherited


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
