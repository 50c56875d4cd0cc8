"""Errors of the driver as errors of hmem."""

import psycopg
import pytest

from hmem.errors import StorageError, StorageUnavailable
from hmem_postgres.translation import is_lost, is_machine_lost, translate


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("08006", "connection to the remote node hmem@10.0.0.7:5432 failed with the following error: refused"),
        ("08006", "could not establish any connections to the node 10.0.0.7:5432 after 30000 ms"),
        ("58030", "failed to complete COPY on 10.0.0.7:5432"),
        ("XX000", "server closed the connection unexpectedly"),
        ("XX000", "could not commit transaction for shard 102008 on any active node"),
    ],
)
def test_a_lost_machine_of_citus_may_come_back(code: str, message: str) -> None:
    error = psycopg.errors.lookup(code)(message)
    assert is_machine_lost(error)
    assert is_lost(error)
    assert isinstance(translate(error, "db"), StorageUnavailable)


def test_a_fault_of_a_statement_is_no_lost_machine() -> None:
    error = psycopg.errors.lookup("XX000")("could not open relation with OID 16384")
    assert not is_lost(error)
    assert type(translate(error, "db")) is StorageError
