"""Milliseconds by stage."""

from hmem.read.clock import Clock


def test_a_stage_that_comes_again_adds_to_its_own() -> None:
    clock = Clock()
    clock.stage("find")
    first = clock.stages["find"]
    clock.stage("fetch")
    clock.stage("find")
    assert list(clock.stages) == ["find", "fetch"]
    assert clock.stages["find"] >= first >= 0
