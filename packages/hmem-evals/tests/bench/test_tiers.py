import pytest

from hmem.errors import InvalidQuery
from hmem_evals.asking import Gold
from hmem_evals.bench import tiers


def test_tiers_give_the_fields_of_the_contract_measured_in_a_process_of_its_own():
    told = []
    made = tiers.run(200, sessions=2, progress=lambda done, total: told.append((done, total)))
    assert {"records", "questions", "tiers", "time_ms", "time_ratio", "compared", "recall", "overlap"} <= made.keys()
    assert made["records"] == 200
    assert told[-1][0] == told[-1][1] < 200
    assert sum(made["tiers"].values()) == pytest.approx(1, abs=1e-3)
    ratio = made["time_ms"]["exhaustive"] / made["time_ms"]["tiers"]
    assert made["time_ratio"] == pytest.approx(ratio, rel=0.02, abs=0.006)
    assert sum(each["questions"] for each in made["by_tier"]) == made["questions"] > 0
    assert 0 < made["recall"]["10"]["tiers"] <= 1
    assert 0 < made["overlap"]["10"] <= 1
    assert made["compared"]["exhaustive"] <= 200


def test_figures_are_told_for_each_tier_and_recall_for_what_can_be_measured():
    gold = Gold(("1",), ("s",), ("text",))
    asked = [
        tiers._TierQuestion(gold, True, "cache", (1.0, 4.0), (50, 1_000), (["1", "2"], ["1", "3"])),
        tiers._TierQuestion(gold, False, "archive", (3.0, 4.0), (1_050, 1_000), (["2"], ["2"])),
    ]
    made = tiers._figures(asked)
    assert made["tiers"] == {"cache": 0.5, "buffer": 0.0, "archive": 0.5}
    assert (made["time_ratio"], made["compared"]) == (2.0, {"tiers": 550.0, "exhaustive": 1_000.0})
    assert made["recall"]["10"] == {"tiers": 1.0, "exhaustive": 1.0}
    assert made["overlap"]["10"] == 0.75
    assert [(each["tier"], each["time_ratio"]) for each in made["by_tier"]] == [("cache", 4.0), ("archive", 1.33)]


@pytest.mark.parametrize(("records", "sessions"), [(99, 25), (100, 1)])
def test_too_few_records_or_sessions_are_refused(records, sessions):
    with pytest.raises(InvalidQuery):
        tiers.run(records, sessions=sessions)
