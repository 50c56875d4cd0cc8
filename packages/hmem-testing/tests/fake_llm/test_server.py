"""The server: requests, keys, the record, connections that are kept and that end."""

import json
import socket
import time
from threading import Thread

import pytest
from tests.fake_llm_client import EPISODE, PLAN, Asker, task

from hmem_testing.fake_llm import ReplyRule, StandIn


def test_a_connection_is_kept_open_for_the_next_request(asker: Asker) -> None:
    assert [asker.post("/v1/chat/completions", task(PLAN))[0] for _ in range(3)] == [200] * 3


def test_a_request_without_the_key_is_refused() -> None:
    with StandIn(key="secret") as server:
        for key, status in ((None, 401), ("other", 401), ("secret", 200)):
            with Asker(server, key) as asker:
                assert asker.post("/v1/chat/completions", task(PLAN))[0] == status
                assert asker.get("/v1/models")[0] == status
        assert len(server.calls) == 1


def test_the_record_tells_of_each_call_without_what_was_said(server: StandIn, asker: Asker) -> None:
    asker.value(EPISODE)
    asker.value(PLAN, stream=False)
    told = asker.get("/calls")[1]["calls"]
    assert [(call["number"], call["task"], call["did"], call["status"]) for call in told] == [
        (1, "read_turns", "right", 200),
        (2, "plan", "right", 200),
    ]
    assert all(call["input_tokens"] > 0 and call["output_tokens"] > 0 and call["at"] for call in told)
    assert "Coco" not in json.dumps(told)
    assert "Coco" in json.dumps(server.calls[0].request)


def test_the_record_can_be_cleared_and_numbers_go_on(server: StandIn, asker: Asker) -> None:
    asker.value(PLAN)
    assert json.loads(asker.send("DELETE", "/calls").read()) == {"calls": []}
    asker.value(PLAN)
    assert [call.number for call in server.calls] == [2]
    assert server.count == 2


def test_another_script_counts_anew(server: StandIn, asker: Asker) -> None:
    for _ in range(2):
        server.follow([ReplyRule("error", calls="1")])
        assert [asker.post("/v1/chat/completions", task(PLAN))[0] for _ in range(2)] == [500, 200]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/", None, 404),
        ("GET", "/v1/nothing", None, 404),
        ("DELETE", "/v1/models", None, 404),
        ("POST", "/v1/nothing", {}, 404),
        ("POST", "/v1/chat/completions", b"{", 400),
        ("POST", "/v1/chat/completions", [], 400),
        ("POST", "/v1/chat/completions", {}, 400),
        ("POST", "/v1/chat/completions", {"messages": [1]}, 400),
        ("POST", "/v1/chat/completions", b"[" * 100_000, 400),
        ("POST", "/v1/embeddings", {}, 400),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_an_error_in_the_protocols_form(
    asker: Asker, method: str, path: str, body: object, status: int
) -> None:
    response = asker.send(method, path, body)
    assert response.status == status
    assert json.loads(response.read())["error"]["message"]
    assert asker.get("/v1/models")[0] == 200


def test_data_that_lack_a_field_are_refused_and_not_answered_wrongly(asker: Asker) -> None:
    status, made = asker.post("/v1/chat/completions", task({"task": "plan", "question": "Where?"}))
    assert status == 400
    assert "asked" in made["error"]["message"]


def test_paths_without_a_version_are_the_same(asker: Asker) -> None:
    assert asker.post("/chat/completions", task(PLAN))[0] == 200
    assert asker.get("/models")[1]["data"][0]["id"] == "stand-in"
    assert asker.get("/v1/models/other")[1]["id"] == "other"


def test_stopping_does_not_wait_for_clients_that_keep_a_connection_open_nor_for_silence() -> None:
    server = StandIn([ReplyRule("silent", calls="2", seconds=60)])
    server.start()
    with Asker(server) as asker:
        asker.value(PLAN)
        failed: list[Exception] = []

        def wait() -> None:
            try:
                asker.value(PLAN)
            except OSError as error:
                failed.append(error)

        thread = Thread(target=wait)
        thread.start()
        time.sleep(0.1)
        started = time.monotonic()
        server.stop()
        thread.join(40)
    assert len(failed) == 1
    assert time.monotonic() - started < 40


def test_it_listens_on_this_machine_only() -> None:
    with StandIn() as server:
        assert server.url == f"http://127.0.0.1:{server.port}/v1"
        assert server._listener.socket.getsockname()[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_an_os_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            StandIn(port=taken.getsockname()[1])


def test_many_clients_at_once_are_each_answered_with_their_own_answer(server: StandIn) -> None:
    answers: dict[str, str] = {}

    def ask(place: str) -> None:
        with Asker(server) as asker:
            data = PLAN | {"question": f"Where did Maria go after {place}?"}
            answers[place] = asker.value(data)["parts"][0]["text"]

    places = ["Porto", "Lisbon", "Faro", "Braga", "Evora", "Sintra", "Coimbra", "Tavira"]
    threads = [Thread(target=ask, args=(place,)) for place in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(place in text for place, text in answers.items())
    assert len(answers) == len(server.calls) == 8
    assert sorted(call.number for call in server.calls) == list(range(1, 9))
