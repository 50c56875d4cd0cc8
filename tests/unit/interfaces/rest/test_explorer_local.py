"""A page for this machine alone: its link holds once, and nobody else's page gets an answer."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.serving import Site, problem, serving

from hmem import Memory
from hmem.interfaces.rest import explorer
from hmem.interfaces.rest.explorer import LocalPage
from hmem.storage.location import Location


@pytest.fixture
def local() -> LocalPage:
    return LocalPage("letters")


@pytest.fixture
def site(tmp_path: Path, local: LocalPage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(
        explorer, "built_page", lambda: {"index.html": b"<html><head><title>hmem</title></head></html>"}
    )
    file = tmp_path / "elsewhere" / "letters.hmem"
    file.parent.mkdir()
    with Memory(file) as memory:
        memory.add("I adopted a kitten named Coco", speaker="Ann")
    with serving(tmp_path / "own", local, only=Location.parse(file)) as made:
        yield made


def begin(site: Site, body: object, **headers: str) -> httpx.Response:
    return httpx.post(f"{site.address}/explore/session", json=body, headers=headers, trust_env=False)


def test_the_token_of_the_link_holds_once(site: Site, local: LocalPage) -> None:
    assert local.link(site.address).endswith(f"#token={local.token}")
    assert problem(begin(site, {"token": "guessed"})) == (401, "KeyRefused")
    began = begin(site, {"token": local.token})
    assert began.json()["memory"] == "letters"
    assert {"HttpOnly", "SameSite=Strict"} <= {*began.headers["set-cookie"].split("; ")}
    assert problem(begin(site, {"token": local.token})) == (401, "KeyRefused")
    for body in ({}, [], {"token": None}, {"token": 1}):
        assert begin(site, body).status_code in (400, 401, 422)


def test_a_request_needs_the_cookie_and_the_key(site: Site, local: LocalPage) -> None:
    began = begin(site, {"token": local.token})
    cookie, key = began.headers["set-cookie"].partition(";")[0], f"Bearer {began.json()['key']}"
    path = "memories/letters/turns"
    for headers in ({}, {"Cookie": cookie}, {"Authorization": key}, {"Cookie": f"{cookie}x", "Authorization": key}):
        assert problem(site.get(path, headers=headers)) == (401, "KeyRefused")
    both = {"Cookie": cookie, "Authorization": key}
    assert site.get(path, headers=both).json()["items"][0]["speaker"] == "Ann"
    assert site.get("memories", headers=both).json()["items"] == ["letters"]
    assert site.get("key", params={"memory": "letters"}, headers=both).json()["local"]
    # Loaded again, the page has its cookie alone.
    assert begin(site, {}, Cookie=cookie).json() == began.json()


def test_it_answers_to_its_own_page_and_name_alone(site: Site, local: LocalPage) -> None:
    began = begin(site, {"token": local.token})
    both = {
        "Cookie": began.headers["set-cookie"].partition(";")[0],
        "Authorization": f"Bearer {began.json()['key']}",
    }
    for path in ("/v1/memories", "/explore"):
        for wrong in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "http://localhost:1"}):
            assert problem(site.http.get(path, headers={**both, **wrong})) == (400, "InvalidRequest")
    assert site.http.get("/v1/memories", headers={**both, "Origin": site.address}).status_code == 200


def test_it_has_one_memory_and_neither_makes_nor_deletes_one(site: Site, local: LocalPage) -> None:
    began = begin(site, {"token": local.token})
    site.http.headers.update(
        {
            "Cookie": began.headers["set-cookie"].partition(";")[0],
            "Authorization": f"Bearer {began.json()['key']}",
        }
    )
    assert problem(site.get("memories/other")) == (404, "MemoryNotFound")
    assert problem(site.post("memories", {"name": "other"})) == (404, "MemoryNotFound")
    assert problem(site.http.delete("/v1/memories/letters")) == (403, "NotAllowed")
    assert site.get("memories/letters").json()["turns"] == 1


def test_the_page_knows_that_it_is_local(site: Site) -> None:
    assert '<meta name="hmem-local">' in site.http.get("/explore").text
