import sys
from pathlib import Path

import pytest

from hmem.util.lazy_table import LazyTable


def test_a_module_is_imported_when_one_of_its_entries_is_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lazy_numbers.py").write_text("FURTHER = {'b-two': 2, 'b-three': 3}")
    monkeypatch.syspath_prepend(tmp_path)
    table = LazyTable[int]({"one": 1}, "lazy_numbers", "FURTHER")
    assert table["one"] == 1
    assert "one" in table
    assert "lazy_numbers" not in sys.modules
    assert "b-four" not in table
    assert table["b-two"] == 2
    assert dict(table) == {"one": 1, "b-two": 2, "b-three": 3}
    assert len(table) == 3
    with pytest.raises(KeyError):
        table["b-four"]
