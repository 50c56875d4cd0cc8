"""Recipes, and the settings that change them."""

from hmem.recipes.catalog import DEFAULT, FLAT_WEIGHTS, RECIPES, SETTINGS, WITHOUT, Recipe, Setting
from hmem.recipes.settings import (
    constants,
    from_text,
    range_of,
    recipe,
    settings_of,
    settings_without,
    to_text,
    value_of,
    values_of,
)

__all__ = [
    "DEFAULT",
    "FLAT_WEIGHTS",
    "RECIPES",
    "SETTINGS",
    "WITHOUT",
    "Recipe",
    "Setting",
    "constants",
    "from_text",
    "range_of",
    "recipe",
    "settings_of",
    "settings_without",
    "to_text",
    "value_of",
    "values_of",
]
