"""Connecting: addresses, keys, and servers that are not there."""

import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.serving import Site, serving

import hmem
from hmem import Memory, errors
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.serialisation import value_of
from hmem.model.plain import plain
from hmem.model.report import Stats
from hmem.model.span import Span


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    root = tmp_path_factory.mktemp("root")
    keys = Keys(root / ".keys.json")
    with serving(root) as found:
        found.http.headers["Authorization"] = f"Bearer {keys.create('all', ['admin'], ['*'])[0]}"
        found.http.headers["X-Reader"] = keys.create("reader", ["read"], ["ann"])[0]
        found.create("ann")
        yield found


def key(site: Site) -> str:
    return site.http.headers["Authorization"].removeprefix("Bearer ")


@pytest.mark.parametrize("form", ["{0}/ann", "{0}/ann/", "{0}/v1/memories/ann"])
def test_an_address_names_the_memory(site: Site, form: str) -> None:
    with hmem.connect(form.format(site.address), key=key(site)) as memory:
        assert memory.stats().path == f"{site.address}/v1/memories/ann"
    with hmem.connect(site.address, "ann", key=key(site)) as memory:
        assert memory.list() == []


@pytest.mark.parametrize("url", ["ann", "ftp://localhost/ann", "http://", "http:///ann", ""])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(errors.InvalidRequest):
        hmem.connect(url)


@pytest.mark.parametrize("url", ["http://localhost", "http://localhost/a/b", "http://localhost/a%2fb"])
def test_an_address_without_a_memory_is_refused(url: str) -> None:
    with pytest.raises(errors.InvalidName):
        hmem.connect(url)


def test_a_key_is_needed_and_is_for_what_it_is_for(site: Site) -> None:
    with hmem.connect(f"{site.address}/ann") as memory, pytest.raises(errors.KeyRefused):
        memory.stats()
    with hmem.connect(f"{site.address}/ann", key=site.http.headers["X-Reader"]) as memory:
        assert memory.stats().turns == 0
        with pytest.raises(errors.NotAllowed):
            memory.add("Hello there")


def test_a_memory_is_made_when_wanted(site: Site) -> None:
    with hmem.connect(f"{site.address}/new", key=key(site)) as memory, pytest.raises(errors.MemoryNotFound):
        memory.stats()
    for _ in range(2):
        with hmem.connect(f"{site.address}/new", key=key(site), create=True, zone="Europe/Lisbon") as memory:
            assert memory.stats().zone == "Europe/Lisbon"


def test_a_server_that_is_not_there_is_a_named_error() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/ann"
        with hmem.connect(address, retries=1, timeout=5) as memory, pytest.raises(errors.ServerUnavailable):
            memory.search("Who?")


def test_values_are_the_same_after_the_way_over_json(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.hmem") as memory:
        memory.add("I adopted a puppy named Coco", speaker="Maria", at=datetime(2023, 8, 11, tzinfo=UTC))
        for value in (memory.search("Coco", trace=True), memory.stats(), *memory.notes(), *memory.events()):
            again = value_of(type(value), json.loads(json.dumps(plain(value))))
            assert plain(again) == plain(value)


def test_what_is_no_value_of_its_kind_is_a_fault() -> None:
    for said in (None, [], {}, {"turns": 1}):
        with pytest.raises(errors.ServerFault):
            value_of(Stats, said)
    with pytest.raises(errors.ServerFault):
        value_of(Span, {"start": "noon", "end": "noon"})
