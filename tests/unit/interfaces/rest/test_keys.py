"""Keys: what is kept of them, what they are for, and when they end."""

import json
import os
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from hmem.errors import InvalidFile, InvalidRequest, KeyRefused, UnknownId, Unprotected
from hmem.interfaces.rest.keys import ANYONE, LOCAL, Keys
from hmem.model.span import now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".keys.json"


def test_a_key_is_found_by_itself_and_kept_only_as_a_hash(path: Path) -> None:
    keys = Keys(path)
    made, key = keys.create("Ann", ["read"], ["team-*"])
    assert keys.find(made) == key
    assert [len(part) for part in made.split("_", 2)] == [4, len(key.id), 43]
    assert len(key.id) == 12
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


def test_a_key_reaches_the_memories_that_it_is_for_with_any_scope(path: Path) -> None:
    _, key = Keys(path).create("Ann", ["read"], ["team-*", "ann"])
    assert [name for name in ("team-1", "ann", "bob", "Ann", "team") if key.reaches(name)] == ["team-1", "ann"]


def test_a_client_is_refused_as_soon_as_its_key_is_valid_no_more(path: Path) -> None:
    keys = Keys(path)
    keys.check(ANYONE)
    keys.check(LOCAL)
    _, key = keys.create("Ann", ["read"], ["*"])
    keys.check(key)
    keys.check(LOCAL)
    # From the first key on a client needs one.
    with pytest.raises(KeyRefused, match="not known here any more"):
        keys.check(ANYONE)
    with pytest.raises(KeyRefused, match="not known here any more"):
        keys.check(replace(key, id="another"))
    Keys(path).revoke(key.id)
    with pytest.raises(KeyRefused, match="revoked"):
        keys.check(key)


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
    assert [each.name for each in other.records()] == ["Ann", "Ben"]


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


def test_a_key_is_rotated_with_its_rights_and_the_old_one_ends(path: Path) -> None:
    keys = Keys(path)
    old, record = keys.create("Ann", ["read"], ["team-*"], rate=5)
    # Of a while ago.
    record = replace(record, created=(now() - timedelta(days=9)).isoformat())
    said = json.loads(path.read_text("utf-8"))
    said["keys"][0]["created"] = record.created
    path.write_text(json.dumps(said), "utf-8")
    made, fresh = keys.rotate(record.id, timedelta(hours=1))
    assert (fresh.name, fresh.scopes, fresh.memories, fresh.rate, fresh.expires) == (
        "Ann",
        ("read",),
        ("team-*",),
        5,
        None,
    )
    assert keys.find(made) == fresh
    assert timedelta() <= now() - datetime.fromisoformat(fresh.created) < timedelta(hours=1)
    assert next(each.created for each in keys.records() if each.id == record.id) == record.created
    until = keys.find(old).expires
    assert until is not None
    assert timedelta(minutes=59) < datetime.fromisoformat(until) - now() < timedelta(hours=1)
    _, last = keys.rotate(fresh.id, timedelta(), now() + timedelta(days=1))
    assert last.expires is not None
    with pytest.raises(KeyRefused, match="expired"):
        keys.find(made)
    assert len(Keys(path).records()) == 3


def test_a_key_that_ends_sooner_than_its_grace_ends_then(path: Path) -> None:
    keys = Keys(path)
    end = now() + timedelta(minutes=5)
    old, record = keys.create("Ann", ["read"], ["*"], end)
    _, fresh = keys.rotate(record.id, timedelta(days=1))
    assert keys.find(old).expires == fresh.expires == end.isoformat()


def test_a_key_that_would_end_later_than_its_grace_ends_with_it(path: Path) -> None:
    keys = Keys(path)
    end = now() + timedelta(days=30)
    old, record = keys.create("Ann", ["read"], ["*"], end)
    _, fresh = keys.rotate(record.id, timedelta(hours=1))
    assert fresh.expires == end.isoformat()
    until = keys.find(old).expires
    assert until is not None
    assert datetime.fromisoformat(until) - now() < timedelta(hours=1)
    keys.rotate(record.id, timedelta())
    with pytest.raises(KeyRefused, match="expired"):
        keys.find(old)


def test_only_a_valid_key_is_rotated(path: Path) -> None:
    keys = Keys(path)
    _, record = keys.create("Ann", ["read"], ["*"])
    keys.revoke(record.id)
    with pytest.raises(KeyRefused):
        keys.rotate(record.id, timedelta())
    with pytest.raises(UnknownId):
        keys.rotate("nobody", timedelta())
    assert len(keys.records()) == 1


@pytest.mark.parametrize("rate", [0, -1, float("inf"), float("nan")])
def test_a_rate_is_a_number_above_0(path: Path, rate: float) -> None:
    with pytest.raises(InvalidRequest):
        Keys(path).create("Ann", ["read"], ["*"], rate=rate)
