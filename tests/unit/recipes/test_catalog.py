import math
from pathlib import Path

import pytest
from tests.support import chatter

from hmem import Memory
from hmem.recipes import DEFAULT, RECIPES, SETTINGS, WITHOUT, is_constant, range_of, recipe, settings_without, value_of
from hmem.recipes.catalog import GROUPS, NEEDS
from hmem.retrieval.config import STRATEGIES


def test_every_recipe_recalls_by_strategies_that_there_are() -> None:
    assert DEFAULT in RECIPES
    for name, each in RECIPES.items():
        assert each.name == name
        assert each.retrieval.strategies
        assert set(each.retrieval.strategies) <= STRATEGIES.keys()


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_recalls_and_answers(path: Path, name: str) -> None:
    with Memory(path, recipe=name) as memory:
        memory.add(chatter(40))
        wanted = memory.add("I adopted a greyhound named Biscuit", speaker="Maria", at="2025-02-01T10:00Z", session="d")
        assert wanted.id in [item.id for item in memory.search("Which greyhound did Maria adopt?", k=3)]
        assert "Biscuit" in memory.context("Which greyhound did Maria adopt?", 400).text
        answered = memory.ask("What is the name of Maria's greyhound?")
        assert answered.text
        assert 0 <= answered.confidence <= 1
        assert memory.verify().ok


@pytest.mark.parametrize("mechanism", WITHOUT)
def test_a_mechanism_that_is_left_out_changes_a_recipe(mechanism: str) -> None:
    reranked = {"retrieval.rerank": "any"}
    assert any(recipe(each, {**reranked, **WITHOUT[mechanism]}) != recipe(each, reranked) for each in RECIPES)


@pytest.mark.parametrize(
    ("mechanism", "name"),
    [
        ("evolution", "evolving"), ("graph", "evolving"), ("profiles", "evolving"), ("summaries", "evolving"),
        ("robustness", "evolving"), ("temporal", "evolving"), ("follow-up", "evolving"), ("intersective", "dual-tree"),
        ("lca", "dual-tree"), ("calendar", "dual-tree"), ("topic", "dual-tree"), ("routing", "layered"),
        ("layers", "layered"), ("notes", "notes-episodes"), ("episodes", "notes-episodes"), ("tier1", "orchestrated"),
        ("tiers", "orchestrated"), ("persona", "orchestrated"), ("temporal", "fusion"), ("learned-ranker", "fusion"),
    ],
)  # fmt: skip
def test_a_recipe_recalls_without_one_of_its_mechanisms(path: Path, mechanism: str, name: str) -> None:
    assert recipe(name, WITHOUT[mechanism]) != recipe(name)
    with Memory(path, recipe=name, settings=WITHOUT[mechanism]) as memory:
        memory.add(chatter(30))
        wanted = memory.add("I adopted a greyhound named Biscuit", speaker="Maria", at="2025-02-01T10:00Z", session="d")
        assert wanted.id in [item.id for item in memory.search("Which greyhound did Maria adopt in 2025?", k=5)]
        assert memory.ask("Which greyhound did Maria adopt last month?", at="2025-03-05").text


@pytest.mark.parametrize("name", RECIPES)
def test_what_the_recipes_hold_lies_in_the_ranges(name: str) -> None:
    checked = 0
    for setting in SETTINGS:
        least, most = range_of(setting)
        held = value_of(RECIPES[name], setting)
        for number in held if isinstance(held, tuple) else (held,):
            if isinstance(number, int | float):
                assert least <= number <= most, setting
                checked += 1
    assert checked > 40


@pytest.mark.parametrize("without", [["notes"], ["notes", "persona", "reconcile"]])
def test_what_is_left_of_a_recipe_is_formed(path: Path, without: list[str]) -> None:
    with Memory(path, recipe="orchestrated", settings=settings_without(without)) as memory:
        memory.add("I adopted a greyhound named Biscuit", speaker="Maria", at="2025-02-01T10:00Z", session="d")
        assert "Biscuit" in memory.events()[0].text
        assert not memory.notes()


def test_each_setting_says_its_meaning_and_the_reason_to_change_it() -> None:
    for name, each in SETTINGS.items():
        assert each.meaning.endswith("."), name
        assert each.reason.endswith("."), name
        assert 0 <= each.minimum < each.maximum, name
        assert not math.isinf(each.minimum), name


def test_what_a_setting_needs_is_a_switch_of_the_recipes() -> None:
    assert NEEDS.keys() <= SETTINGS.keys()
    assert {switch for switches in NEEDS.values() for switch in switches} <= SETTINGS.keys()
    assert {name.partition(".")[0] for name in SETTINGS} <= GROUPS.keys()
    assert all(is_constant(name) for switched in WITHOUT.values() for name in switched)
