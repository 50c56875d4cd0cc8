"""What cannot be kept is refused before anything is."""

from datetime import UTC, datetime
from typing import Any

import pytest

from hmem.errors import InvalidTurn
from hmem_agents.values import json_object


def test_a_json_value_is_itself() -> None:
    value = {"text": "é", "number": 1.5, "list": [None, True, {"in": "x"}]}
    assert json_object(value) == value


@pytest.mark.parametrize("value", [{"at": datetime(2025, 1, 1, tzinfo=UTC)}, {"number": float("nan")}, {"set": {1}}])
def test_what_is_not_json_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(InvalidTurn, match="JSON"):
        json_object(value)
