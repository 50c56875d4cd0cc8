"""``hmem mcp``; that it serves is tested in ``tests/integration/test_mcp.py``."""

from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run


def test_without_a_memory_it_serves_those_of_the_default_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HMEM_ROOT", raising=False)
    arguments = run("mcp", "--json").json["args"]
    assert arguments[-2:] == ["--root", str(Path("~/.hmem").expanduser())]


@pytest.mark.parametrize("address", ["8848", "127.0.0.1:", "127.0.0.1:http", ":8848", "127.0.0.1:99999"])
def test_an_address_that_is_none_is_a_usage_error(run: Run, path: Path, address: str) -> None:
    result = run("mcp", "--memory", path, "--http", address)
    assert result.code == 2
    assert "HOST:PORT" in result.err


def test_as_json_it_tells_the_entry_of_a_clients_configuration(run: Run, path: Path) -> None:
    entry = run("mcp", "--memory", path, "--json").json
    assert entry["args"][-3:] == ["mcp", "--memory", str(path)]
    assert Path(entry["command"]).is_absolute()
    rooted = run("mcp", "--root", path.parent, "--json").json
    assert rooted["args"][-2:] == ["--root", str(path.parent)]


def test_a_root_that_is_given_stands_before_a_memory_that_the_environment_names(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMEM_MEMORY", str(path))
    assert run("mcp", "--root", path.parent, "--json").json["args"][-2:] == ["--root", str(path.parent)]
    assert run("mcp", "--root", path.parent, "--memory", path, "--json").json["args"][-2:] == ["--memory", str(path)]
    assert run("--memory", path, "mcp", "--root", path.parent, "--json").json["args"][-2:] == ["--memory", str(path)]
    monkeypatch.setenv("HMEM_ROOT", str(path.parent))
    assert run("mcp", "--json").json["args"][-2:] == ["--memory", str(path)]
