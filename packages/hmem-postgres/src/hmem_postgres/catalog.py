"""Catalog of a database: its memories by name, and which of them have work for a language model."""

from typing import Final

from hmem.errors import MemoryNotFound
from hmem.storage.catalog import Catalog, WorkBoard, WorkClaim
from hmem.storage.location import Location
from hmem_postgres.address import Address, locate
from hmem_postgres.schema import DISTRIBUTED, VERSION, check_present
from hmem_postgres.transactions import DatabaseCalls, Rows, Statement

_BUSY_SECONDS: Final = 10.0
_RECONNECT_SECONDS: Final = 0.5
_SCOPE: Final = "SELECT set_config('hmem.scope', %s, true)"
_NAMES: Final = "SELECT memory FROM hmem.memory WHERE memory > %s ORDER BY memory LIMIT %s"
_SPELLED: Final = """
    SELECT memory FROM hmem.memory WHERE folded = %s ORDER BY memory <> %s, memory LIMIT 1"""
_DUE: Final = """
    SELECT memory FROM hmem.due WHERE due <= %(at)s AND claimed <= %(at)s ORDER BY due, since, memory LIMIT %(limit)s"""
# Until it is settled it is due when the claim ends; work that is added meanwhile makes it due before.
_CLAIM: Final = """
    UPDATE hmem.due SET claimed = %(until)s, due = %(until)s, renewed = false
    WHERE memory = %(memory)s AND due <= %(at)s AND claimed <= %(at)s RETURNING memory"""
_SETTLE_FINAL: Final = "DELETE FROM hmem.due WHERE memory = %s AND claimed = %s AND NOT renewed"
_SETTLE: Final = """
    UPDATE hmem.due SET claimed = 0, since = now(),
        due = CASE WHEN renewed THEN least(due, coalesce(%(due)s::bigint, due)) ELSE %(due)s::bigint END
    WHERE memory = %(memory)s AND claimed = %(until)s"""


class PostgresCatalog(Catalog, WorkBoard):
    """Memories of a database. A memory is claimed by one row that is its own, so workers meet at no other."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._calls = DatabaseCalls(Address.parse(location), _BUSY_SECONDS, _RECONNECT_SECONDS)
        is_open = False
        try:
            ((version,),) = self._calls.run((VERSION, ()))[0]
            check_present(self._calls.address, version)
            is_open = True
        finally:
            if not is_open:
                self._calls.close()

    @property
    def location(self) -> Location:
        return self._location

    @property
    def work(self) -> WorkBoard:
        return self

    def locate(self, name: str) -> Location:
        return locate(self._location, name)

    def names(self, *, after: str = "", limit: int | None = None) -> list[str]:
        return [name for (name,) in self._rows_in("names", (_NAMES, (after, limit)))]

    def spelled(self, name: str) -> str | None:
        rows = self._rows_in("names", (_SPELLED, (name.casefold(), name)))
        return rows[0][0] if rows else None

    def count(self) -> int:
        return self._rows_in("names", ("SELECT count(*) FROM hmem.memory", ()))[0][0]

    def check(self, seconds: float) -> None:
        self._calls.check(seconds)

    @property
    def away(self) -> bool:
        return self._calls.away

    def drop(self, name: str) -> None:
        if not self._calls.drop(name, DISTRIBUTED):
            raise MemoryNotFound(f"there is no memory {name!r} - create it first")

    def claim(self, moment: int, until: int, limit: int) -> list[WorkClaim]:
        candidates = self._rows_in("work", (_DUE, {"at": moment, "limit": limit}))
        if not candidates:
            return []
        # In one order, so that no two workers wait for each other.
        claims = [(_CLAIM, {"memory": name, "at": moment, "until": until}) for (name,) in sorted(candidates)]
        granted = {name for rows in self._run_in("work", *claims) for (name,) in rows}
        return [WorkClaim(name, until) for (name,) in candidates if name in granted]

    def settle(self, claim: WorkClaim, due: int | None) -> None:
        statements: list[Statement] = [(_SETTLE, {"memory": claim.name, "until": claim.until, "due": due})]
        if due is None:
            statements.insert(0, (_SETTLE_FINAL, (claim.name, claim.until)))
        self._run_in("work", *statements)

    def close(self) -> None:
        self._calls.close()

    def _rows_in(self, scope: str, statement: Statement) -> Rows:
        return self._run_in(scope, statement)[0]

    def _run_in(self, scope: str, *statements: Statement) -> list[Rows]:
        return self._calls.run((_SCOPE, (scope,)), *statements)[1:]
