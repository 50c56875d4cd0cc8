"""Connections of a process to a database, shared by all its memories there.

``psycopg_pool`` connects anew after the database was away. While it is, the first call waits for its return as long as
it may, and the others fail as soon as an attempt to connect has failed. A process that was forked makes its own: it
never touches those of its parent.
"""

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from math import inf
from threading import Lock
from time import monotonic
from typing import Any, Final, Self

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolTimeout

from hmem_postgres.texts import escaping

Connection = psycopg.Connection[tuple[Any, ...]]

# A call holds a connection for as long as its statements take, so a few serve many memories.
CONNECTIONS: Final = 8
# Seconds until the pool gives up an attempt to connect; the next call begins another at once.
_ATTEMPT: Final = 0.02
_IDLE: Final = 300.0
# Seconds for which a failed attempt speaks for calls that come after it; and that a call waits for an attempt to end.
_FRESH: Final = 0.1
_AWAY: Final = 1.0
# Seconds until a call that waits for a connection asks for another attempt, while the database is there, and away.
_WAIT: Final = 0.5
_GLANCE: Final = 0.02
# A machine that does not answer at all is noticed by these, in seconds and milliseconds, unless the URL has others.
_NETWORK: Final = {"connect_timeout": "3", "tcp_user_timeout": "10000"}

# A row if Citus is in the database.
CITUS: Final = "SELECT 1 FROM pg_extension WHERE extname = 'citus'"
_SETTINGS: Final = ("SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off")
_CITUS_SETTINGS: Final = ("SET plan_cache_mode = force_custom_plan", "SET citus.propagate_set_commands = 'local'")

# The driver warns of each failed attempt: that is for who configures a log, and callers get an error.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class DatabaseAway(PoolTimeout):
    """An attempt to connect has failed a moment ago."""


class _ReportingConnection(psycopg.Connection[tuple[Any, ...]]):
    """Connection that tells its database how the attempt to make it ended."""

    @classmethod
    def connect(cls, conninfo: str = "", *, database: "Database", **options: Any) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            connection = super().connect(conninfo, **options)
        except psycopg.OperationalError:
            database.report(connected=False)
            raise
        database.report(connected=True)
        return connection


class Database:
    """Connections of this process to one database."""

    def __init__(self, conninfo: str) -> None:
        self.process = os.getpid()
        self.users = 0
        # Whether Citus spreads its tables over machines.
        self.distributed = False
        self.options: dict[str, Any] = {
            "autocommit": True,
            "context": escaping(),
            "client_encoding": "utf8",
            "application_name": "hmem",
            "prepare_threshold": 0,
        }
        self._conninfo = conninfo
        network = {name: value for name, value in _NETWORK.items() if name not in conninfo_to_dict(conninfo)}
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            conninfo, connection_class=_ReportingConnection, kwargs={**self.options, **network, "database": self},
            min_size=0, max_size=CONNECTIONS, max_idle=_IDLE, configure=self._configure, reconnect_timeout=_ATTEMPT,
            num_workers=1, open=False,
        )  # fmt: skip
        self._lock = Lock()
        # When an attempt to connect failed last; None while the database is there.
        self._failed: float | None = None
        # Whether a call waits for the end of this outage, or has done so.
        self._awaited = False
        self._lent = 0

    def open(self, seconds: float) -> None:
        """Connect once, so that what is wrong is told as it is; then open the pool.

        Raises:
            psycopg.Error: the database cannot be reached, or does not let this role in.
        """
        timeout = max(1, round(seconds))
        with psycopg.connect(self._conninfo, connect_timeout=timeout, **self.options) as connection:
            self.distributed = bool(connection.execute(CITUS, prepare=False).fetchall())
        self._pool.open()

    def _configure(self, connection: Connection) -> None:
        """Let the server plan as suits it.

        A plan for each call's values takes longer than the call. Every statement is of one memory's rows, and a plan
        that was made while the tables were small must not read them whole when they have grown. Citus finds the machine
        of a memory by the values alone, and tells it the settings of a transaction only if it is told to.
        """
        for setting in _CITUS_SETTINGS if self.distributed else _SETTINGS:
            connection.execute(setting, prepare=False)

    def report(self, *, connected: bool) -> None:
        """Note how an attempt to connect ended."""
        with self._lock:
            self._failed = None if connected else monotonic()
            self._awaited = self._awaited and not connected

    @contextmanager
    def connection(
        self, deadline: float, reconnect_seconds: float = inf, *, patient: bool | None = None
    ) -> Generator[Connection]:
        """Lend a connection; wait for one until a moment of ``monotonic``.

        While the database is away a ``patient`` call waits for so long, and by default the first one, which waits for
        some seconds at most.

        Raises:
            PoolTimeout: there was none until then.
            DatabaseAway: the database is away, and the call is not patient.
        """
        connection = self._get(deadline, reconnect_seconds, patient=patient)
        with self._lock:
            self._lent += 1
        try:
            yield connection
        finally:
            with self._lock:
                self._lent -= 1
            if not connection.closed:
                self.report(connected=True)
            self._pool.putconn(connection)

    def _get(self, deadline: float, reconnect_seconds: float, *, patient: bool | None) -> Connection:
        start_time, waits = monotonic(), bool(patient)
        while True:
            if not waits and self._admit(start_time, may_wait=patient is None):
                waits, deadline = True, min(deadline, monotonic() + reconnect_seconds)
            remaining = deadline - monotonic()
            longest = _WAIT if waits or self._failed is None else _GLANCE
            try:
                # Each call asks the pool for another attempt to connect.
                return self._pool.getconn(timeout=max(_GLANCE, min(longest, remaining)))
            except PoolTimeout:
                if remaining <= longest:
                    raise

    def _admit(self, start_time: float, *, may_wait: bool) -> bool:
        """Return whether a call waits for the end of the outage; False if there is none, or it waits for an attempt.

        Raises:
            DatabaseAway: it must not wait.
        """
        with self._lock:
            # If some connections work, the database only takes no more of them.
            if self._failed is None or self._lent or self._pool.get_stats()["pool_available"]:
                return False
            if may_wait and not self._awaited:
                self._awaited = True
                return True
            if (current_time := monotonic()) - start_time >= _AWAY:
                # No attempt ends: for as long again nobody waits for one.
                self._failed = current_time + _AWAY
            if self._failed >= start_time - _FRESH:
                raise DatabaseAway("it does not answer")
            return False

    @property
    def away(self) -> bool:
        """True if the last attempt to connect has failed."""
        return self._failed is not None

    def check(self) -> None:
        """Drop the connections that are broken."""
        self._pool.check()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


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
