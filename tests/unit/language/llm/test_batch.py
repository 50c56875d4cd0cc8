"""Calls as lines of files: requests that wait, and responses that came."""

import json
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem.errors import InvalidFile, ModelPending
from hmem.language.analyst import _loaded, analyst
from hmem.language.llm.batch import (
    BatchChannel,
    RefusedLine,
    Response,
    custom_id,
    read_responses,
    recorded_texts,
    request_of,
)
from hmem.language.llm.channel import ModelCall
from hmem.language.llm.endpoint import CallSettings, Endpoint
from hmem.language.llm.tasks import block

SETTINGS = CallSettings()
LINES = [{"day": "2026-03-01", "said": [[1, "Ann", 6, "Ann has a dog."], [2, "Ann", 5, "The dog is Rex."]]}]


def call(task: str = "read_turns", version: int = 1, **data: Any) -> ModelCall:
    return ModelCall(task, "Read.", (block(task, data),), {"type": "object"}, 100, version)


def texts(**lists: Any) -> ModelCall:
    empty: dict[str, Any] = {"summaries": [], "topics": [], "profiles": [], "personas": []}
    return call("write_texts", **{"lines": LINES, "people": [], **empty, **lists})


def response(number: str, text: str = '{"turns": []}', **more: Any) -> bytes:
    body = {"choices": [{"message": {"content": text}}], **more}
    return json.dumps({"custom_id": number, "response": {"status_code": 200, "body": body}}).encode()


# Ids.


def test_an_id_tells_the_task_and_what_is_asked_about() -> None:
    one = custom_id(call(days=["a"]))
    assert one.startswith("read_turns-")
    assert len(one) <= 64
    assert one == custom_id(call(days=["a"]))
    assert one != custom_id(call(days=["b"]))
    assert one != custom_id(call(days=["a"], version=2))


def test_notes_and_the_persona_that_help_to_read_do_not_change_it() -> None:
    assert custom_id(call(days=["a"], notes=[[101, "2026-01-01", "x"]], persona="p")) == custom_id(
        call(days=["a"], notes=[], persona="")
    )


def test_a_repair_is_another_call() -> None:
    one = call(days=["a"])
    assert custom_id(one) != custom_id(one.repaired("no", "again"))


# Requests.


def test_a_request_is_in_the_form_of_its_provider() -> None:
    asked = call(days=["a"])
    openai = request_of(asked, Endpoint("openai", "m"), SETTINGS)
    assert (openai["method"], openai["url"], openai["body"]["model"]) == ("POST", "/v1/chat/completions", "m")
    assert [message["role"] for message in openai["body"]["messages"]] == ["system", "user"]
    assert openai["body"]["response_format"]["json_schema"]["schema"] == asked.schema
    anthropic = request_of(asked.repaired("no", "again"), Endpoint("anthropic", "m"), SETTINGS)
    assert set(anthropic) == {"custom_id", "params"}
    assert anthropic["params"]["system"] == "Read."
    assert [message["role"] for message in anthropic["params"]["messages"]] == ["user", "assistant", "user"]
    assert anthropic["params"]["tool_choice"] == {"type": "tool", "name": "read_turns"}


# Responses.


def test_responses_of_both_providers_are_read() -> None:
    of_tool = {
        "content": [{"type": "tool_use", "input": {"turns": []}}],
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    of_text = {"content": [{"type": "text", "text": "{}"}]}
    lines = [
        response("a", usage={"prompt_tokens": 1, "completion_tokens": 2}),
        json.dumps({"custom_id": "b", "result": {"type": "succeeded", "message": of_tool}}).encode(),
        json.dumps({"custom_id": "c", "result": {"message": of_text}}).encode(),
        b"\n",
    ]
    found, refused = read_responses(lines)
    assert found == {
        "a": Response('{"turns": []}', 1, 2),
        "b": Response('{"turns": []}', 3, 4),
        "c": Response("{}"),
    }
    assert not refused


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"3",
        b"\xff\xfe",
        b'{"response": {"body": {}}}',
        b'{"custom_id": 3, "response": {"body": {"choices": [{"message": {"content": "x"}}]}}}',
        response("a", ""),
        b'{"custom_id": "a", "response": null, "error": {"code": "expired"}}',
        b'{"custom_id": "a", "response": {"status_code": 500, "body": {}}}',
        b'{"custom_id": "a", "result": {"type": "errored"}}',
        b'{"custom_id": "a", "result": {"message": {"content": []}}}',
        b"[" * 100_000,
    ],
)
def test_a_broken_line_is_refused_alone(line: bytes) -> None:
    found, [refused] = read_responses([line, response("b")])
    assert set(found) == {"b"}
    assert isinstance(refused, RefusedLine)
    assert refused.line == 1


