"""`hmem serve` and `hmem keys`."""

from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem.interfaces.rest.keys import Keys


def test_a_key_is_made_listed_and_revoked(run: Run, tmp_path: Path) -> None:
    made = run(
        "keys", "create", "--root", tmp_path, "--name", "Ann", "--memory", "team-*", "--expires", "90d", "--json"
    )
    assert (made.json["name"], made.json["scopes"], made.json["memories"]) == ("Ann", ["read", "write"], ["team-*"])
    assert Keys(tmp_path / ".keys.json").find(made.json["key"]).id == made.json["id"]
    listed = run("keys", "list", "--root", tmp_path, "--json")
    assert [each["id"] for each in listed.json] == [made.json["id"]]
    assert made.json["key"] not in listed.out
    assert "hash" not in listed.out
    assert "Ann" in run("keys", "list", "--root", tmp_path).out
    assert run("keys", "revoke", made.json["id"], "--root", tmp_path, "--json").json["revoked"] is not None
    assert run("keys", "revoke", "nobody", "--root", tmp_path).code == 2


def test_a_key_stands_alone_on_stdout(run: Run, tmp_path: Path) -> None:
    made = run("keys", "create", "--root", tmp_path, "--memory", "*", "--scope", "admin")
    assert Keys(tmp_path / ".keys.json").find(made.out.strip()).scopes == ("admin",)
    assert run("keys", "list", "--root", tmp_path / "none").out == "there are no keys\n"


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104
def test_serving_others_without_a_key_is_refused(run: Run, tmp_path: Path, host: str) -> None:
    refused = run("serve", "--root", tmp_path / "root", "--host", host)
    assert refused.code == 11
    assert "hmem keys create" in refused.err


def test_a_root_is_needed(run: Run) -> None:
    assert run("serve").code == 2
    assert run("keys", "list").code == 2
