"""A service over HTTP: what is tried again, what is not, and what an error says."""

import json
import os
import sys
from collections.abc import Iterator

import pytest

from hmem.errors import ExtraMissing, InvalidQuery, ModelUnavailable
from hmem.language.json_service import Service
from hmem.language.llm.endpoint import NO_KEY, ApiKey
from hmem_testing.fake_llm import ReplyRule, StandIn

pytest.importorskip("httpx2")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setattr("hmem.language.json_service._WAIT", 0.0)
    with StandIn() as started:
        yield started


@pytest.fixture
def service(server: StandIn) -> Iterator[Service]:
    made = Service("small", server.url, lambda: ApiKey("sk-secret"), timeout=60)
    yield made
    made.close()


def post(service: Service) -> object:
    return service.post("/embeddings", {"input": "a", "model": "small"})["model"]


def test_it_answers_and_keeps_its_connection(service: Service) -> None:
    assert [post(service) for _ in range(3)] == ["small"] * 3


def test_it_works_again_after_it_was_closed(service: Service) -> None:
    service.close()
    service.close()
    assert post(service) == "small"


def test_four_tries_are_made_and_no_more(server: StandIn, service: Service) -> None:
    server.follow([ReplyRule("error", calls="first:3")])
    assert post(service) == "small"
    server.follow([ReplyRule("error")])
    with pytest.raises(ModelUnavailable, match="status 500 - try later"):
        post(service)
    assert len(server.calls) == 8


def test_what_will_not_pass_is_not_tried_again(server: StandIn, service: Service) -> None:
    server.follow([ReplyRule("unauthorized", calls="1"), ReplyRule("busy", calls="2", seconds=600)])
    for said in ("does not accept the key", "asks to wait for 600 s"):
        with pytest.raises(ModelUnavailable, match=said):
            post(service)
    with pytest.raises(ModelUnavailable, match="rejects the call, status 400"):
        service.post("/embeddings", {})
    with pytest.raises(ModelUnavailable, match="is not there"):
        service.post("/nothing", {})
    assert [call.status for call in server.calls] == [401, 429]


def test_the_key_is_asked_for_at_each_call_and_stands_in_no_error_and_no_repr(server: StandIn) -> None:
    with StandIn(key="sk-second") as guarded:
        keys = iter([ApiKey("sk-first"), ApiKey("sk-second")])
        made = Service("small", guarded.url, lambda: next(keys))
        with pytest.raises(ModelUnavailable) as raised:
            post(made)
        assert "sk-" not in f"{raised.value} {made!r}"
        assert post(made) == "small"
        made.close()


def test_without_a_key_no_header_is_sent(server: StandIn) -> None:
    with StandIn(key=f"Bearer {NO_KEY}") as guarded:
        made = Service("small", guarded.url, lambda: ApiKey(NO_KEY))
        with pytest.raises(ModelUnavailable, match="does not accept"):
            post(made)
        made.close()


def test_a_fork_opens_connections_of_its_own(service: Service) -> None:
    assert post(service) == "small"
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(writer, json.dumps(post(service)).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as told:
        assert told.read() == '"small"'
    assert os.waitpid(child, 0)[1] == 0
    assert post(service) == "small"


@pytest.mark.parametrize("said", ["0", "-1", "soon", "inf"])
def test_a_time_that_is_none_is_refused(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_EMBED_TIMEOUT", said)
    with pytest.raises(InvalidQuery, match="HMEM_EMBED_TIMEOUT"):
        Service("small", "http://127.0.0.1:9", lambda: ApiKey(NO_KEY))


def test_without_the_client_the_extra_is_named(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(ExtraMissing, match=r"hmem\[model\]"):
        post(service)
