"""Write the tables in docs/settings.md, from ``hmem.recipes``; ``--check`` only compares."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from marked import keep

from hmem.recipes import DEFAULT, RECIPES, SETTINGS, Setting, settings_of, value_of, values_of
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
    """Return the value in the default recipe, and those of the recipes that differ."""
    usual = value_of(RECIPES[DEFAULT], name)
    others: dict[str, list[str]] = {}
    for recipe, made in RECIPES.items():
        if (value := value_of(made, name)) != usual:
            others.setdefault(coded(value), []).append(recipe)
    return "; ".join([coded(usual), *(f"{value} in {', '.join(names)}" for value, names in others.items())])


def row(setting: Setting) -> str:
    meaning = setting.meaning.replace("|", "\\|")
    return f"| `{setting.name}` | {default(setting.name)} | {values_of(setting.name)} | {meaning} | {setting.source} |"


def tables() -> Iterator[str]:
    for group, about in GROUPS.items():
        settings = [each for each in SETTINGS.values() if each.name.startswith(f"{group}.")]
        users = [name for name, made in RECIPES.items() if {each.name for each in settings} & {*settings_of(made)}]
        used = "every recipe" if len(users) == len(RECIPES) else ", ".join(f"`{name}`" for name in users)
        yield f"### {group}: {about.mechanism}\n\nUsed by {used}.\n"
        yield "| setting | default | values | meaning | source |\n|---|---|---|---|---|"
        yield "\n".join(map(row, settings)) + "\n"


if __name__ == "__main__":
    sys.exit(keep(Path(__file__).parent / "settings.md", "\n".join(tables()), COMMAND))
