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
    why: str


def custom_id(call: ModelCall) -> str:
    """Return the id of a call: its task, and a digest of what it asks about."""
    first, *repairs = call.messages
    asked = {name: value for name, value in _data(first).items() if name not in _HELP}
    return f"{call.task}-{_digest([call.version, asked, *repairs])}"


def request_of(call: ModelCall, endpoint: Endpoint, settings: CallSettings) -> dict[str, Any]:
    """Return the line of a call in the form of its provider's batch interface."""
    messages = [
        {"role": "assistant" if place % 2 else "user", "content": text} for place, text in enumerate(call.messages)
    ]
    most = min(call.max_tokens, settings.max_tokens)
    if endpoint.provider == "anthropic":
        params = {
            "model": endpoint.model, "max_tokens": most, "system": call.instructions, "messages": messages,
            "tools": [{"name": call.task, "input_schema": call.schema}],
            "tool_choice": {"type": "tool", "name": call.task},
        }  # fmt: skip
        return {"custom_id": custom_id(call), "params": params}
    shape = {"name": call.task, "strict": True, "schema": call.schema}
    body = {
        "model": endpoint.model,
        "messages": [{"role": "system", "content": call.instructions}, *messages],
        "max_completion_tokens": most,
        "response_format": {"type": "json_schema", "json_schema": shape},
    }
    return {"custom_id": custom_id(call), "method": "POST", "url": "/v1/chat/completions", "body": body}


def read_responses(lines: Iterable[bytes]) -> tuple[dict[str, Response], list[RefusedLine]]:
    """Return the responses of a file's lines by their ids, and the lines that are none; requests are passed over.

    Of two responses to one request the last counts.
    """
    found, refused = dict[str, Response](), list[RefusedLine]()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            if "body" not in said and "params" not in said:
                found[_text(said["custom_id"])] = _response(said)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            why = str(error) if isinstance(error, _NoResponse) else "it is no response of a batch"
            refused.append(RefusedLine(number, why))
    return found, refused


class _NoResponse(ValueError):
    """A line says why there is no answer."""


def _response(said: Mapping[str, Any]) -> Response:
    """Return the answer in a response.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: it holds none.
    """
    if "result" in said:
        result = said["result"]
        if result.get("type", "succeeded") != "succeeded":
            raise _NoResponse(f"the provider says: {str(result['type'])[:40]}")
        message = result["message"]
        pieces = [json.dumps(part["input"]) if "input" in part else part.get("text", "") for part in message["content"]]
        return Response(_text("".join(pieces)), *_usage(message, "input_tokens", "output_tokens"))
    if said.get("error") or said["response"].get("status_code", 200) != 200:
        raise _NoResponse("the provider says that it failed")
    body = said["response"]["body"]
    answer = _text(body["choices"][0]["message"]["content"])
    return Response(answer, *_usage(body, "prompt_tokens", "completion_tokens"))


def _usage(said: Mapping[str, Any], sent: str, received: str) -> tuple[int | None, int | None]:
    usage = cast("Mapping[str, Any]", said.get("usage") or {})
    one, other = (
        value if isinstance(value := usage.get(name), int) and value >= 0 else None for name in (sent, received)
    )
    return one, other


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
    found: dict[tuple[str, int], str] = {}
    for name in _LISTS:
        for item in data[name]:
            about = {field: value for field, value in item.items() if field not in ("n", "siblings")}
            if "lines" in about:
                about["lines"] = [lines[number] for number in about["lines"]]
            if "of" in about:
                about["of"] = [found[name, number] for number in about["of"]]
            found[name, item["n"]] = _digest([name, about])
    return found


def recorded_texts(lines: Iterable[bytes], responses: Mapping[str, Response]) -> dict[str, Mapping[str, Any]]:
    """Return what a recording's requests to write texts were answered, text by text, by their digests.

    So they are found however texts are put together into calls.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        try:
            said = json.loads(line)
            response = responses.get(said["custom_id"])
            if response is None or "body" not in said or not said["custom_id"].startswith(WRITE_TEXTS.name):
                continue
            _, asked = said["body"]["messages"]
            keys, answer = _text_keys(_data(asked["content"])), repaired_json(response.text)
            items = {(name, item.get("n")): item for name in _LISTS for item in answer.get(name, ())}
            found |= {key: items[place] for place, key in keys.items() if place in items}
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            # What is no request, or no answer to one, answers nothing.
            continue
    return found


class BatchChannel(Channel):
    """Channel that answers calls from responses, and keeps those that have none. Safe to use from several threads.

    Nothing is sent. A call without a response raises ``ModelPending``; ``waiting`` has these by their ids. ``refused``
    are the lines that were no responses.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        settings: CallSettings,
        responses: Mapping[str, Response],
        refused: Sequence[RefusedLine] = (),
        texts: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        super().__init__(endpoint, settings)
        self.refused = refused
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
        return [each for each in self._responses if each not in self._used]

    @property
    def answered(self) -> int:
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
        sent = response.input_tokens
        sent = count_tokens(call.instructions) + sum(map(count_tokens, call.messages)) if sent is None else sent
        received = response.output_tokens
        return ModelReply(response.text, sent, count_tokens(response.text) if received is None else received, 0.0)

    def _of_texts(self, call: ModelCall) -> Response | None:
        """Return those texts of a call that a recording has; None if it has none."""
        asked, *repairs = call.messages
        if not self._texts or call.task != WRITE_TEXTS.name or repairs:
            return None
        answer: dict[str, list[Any]] = {name: [] for name in _LISTS}
        for (name, number), key in _text_keys(_data(asked)).items():
            if key in self._texts:
                answer[name].append({**self._texts[key], "n": number})
        return Response(json.dumps(answer, ensure_ascii=False)) if any(answer.values()) else None

    def stream(self, call: ModelCall, end: Callable[[ModelReply], None]) -> Generator[str]:
        said = self.send(call)
        yield said.text
        end(said)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield the requests of the calls that wait."""
        return (request_of(call, self.endpoint, self.settings) for call in self.waiting.values())


def read_files(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, or of all ``.jsonl`` files in a folder, by name.

    Raises:
        InvalidFile: there is none, or it cannot be read.
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
