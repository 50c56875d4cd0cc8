import numpy as np
import pytest

from hmem.errors import HmemError, InvalidQuery
from hmem_evals.bench import routing


def test_routing_gives_the_fields_of_the_contract_measured_in_a_process_of_its_own():
    told = []
    made = routing.run(2_000, dimension=32, queries=20, progress=lambda done, total: told.append((done, total)))
    fields = {"records", "ops", "ops_ratio", "time_ms", "time_ratio", "recall", "k", "beam", "by_k", "separation"}
    assert fields <= made.keys()
    assert told == [(2_000, 2_000)]
    assert made["ops"]["flat"] == 2_000 * 32
    assert made["ops_ratio"] == pytest.approx(made["ops"]["flat"] / made["ops"]["routed"], rel=0.01)
    assert made["time_ratio"] == pytest.approx(made["time_ms"]["flat"] / made["time_ms"]["routed"], rel=0.1)
    assert [each["k"] for each in made["by_k"]] == list(routing.KS)
    assert made["layers"][-1] == 2_000


def test_recall_rises_with_the_beam_and_reaches_all_when_nothing_is_left_out():
    made = routing.measure(1_500, 32, 20)
    recalls = [each["recall"] for each in made["by_k"]]
    assert recalls == sorted(recalls)
    assert recalls[0] < 0.9
    whole = routing.measure(1_500, 32, 20, k=1_500)["by_k"][-1]
    assert (whole["k"], whole["recall"]) == (1_500, 1.0)
    assert whole["ops"] == sum(made["layers"]) * 32


def test_the_figures_are_those_of_the_smallest_beam_that_finds_nine_of_ten_or_of_the_one_asked_for():
    made = routing.measure(1_500, 32, 20)
    enough = [each for each in made["by_k"] if each["recall"] >= 0.9]
    assert (made["k"], made["recall"]["10"]) == (enough[0]["k"], enough[0]["recall"])
    asked = routing.measure(1_500, 32, 20, k=3, beam="per-parent")
    assert (asked["k"], asked["beam"], len(asked["by_k"])) == (3, "per-parent", len(routing.KS) + 1)


def test_records_are_as_near_to_each_other_as_the_drawing_says():
    drawing = routing.Drawing(unevenness=1.0)
    made = routing.measure(20_000, 64, 2, drawing=drawing)["separation"]
    means = [made[name]["mean"] for name in ("trace", "category", "domain", "none")]
    # A group holds the groups below it, so that its mean is a little higher.
    assert means == pytest.approx(drawing.within, abs=0.08)
    assert means == sorted(means, reverse=True)


def test_queries_have_the_cosine_asked_for_with_a_record():
    random = np.random.default_rng(0)
    leaves = routing.unit(random.standard_normal((50, 32)))
    asked = routing.draw_queries(leaves, 40, routing.Drawing(closeness=0.9))
    assert (leaves @ asked.T).max(axis=0) == pytest.approx(0.9, abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_every_group_has_members_and_every_record_a_group(seed):
    firsts = routing.draw_layers(500, (3, 4, 5), routing.Drawing(seed=seed, unevenness=2.0))
    assert [int(first[-1]) for first in firsts] == [3, 12, 60, 500]
    assert all((np.diff(first) > 0).all() for first in firsts)


@pytest.mark.parametrize("wrong", [{"records": 50}, {"dimension": 4}, {"queries": 0}, {"k": 0}])
def test_a_size_that_measures_nothing_is_refused(wrong):
    with pytest.raises(InvalidQuery, match="raise them"):
        routing.run(**{"records": 1_000, **wrong})


def test_a_shape_that_the_records_do_not_fill_is_refused():
    with pytest.raises(InvalidQuery, match="smaller shape"):
        routing.measure(100, 8, 1, shape=(10, 10, 10))


def test_a_process_that_fails_is_an_error_of_one_line():
    with pytest.raises(HmemError, match=r"the process that measures routing failed \(.*\) - run it"):
        routing.run(1_000, beam="narrow")
