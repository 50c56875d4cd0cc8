import json
import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem import Memory
from hmem.derived.trees.evolution import EvolutionOptions
from hmem.derived.trees.layers import LayersOptions
from hmem.errors import UnknownName
from hmem.formation.config import FormationConfig
from hmem.recipes import (
    FLAT_WEIGHTS,
    RECIPES,
    SETTINGS,
    WITHOUT,
    Recipe,
    current,
    from_text,
    range_of,
    recipe,
    settings_of,
    settings_without,
    to_text,
    value_of,
)
from hmem.retrieval.stages import NAMES

VALUES = (
    "7", "9", "3", "0.25", "0.35", "false", "true", "0.9,0.8,0.7", "similarity", "hybrid", "semantic", "per-parent",
    "mixed",
    "flat", "ask", "age=first",
)  # fmt: skip

# What switches on the mechanism of a setting that no recipe uses by itself.
SWITCHES = {"retrieval.rerank_depth": {"retrieval.rerank": "cross-encoder"}}


def settable(name: str) -> list[Recipe]:
    """Recipes with a setting changed, at least one."""
    changed: list[Recipe] = []
    for each, value in product(RECIPES, VALUES):
        try:
            made = recipe(each, {**SWITCHES.get(name, {}), name: value})
        except UnknownName:
            continue
        if value_of(made, name) != value_of(RECIPES[each], name):
            changed.append(made)
    return changed


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_can_be_set_and_is_kept_and_read_back(name: str) -> None:
    changed = settable(name)
    assert changed
    for made in changed:
        assert from_text(to_text(made.formation)) == made.formation


def test_a_memory_keeps_every_setting_of_formation(tmp_path) -> None:  # type: ignore[no-untyped-def]
    made = recipe("fusion", {"formation.context_turns": "2", "segment.max_turns": "12", "tiers.buffer": "9"}).formation
    path = tmp_path / "kept.hmem"
    with Memory(
        path, settings={"formation.context_turns": "2", "segment.max_turns": "12", "tiers.buffer": "9"}
    ) as memory:
        memory.add("I adopted a greyhound", speaker="Maria")
    with Memory(path) as memory, memory.corpus.reading():
        assert from_text(memory.corpus.storage.state().settings["formation.writing"]) == made


def test_setting_a_constant_leaves_the_recipe_as_it_is() -> None:
    changed = recipe("flat", {"flat.weights.speaker": "0", "flat.candidates": "10"})
    assert changed.retrieval.flat.weights == {**FLAT_WEIGHTS, "speaker": 0.0}
    assert changed.retrieval.flat.candidates == 10
    assert RECIPES["flat"].retrieval.flat.weights == FLAT_WEIGHTS


@pytest.mark.parametrize(
    ("constant", "value", "told"),
    [
        ("formation.graph", "perhaps", "true or false"),
        ("evolution.alpha", "0.9", "give 3 numbers with commas between them"),
        ("evolution.alpha", "0.9,0.8,0.7,0.6", "give 3 numbers"),
        ("evolution.alpha", "a,b,c", "numbers with commas"),
        ("evolution.alpha", "0.9,0.8,7", "from 0 to 1"),
        ("topic.theta", "high", "a number"),
        ("topic.theta", None, "a number"),
        ("topic.theta", ["0.3"], "a number"),
        ("flat.candidates", "7.5", "a whole number"),
        ("tiers.scoring", "loudest", "one of: hybrid, importance, similarity"),
        ("reconcile.rules", "age", "write slot=rule"),
        ("reconcile.rules", "age=loudest", "choose from: newest, most-frequent"),
        ("plan.scope", "wide", "choose from: short, long, mixed"),
    ],
)
def test_a_value_that_a_constant_cannot_have_is_refused_with_what_it_is(constant: str, value: str, told: str) -> None:
    with pytest.raises(UnknownName, match=told):
        recipe("fusion", {constant: value})


def test_a_value_may_be_of_the_type_itself() -> None:
    made = recipe("fusion", {"topic.theta": 0.4, "formation.graph": False, "tiers.buffer": 9})  # type: ignore[dict-item]
    assert (made.formation.topics.theta, made.formation.graph, made.formation.tiering.buffer) == (0.4, False, 9)


NUMBERS = [name for name in SETTINGS if type(value_of(RECIPES["fusion"], name)) in (int, float)]


def setting(name: str, value: str) -> Recipe:
    """A setting in the first recipe that uses it."""
    user = next(each for each in RECIPES if name in {*settings_of(RECIPES[each]), *SWITCHES})
    return recipe(user, {**SWITCHES.get(name, {}), name: value})


def test_no_number_may_be_negative_or_without_an_end() -> None:
    assert len(NUMBERS) > 15
    for constant, value in product(NUMBERS, ("-1", "nan", "inf", "-inf", "1e999")):
        with pytest.raises(UnknownName, match=constant):
            pytest.fail(f"{constant} is {value}: {setting(constant, value)}")


