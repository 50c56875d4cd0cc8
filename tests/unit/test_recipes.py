import math
from itertools import product
from pathlib import Path

import pytest
from tests.support import chatter

from hmem import Memory
from hmem.errors import UnknownName
from hmem.recipes import (
    DEFAULT,
    FLAT_WEIGHTS,
    RECIPES,
    WITHOUT,
    constants,
    from_text,
    range_of,
    recipe,
    to_text,
    value_of,
)  # fmt: skip
from hmem.retrieval.config import STRATEGIES
from hmem_evals.mechanisms import MECHANISMS

VALUES = ("7", "9", "0.25", "false", "true", "0.9,0.8,0.7", "similarity", "mixed", "flat", "ask")


def accepted(constant: str, value: str) -> bool:
    try:
        return recipe("fusion", {constant: value}) != recipe("fusion")
    except UnknownName:
        return False


def test_every_constant_that_is_told_can_be_set() -> None:
    told = constants()
    assert [constant for constant in told if not any(accepted(constant, value) for value in VALUES)] == []
    assert len(told) > 100


def test_setting_a_constant_leaves_the_recipe_as_it_is() -> None:
    changed = recipe("flat", {"flat.weights.speaker": "0", "flat.listed": "10"})
    assert changed.reading.flat.weights == {**FLAT_WEIGHTS, "speaker": 0.0}
    assert changed.reading.flat.listed == 10
    assert RECIPES["flat"].reading.flat.weights == FLAT_WEIGHTS


def test_constants_of_formation_can_be_set() -> None:
    settings = {"evolution.alpha": "0.9,0.8,0.7", "write.graph": "false", "tiers.scoring": "similarity"}
    changed = recipe("fusion", settings)
    assert changed.writing.evolving.alpha == (0.9, 0.8, 0.7)
    assert not changed.writing.graph
    assert changed.writing.tiering.scoring == "similarity"
    assert RECIPES["fusion"].writing.graph


@pytest.mark.parametrize(
    ("constant", "value", "told"),
    [
        ("write.graph", "perhaps", "true or false"),
        ("evolution.alpha", "a,b", "numbers with commas"),
        ("topic.theta", "high", "a number"),
    ],
)
def test_a_value_that_a_constant_cannot_have_is_refused_with_what_it_is(constant: str, value: str, told: str) -> None:
    with pytest.raises(UnknownName, match=told):
        recipe("fusion", {constant: value})


def told_number(constant: str) -> bool:
    try:
        recipe("fusion", {constant: "x"})
    except UnknownName as error:
        return "number" in str(error)
    return False


NUMBERS = [constant for constant in constants() if told_number(constant)]


def test_no_number_may_be_negative_or_without_an_end() -> None:
    for constant, value in product(NUMBERS, ("-1", "nan", "inf", "-inf", "1e999")):
        with pytest.raises(UnknownName, match=constant):
            pytest.fail(f"{constant} is {value}: {recipe('fusion', {constant: value})}")


def test_a_number_outside_of_its_range_is_refused_with_the_range() -> None:
    for constant in NUMBERS:
        least, most = range_of(constant)
        for value in [least / 2] * (least > 0) + [most * 2] * (most < math.inf):
            with pytest.raises(UnknownName, match=constant):
                pytest.fail(f"{constant} is {value}: {recipe('fusion', {constant: f'{value:g}'})}")


@pytest.mark.parametrize("name", RECIPES)
def test_what_the_recipes_hold_lies_in_the_ranges(name: str) -> None:
    assert len(NUMBERS) > 80
    for constant in NUMBERS:
        least, most = range_of(constant)
        held = value_of(RECIPES[name], constant)
        for number in held if isinstance(held, tuple) else (held,):
            assert least <= number <= most, constant


@pytest.mark.parametrize("constant", ["flat", "flat.weights", "flat.weights.magic", "graph.depth", "write.segment", ""])
def test_an_unknown_constant_is_refused_with_the_choices(constant: str) -> None:
    with pytest.raises(UnknownName, match=r"flat\.listed"):
        recipe("fusion", {constant: "1"})


