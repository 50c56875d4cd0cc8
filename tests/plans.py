"""Plans of statements: whether each is about one memory alone, as Citus needs it to ask one machine."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg

from hmem_postgres import transactions
from hmem_postgres.schema import DISTRIBUTED
from hmem_postgres.texts import escaping

_EXPLAINED = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
# A memory is named by a value; that it equals another table's is not enough in a subquery.
_NAMED = re.compile(r"\bmemory = ('|\$\d)")


class Explainer:
    """Asks for the plan of each statement of a storage before it is run, once, and notes those of more memories."""

    def __init__(self, conninfo: str, *, citus: bool) -> None:
        self._wrong: dict[str, str] = {}
        self.explained: set[str] = set()
        self._citus = citus
        self._connection = psycopg.connect(conninfo, autocommit=True, context=escaping())
        for setting in ("enable_seqscan", "enable_bitmapscan"):
            self._connection.execute(f"SET {setting} = off")
        self._connection.execute("SET plan_cache_mode = force_custom_plan")
        self._ask = transactions.ask

    def ask(self, connection: Any, statements: Sequence[transactions.Statement]) -> list[transactions.Rows]:
        """Explain statements, and run them as ``transactions.ask`` does."""
        for sql, values in statements:
            if "hmem." in sql and _EXPLAINED.match(sql) and sql not in self.explained:
                self.explained.add(sql)
                self.explain(sql, values)
        return self._ask(connection, statements)

    def explain(self, sql: str, values: transactions.Values) -> None:
        """Note what is wrong with the plan of a statement."""
        ((plan,),) = self._connection.execute(f"EXPLAIN (FORMAT JSON, VERBOSE) {sql}", values).fetchall()  # type: ignore[arg-type]
        told = plan if isinstance(plan, list) else json.loads(plan)
        reasons = [*(tasks_of(told) if self._citus else scans_of(told))]
        if reasons:
            self._wrong[sql] = "; ".join(reasons)

    def take_wrong(self) -> dict[str, str]:
        """Return what is wrong with statements that were explained since the last call."""
        wrong, self._wrong = self._wrong, {}
        return wrong

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def nodes(plan: Any) -> Iterator[dict[str, Any]]:
    """Yield every mapping in a plan."""
    if isinstance(plan, dict):
        yield plan
    for part in plan.values() if isinstance(plan, dict) else plan if isinstance(plan, list) else ():
        yield from nodes(part)


def scans_of(plan: Any) -> Iterator[str]:
    """Yield what is wrong with the scans of a plan of Postgres: each finds rows by the memory's name."""
    for node in nodes(plan):
        scans = str(node.get("Node Type", "")).endswith("Scan") and node.get("Relation Name") in DISTRIBUTED
        if scans and not _NAMED.search(node.get("Index Cond", "")):
            yield f"{node['Node Type']} on {node['Relation Name']} by {node.get('Index Cond')}"


def tasks_of(plan: Any) -> Iterator[str]:
    """Yield what is wrong with the tasks of a plan of Citus: there is one."""
    for node in nodes(plan):
        if node.get("Task Count", 1) != 1:
            yield f"{node['Task Count']} tasks"