def test_a_number_outside_of_its_range_is_refused_with_the_range() -> None:
    for constant in NUMBERS:
        least, most = range_of(constant)
        for value in [least / 2] * (least > 0) + [most * 2] * (most < math.inf):
            with pytest.raises(UnknownName, match=constant):
                pytest.fail(f"{constant} is {value}: {setting(constant, f'{value:g}')}")


@pytest.mark.parametrize(
    "constant",
    ["flat", "flat.weights", "flat.weights.magic", "graph.depth", "formation.segment", "", "segment.novelty_weight"],
)
def test_an_unknown_constant_is_refused_with_the_choices(constant: str) -> None:
    with pytest.raises(UnknownName, match=r"flat\.candidates"):
        recipe("fusion", {constant: "1"})


def test_an_unknown_recipe_is_refused_with_the_choices() -> None:
    with pytest.raises(
        UnknownName, match="fusion, flat, bm25, vector, evolving, dual-tree, layered, notes-episodes, orchestrated"
    ):
        recipe("unheard-of")


# What a recipe does not use.


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("flat", {"evolution.alpha": "0.9,0.8,0.7"}, "evolution.alpha is .* of the evolution tree, .* 'flat'"),
        ("fusion", {"graph.k": "10"}, "graph.k is a setting of recall over the graph"),
        ("fusion", {"formation.evolution": "false", "evolution.alpha": "0.9,0.8,0.7"}, "the evolution tree"),
        ("fusion", {"retrieval.rerank_depth": "9"}, "`retrieval.rerank`"),
        ("dual-tree", {"formation.profile_mentions": "9"}, "`formation.profiles`"),
        ("fusion", {"retrieval.strategies": "flat", "fuse.candidates": "9"}, "fusion, which"),
    ],
)  # fmt: skip
def test_a_setting_that_a_recipe_does_not_use_is_refused_with_those_it_has(
    name: str, settings: dict[str, str], told: str
) -> None:
    with pytest.raises(UnknownName, match=f"(?s){told}.* - choose from: .*flat.exhaustive"):
        recipe(name, settings)


def test_a_setting_is_used_when_another_one_switches_its_mechanism_on() -> None:
    assert value_of(recipe("fusion", {"graph.k": "10", "retrieval.strategies": "graph"}), "graph.k") == 10
    assert (
        recipe("flat", {"evolution.month_after": "9", "formation.evolution": "true"}).formation.evolving.month_after
        == 9
    )


@pytest.mark.parametrize("name", RECIPES)
def test_every_setting_that_a_recipe_is_said_to_use_can_be_given_its_own_value(name: str) -> None:
    for each in settings_of(RECIPES[name]):
        value = value_of(RECIPES[name], each)
        text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
        assert recipe(name, {each: text}) == RECIPES[name]


# The text that is kept.


@pytest.mark.parametrize("name", RECIPES)
def test_the_way_of_forming_comes_back_from_its_text(name: str) -> None:
    switched = {"formation.evolution": "true", "formation.segmentation": "true"}
    changed = recipe(name, {**switched, "evolution.alpha": "0.9,0.8,0.7", "segment.max_turns": "12"}).formation
    assert from_text(to_text(changed)) == changed


def test_options_of_another_version_do_no_harm() -> None:
    read = from_text('{"magic": true, "graph": false, "segment": {"magic": 1}}')
    assert not read.graph
    assert read == from_text('{"graph": false}')


def test_a_kept_value_that_cannot_be_read_is_a_named_error() -> None:
    with pytest.raises(UnknownName, match=r"cannot read .*scoring.* - open it with the hmem that made it"):
        from_text('{"tiering": {"scoring": "loudest"}}')


# Leaving mechanisms out.


@pytest.mark.parametrize("name", RECIPES)
def test_what_leaves_a_mechanism_out_is_accepted_by_every_recipe(name: str) -> None:
    for mechanism, settings in WITHOUT.items():
        changed = recipe(name, settings)
        assert recipe(name, settings) == changed, mechanism
        assert changed.name == name


@given(st.sampled_from(sorted(RECIPES)), st.lists(st.sampled_from(sorted(WITHOUT)), unique=True), st.randoms())
def test_mechanisms_can_be_left_out_together_in_any_order(name: str, without: list[str], chance) -> None:  # type: ignore[no-untyped-def]
    made = recipe(name, settings_without(without))
    assert recipe(name, settings_without(chance.sample(without, len(without)))) == made
    left_out = {setting for mechanism in without for setting in WITHOUT[mechanism]}
    for each in {*SETTINGS, *left_out}:
        held = value_of(made, each)
        if each == "retrieval.without":
            assert held == tuple(sorted(stage for stage in NAMES if stage in without and stage != "rerank"))
        else:
            assert held in (False, "") if each in left_out else held == value_of(RECIPES[name], each)


@given(st.sampled_from(sorted(RECIPES)), st.lists(st.sampled_from(sorted(WITHOUT)), unique=True))
def test_a_recipe_forms_until_everything_that_it_forms_is_left_out(name: str, without: list[str]) -> None:
    writing = recipe(name, settings_without(without)).formation
    forming = [
        each for each in SETTINGS
        if each.startswith("formation.") and value_of(RECIPES[name], each) is True and each != "formation.echo"
    ] + ["reconcile.reconcile"]  # fmt: skip
    left = [each for each in forming if value_of(recipe(name, settings_without(without)), each) is True]
    assert writing.forms_any == bool(left)


