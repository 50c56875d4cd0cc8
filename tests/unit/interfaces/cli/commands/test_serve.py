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


def test_a_key_is_rotated(run: Run, tmp_path: Path) -> None:
    old = run("keys", "create", "--root", tmp_path, "--memory", "ann", "--rate", "5", "--json").json
    made = run("keys", "rotate", old["id"], "--root", tmp_path, "--grace", "1h", "--json").json
    assert (made["memories"], made["rate"], made["expires"]) == (["ann"], 5.0, None)
    keys = Keys(tmp_path / ".keys.json")
    assert keys.find(made["key"]).id == made["id"] != old["id"]
    assert keys.find(old["key"]).expires is not None
    assert run("keys", "rotate", "nobody", "--root", tmp_path).code == 2


@pytest.mark.parametrize("origin", ["*", "example.org", "https://*.example.org", "https://example.org/path"])
def test_an_origin_is_named_in_full(run: Run, tmp_path: Path, origin: str) -> None:
    refused = run("serve", "--root", tmp_path / "root", "--cors-origin", origin)
    assert refused.code == 2
    assert "https://example.org" in refused.err


def test_tls_needs_a_certificate_and_its_key(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("none")
    refused = run("serve", "--root", tmp_path / "root", "--tls-cert", tmp_path / "cert.pem")
    assert refused.code == 2
    assert "--tls-key" in refused.err
