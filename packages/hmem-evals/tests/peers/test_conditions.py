"""The conditions of a measurement."""

from datetime import UTC, date, datetime

import hmem
from hmem_evals.peers.conditions import conditions


def test_conditions_name_the_day_the_machine_and_the_versions() -> None:
    told = conditions()
    assert abs((date.fromisoformat(told["date"]) - datetime.now(UTC).date()).days) <= 1
    assert "cores" in told["machine"]
    assert told["hmem"] == hmem.__version__