def test_several_mechanisms_can_be_left_out_together() -> None:
    assert settings_without([]) == {}
    assert settings_without(["calendar", "notes"]) == {**settings_without(["calendar"]), **settings_without(["notes"])}
    assert settings_without(["newer", "exchange", "newer"]) == {"retrieval.without": "exchange,newer"}


def test_a_stage_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"no stage is called 'nwer' - did you mean 'newer'\? choose from: rerank, "):
        recipe("fusion", {"retrieval.without": "exchange,nwer"})


def test_what_is_left_out_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName, match="no mechanism is called 'magic' - choose from: backfill, calendar"):
        settings_without(["magic"])


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"plan.split": "false"}, lambda made: made.retrieval.plan.split is False),
        ({"plan.scope": "short"}, lambda made: made.retrieval.plan.scope == "short"),
        ({"flat.candidates": "7"}, lambda made: made.retrieval.flat.candidates == 7),
        ({"fuse.candidates": "7"}, lambda made: made.retrieval.fuse.candidates == 7),
        ({"fuse.learned": "False"}, lambda made: made.retrieval.fuse.learned is False),
        ({"exchange.slope": "2"}, lambda made: made.retrieval.exchange.slope == 2.0),
        ({"retrieval.strategies": "flat,graph"}, lambda made: made.retrieval.strategies == ("flat", "graph")),
        ({"retrieval.rerank": "x", "retrieval.rerank_depth": "9"}, lambda made: made.retrieval.rerank_depth == 9),
        ({"sequential.lca": "false"}, lambda made: made.retrieval.papers["sequential"].lca is False),
        ({"routing.routing": "false"}, lambda made: made.retrieval.papers["routed"].routing is False),
        ({"graph.temporal": "false"}, lambda made: made.retrieval.papers["graph"].temporal is False),
        ({"best_effort.use_notes": "false"}, lambda made: made.retrieval.papers["best_effort"].use_notes is False),
        ({"tiered.tier1": "false"}, lambda made: made.retrieval.papers["tiered"].tier1 is False),
        ({"formation.context_turns": "2"}, lambda made: made.formation.context_turns == 2),
        ({"segment.topic_channel": "false"}, lambda made: made.formation.segment.topic_channel is False),
    ],
)
def test_a_setting_of_each_group_reaches_its_place(settings: dict[str, str], told) -> None:  # type: ignore[no-untyped-def]
    assert told(recipe("fusion", settings))


def test_a_stored_setting_that_became_a_constant_is_dropped_and_warns_if_it_was_another(tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert current({"strength.approve": "1.2", "context.floor": "0", "graph.hops": "3"}) == {
        "context.floor": "0", "graph.hops": "3",
    }  # fmt: skip
    with pytest.warns(UserWarning, match=r"strength.approve=2, but it is 1.2 for every memory"):
        assert current({"strength.approve": "2"}) == {}
    path = tmp_path / "kept.hmem"
    with Memory(path) as memory:
        memory.add("I adopted a greyhound", speaker="Maria")
        memory.corpus.storage.put_settings({"recipe": '{"name": "fusion", "settings": {"magic.wand": "2"}}'})
    with pytest.warns(UserWarning, match=r"magic.wand=2, but it is no setting of this version"), Memory(path) as memory:
        assert memory.search("Who adopted a greyhound?")


def test_there_are_at_most_sixty_settings() -> None:
    assert 40 < len(SETTINGS) <= 60


@pytest.mark.parametrize("strategies", ["magic", "", "flat,magic"])
def test_a_strategy_that_there_is_not_is_refused(strategies: str) -> None:
    with pytest.raises(UnknownName):
        recipe("fusion", {"retrieval.strategies": strategies})


def test_a_rule_of_contradictions_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName, match="no rule is called 'loudest' - choose from: newest, most-frequent"):
        recipe("fusion", {"reconcile.rule": "loudest"})


def test_earlier_defaults_by_which_nothing_consolidated_become_the_present_ones() -> None:
    kept = json.loads(to_text(FormationConfig()))
    for group, added in (("evolving", ("capacity", "largest")), ("layering", ("capacity", "least", "branching"))):
        for option in added:
            del kept[group][option]
    kept["evolving"]["alpha"], kept["layering"]["similarity"] = [0.8, 0.7, 0.6], [0.6, 0.75, 0.8]
    read = from_text(json.dumps(kept))
    assert read.evolving == EvolutionOptions()
    assert read.layering == LayersOptions(similarity=(0.6, 0.75, LayersOptions().similarity[2]))


@pytest.mark.parametrize("alpha", [(0.9, 0.8, 0.7), (0.8, 0.7, 0.6)])
def test_thresholds_that_somebody_chose_stay(alpha: tuple[float, float, float]) -> None:
    chosen = FormationConfig(evolving=EvolutionOptions(alpha=alpha), layering=LayersOptions(similarity=(0.7, 0.7, 0.8)))
    assert from_text(to_text(chosen)) == chosen
