"""``hmem export``; what it writes is tested in ``tests/unit/interfaces/test_bundle.py``."""

import gzip
import json
import stat
from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_what_is_exported_is_imported_again(run: Run, filled: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    figures = run("export", out, "--memory", filled, "--json").json
    assert figures["turns"] == 3
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert not list(tmp_path.glob("*.part"))
    done = run("import", out, "--memory", tmp_path / "new.hmem", "--json").json
    # Three turns, and how a note was revised.
    assert (done["stored"], done["rejected"]) == (4, 0)
    with Memory(filled) as memory, Memory(tmp_path / "new.hmem") as other:
        assert memory.list() == other.list()
    again = run("import", out, "--memory", tmp_path / "new.hmem", "--json").json
    assert (again["stored"], again["duplicate"]) == (0, 4)


def test_to_stdout_each_line_is_json(run: Run, filled: Path) -> None:
    result = run("export", "-", "--no-derived", "--memory", filled)
    assert [json.loads(line)["type"] for line in result.out.splitlines()] == [
        "hmem-export", "turn", "turn", "turn", "change"
    ]  # fmt: skip
    assert run("export", "-", "--json", "--memory", filled).code == 2


def test_a_file_that_cannot_be_written_is_a_named_error(run: Run, filled: Path, tmp_path: Path) -> None:
    result = run("export", tmp_path / "nowhere" / "all.jsonl", "--memory", filled)
    assert result.code == 2
    assert "cannot be written" in result.err


def test_a_compressed_export_is_the_same_each_time(run: Run, filled: Path, tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        run("export", tmp_path / name, "--memory", filled)
    one, other = (
        gzip.decompress((tmp_path / name).read_bytes()).splitlines()[1:] for name in ("a.jsonl.gz", "b.jsonl.gz")
    )
    assert one == other
