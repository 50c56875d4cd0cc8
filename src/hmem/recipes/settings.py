"""Settings of recipes: parsing, range checks, leaving mechanisms out, and the stored form."""

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from typing import Any, Final, Literal, cast, get_args, get_origin, get_type_hints

import msgspec

from hmem.derived.note_states import RULES
from hmem.derived.trees.evolution import ALPHAS
from hmem.derived.trees.layers import LayersOptions
from hmem.errors import UnknownName
from hmem.formation.config import FormationConfig
from hmem.recipes.catalog import DEFAULT, FIXED, GROUPS, NEEDS, RECIPES, SETTINGS, WITHOUT, Group, Recipe
from hmem.retrieval.config import STRATEGIES
from hmem.retrieval.pipeline import SCOPES
from hmem.retrieval.stages import NAMES as STAGE_NAMES
from hmem.util.suggesting import suggest


@dataclass(frozen=True, slots=True)
class _SettingPath:
    """Location of a setting: its group, field of the group's options, and key of a mapping field."""

    group: Group
    field: str
    key: str

    def options(self, recipe: Recipe) -> Any:
        side, group = getattr(recipe, self.group.side), self.group
        if group.defaults is not None:
            return side.of_paper(group.attribute, group.defaults)
        return getattr(side, group.attribute) if group.attribute else side

    def value_in(self, recipe: Recipe) -> Any:
        value = getattr(self.options(recipe), self.field)
        return value[self.key] if self.key else value

    def with_value(self, recipe: Recipe, value: Any) -> Recipe:
        options = self.options(recipe)
        new_value = {**getattr(options, self.field), self.key: value} if self.key else value
        options = replace(options, **{self.field: new_value})
        side, attribute = getattr(recipe, self.group.side), self.group.attribute
        if self.group.defaults is not None:
            papers = {name: paper_options for name, paper_options in side.papers.items() if name != attribute}
            if options != self.group.defaults:
                papers[attribute] = options
            options = replace(side, papers=papers)
        elif attribute:
            options = replace(side, **{attribute: options})
        return replace(recipe, **{self.group.side: options})


@cache
def _path_of(name: str) -> _SettingPath:
    group, _, path = name.partition(".")
    field, _, key = path.partition(".")
    return _SettingPath(GROUPS[group], field, key)


@cache
def _type(name: str) -> Any:
    """Return the type of the value of a constant; None if the recipes have no constant of this name."""
    if name.partition(".")[0] not in GROUPS:
        return None
    path, any_recipe = _path_of(name), RECIPES[DEFAULT]
    options: object = path.options(any_recipe)
    hint: Any = get_type_hints(type(options)).get(path.field)
    if hint is None or is_dataclass(hint):
        return None
    if get_origin(hint) is Mapping:
        return float if path.key in getattr(options, path.field) else None
    return None if path.key else hint


def is_constant(name: str) -> bool:
    """Tell if the recipes have a constant of this name: a setting, or one that only evaluations change."""
    return _type(name) is not None


def recipe(name: str, settings: Mapping[str, str] | None = None) -> Recipe:
    """Return the recipe of a name, with changed constants: ``{"evolution.alpha": "0.9,0.8,0.7"}``.

    Besides ``SETTINGS``, evaluations change what else its data holds by the same names, such as ``graph.hops``. No
    range is checked for these, and they may change with any version.

    Raises:
        UnknownName: there is no such recipe or constant, the recipe does not use it, or it cannot have this value.
    """
    if name not in RECIPES:
        raise UnknownName(f"no recipe is called {name!r} - {suggest(name, RECIPES)}")
    result, values = RECIPES[name], settings or {}
    for setting, value in values.items():
        if not is_constant(setting):
            raise UnknownName(f"no recipe has the constant {setting!r} - {suggest(setting, list(SETTINGS))}")
        result = _path_of(setting).with_value(result, _parsed(setting, value))
    for setting in values:
        _check_used(result, setting)
    return result


def settings_of(recipe: Recipe) -> list[str]:
    """Return the names of the settings that a recipe uses."""
    return [name for name in SETTINGS if _unused(recipe, name) is None]


def value_of(recipe: Recipe, constant: str) -> Any:
    """Return the value of a setting in a recipe."""
    return _path_of(constant).value_in(recipe)


def range_of(constant: str) -> tuple[float, float]:
    """Return the least and the greatest value of a number; the greatest may be infinite, a value never is."""
    setting = SETTINGS.get(constant)
    return (0.0, math.inf) if setting is None else (setting.minimum, setting.maximum)


def settings_without(mechanisms: Sequence[str]) -> dict[str, str]:
    """Return the settings that leave the named mechanisms out, in any order.

    Raises:
        UnknownName: there is no such mechanism.
    """
    settings: dict[str, str] = {}
    for name in mechanisms:
        if name not in WITHOUT:
            raise UnknownName(f"no mechanism is called {name!r} - {suggest(name, sorted(WITHOUT), 'choose from')}")
        for setting, value in WITHOUT[name].items():
            # Names of stages add up; every other setting has one value that leaves its mechanism out.
            values = {*settings.get(setting, value).split(","), value}
            settings[setting] = ",".join(sorted(values))
    return settings


# Checks of use.


def _check_used(recipe: Recipe, name: str) -> None:
    """Refuse a setting that would change nothing. Switching off an absent mechanism is no error."""
    missing = None if value_of(recipe, name) in (False, "") else _unused(recipe, name)
    if missing is not None:
        raise UnknownName(
            f"{name} is a setting of {missing}, which the recipe {recipe.name!r} does not use as it is set - "
            f"choose from: {', '.join(settings_of(recipe))}"
        )


