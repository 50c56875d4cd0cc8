"""The driver starts a server, sends requests and counts them, and tells of an answer that is not as described."""

from pathlib import Path

import pytest

from hmem_testing.schema_fuzz import fill, run, serving

pytest.importorskip("schemathesis")


def test_a_run_counts_its_cases_and_finds_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with serving(root) as (address, key):
        fill(address, key)
        made = run(address, key, 1, 1, tmp_path, "examples")
    assert made.complaint == ""
    assert made.cases > 5


def test_a_run_that_failed_says_why(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with serving(root) as (address, _):
        made = run(address, "no key", 1, 1, tmp_path, "examples")
    assert "401" in made.complaint