def test_an_unknown_recipe_is_refused_with_the_choices() -> None:
    with pytest.raises(UnknownName, match="fusion, evolving, dual-tree, layered, notes-episodes, orchestrated, flat"):
        recipe("unheard-of")


@pytest.mark.parametrize("name", RECIPES)
def test_the_way_of_forming_comes_back_from_its_text(name: str) -> None:
    changed = recipe(name, {"evolution.alpha": "0.9,0.8,0.7", "segment.longest": "12"}).writing
    assert from_text(to_text(changed)) == changed


def test_options_of_another_version_do_no_harm() -> None:
    assert from_text('{"magic": true, "graph": false, "segment": {"magic": 1}}').graph is False


def test_every_recipe_recalls_by_strategies_that_there_are() -> None:
    assert DEFAULT in RECIPES
    for name, each in RECIPES.items():
        assert each.name == name
        assert each.reading.strategies
        assert set(each.reading.strategies) <= STRATEGIES.keys()


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


def test_every_mechanism_can_be_left_out() -> None:
    assert WITHOUT.keys() == set(MECHANISMS)


@pytest.mark.parametrize("name", RECIPES)
def test_what_leaves_a_mechanism_out_is_accepted_by_every_recipe(name: str) -> None:
    for mechanism, settings in WITHOUT.items():
        changed = recipe(name, settings)
        assert recipe(name, settings) == changed, mechanism
        assert changed.name == name


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


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"plan.split": "false"}, lambda made: made.reading.plan.split is False),
        ({"plan.scope": "short"}, lambda made: made.reading.plan.scope == "short"),
        ({"flat.candidates": "7"}, lambda made: made.reading.flat.candidates == 7),
        ({"fuse.candidates": "7"}, lambda made: made.reading.fuse.candidates == 7),
        ({"fuse.learned": "False"}, lambda made: made.reading.fuse.learned is False),
        ({"exchange.slope": "2"}, lambda made: made.reading.exchange.slope == 2.0),
        ({"read.strategies": "flat,graph"}, lambda made: made.reading.strategies == ("flat", "graph")),
        ({"read.reranked": "9"}, lambda made: made.reading.reranked == 9),
        ({"sequential.lca": "false"}, lambda made: made.reading.sequential.lca is False),
        ({"routing.routing": "false"}, lambda made: made.reading.routed.routing is False),
        ({"graph.temporal": "false"}, lambda made: made.reading.graph.temporal is False),
        ({"best_effort.use_notes": "false"}, lambda made: made.reading.best_effort.use_notes is False),
        ({"tiered.tier1": "false"}, lambda made: made.reading.tiered.tier1 is False),
        ({"write.context": "2"}, lambda made: made.writing.context == 2),
        ({"segment.topic": "false"}, lambda made: made.writing.segment.topic is False),
    ],
)
def test_a_setting_of_each_group_reaches_its_place(settings: dict[str, str], told) -> None:  # type: ignore[no-untyped-def]
    assert told(recipe("fusion", settings))


def test_each_group_has_constants() -> None:
    groups = {constant.partition(".")[0] for constant in constants()}
    assert groups == {
        "plan", "flat", "sequential", "intersective", "routing", "graph", "best_effort", "tiered", "fuse", "exchange",
        "context", "strength",
        "read", "segment", "topic", "evolution", "layers", "tiers", "reconcile", "write",
    }  # fmt: skip


@pytest.mark.parametrize("strategies", ["magic", "", "flat,magic"])
def test_a_strategy_that_there_is_not_is_refused(strategies: str) -> None:
    with pytest.raises(UnknownName):
        recipe("fusion", {"read.strategies": strategies})


def test_a_rule_of_contradictions_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName, match="no rule is called 'loudest' - choose from: newest, most-frequent"):
        recipe("fusion", {"reconcile.rule": "loudest"})
