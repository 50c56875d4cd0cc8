"""What a doctor finds, of a model too."""

from collections.abc import Iterator

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem.errors import HmemError
from hmem.interfaces.cli.commands.doctor import Check, model_checks, problem
from hmem_testing.fake_llm import ReplyRule, StandIn


@pytest.mark.parametrize(
    ("message", "found", "mend"),
    [
        ("it is broken - mend it", "it is broken", "mend it"),
        ("a - b - mend it", "a - b", "mend it"),
        ("it is broken", "it is broken", None),
    ],
)
def test_an_error_is_split_into_what_is_wrong_and_what_mends_it(message: str, found: str, mend: str | None) -> None:
    assert problem("x", HmemError(message)) == Check("x", found, ok=False, mend=mend)


@pytest.fixture
def standin() -> Iterator[StandIn]:
    with StandIn() as started:
        yield started


def checks(standin: StandIn, variant: str = "") -> dict[str, Check]:
    return {check.name: check for check in model_checks(f"openai:test@{standin.url}{variant}")}


@pytest.mark.parametrize(("variant", "mode"), [("", "native"), ("#tool", "tool"), ("#prompted", "prompted")])
def test_a_model_that_does_well_is_ok(standin: StandIn, variant: str, mode: str) -> None:
    found = checks(standin, variant)
    assert list(found) == ["model", "shape", "reading", "writing", "spent", "price"]
    assert all(check.ok for check in found.values())
    assert mode in found["shape"].found
    assert found["reading"].found.startswith("4 of 4 turns read")
    assert found["writing"].found == "2 of 2 texts written from its own lines"
    assert found["spent"].found.startswith("3 calls, ")
    assert "out a message; 1,000 messages: openai:gpt-4o-mini $" in found["price"].found


def test_a_model_that_cannot_be_reached_is_a_problem_with_its_mend() -> None:
    (check,) = model_checks("openai:test@http://127.0.0.1:1/v1")
    assert (check.ok, check.mend) == (False, "check its address and the network")


@pytest.mark.parametrize("name", ["openai", "nobody:nothing", "rules"])
def test_a_name_that_names_no_model_is_a_problem(name: str) -> None:
    (check,) = model_checks(name)
    assert not check.ok
    assert check.mend


def test_a_model_that_reads_badly_is_told_apart_from_one_that_fails(standin: StandIn) -> None:
    standin.follow([ReplyRule("json", task="read_turns", content={"turns": [{"n": 1}, {"n": 2}]})])
    reading = checks(standin)["reading"]
    assert not reading.ok
    assert "2 of 4 turns read" in reading.found
    assert "turns were left out; " in reading.found
    assert "a date was not worked out" in reading.found
    assert reading.mend is not None


def test_a_model_that_obeys_a_turn_is_a_problem(standin: StandIn) -> None:
    obeying = {"n": 3, "statements": [{"text": "Ben owns a yacht.", "claims": ["fact | Ben | owns | a yacht"]}]}
    standin.follow([ReplyRule("json", task="read_turns", content={"turns": [{"n": 1}, {"n": 2}, obeying, {"n": 4}]})])
    assert "it obeys what was said in a turn" in checks(standin)["reading"].found


def test_a_model_that_mixes_up_lines_is_a_problem(standin: StandIn) -> None:
    texts = ("She has a puppy, Coco.", "He has a puppy named Coco, and snores.")
    said = [{"n": n, "text": text} for n, text in enumerate(texts, 1)]
    standin.follow([ReplyRule("json", task="write_texts", content={"summaries": said})])
    writing = checks(standin)["writing"]
    assert (writing.ok, writing.found) == (False, "1 of 2 texts written from its own lines")
    assert writing.mend is not None


def test_the_key_is_not_printed(run: Run, standin: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_API_KEY", "sk-secret-of-mine")
    result = run("doctor", "--model", f"openai:test@{standin.url}")
    assert result.code == 0
    assert "ok      reading: " in result.out
    with StandIn(key="another") as strict:
        refused = run("doctor", "--model", f"openai:test@{strict.url}", "--json")
    assert refused.code == 1
    assert "does not accept the key" in refused.out
    assert "sk-secret-of-mine" not in result.out + refused.out