def _unused(recipe: Recipe, name: str) -> str | None:
    """Return the mechanism or switch of a setting that the recipe does not use; None if the recipe uses the setting."""
    group = GROUPS[name.partition(".")[0]]
    if not group.used(recipe):
        return group.mechanism
    switches = NEEDS.get(name, ())
    if switches and not any(value_of(recipe, switch) for switch in switches):
        return " or ".join(f"`{switch}`" for switch in switches)
    return None


# Values.


def _parsed(name: str, value: object) -> Any:
    """Return a value converted to the type of its setting.

    Raises:
        UnknownName: it is of another type, or out of range.
    """
    value_type = _type(name)
    try:
        if get_origin(value_type) is tuple and isinstance(value, str):
            return _check_range(name, value, msgspec.convert(value.split(","), value_type, strict=False))
        return _check_range(name, value, msgspec.convert(value, value_type, strict=False))
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise UnknownName(f"{name} cannot be {value!r} - give {_kind(value_type)}") from error


def _kind(value_type: Any) -> str:
    """Describe the values of a type."""
    if get_origin(value_type) is Literal:
        return f"one of: {', '.join(get_args(value_type))}"
    if get_origin(value_type) is tuple:
        element_type, *further_types = get_args(value_type)
        count = "" if further_types == [...] else f"{len(further_types) + 1} "
        return f"{count}{'names' if element_type is str else 'numbers'} with commas between them"
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(value_type, "a text")


def _check_range(name: str, value: object, converted: Any) -> Any:
    """Return a converted value.

    Raises:
        UnknownName: a number in it is out of range, or a word is unknown.
    """
    minimum, maximum = range_of(name)
    for number in _numbers(converted):
        if not (math.isfinite(number) and minimum <= number <= maximum):
            bounds = f"from {minimum:g} to {maximum:g}" if maximum < math.inf else f"from {minimum:g} on"
            raise UnknownName(f"{name} cannot be {value!r} - give a number {bounds}")
    if (check := _CHECKS.get(name)) is not None:
        check(converted)
    return converted


def _numbers(value: object) -> list[float]:
    elements = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
    return [number for number in elements if isinstance(number, int | float)]


def _check_strategies(names: Sequence[str]) -> None:
    if wrong := [name for name in names if name not in STRATEGIES]:
        raise UnknownName(f"no strategy is called {wrong[0]!r} - {suggest(wrong[0], STRATEGIES, 'choose from')}")


def _check_stages(names: Sequence[str]) -> None:
    if wrong := [name for name in names if name not in STAGE_NAMES]:
        raise UnknownName(f"no stage is called {wrong[0]!r} - {suggest(wrong[0], STAGE_NAMES, 'choose from')}")


def _check_scope(name: str) -> None:
    if name not in ("", *SCOPES):
        raise UnknownName(f"no scope is called {name!r} - {suggest(name, SCOPES, 'choose from')}")


def _check_rule(name: str) -> None:
    if name not in RULES:
        raise UnknownName(f"no rule is called {name!r} - {suggest(name, RULES, 'choose from')}")


def _check_rules(rules: str) -> None:
    for rule_text in rules.split(",") if rules.strip() else ():
        slot, separator, rule = rule_text.strip().partition("=")
        if not slot or not separator:
            raise UnknownName(f"{rule_text.strip()!r} is no rule of a slot - write slot=rule or subject:slot=rule")
        _check_rule(rule)


_CHECKS: Final[Mapping[str, Callable[[Any], None]]] = {
    "retrieval.strategies": _check_strategies,
    "retrieval.without": _check_stages,
    "plan.scope": _check_scope,
    "reconcile.rule": _check_rule,
    "reconcile.rules": _check_rules,
}


# The text that a memory keeps.


def current(stored_settings: Mapping[str, str]) -> dict[str, str]:
    """Return the stored settings that still exist.

    One that became a constant of the same value is dropped. Another one is dropped too, with a warning: the memory
    opens, and recalls by the constant.
    """
    for name in stored_settings.keys() - {name for name in stored_settings if is_constant(name)}:
        if name not in FIXED or str(FIXED[name]) != str(stored_settings[name]):
            reason = f"is {FIXED[name]} for every memory" if name in FIXED else "is no setting of this version"
            warnings.warn(
                f"the memory keeps {name}={stored_settings[name]}, but it {reason}; it is ignored", stacklevel=2
            )
    return {name: value for name, value in stored_settings.items() if is_constant(name)}


def to_text(config: FormationConfig) -> str:
    """Return the formation settings as the text that a memory keeps."""
    return msgspec.json.encode(config, order="sorted").decode()


def from_text(text: str) -> FormationConfig:
    """Return the settings that ``to_text`` wrote; ignore unknown options, default missing ones.

    Raises:
        UnknownName: an option has a value that this version cannot read.
    """
    options: dict[str, Any] = msgspec.json.decode(text)
    _renew(options)
    try:
        return msgspec.convert(options, FormationConfig)
    except msgspec.ValidationError as error:
        raise UnknownName(
            f"the memory keeps settings that this version cannot read ({error}) - open it with the hmem that made it"
        ) from error


def _renew(options: dict[str, Any]) -> None:
    """Drop the earlier defaults by which hardly anything consolidated, from settings written before decision 0043."""
    evolving, layering = options.get("evolving", {}), options.get("layering", {})
    if "capacity" not in evolving and tuple(evolving.get("alpha", ())) == ALPHAS["paper"]:
        evolving.pop("alpha")
    if "capacity" not in layering and layering.get("similarity", [])[2:] == [0.8]:
        layering["similarity"] = [*layering["similarity"][:2], LayersOptions().similarity[2]]
