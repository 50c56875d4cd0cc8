"""Write the list in docs/settings.md, from ``hmem.recipes``; ``--check`` only compares."""

import math
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from marked import keep

from hmem.recipes import DEFAULT, RECIPES, SETTINGS, Setting, range_of, value_of
from hmem.recipes.catalog import GROUPS

COMMAND = "python docs/generate_settings.py"


def shown(value: Any) -> str:
    """Return a value as it is written in a setting."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else f"{value:.4g}" if isinstance(value, float) else str(value)


def coded(value: Any) -> str:
    return f"`{shown(value)}`" if shown(value) else "empty"


def default(name: str) -> str:
    """Return the value in the default recipe, and the range of a number that has one."""
    least, most = range_of(name)
    bounds = f" ({least:g} to {most:g})" if most < math.inf else ""
    return f"{coded(value_of(RECIPES[DEFAULT], name))}{bounds}"


def meaning(setting: Setting) -> str:
    return f"`{setting.name}`: {setting.meaning}"


def lines() -> Iterator[str]:
    """Yield a line for each setting; neighbours with the same default and the same reason share one."""
    for group in GROUPS:
        of_group = [each for each in SETTINGS.values() if each.name.startswith(f"{group}.")]
        for (value, reason), alike in groupby(of_group, key=lambda each: (default(each.name), each.reason)):
            yield f"- {' '.join(map(meaning, alike))} {value}. *{reason}*"


if __name__ == "__main__":
    sys.exit(keep(Path(__file__).parent / "settings.md", "\n".join(lines()), COMMAND))
