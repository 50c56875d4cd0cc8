"""What files take, while others come and go; what is no file; and for whom a file is."""

import os
import stat
from collections.abc import Generator
from pathlib import Path

import pytest

from hmem.util.files import (
    IrregularFileError,
    files_under,
    irregular,
    make_private,
    open_private,
    open_regular,
    private_file,
    private_folder,
    private_root,
    restrict_permissions,
    size_of,
    tree,
)


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


# What is no regular file.


def test_only_regular_files_are_opened_and_nothing_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    with open_regular(tmp_path / "a") as file:
        assert file.read() == b"12345"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    kinds = {"pipe": "a pipe", "link": "a symbolic link", "dangling": "a symbolic link", "": "a folder"}
    for name, kind in kinds.items():
        assert irregular(tmp_path / name) == kind
        with pytest.raises(IrregularFileError, match=f"it is {kind}"):
            open_regular(tmp_path / name)
    assert irregular(Path("/dev/zero")) == "a device"
    assert irregular(tmp_path / "nowhere") is None
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "nowhere")


# Files of one owner.


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Generator[None]:
    """A umask that takes too little, or too much."""
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_what_is_made_is_for_its_owner_whatever_the_umask(tmp_path: Path) -> None:
    private_folder(tmp_path / "one" / "two")
    assert private_file(tmp_path / "one" / "file")
    assert not private_file(tmp_path / "one" / "file")
    with open_private(tmp_path / "one" / "other") as file:
        file.write(b"1")
    with open_private(tmp_path / "one" / "other", append=True) as file:
        file.write(b"2")
    assert (tmp_path / "one" / "other").read_bytes() == b"12"
    assert [mode(tmp_path / name) for name in ("one", "one/two", "one/file", "one/other")] == [0o700] * 2 + [0o600] * 2


def test_an_open_file_is_written_for_its_owner_only_and_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "a").chmod(0o666)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="link"):
        open_private(tmp_path / "link")
    open_private(tmp_path / "a").close()
    assert mode(tmp_path / "a") == 0o600


def test_the_rights_of_others_are_taken_and_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").mkdir(mode=0o755)
    (tmp_path / "b" / "c").write_bytes(b"1")
    (tmp_path / "b" / "c").chmod(0o444)
    (tmp_path / "a").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    found = [tmp_path / "a", tmp_path / "nowhere", tmp_path / "link", *tree(tmp_path / "b")]
    restrict_permissions(found)
    assert [mode(tmp_path / name) for name in ("a", "b", "b/c")] == [0o600, 0o700, 0o400]
    assert [record.getMessage().partition(" ")[0] for record in caplog.records] == [
        str(tmp_path / "b"), str(tmp_path / "b" / "c"),
    ]  # fmt: skip
    assert make_private(found) == []


def test_a_folder_of_memories_is_mended_and_one_of_other_things_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "root"
    private_root(root)
    assert mode(root) == 0o700
    for name in ("a.hmem", "a.hmem-wal", ".keys.json", ".keys.json.lock"):
        (root / name).touch()
    for name in (".server", "hooks", "projects", "a.hmem-index"):
        (root / name).mkdir()
    root.chmod(0o755)
    private_root(root)
    assert mode(root) == 0o700
    assert "was open to other users" in caplog.messages[-1]
    (root / "thesis.pdf").touch()
    root.chmod(0o755)
    private_root(root)
    assert mode(root) == 0o755
    assert "holds more than memories" in caplog.messages[-1]
