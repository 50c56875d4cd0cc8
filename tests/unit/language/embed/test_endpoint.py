"""Embeddings from an endpoint, which the stand-in plays."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hmem import Memory
from hmem.errors import EmbedderUnavailable, UnknownName
from hmem.language.embed import embedder
from hmem.language.embed.endpoint import EndpointEmbedder, load
from hmem.util.caches import clear_caches
from hmem_testing.fake_llm import ReplyRule, StandIn

pytest.importorskip("httpx2")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setattr("hmem.language.json_service._WAIT", 0.0)
    monkeypatch.setenv("HMEM_API_KEY", "sk-secret")
    clear_caches()
    with StandIn(key="sk-secret") as started:
        yield started


@pytest.fixture
def chosen(server: StandIn) -> Iterator[EndpointEmbedder]:
    made = load(f"small@{server.url}")
    yield made
    made.close()


def test_vectors_come_from_the_endpoint_in_the_order_of_the_texts(chosen: EndpointEmbedder) -> None:
    texts = ["a puppy", "", "it rained"]
    assert np.allclose(chosen.embed(texts), embedder("wordllama").embed(texts), atol=1e-5)
    assert chosen.dimension == 256
    assert np.allclose(chosen.calibration.points, embedder("wordllama").calibration.points, atol=0.003)


def test_the_name_has_the_address_and_the_fingerprint_has_not(server: StandIn, chosen: EndpointEmbedder) -> None:
    assert chosen.name == f"openai:small@{server.url}"
    assert chosen.fingerprint.startswith("openai:small/256/")


def test_dimensions_are_asked_for(server: StandIn) -> None:
    cut = load(f"small@{server.url}#64")
    assert (cut.dimension, cut.name) == (64, f"openai:small@{server.url}#64")
    assert cut.fingerprint.startswith("openai:small#64/64/")
    cut.close()


def test_many_texts_go_in_batches_and_long_ones_in_smaller_ones(server: StandIn, chosen: EndpointEmbedder) -> None:
    chosen.embed(["known"])
    server.clear()
    rows = chosen.embed([f"text {number}" for number in range(600)])
    assert rows.shape == (600, 256)
    chosen.embed([f"{number} " + "long " * 1_500 for number in range(60)])
    sizes = [len(call.request["input"]) for call in server.calls]
    assert sizes == [512, 88, 26, 26, 8]


def test_a_failure_that_passes_is_tried_again(server: StandIn, chosen: EndpointEmbedder) -> None:
    chosen.embed(["known"])
    server.clear()
    server.follow([ReplyRule("busy", calls="1", seconds=0), ReplyRule("error", calls="2"), ReplyRule("cut", calls="3")])
    assert chosen.embed(["a puppy"]).any()
    assert [call.did for call in server.calls] == ["busy", "error", "cut", "right"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (ReplyRule("error"), "failed with status 500 - try later"),
        (ReplyRule("busy", seconds=0), "asks to wait"),
        (ReplyRule("busy", seconds=3_600), "asks to wait for 3600 s"),
        (ReplyRule("unauthorized"), "does not accept the key"),
        (ReplyRule("cut"), "cannot be reached"),
        (ReplyRule("empty"), "vectors"),
        (ReplyRule("wrong-schema"), "gives no vectors"),
        (ReplyRule("json", content={"data": [{"index": 0, "embedding": "AAAA"}]}), "gives no vectors"),
    ],
    ids=lambda each: each.do if isinstance(each, ReplyRule) else "",
)
def test_what_does_not_pass_is_one_error_without_the_key(
    server: StandIn, chosen: EndpointEmbedder, rule: ReplyRule, said: str
) -> None:
    server.follow([rule])
    with pytest.raises(EmbedderUnavailable, match=said) as raised:
        chosen.embed(["a puppy"])
    assert "sk-secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_silence_is_given_up_after_the_time_that_is_set(server: StandIn) -> None:
    server.follow([ReplyRule("silent", seconds=60)])
    made = EndpointEmbedder(load(f"small@{server.url}")._endpoint, timeout=0.1)
    started = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match=r"within 0\.1 s"):
        made.embed(["a puppy"])
    assert time.monotonic() - started < 30
    made.close()


def test_where_nothing_listens_is_told_of(server: StandIn) -> None:
    made = load("small@http://127.0.0.1:9/v1")
    with pytest.raises(EmbedderUnavailable, match="check that it runs"):
        made.embed(["a puppy"])


@pytest.mark.parametrize("variant", ["", "@http://h/v1", "small@http://user:key@h/v1", "small@http://h/v1?key=1"])
def test_a_variant_that_names_no_model_or_holds_a_key_is_refused(variant: str) -> None:
    with pytest.raises(UnknownName, match=" - "):
        load(variant)


def test_loading_asks_nothing(server: StandIn) -> None:
    load(f"small@{server.url}")
    assert server.calls == []


def test_a_memory_keeps_what_it_is_told_while_the_endpoint_fails_and_makes_up_for_it(
    server: StandIn, path: Path
) -> None:
    name = f"openai:small@{server.url}"
    with Memory(path, embedder=name) as memory:
        memory.add("I adopted a puppy named Coco", speaker="Maria")
        server.follow([ReplyRule("unauthorized")])
        assert memory.add("We painted the fence green", speaker="Ben")
        assert memory.stats().vectors == 1
        server.follow([])
        memory.rebuild()
        assert memory.stats().vectors == 2
        assert memory.search("Who painted?")[0].text == "We painted the fence green"
    with Memory(path) as memory:
        assert memory.stats().embedder == name
        assert memory.verify().ok


def test_a_memory_asks_as_a_question_and_keeps_as_a_passage(server: StandIn, tmp_path: Path) -> None:
    with Memory(tmp_path / "a.hmem", embedder=f"openai:e5-small@{server.url}") as memory:
        memory.add("Coco likes carrots", speaker="Maria")
        memory.search("What does Coco like?")
    sent = [text for call in server.calls for text in call.request["input"]]
    assert any("Coco likes carrots" in text for text in sent)
    assert "query: What does Coco like?" in sent
    assert {text.partition(": ")[0] for text in sent} == {"query", "passage"}
