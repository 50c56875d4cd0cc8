"""Milliseconds by stage."""

from hmem.retrieval.passes import StageClock


def test_a_stage_that_comes_again_adds_to_its_own() -> None:
    clock = StageClock()
    clock.stage("find")
    first = clock.stages["find"]
    clock.stage("fetch")
    clock.stage("find")
    assert list(clock.stages) == ["find", "fetch"]
    assert clock.stages["find"] >= first >= 0
