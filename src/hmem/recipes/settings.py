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
class _Place:
    """Location of a setting: its group, field of the group's options, and key of a mapping field."""

    group: Group
    field: str
    key: str

    def options(self, made: Recipe) -> Any:
        side, group = getattr(made, self.group.side), self.group
        if group.defaults is not None:
            return side.of_paper(group.attribute, group.defaults)
        return getattr(side, group.attribute) if group.attribute else side

    def of(self, made: Recipe) -> Any:
        value = getattr(self.options(made), self.field)
        return value[self.key] if self.key else value

    def put(self, made: Recipe, value: Any) -> Recipe:
        options = self.options(made)
        changed = {**getattr(options, self.field), self.key: value} if self.key else value
        options = replace(options, **{self.field: changed})
        side, attribute = getattr(made, self.group.side), self.group.attribute
        if self.group.defaults is not None:
            papers = {name: each for name, each in side.papers.items() if name != attribute}
            if options != self.group.defaults:
                papers[attribute] = options
            options = replace(side, papers=papers)
        elif attribute:
            options = replace(side, **{attribute: options})
        return replace(made, **{self.group.side: options})


@cache
def _place(name: str) -> _Place:
    group, _, path = name.partition(".")
    field, _, key = path.partition(".")
    return _Place(GROUPS[group], field, key)


@cache
def _type(name: str) -> Any:
    """Return the type of the value of a constant; None if the recipes have no constant of this name."""
    if name.partition(".")[0] not in GROUPS:
        return None
    place, any_recipe = _place(name), RECIPES[DEFAULT]
    options: object = place.options(any_recipe)
    hint: Any = get_type_hints(type(options)).get(place.field)
    if hint is None or is_dataclass(hint):
        return None
    if get_origin(hint) is Mapping:
        return float if place.key in getattr(options, place.field) else None
    return None if place.key else hint


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
    made, given = RECIPES[name], settings or {}
    for setting, value in given.items():
        if not is_constant(setting):
            raise UnknownName(f"no recipe has the constant {setting!r} - {suggest(setting, list(SETTINGS))}")
        made = _place(setting).put(made, _parsed(setting, value))
    for setting in given:
        _check_used(made, setting)
    return made


def settings_of(made: Recipe) -> list[str]:
    """Return the names of the settings that a recipe uses."""
    return [name for name in SETTINGS if _unused(made, name) is None]


def value_of(made: Recipe, constant: str) -> Any:
    """Return the value of a setting in a recipe."""
    return _place(constant).of(made)


def range_of(constant: str) -> tuple[float, float]:
    """Return the least and the greatest value of a number; the greatest may be infinite, a value never is."""
    setting = SETTINGS.get(constant)
    return (0.0, math.inf) if setting is None else (setting.least, setting.most)


def settings_without(without: Sequence[str]) -> dict[str, str]:
    """Return the settings that leave the named mechanisms out, in any order.

    Raises:
        UnknownName: there is no such mechanism.
    """
    settings: dict[str, str] = {}
    for name in without:
        if name not in WITHOUT:
            raise UnknownName(f"no mechanism is called {name!r} - {suggest(name, sorted(WITHOUT), 'choose from')}")
        for setting, value in WITHOUT[name].items():
            # Names of stages add up; every other setting has one value that leaves its mechanism out.
            values = {*settings.get(setting, value).split(","), value}
            settings[setting] = ",".join(sorted(values))
    return settings


# Checks of use.


def _check_used(made: Recipe, name: str) -> None:
    """Refuse a setting that would change nothing. Switching off an absent mechanism is no error."""
    missing = None if value_of(made, name) in (False, "") else _unused(made, name)
    if missing is not None:
        raise UnknownName(
            f"{name} is a setting of {missing}, which the recipe {made.name!r} does not use as it is set - "
            f"choose from: {', '.join(settings_of(made))}"
        )


def _unused(made: Recipe, name: str) -> str | None:
    """Return the mechanism or switch of a setting that the recipe does not use; None if the recipe uses the setting."""
    group = GROUPS[name.partition(".")[0]]
    if not group.used(made):
        return group.mechanism
    switches = NEEDS.get(name, ())
    if switches and not any(value_of(made, switch) for switch in switches):
        return " or ".join(f"`{switch}`" for switch in switches)
    return None