def test_requests_are_passed_over_and_the_last_response_counts() -> None:
    request = json.dumps(request_of(call(days=[]), Endpoint("openai", "m"), SETTINGS)).encode()
    found, refused = read_responses([request, response("a", "1"), response("a", "2")])
    assert (found["a"].text, refused) == ("2", [])


# The channel.


def test_a_call_is_answered_or_waits() -> None:
    asked, other = call(days=["a"]), call(days=["b"])
    channel = BatchChannel(
        Endpoint("openai", "m"), SETTINGS, {custom_id(asked): Response("{}", 5, 6), "x": Response("{}")}
    )
    reply = channel.send(asked)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("{}", 5, 6)
    with pytest.raises(ModelPending):
        channel.send(other)
    assert [each["custom_id"] for each in channel.requests()] == [custom_id(other)]
    assert (channel.response_count, channel.unused) == (1, ["x"])


def test_texts_are_found_however_they_are_put_together() -> None:
    summary = {"n": 1, "tokens": 40, "lines": [1, 2]}
    both = texts(summaries=[summary], profiles=[{"n": 1, "tokens": 9, "name": "Rex", "type": "animal", "lines": [2]}])
    said = {"summaries": [{"n": 1, "text": "A dog."}], "profiles": [{"n": 1, "persistent": "Dog."}]}
    responses = {custom_id(both): Response(json.dumps(said))}
    request = json.dumps(request_of(both, Endpoint("openai", "m"), SETTINGS)).encode()
    channel = BatchChannel(
        Endpoint("recorded", "m"), SETTINGS, responses, texts=recorded_texts([request, b"{"], responses)
    )
    apart = json.loads(channel.send(texts(summaries=[{"n": 1, "tokens": 9, "lines": [2]}, {**summary, "n": 2}])).text)
    assert apart == {"summaries": [{"n": 2, "text": "A dog."}], "topics": [], "profiles": [], "personas": []}
    with pytest.raises(ModelPending):
        channel.send(texts(summaries=[{**summary, "tokens": 41}]))


# Whole.


def read(line: str, replaces: int | None = None) -> bytes:
    """Return the response to a request that reads one turn."""
    asked = json.loads(line)
    data = json.loads(asked["body"]["messages"][1]["content"].removeprefix("<data>").removesuffix("</data>"))
    turn = next(turn for day in data["days"] for turn in day["said"] if turn[0] == 1)
    claim = f"fact | button | colour | {turn[3].split()[-1]}"
    if replaces is not None:
        claim += f" | replaces {replaces}"
    statement = {"text": turn[3], "claims": [claim]}
    return response(asked["custom_id"], json.dumps({"turns": [{"n": 1, "statements": [statement]}], "filler": []}))


BLUE, GREEN = "The button was blue", "They painted the button green"


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    memory = Memory(tmp_path / "m.hmem", analyst="openai:m@http://127.0.0.1:9/v1")
    memory.add(BLUE, speaker="Ann", at="2026-03-01T10:00:00Z", session="one")
    memory.add(GREEN, speaker="Ann", at="2026-03-02T10:00:00Z", session="two")
    return memory


