"""Keys: what is kept of them, what they are for, and when they end."""

import json
import os
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest

from hmem.errors import InvalidFile, InvalidRequest, KeyRefused, UnknownId, Unprotected
from hmem.interfaces.rest.keys import Keys
from hmem.model.span import now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".keys.json"


def test_a_key_is_found_by_itself_and_kept_only_as_a_hash(path: Path) -> None:
    keys = Keys(path)
    made, key = keys.create("Ann", ["read"], ["team-*"])
    assert keys.find(made) == key
    assert made.split("_", 2)[2] not in path.read_text("utf-8")
    assert made not in path.read_text("utf-8")


@pytest.mark.skipif(os.name != "posix", reason="Windows has other permissions")
def test_the_file_is_for_its_owner_only(path: Path) -> None:
    keys = Keys(path)
    keys.create("Ann", ["read"], ["*"])
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o666)
    with pytest.raises(Unprotected, match="chmod 600"):
        Keys(path)


def test_a_key_that_is_not_right_in_every_character_is_refused(path: Path) -> None:
    keys = Keys(path)
    made, key = keys.create("Ann", ["read"], ["*"])
    for wrong in ("", "hmem", made[:-1], made + "x", f"hmem_{key.id}_", made.swapcase(), "hmem_x_" + made, key.hash):
        with pytest.raises(KeyRefused):
            keys.find(wrong)


def test_a_key_is_for_its_scopes_and_its_memories(path: Path) -> None:
    keys = Keys(path)
    _, key = keys.create("Ann", ["read", "write"], ["team-*", "ann"])
    assert key.allows("read", "team-1")
    assert key.allows("write", "ann")
    assert not key.allows("forget", "ann")
    assert not key.allows("read", "bob")
    assert not key.allows("read", "Ann")
    assert not key.allows("read", None)
    _, admin = keys.create("root", ["admin"], ["*"])
    assert all(admin.allows(scope, "any") for scope in ("read", "write", "forget", "admin"))
    assert admin.allows("admin", None)


def test_a_key_ends_when_it_expires_or_is_revoked(path: Path) -> None:
    keys = Keys(path)
    late, _ = keys.create("Ann", ["read"], ["*"], now() - timedelta(seconds=1))
    with pytest.raises(KeyRefused, match="expired"):
        keys.find(late)
    made, key = keys.create("Ben", ["read"], ["*"], now() + timedelta(days=1))
    other = Keys(path)
    assert other.find(made).name == "Ben"
    assert keys.revoke(key.id).revoked == keys.revoke(key.id).revoked
    with pytest.raises(KeyRefused, match="revoked"):
        other.find(made)
    assert [each.name for each in other.held()] == ["Ann", "Ben"]


def test_what_cannot_be_a_key_is_refused(path: Path) -> None:
    keys = Keys(path)
    for scopes, memories in ((["fly"], ["*"]), ([], ["*"]), (["read"], []), (["read"], [""])):
        with pytest.raises(InvalidRequest):
            keys.create("Ann", scopes, memories)
    with pytest.raises(UnknownId):
        keys.revoke("nobody")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"keys": [{}]}', '{"keys": [{"id": 1}]}', "\udcff"])
def test_a_file_that_holds_no_keys_lets_nobody_in(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    path.chmod(0o600)
    with pytest.raises(InvalidFile):
        Keys(path)


def test_keys_that_are_made_at_the_same_time_are_all_kept(path: Path) -> None:
    makers = [Thread(target=lambda: Keys(path).create("x", ["read"], ["*"])) for _ in range(8)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len(json.loads(path.read_text("utf-8"))["keys"]) == 8
    assert list(path.parent.glob(".keys.json.????????")) == []
