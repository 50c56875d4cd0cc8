"""What files take, while others come and go."""

from pathlib import Path

from hmem.util.files import files_under, size_of


def test_sizes_of_a_folder_add_up(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "below" / "b").write_bytes(b"123")
    assert size_of(files_under(tmp_path)) == 8


def test_a_file_that_vanishes_while_being_counted_takes_nothing(tmp_path: Path) -> None:
    kept, gone = tmp_path / "a", tmp_path / "b"
    kept.write_bytes(b"12345")
    gone.write_bytes(b"123")
    found = list(files_under(tmp_path))
    gone.unlink()
    assert size_of(found) == 5


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert size_of(files_under(tmp_path / "no")) == 0