# Values.


def _parsed(name: str, value: object) -> Any:
    """Return a value converted to the type of its setting.

    Raises:
        UnknownName: it is of another type, or out of range.
    """
    wanted = _type(name)
    try:
        if get_origin(wanted) is tuple and isinstance(value, str):
            return _within(name, value, msgspec.convert(value.split(","), wanted, strict=False))
        return _within(name, value, msgspec.convert(value, wanted, strict=False))
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise UnknownName(f"{name} cannot be {value!r} - give {_kind(wanted)}") from error


def _kind(wanted: Any) -> str:
    """Describe the values of a type."""
    if get_origin(wanted) is Literal:
        return f"one of: {', '.join(get_args(wanted))}"
    if get_origin(wanted) is tuple:
        each, *others = get_args(wanted)
        count = "" if others == [...] else f"{len(others) + 1} "
        return f"{count}{'names' if each is str else 'numbers'} with commas between them"
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(wanted, "a text")


def _within(name: str, value: object, made: Any) -> Any:
    """Return a converted value.

    Raises:
        UnknownName: a number in it is out of range, or a word is unknown.
    """
    least, most = range_of(name)
    for number in _numbers(made):
        if not (math.isfinite(number) and least <= number <= most):
            wanted = f"from {least:g} to {most:g}" if most < math.inf else f"from {least:g} on"
            raise UnknownName(f"{name} cannot be {value!r} - give a number {wanted}")
    if (check := _CHECKS.get(name)) is not None:
        check(made)
    return made


def _numbers(value: object) -> list[float]:
    each = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
    return [number for number in each if isinstance(number, int | float)]


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
    for each in rules.split(",") if rules.strip() else ():
        slot, separator, rule = each.strip().partition("=")
        if not slot or not separator:
            raise UnknownName(f"{each.strip()!r} is no rule of a slot - write slot=rule or subject:slot=rule")
        _check_rule(rule)


_CHECKS: Final[Mapping[str, Callable[[Any], None]]] = {
    "retrieval.strategies": _check_strategies,
    "retrieval.without": _check_stages,
    "plan.scope": _check_scope,
    "reconcile.rule": _check_rule,
    "reconcile.rules": _check_rules,
}


# The text that a memory keeps.


def current(stored: Mapping[str, str]) -> dict[str, str]:
    """Return the stored settings that there still are.

    One that became a constant of the same value is dropped. Another one is dropped too, with a warning: the memory
    opens, and recalls by the constant.
    """
    for name in stored.keys() - {name for name in stored if is_constant(name)}:
        if name not in FIXED or str(FIXED[name]) != str(stored[name]):
            told = f"is {FIXED[name]} for every memory" if name in FIXED else "is no setting of this version"
            warnings.warn(f"the memory keeps {name}={stored[name]}, but it {told}; it is ignored", stacklevel=2)
    return {name: value for name, value in stored.items() if is_constant(name)}


def to_text(config: FormationConfig) -> str:
    """Return the formation settings as the text that a memory keeps."""
    return msgspec.json.encode(config, order="sorted").decode()


def from_text(text: str) -> FormationConfig:
    """Return the settings that ``to_text`` wrote; ignore unknown options, default missing ones.

    Raises:
        UnknownName: an option has a value that this version cannot read.
    """
    kept: dict[str, Any] = msgspec.json.decode(text)
    _renew(kept)
    try:
        return msgspec.convert(kept, FormationConfig)
    except msgspec.ValidationError as error:
        raise UnknownName(
            f"the memory keeps settings that this version cannot read ({error}) - open it with the hmem that made it"
        ) from error


def _renew(kept: dict[str, Any]) -> None:
    """Drop the earlier defaults by which hardly anything consolidated, from settings written before decision 0043."""
    evolving, layering = kept.get("evolving", {}), kept.get("layering", {})
    if "capacity" not in evolving and tuple(evolving.get("alpha", ())) == ALPHAS["paper"]:
        evolving.pop("alpha")
    if "capacity" not in layering and layering.get("similarity", [])[2:] == [0.8]:
        layering["similarity"] = [*layering["similarity"][:2], LayersOptions().similarity[2]]
