"""Rerankings from an endpoint, which the stand-in plays."""

from collections.abc import Iterator

import numpy as np
import pytest

from hmem.errors import RerankerUnavailable, UnknownName
from hmem.language.rerank.endpoint import EndpointReranker, load
from hmem_testing.fake_llm import ReplyRule, StandIn

pytest.importorskip("httpx2")

TEXTS = ["It rained all day", "Maria has a young dog", ""]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setattr("hmem.language.json_service._WAIT", 0.0)
    monkeypatch.setenv("HMEM_API_KEY", "sk-secret")
    with StandIn(key="sk-secret") as started:
        yield started


@pytest.fixture(params=["", "#tei"])
def chosen(request: pytest.FixtureRequest, server: StandIn) -> Iterator[EndpointReranker]:
    made = load(f"small@{server.url}{request.param}")
    yield made
    made.close()


def test_each_text_gets_its_score_in_either_form(chosen: EndpointReranker) -> None:
    scores = chosen.score("Who has a puppy?", TEXTS)
    assert scores.dtype == np.float32
    assert scores.shape == (3,)
    assert scores.argmax() == 1


def test_the_same_text_gets_the_same_score_whatever_others_there_are(chosen: EndpointReranker) -> None:
    many = [f"text {number}" for number in range(250)]
    scores = chosen.score("a puppy", many)
    assert scores[170] == pytest.approx(float(chosen.score("a puppy", many[170:171])[0]), abs=1e-6)


def test_no_texts_get_no_scores_and_no_call(server: StandIn, chosen: EndpointReranker) -> None:
    assert chosen.score("a puppy", []).shape == (0,)
    assert server.calls == []


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (ReplyRule("error"), "failed with status 500"),
        (ReplyRule("unauthorized"), "does not accept the key"),
        (ReplyRule("wrong-schema"), "does not score every text"),
        (ReplyRule("empty"), "does not score every text"),
        (ReplyRule("cut"), "cannot be reached"),
    ],
    ids=lambda each: each.do if isinstance(each, ReplyRule) else "",
)
def test_what_fails_is_one_error_without_the_key(
    server: StandIn, chosen: EndpointReranker, rule: ReplyRule, said: str
) -> None:
    server.follow([rule])
    with pytest.raises(RerankerUnavailable, match=said) as raised:
        chosen.score("a puppy", TEXTS)
    assert "sk-secret" not in str(raised.value)


def test_a_failure_that_passes_is_tried_again(server: StandIn, chosen: EndpointReranker) -> None:
    server.follow([ReplyRule("busy", calls="1", seconds=0)])
    assert chosen.score("a puppy", TEXTS).shape == (3,)
    assert [call.did for call in server.calls] == ["busy", "right"]


@pytest.mark.parametrize("variant", ["", "small", "small@ftp://host", "@http://h/v1", "small@http://u:k@h/v1"])
def test_a_variant_without_a_model_or_an_address_is_refused(variant: str) -> None:
    with pytest.raises(UnknownName, match=" - "):
        load(variant)


def test_its_name_loads_it_again(server: StandIn, chosen: EndpointReranker) -> None:
    assert load(chosen.name.partition(":")[2]).name == chosen.name
