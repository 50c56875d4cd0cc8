"""Client of a stand-in over plain HTTP."""

import json
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any, Self

from hmem_testing.fake_llm import StandIn

EPISODE: dict[str, Any] = {
    "task": "read_turns",
    "speakers": ["Maria", "Ben"],
    "persona": "",
    "days": [
        {
            "day": "2023-08-11, Friday",
            "said": [
                [0, "09:59", "Ben", "Hello Maria!"],
                [1, "10:00", "Maria", "I adopted a puppy named Coco two weeks ago. I live in Lisbon now."],
                [2, "10:01", "Ben", "Great!"],
            ],
        }
    ],
}
PLAN: dict[str, Any] = {
    "task": "plan",
    "question": "Where does Maria live?",
    "asked": "2023-09-11T10:00:00+00:00",
    "weekday": "Monday",
    "people": ["Maria", "Ben"],
}


class Asker:
    """Persistent connection to a stand-in."""

    def __init__(self, server: StandIn, key: str | None = None) -> None:
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def send(self, method: str, path: str, body: object = None) -> HTTPResponse:
        """Send a request and return the unread response."""
        encoded = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self._connection.request(method, path, encoded, self._headers)
        return self._connection.getresponse()

    def post(self, path: str, body: object) -> tuple[int, Any]:
        """Send a POST and return the status and the JSON of the answer."""
        response = self.send("POST", path, body)
        return response.status, json.loads(response.read())

    def get(self, path: str) -> tuple[int, Any]:
        """Send a GET and return the status and the JSON of the answer."""
        response = self.send("GET", path)
        return response.status, json.loads(response.read())

    def chat(self, data: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Return the message that answers a task."""
        status, made = self.post("/v1/chat/completions", task(data, **more))
        assert status == 200
        return made["choices"][0]["message"]

    def value(self, data: dict[str, Any], **more: Any) -> Any:
        """Return the JSON that answers a task."""
        return json.loads(self.chat(data, **more)["content"])

    def events(self, body: object) -> Iterator[Any]:
        """Yield the events of a stream."""
        for line in self.send("POST", "/v1/chat/completions", body).read().decode().splitlines():
            if line.startswith("data: ") and line != "data: [DONE]":
                yield json.loads(line.removeprefix("data: "))


def task(data: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the request of a task, with its data in their block."""
    block = json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    form = {"type": "json_schema", "json_schema": {"name": data["task"], "schema": {"type": "object"}}}
    messages = [{"role": "system", "content": "Read."}, {"role": "user", "content": f"<data>{block}</data>"}]
    return {"model": "m", "messages": messages, "response_format": form, **more}
