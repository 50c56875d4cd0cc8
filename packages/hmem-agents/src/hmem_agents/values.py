"""Checks of values that a framework passes in."""

import json
from collections.abc import Mapping
from typing import Any

from hmem.errors import InvalidTurn


def json_object(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value as a dict, after checking that it is JSON.

    Raises:
        InvalidTurn: it is not JSON.
    """
    try:
        json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidTurn(f"this value is not JSON ({error}) - use texts, numbers, lists and mappings") from error
    return dict(value)