def test_a_batch_is_written_and_taken_without_a_provider(waiting: Memory, tmp_path: Path) -> None:
    requests, responses = tmp_path / "requests.jsonl", tmp_path / "responses.jsonl"
    with waiting as memory:
        assert memory.model.write_requests(requests) == 2
        first, second = requests.read_text("utf-8").splitlines()
        # A note is named by its turn, so the number holds though the note is another when the response comes.
        responses.write_bytes(b"\n".join([b"{broken", read(second, replaces=101), response("forged-1"), read(first)]))
        taken = memory.model.take_responses(responses)
        assert (taken.answered, taken.worked.turns, taken.worked.left) == (2, 2, 0)
        assert (taken.refused[0][0], taken.unused) == (1, ("forged-1",))
        assert {note.value: note.status for note in memory.notes(slot="colour")} == {
            "blue": "superseded", "green": "current",
        }  # fmt: skip
        assert memory.model.take_responses(responses).worked.turns == 0
        assert memory.stats().model is not None
        assert memory.stats().model.today[0].calls == 2


def test_what_has_no_response_or_an_unusable_one_still_waits(waiting: Memory, tmp_path: Path) -> None:
    requests, responses = tmp_path / "requests.jsonl", tmp_path / "responses.jsonl"
    with waiting as memory:
        assert memory.model.write_requests(requests, limit=1) == 1
        (first,) = requests.read_text("utf-8").splitlines()
        responses.write_bytes(response(json.loads(first)["custom_id"], "I would rather not."))
        assert memory.model.take_responses(responses).worked.left == 2
        responses.write_bytes(b"")
        assert memory.model.take_responses(responses).worked.failures == 0


def test_a_recording_reads_a_memory_anew(waiting: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    folder.mkdir()
    with waiting as memory:
        memory.model.write_requests(folder / "requests.jsonl")
    lines = (folder / "requests.jsonl").read_text("utf-8").splitlines()
    (folder / "responses.jsonl").write_bytes(b"\n".join(map(read, lines)))
    with Memory(tmp_path / "again.hmem", analyst=f"recorded:{folder}") as again:
        again.add(BLUE, speaker="Ann", at="2026-03-01T10:00:00Z", session="one")
        again.add(GREEN, speaker="Ann", at="2026-03-02T10:00:00Z", session="two")
        again.add("Something else was said", speaker="Ann", at="2026-03-03T10:00:00Z", session="three")
        worked = again.model.run_jobs()
        assert (worked.turns, worked.failures, worked.left) == (2, 0, 1)
        assert {note.made_by for note in again.notes(slot="colour")} == {"recorded:recorded/4"}
        assert again.model.write_requests(tmp_path / "rest.jsonl") == 1


def test_a_recording_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    _loaded.cache_clear()
    with pytest.raises(InvalidFile, match="there is no file"):
        analyst(f"recorded:{tmp_path / 'none.jsonl'}")
    with pytest.raises(InvalidFile, match=r"no \.jsonl file"):
        analyst(f"recorded:{tmp_path}")
    (tmp_path / "broken.jsonl").write_bytes(b"{")
    with pytest.raises(InvalidFile, match="line 1"):
        analyst(f"recorded:{tmp_path / 'broken.jsonl'}")


def test_a_recorded_lesson_is_shown_with_the_cases_that_it_stands_on(waiting: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    folder.mkdir()
    tasks = [f"Deploy release 4.{number} to production" for number in range(3)]
    with waiting as memory:
        for task in tasks:
            memory.outcome(task, worked=True, at="2026-03-01T10:00:00Z")
        memory.model.write_requests(folder / "requests.jsonl")
    (line,) = [line for line in (folder / "requests.jsonl").read_text("utf-8").splitlines() if '"distil-' in line]
    said = response(json.loads(line)["custom_id"], json.dumps({"lesson": "Deploying works.", "cases": [1, 3]}))
    (folder / "responses.jsonl").write_bytes(said)
    with Memory(tmp_path / "again.hmem", analyst=f"recorded:{folder}") as again:
        ids = [again.outcome(task, worked=True, at="2026-03-01T10:00:00Z").id for task in tasks]
        again.model.run_jobs()
        distilled = {case.id: case.distilled for case in again.cases("Deploy release 5")}
        assert distilled[ids[1]] is None
        found = distilled[ids[0]]
        assert found is not None
        assert (found.text, found.sources) == ("Deploying works.", (ids[0], ids[2]))
