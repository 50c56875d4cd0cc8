"""A short run of the fuzzing, and what a finding is."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from hmem.errors import InvalidTime
from hmem_testing.torture import fuzz, surfaces
from hmem_testing.torture.fuzz import Target, targets
from hmem_testing.torture.surfaces import Request, RestTarget, Unmet

TRIES = 4_000


def test_parsers_dates_and_importers_meet_whatever_comes(tmp_path: Path) -> None:
    tally = fuzz.fuzz(tmp_path, 1, TRIES)
    assert tally.findings == []
    assert sum(tally.tries.values()) == TRIES
    with ExitStack() as servers:
        assert {*tally.tries} == {target.name for target in targets(tmp_path, servers)}
    # Inputs that are all refused would try nothing behind the first check.
    assert all(tally.refusals[name] < tries for name, tries in tally.tries.items())


def test_a_run_is_made_again_by_its_seed(tmp_path: Path) -> None:
    first, again, other = (fuzz.fuzz(tmp_path, seed, 300, ["times", "turns"]) for seed in (5, 5, 6))
    assert (first.tries, first.refusals) == (again.tries, again.refusals)
    assert (first.tries, first.refusals) != (other.tries, other.refusals)


def test_a_fault_of_a_server_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surfaces, "_REFUSALS", frozenset())
    monkeypatch.setattr(surfaces, "_FAULT", 400)
    with RestTarget(tmp_path, fuzz.value) as rest:
        rest.meet(Request("GET", "/v1/memories/demo", None))
        with pytest.raises(Unmet, match="status 404"):
            rest.meet(Request("GET", "/v1/memories/none", None))
        with pytest.raises(Unmet, match="status 422"):
            rest.meet(Request("POST", "/v1/memories/demo/search", b"["))


def fail(given: object) -> None:
    if given == "named":
        raise InvalidTime("no time - give one")
    if given == "raw":
        raise ValueError("raw")


def test_what_is_no_named_error_and_what_takes_long_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = (Target("x", 1, lambda random: random.choice(("named", "raw", "met")), fail),)
    monkeypatch.setattr(fuzz, "targets", lambda folder, servers: pool)
    tally = fuzz.fuzz(tmp_path, 1, 100)
    assert {(finding.problem.partition(":")[0], finding.value) for finding in tally.findings} == {
        ("ValueError", "'raw'")
    }
    assert 0 < tally.refusals["x"] < 100
    monkeypatch.setattr(fuzz, "SECONDS", 0.0)
    assert any("took" in finding.problem for finding in fuzz.fuzz(tmp_path, 1, 100).findings)
