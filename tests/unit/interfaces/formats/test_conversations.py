import gzip
import json

import pytest

from hmem.errors import InvalidFile
from hmem.interfaces.formats.conversations import read_json

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
