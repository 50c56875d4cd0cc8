"""Calls as the files of providers' batch interfaces: requests that wait, and responses that came.

Both are JSON lines. A request is in the form of its provider's batch interface: ``{"custom_id", "method", "url",
"body"}`` for OpenAI's and those that follow it, ``{"custom_id", "params"}`` for Anthropic's. A response is
``{"custom_id", "response": {"body": …}}`` or ``{"custom_id", "result": {"message": …}}``.

``custom_id`` is the task and a digest of the version of its prompt and of what is asked about. What only helps to read
it (the notes shown, the persona) is left out, so that an answer is still known by it when these have changed. So the
two files are also a recording of a model: the analyst ``recorded:FILE`` answers from them.
"""

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple, cast

from hmem.errors import InvalidFile, ModelPending
from hmem.language.llm.channel import Channel, ModelCall, ModelReply
from hmem.language.llm.endpoint import CallSettings, Endpoint, Mode
from hmem.language.llm.json_output import repaired_json
from hmem.language.llm.tasks import WRITE_TEXTS
from hmem.language.tokens import count_tokens

# Fields of a task's data that only help to read the rest.
_HELP: Final = frozenset(("notes", "persona"))
_DIGITS: Final = 32
_OPENING, _CLOSING = "<data>", "</data>"
# Lists of texts, in the request and in its answer.
_LISTS: Final = ("summaries", "topics", "profiles", "personas")


class Response(NamedTuple):
    """A model's answer from a file: its text, and its tokens in and out if they are told."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class RefusedLine(NamedTuple):
    """A line of a file that is no usable response, by its number, and why."""

    line: int
    reason: str


def custom_id(call: ModelCall) -> str:
    """Return the id of a call: its task, and a digest of what it asks about."""
    first, *repairs = call.messages
    request = {name: value for name, value in _data(first).items() if name not in _HELP}
    return f"{call.task}-{_digest([call.version, request, *repairs])}"


def request_of(call: ModelCall, endpoint: Endpoint, settings: CallSettings) -> dict[str, Any]:
    """Return the line of a call in the form of its provider's batch interface."""
    messages = [
        {"role": "assistant" if index % 2 else "user", "content": text} for index, text in enumerate(call.messages)
    ]
    max_tokens = min(call.max_tokens, settings.max_tokens)
    if endpoint.provider == "anthropic":
        params = {
            "model": endpoint.model, "max_tokens": max_tokens, "system": call.instructions, "messages": messages,
            "tools": [{"name": call.task, "input_schema": call.schema}],
            "tool_choice": {"type": "tool", "name": call.task},
        }  # fmt: skip
        return {"custom_id": custom_id(call), "params": params}
    shape = {"name": call.task, "strict": True, "schema": call.schema}
    body = {
        "model": endpoint.model,
        "messages": [{"role": "system", "content": call.instructions}, *messages],
        "max_completion_tokens": max_tokens,
        "response_format": {"type": "json_schema", "json_schema": shape},
    }
    return {"custom_id": custom_id(call), "method": "POST", "url": "/v1/chat/completions", "body": body}


def read_responses(lines: Iterable[bytes]) -> tuple[dict[str, Response], list[RefusedLine]]:
    """Return the responses of a file's lines by their ids, and the lines that are no responses; skip requests.

    Of two responses to one request the last counts.
    """
    responses, refusals = dict[str, Response](), list[RefusedLine]()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if "body" not in record and "params" not in record:
                responses[_text(record["custom_id"])] = _response(record)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            reason = str(error) if isinstance(error, _NoResponse) else "it is no response of a batch"
            refusals.append(RefusedLine(number, reason))
    return responses, refusals


class _NoResponse(ValueError):
    """A line says why there is no answer."""


def _response(record: Mapping[str, Any]) -> Response:
    """Return the answer in a response.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: it holds none.
    """
    if "result" in record:
        result = record["result"]
        if result.get("type", "succeeded") != "succeeded":
            raise _NoResponse(f"the provider says: {str(result['type'])[:40]}")
        message = result["message"]
        texts = [
            json.dumps(block["input"]) if "input" in block else block.get("text", "") for block in message["content"]
        ]
        return Response(_text("".join(texts)), *_usage(message, "input_tokens", "output_tokens"))
    if record.get("error") or record["response"].get("status_code", 200) != 200:
        raise _NoResponse("the provider says that it failed")
    body = record["response"]["body"]
    answer = _text(body["choices"][0]["message"]["content"])
    return Response(answer, *_usage(body, "prompt_tokens", "completion_tokens"))


def _usage(message: Mapping[str, Any], input_key: str, output_key: str) -> tuple[int | None, int | None]:
    usage = cast("Mapping[str, Any]", message.get("usage") or {})
    input_tokens, output_tokens = (
        value if isinstance(value := usage.get(name), int) and value >= 0 else None for name in (input_key, output_key)
    )
    return input_tokens, output_tokens


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError
    return value


