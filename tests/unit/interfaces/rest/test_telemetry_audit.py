"""The audit tells who read and wrote what, and nothing that was said."""

import json
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.serving import Site, serving

from hmem.errors import StorageError
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.telemetry import Audit, ids_in
from hmem.model.span import now

SAID = "The vault code is 4711"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_each_request_leaves_a_line_with_ids_and_without_text(root: Path, tmp_path: Path) -> None:
    root.mkdir()
    keys = Keys(root / ".keys.json")
    (admin, ann), (reader, _) = (keys.create("ann", ["admin"], ["*"]), keys.create("bob", ["read"], ["other"]))
    path = tmp_path / "audit.jsonl"
    with serving(root, audit=path) as site:
        site.http.headers["Authorization"] = f"Bearer {admin}"
        site.create("ann")
        turn = site.post("memories/ann/turns", {"text": SAID, "speaker": "Maria", "session": "vaults"}).json()["id"]
        site.post("memories/ann/turns/batch", {"messages": [SAID, "and 4712"]})
        found = site.post("memories/ann/search", {"question": "What is the vault code?"})
        assert "4711" in found.text
        streamed = site.post("memories/ann/ask/stream", {"question": "What is the vault code?"})
        assert "4711" in streamed.text
        assert site.post("memories/ann/search", {"question": ""}).status_code == 422
        refused = {"Authorization": f"Bearer {reader}"}
        assert site.get("memories/ann/turns", headers=refused).status_code == 403
        assert site.get("memories", headers={"Authorization": "Bearer hmem_x_4711"}).status_code == 401
        site.http.get("/healthz")
        site.get("memories/4711-vault/turns/of/4711")
    told = lines(path)
    assert [each["operation"] for each in told] == [
        "create_memory", "add", "add_batch", "search", "ask_stream", "search", "list", None, None,
    ]  # fmt: skip
    assert [each["status"] for each in told] == [201, 200, 200, 200, 200, 422, 403, 401, 404]
    assert turn in told[1]["ids"]
    assert len(told[2]["ids"]) == 2
    assert turn in told[3]["ids"]
    assert set(told[4]["ids"]) & {turn, *told[2]["ids"]}
    assert {each["key"] for each in told[:6]} == {ann.id}
    assert told[7]["key"] is None
    assert told[3]["memory"] == "ann"
    assert told[3]["request"] == found.headers["x-request-id"]
    written = path.read_text("utf-8")
    assert not any(word in written for word in ("4711", "vault", "Maria", "code", admin, reader))


@pytest.mark.skipif(os.name != "posix", reason="Windows has other permissions")
def test_only_its_owner_may_read_it_and_it_can_be_moved_away(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "audit.jsonl"
    audit = Audit(path)
    audit.write({"request": "1"})
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.stat().st_mode & 0o777 for each in (path.parent, path.parent.parent)] == [0o700, 0o700]
    path.rename(tmp_path / "old.jsonl")
    audit.write({"request": "2"})
    audit.close()
    told = [*lines(tmp_path / "old.jsonl"), *lines(path)]
    assert [(each["level"], each["what"], each["request"]) for each in told] == [
        ("info", "request", "1"),
        ("info", "request", "2"),
    ]
    assert abs(now() - datetime.fromisoformat(told[0]["at"])) < timedelta(minutes=1)


def test_a_file_that_cannot_be_written_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="another file"):
        Audit(tmp_path)


def test_ids_are_whole_texts_of_the_right_form() -> None:
    ids = [f"turn_{number:026}" for number in range(1_200)]
    assert ids_in(json.dumps(ids[:2] * 2).encode(), b'"see turn_00000000000000000000000007"') == ids[:2]
    assert len(ids_in(json.dumps(ids).encode())) == 1_000
