import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.errors import InvalidFile
from hmem_evals.conversations import read_json, repaired, unique

CONTENT = {"text": "Olá, 世界", "numbers": [1, 2.5, None]}


def test_read_json_reads_plain_and_compressed_files_alike(tmp_path):
    plain, packed = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_text(json.dumps(CONTENT), encoding="utf-8")
    packed.write_bytes(gzip.compress(json.dumps(CONTENT, ensure_ascii=False).encode()))
    assert read_json(plain) == read_json(str(packed)) == CONTENT


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("cut.json", b'{"text": "Ol'),
        ("empty.json", b""),
        ("bytes.json", b"\xff\xfe\x00\x00\x80"),
        ("deep.json", b"[" * 200_000),
        ("plain.json.gz", b"{}"),
        ("cut.json.gz", gzip.compress(b'{"a": 1}', mtime=0)[:-6]),
        ("damaged.json.gz", gzip.compress(bytes(range(256)) * 9, mtime=0)[:40] + b"\x00" * 40),
    ],
)
def test_read_json_names_a_file_that_is_damaged(tmp_path, name, data):
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(InvalidFile) as caught:
        read_json(file)
    assert name in str(caught.value)
    assert " - " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_read_json_names_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(InvalidFile, match=r"there is no file .*nowhere\.json - check the path"):
        read_json(tmp_path / "nowhere.json")
    with pytest.raises(InvalidFile, match="cannot be read"):
        read_json(tmp_path)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["D1:3"], ("D1:3",)),
        (["D8:6; D9:17"], ("D8:6", "D9:17")),
        (["D9:1 D4:4 D4:6"], ("D9:1", "D4:4", "D4:6")),
        (["D:11:26"], ("D11:26",)),
        (["D30:05"], ("D30:5",)),
        (["D2:2", "D2:02"], ("D2:2",)),
        (["D"], ()),
        ([], ()),
    ],
)
def test_evidence_is_repaired_as_it_was_published(written, meant):
    assert repaired(written) == meant


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 999)), unique=True))
def test_well_written_evidence_comes_back_unchanged(pairs):
    written = [f"D{number}:{turn}" for number, turn in pairs]
    assert repaired(written) == tuple(written)
    assert repaired(["; ".join(written)]) == tuple(written)


@given(st.lists(st.sampled_from(["D1:1", "D1:01", "D:1:1", "D1:1#2", "D2:1", "x"])))
def test_a_repeated_id_of_a_turn_is_told_apart_and_the_first_keeps_it(written):
    seen: set[str] = set()
    made = [unique(item, seen) for item in written]
    assert len(set(made)) == len(made)
    if "D2:1" in written:
        assert made[written.index("D2:1")] == "D2:1"
