"""The page of the explorer: what it may do, and that it needs no key."""

from pathlib import Path

import pytest
from tests.serving import problem, serving

from hmem.interfaces.rest import explorer
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.settings import Settings

PAGE = {"index.html": b"<title>hmem</title>", "assets/index-1.js": b"1", "assets/index-1.css": b"a {}"}


def test_the_page_may_ask_its_server_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "built_page", lambda: PAGE)
    with serving(tmp_path) as site:
        for path, media in (("", "text/html"), ("/", "text/html"), ("/assets/index-1.js", "text/javascript")):
            answer = site.http.get(f"/explore{path}")
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith(media)
            policy = answer.headers["content-security-policy"].split("; ")
            assert {"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} <= {
                *policy
            }
            assert "unsafe" not in str(policy)
            assert answer.headers["x-content-type-options"] == "nosniff"
        assert "immutable" in site.http.get("/explore/assets/index-1.css").headers["cache-control"]
        assert site.http.get("/explore").headers["cache-control"] == "no-cache"
        for path in ("/assets/other.js", "/assets/..%2findex.html", "/assets/%2e%2e/index.html", "/index.html"):
            assert problem(site.http.get(f"/explore{path}")) == (404, "InvalidRequest")


def test_the_page_needs_no_key_and_what_it_asks_for_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "built_page", lambda: PAGE)
    Keys(Settings(tmp_path).keys).create("ann", ["read"], ["*"])
    with serving(tmp_path) as site:
        assert site.http.get("/explore").status_code == 200
        assert problem(site.get("memories")) == (401, "KeyRefused")
        # A name that begins like the page's is not the page.
        assert problem(site.http.get("/explorer")) == (401, "KeyRefused")


def test_a_page_that_was_not_built_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "built_page", dict)
    with serving(tmp_path) as site:
        answer = site.http.get("/explore")
        assert problem(answer) == (404, "InvalidRequest")
        assert "make explore" in answer.json()["detail"]
