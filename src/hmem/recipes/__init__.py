"""Recipes, and the settings that change them."""

from hmem.recipes.catalog import DEFAULT, FLAT_WEIGHTS, RECIPES, SETTINGS, WITHOUT, Recipe, Setting
from hmem.recipes.settings import (
    current,
    from_text,
    is_constant,
    range_of,
    recipe,
    settings_of,
    settings_without,
    to_text,
    value_of,
)

__all__ = [
    "DEFAULT",
    "FLAT_WEIGHTS",
    "RECIPES",
    "SETTINGS",
    "WITHOUT",
    "Recipe",
    "Setting",
    "current",
    "from_text",
    "is_constant",
    "range_of",
    "recipe",
    "settings_of",
    "settings_without",
    "to_text",
    "value_of",
]