def _data(message: str) -> dict[str, Any]:
    """Return the data in the user message of a call."""
    return json.loads(message.removeprefix(_OPENING).removesuffix(_CLOSING))


def _digest(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _text_keys(data: Mapping[str, Any]) -> dict[tuple[str, int], str]:
    """Return the digest of each text that is asked for, by its list and number: of its lines, without their numbers.

    The names of sibling topics are left out, or every name would change with each.
    """
    lines = {line[0]: [day["day"], *line[1:]] for day in data["lines"] for line in day["said"]}
    keys: dict[tuple[str, int], str] = {}
    for name in _LISTS:
        for item in data[name]:
            content = {field: value for field, value in item.items() if field not in ("n", "siblings")}
            if "lines" in content:
                content["lines"] = [lines[number] for number in content["lines"]]
            if "of" in content:
                content["of"] = [keys[name, number] for number in content["of"]]
            keys[name, item["n"]] = _digest([name, content])
    return keys


def recorded_texts(lines: Iterable[bytes], responses: Mapping[str, Response]) -> dict[str, Mapping[str, Any]]:
    """Return the answers of a recording to requests to write texts, text by text, by their digests.

    So a text is found whichever texts share its call.
    """
    texts: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        try:
            record = json.loads(line)
            response = responses.get(record["custom_id"])
            if response is None or "body" not in record or not record["custom_id"].startswith(WRITE_TEXTS.name):
                continue
            _, request = record["body"]["messages"]
            keys, answer = _text_keys(_data(request["content"])), repaired_json(response.text)
            items = {(name, item.get("n")): item for name in _LISTS for item in answer.get(name, ())}
            texts |= {key: items[item_id] for item_id, key in keys.items() if item_id in items}
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            # What is no request, or no answer to one, answers nothing.
            continue
    return texts


class BatchChannel(Channel):
    """Channel that answers calls from responses, and keeps those that have none. Safe to use from several threads.

    Nothing is sent. A call without a response raises ``ModelPending``; ``waiting`` has these by their ids.
    ``refusals`` are the lines that were no responses.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        settings: CallSettings,
        responses: Mapping[str, Response],
        refusals: Sequence[RefusedLine] = (),
        texts: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(endpoint, settings)
        self.refusals = refusals
        self._texts = texts or {}
        self._responses = responses
        self._used = set[str]()
        self._keeping = Lock()
        self.waiting: dict[str, ModelCall] = {}

    @property
    def mode(self) -> Mode:
        return "native"

    @property
    def unused(self) -> list[str]:
        """Ids of the responses that no call asked for."""
        return [response_id for response_id in self._responses if response_id not in self._used]

    @property
    def response_count(self) -> int:
        """Number of the responses that calls asked for."""
        return len(self._used)

    def send(self, call: ModelCall) -> ModelReply:
        number = custom_id(call)
        response = self._responses.get(number) or self._of_texts(call)
        with self._keeping:
            if response is None and len(call.messages) == 1:
                self.waiting[number] = call
            elif response is not None:
                self._used.add(number)
        if response is None:
            # A response that cannot be used counts as none: the same is requested again, and not its repair.
            raise ModelPending(f"a request to {call.task} waits - write it with `hmem model batch --requests`")
        input_tokens = response.input_tokens
        input_tokens = (
            count_tokens(call.instructions) + sum(map(count_tokens, call.messages))
            if input_tokens is None
            else input_tokens
        )
        output_tokens = response.output_tokens
        return ModelReply(
            response.text, input_tokens, count_tokens(response.text) if output_tokens is None else output_tokens, 0.0
        )

    def _of_texts(self, call: ModelCall) -> Response | None:
        """Return those texts of a call that a recording has; None if it has none."""
        request, *repairs = call.messages
        if not self._texts or call.task != WRITE_TEXTS.name or repairs:
            return None
        answer: dict[str, list[Any]] = {name: [] for name in _LISTS}
        for (name, number), key in _text_keys(_data(request)).items():
            if key in self._texts:
                answer[name].append({**self._texts[key], "n": number})
        return Response(json.dumps(answer, ensure_ascii=False)) if any(answer.values()) else None

    def stream(self, call: ModelCall, end: Callable[[ModelReply], None]) -> Generator[str]:
        reply = self.send(call)
        yield reply.text
        end(reply)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield the requests of the calls that wait."""
        return (request_of(call, self.endpoint, self.settings) for call in self.waiting.values())


def read_files(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, or of all ``.jsonl`` files in a folder, by name.

    Raises: InvalidFile: there is no file, or it cannot be read.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise InvalidFile(f"there is no .jsonl file in {path} - name the folder of the requests and responses")
    for file in files:
        try:
            with file.open("rb") as lines:
                yield from lines
        except FileNotFoundError as error:
            raise InvalidFile(f"there is no file {file} - check the path") from error
        except OSError as error:
            raise InvalidFile(f"{file} cannot be read ({error.strerror}) - check it") from error
