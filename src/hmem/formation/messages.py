"""Messages as programs and SDKs make them, read into the fields of turns.

A message is a text, a mapping, a dataclass or a pydantic model: of OpenAI (chat and Responses), Anthropic, Gemini,
LangChain, pydantic-ai, the AI SDK, or anybody's own. Each call of a tool and each result becomes a turn of its own, so
that it has not the authority of who spoke. Thoughts of models are left out.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC
from functools import lru_cache
from math import isfinite
from typing import Any, Final, NamedTuple, cast

from hmem.errors import InvalidTime, InvalidTurn
from hmem.model.span import parse_time
from hmem.util.nesting import deeper_than

Fields = Mapping[str, Any]

# Fields of a turn, which pass as they are, and other names of them.
_OWN: Final = frozenset((
    "text", "speaker", "role", "at", "session", "caption", "attachments", "user", "agent", "message_id", "metadata",
    "expires", "ttl",
))  # fmt: skip
_SAID: Final = frozenset(("text", "content", "parts", "caption"))
# The plain message that most programs send needs no look at its parts.
_PLAIN: Final = {"content": "text", "name": "speaker", "id": "message_id"}
_ALIASES: Final[Mapping[str, Sequence[str]]] = {
    "at": ("timestamp", "created_at", "create_time", "sent_at", "created", "time", "date", "ts"),
    "speaker": ("name", "author", "sender", "sender_name", "username", "from"),
    "session": ("session_id", "thread_id", "conversation_id", "run_id", "chat_id"),
    "user": ("user_id",),
    "agent": ("agent_id",),
    "message_id": ("id", "uuid"),
}
_ROLES: Final[Mapping[str, str]] = {
    "user": "user", "human": "user", "humanmessagechunk": "user", "customer": "user", "request": "user",
    "assistant": "assistant", "ai": "assistant", "aimessagechunk": "assistant", "model": "assistant",
    "gpt": "assistant", "bot": "assistant", "chatbot": "assistant", "agent": "assistant", "gemini": "assistant",
    "response": "assistant", "system": "system", "developer": "system", "systemmessagechunk": "system",
    "document": "document", "tool": "tool", "function": "tool", "toolmessagechunk": "tool",
}  # fmt: skip
# Fields around a message; those of one in which parts are looked for, in the order of what was said; those of calls.
_WRAPPERS: Final = ("choices", "candidates", "message", "data", "kwargs", "content")
_CONTENTS: Final = ("content", "parts", "blocks", "output", "refusal", "audio")
_TEXTS: Final = ("text", "message", "body", "value")
_CALLS: Final = ("tool_calls", "function_call", "tool_invocations")
# Fields that tell of the machine and not of what was said.
_DROPPED: Final = frozenset((
    "additional_kwargs", "async_", "block_type", "canonical_system", "citations", "container", "diagnostics",
    "experimental_attachments", "failed_attempts", "finish_reason", "history_digest", "index", "instructions",
    "invalid_tool_calls", "kind", "lc", "logprobs", "model", "model_id", "model_name", "model_version", "object",
    "parallel_tool_calls", "phase", "provider_details", "provider_name", "provider_response_id", "provider_url",
    "response_id", "response_metadata", "sdk_http_response", "service_tier", "state", "status", "stop_details",
    "stop_reason", "stop_sequence", "system_fingerprint", "tool_choice", "tools", "type", "usage", "usage_metadata",
))  # fmt: skip

# Kinds of parts, with the underscores of Python, in the order in which they are tried.
_SILENT: Final = re.compile(
    r".*(thinking|reasoning|thought|delta|compaction|instruction).*|tool_approval.*|cache_point|step_start|remove|"
    r"source_url|source_document|item_reference|additional_tools|mcp_list_tools|configuration_update"
)
_TEXT: Final = re.compile(
    r"(input_|output_|summary_)?text(_content)?|(user|system)_prompt|refusal|speech|message|steering_message"
)
_DOCUMENT: Final = re.compile(r"document|search_result|text_plain")
_CALL: Final = re.compile(
    r".*(call|tool_use|invocation|approval_request)|function|custom|executable_code|program|dynamic_tool|"
    r"tool_(?!result|return|output|search_output).*"
)
_RESULT: Final = re.compile(r".*(output|result|return|response)|retry_(prompt|feedback)")
_MEDIA: Final = re.compile(r".*(image|screenshot|audio|video|file|document|binary|inline_data|upload).*")
_MEDIA_WORDS: Final = (("a picture", r"image|screenshot"), ("a recording", "audio"), ("a video", "video"))
# What a kind says besides the name of a tool, and names that only say that there was one.
_NO_NAME: Final = re.compile(
    r"^tool_(?!call|use|result|return|invocation)|_?(tool_)?(call_output|call|use|result|output|return|response|invocation)$"
)
_ANY_TOOL: Final = ("function", "custom", "server", "builtin", "mcp", "dynamic_tool", "retry_prompt", "retry_feedback")

# Fields of parts.
_IDS: Final = ("tool_call_id", "call_id", "tool_use_id")
_ARGUMENTS: Final = ("arguments", "input", "args", "action", "queries", "code", "operation", "actions")
_OUTPUTS: Final = ("output", "outputs", "results", "result", "error_text", "error")
_SAID_IN_RESULTS: Final = (
    "title", "text", "content", "source", *_OUTPUTS, "response", "value", "logs", "stdout", "stderr", "url", "message",
)  # fmt: skip
_ADDRESSES: Final = ("url", "image_url", "file_url", "uri", "file_uri", "file_id")
_FILE_NAMES: Final = ("filename", "file_name", "display_name", "title")
_DEPTH: Final = 100
_FIRST_MILLISECONDS: Final = 100_000_000_000


class MessageReading(NamedTuple):
    """Turns of a message as fields, its own first; none where nobody said anything. ``note`` is a word on the rest."""

    turns: list[dict[str, Any]]
    note: str | None = None


def pair_fields(message: Any) -> Fields | None:
    """Return the fields of a role and a text, as ``("user", "Hello")``; None for anything else."""
    if not isinstance(message, tuple) or len(pair := cast("tuple[Any, ...]", message)) != len(("role", "text")):
        return None
    is_pair = isinstance(pair[0], str) and pair[0].lower() in _ROLES and isinstance(pair[1], str)
    return {"role": pair[0], "content": pair[1]} if is_pair else None


def read_message(message: Any, tools: dict[str, str] | None = None) -> MessageReading:
    """Read a message. ``tools`` are the names of the tools that earlier messages of a list called, by the call's id.

    Raises:
        InvalidTurn: it is none, or nests too deeply.
    """
    record: Fields | None = (
        {"text": message} if isinstance(message, str) else pair_fields(message) or fields_of(message)
    )
    if record is not None and isinstance(record.get("messages"), list | tuple) and not record.keys() & _SAID:
        raise InvalidTurn("this mapping has a list of messages - add the list: add(value['messages'])")
    if record is None:
        name = type(message).__name__
        raise InvalidTurn(f"a message is a text, a mapping or an object of an SDK - this one is {name}")
    plain_names = [name for name in _PLAIN if name in record]
    is_plain = all(isinstance(record[name], str) and record[name].strip() for name in plain_names)
    if is_plain and record.keys() <= {*_OWN, *plain_names} and record.get("role") in (None, *_ROLES.values()):
        fields_of_turn = {_PLAIN[name]: record[name] for name in plain_names}
        turn_fields = ((name, record[name]) for name in record if name not in _PLAIN)
        return MessageReading([fields_of_turn | {name: value for name, value in turn_fields if value is not None}])
    if deeper_than({**record, "metadata": None}, _DEPTH):
        raise InvalidTurn(f"a message is nested more than {_DEPTH} deep - make it flatter")
    return _MessageReader({} if tools is None else tools).read(record)


# Values.


def fields_of(value: Any) -> Fields | None:
    """Return the fields of a mapping, a dataclass or a pydantic model, unconverted; None for anything else."""
    if isinstance(value, Mapping):
        return cast("Fields", value)
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name.lstrip("_"): getattr(value, entry.name) for entry in fields(value)}
    kind: Any = cast("Any", type(value))
    return dict(cast("Iterable[tuple[str, Any]]", value)) if hasattr(kind, "model_fields") else None


def _as_mapping(value: Any) -> dict[str, Any]:
    """Return what is there of a part, under the names of Python; of what is none, nothing."""
    record = fields_of(value) or {}
    return {_snake(str(name)): content for name, content in record.items() if content is not None}


@lru_cache(1_024)
def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name[:_DEPTH]).replace("-", "_").lower()


def _items(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else [value]


def _first(block: Fields, names: Iterable[str]) -> Any:
    return next((block[name] for name in names if block.get(name) is not None), None)


def plain(value: Any) -> Any:
    """Return a value as JSON has it, without what is null or binary."""
    if (record := fields_of(value)) is not None:
        return {str(name): plain(content) for name, content in record.items() if content is not None}
    if isinstance(value, list | tuple):
        return [plain(content) for content in cast("Sequence[Any]", value)]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else "" if isinstance(value, bytes) else str(value)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def _kind(block: Fields) -> str:
    """Return the kind of a part; where it has no word for it, it is the field that holds it."""
    words = (block.get(name) for name in ("type", "part_kind", "kind", "block_type"))
    if kind := next((word for word in words if isinstance(word, str)), ""):
        return _snake(kind)
    holders = (name for name in block if any(form.fullmatch(name) for form in (_CALL, _RESULT, _MEDIA)))
    return "text" if block.keys() & {"text", "transcript"} else next(holders, "")


@dataclass(slots=True)
class _Draft:
    """Words of one role in a message, and the files beside them."""

    role: str | None
    speaker: str | None = None
    at: Any = None
    call_id: Any = None
    glue: str = "\n"
    texts: list[str] = field(default_factory=list[str])
    files: list[str] = field(default_factory=list[str])
    file_names: list[str] = field(default_factory=list[str])
    media: list[str] = field(default_factory=list[str])

    def attach(self, block: Fields, kind: str) -> None:
        """Add a picture, a recording or a file: its address, else its name, else its type."""
        inner = {name: value for content in block.values() for name, value in _as_mapping(content).items()}
        values = {name: value for name, value in (inner | dict(block)).items() if isinstance(value, str)}
        address, name = str(_first(values, _ADDRESSES) or ""), _first(values, _FILE_NAMES)
        if "://" in values.get("image", ""):
            address = values["image"]
        data = next((value for value in (address, values.get("file_data", "")) if value.startswith("data:")), "")
        media_type = _first(values, ("mime_type", "media_type")) or re.split("[;,]", data[5:])[0]
        file = address if address and not data else name or (f"data:{media_type}" if media_type else None)
        self.files += [file] if file else []
        self.file_names += [name] if name else []
        words = (word for word, form in _MEDIA_WORDS if re.search(form, f"{media_type} {kind}"))
        self.media.append(next(words, "a file"))

    def read(self, value: Any) -> str:
        """Return the text of a result; the pictures in it are attached."""
        block, entries = _as_mapping(value), _items(value)
        if isinstance(value, list | tuple) and all(
            isinstance(entry, str) or _as_mapping(entry).get("type") for entry in entries
        ):
            return "\n".join(filter(None, map(self.read, entries)))
        kind = _kind(block) if block.keys() & {"type", "part_kind", "kind"} else ""
        if not kind:
            if len(block) == 1 and block.keys() <= {*_SAID_IN_RESULTS}:
                return self.read(*block.values())
            return "" if value is None else _json(value).strip()
        if _MEDIA.fullmatch(kind) and not (_RESULT.fullmatch(kind) or _DOCUMENT.fullmatch(kind)):
            self.attach(block, kind)
            return ""
        names = ("text", "data", "value") if kind == "text" else _SAID_IN_RESULTS
        texts = (self.read(block[name]) for name in names if name in block)
        return (" " if "url" in block else "\n").join(dict.fromkeys(filter(None, texts)))

    def turn(self) -> dict[str, Any]:
        """Return the fields of its turn that it has."""
        text = self.glue.join(self.texts)
        described = "" if text.strip() else "; ".join(dict.fromkeys(self.media))
        caption = f"attached: {', '.join(self.file_names)}" if self.file_names else described
        values = {
            "speaker": self.speaker,
            "at": self.at,
            "caption": caption,
            "attachments": [*dict.fromkeys(self.files)],
        }
        return {"role": self.role, "text": text, **{name: value for name, value in values.items() if value}}


class _MessageReader:
    """Reader of one message: its parts become pieces, and these its turns."""

    def __init__(self, earlier_tools: dict[str, str]) -> None:
        self._drafts: list[_Draft] = []
        self._earlier_tools = earlier_tools
        self._tools: dict[str, str] = {}
        self._extra: dict[str, Any] = {}
        self._notes: list[str] = []
        self._silent = False
        self._time: Any = None

    def read(self, record: Fields) -> MessageReading:
        """Return the turns of a message."""
        original = {_snake(str(name)): str(name) for name in record}
        message = _unwrapped(_as_mapping(record))
        role, block = self._role(message), dict(message)
        base = _own_fields(message)
        if role == "tool" and (tool := self._earlier_tools.get(str(message.get("tool_call_id")))):
            base.setdefault("speaker", tool)
        if role is None and "type" in block and any(form.fullmatch(_kind(block)) for form in (_SILENT, _CALL, _RESULT)):
            self._read_part(block, role)
        else:
            self._read_message(message, role)
            self._keep_rest(message, original)
        if not self._drafts and (base.get("caption") or not self._silent):
            self._drafts.append(_Draft(role))
        # What was said stands before what tools did.
        first_draft = min(self._drafts, key=lambda draft: (draft.role != role, draft.role == "tool"), default=None)
        drafts = [
            *([first_draft] if first_draft else []),
            *(draft for draft in self._drafts if draft is not first_draft),
        ]
        turns = [self._turn(draft, number, base, role) for number, draft in enumerate(drafts)]
        return MessageReading(turns, "; ".join(self._notes) or None)

    def _role(self, message: dict[str, Any]) -> Any:
        """Take the role out of a message; one that hmem has not is the name of an assistant."""
        role = message.pop("role", _as_mapping(message.get("author")).get("role"))
        role = getattr(role, "value", role)
        if role is None:
            words = {name: str(message.get(name)).lower() for name in ("type", "kind", "object", "from")}
            name = next((name for name, word in words.items() if word in _ROLES), "")
            role = words.get(name)
            message.pop("from" if name == "from" else "", None)
        if not isinstance(role, str):
            return role
        if role.lower() not in _ROLES:
            self._notes.append(f"the role {role!r} is none of hmem's: taken for an assistant of this name")
            message.setdefault("name", role)
        return _ROLES.get(role.lower(), "assistant")

    def _read_message(self, message: dict[str, Any], role: Any) -> None:
        if isinstance(message.get("content"), str) and message.get("parts"):
            # The AI SDK before its version 5 tells the text of the parts once more.
            del message["content"]
        for name in (*_CONTENTS, *_TEXTS):
            content = message.get(name)
            if content is None or (name == "audio" and not _as_mapping(content)) or (name in _TEXTS and self._drafts):
                continue
            if not isinstance(content, str | list | tuple) and not _as_mapping(content):
                raise InvalidTurn(f"a turn's text is a text - this one is {type(content).__name__}")
            del message[name]
            for value in _items(content):
                self._read_part(value, role)
        for name in _CALLS:
            for call in _items(
                message.pop(name, None) or _as_mapping(message.get("additional_kwargs")).get(name) or ()
            ):
                self._read_call(_as_mapping(call), "function_call")

    def _keep_rest(self, message: Fields, original: Mapping[str, str]) -> None:
        """Keep what is left of a message as metadata."""
        metadata = {original.get(name, name): plain(value) for name, value in message.items() if name not in _DROPPED}
        self._extra |= {name: value for name, value in metadata.items() if value not in ("", [], {})}
        if unknown := self._extra.keys() - {"annotations", "tool_call_id", "parts"}:
            self._notes.append(f"kept as metadata: {', '.join(sorted(unknown))}")

    def _turn(self, draft: _Draft, number: int, base: Fields, role: Any) -> dict[str, Any]:
        omitted_fields = {"caption", "attachments"} if number else set[str]()
        omitted_fields |= {"speaker"} if draft.role != role else set()
        turn = {name: value for name, value in base.items() if name not in omitted_fields}
        extra = ({} if number else self._extra) | ({"tool_call_id": draft.call_id} if draft.call_id else {})
        draft_fields = {"metadata": {**extra, **base.get("metadata", {})}, **draft.turn()}
        if number and "message_id" in base:
            draft_fields["message_id"] = f"{base['message_id']}/{number + 1}"
        for name in ("caption", "attachments"):
            draft_fields[name] = turn.get(name) or draft_fields.get(name)
        return turn | draft_fields

    # Parts.

    def _read_part(self, value: Any, role: Any) -> None:
        block = _as_mapping(value)
        kind = _kind(block) if block else "text" if isinstance(value, str) else ""
        block |= _as_mapping(block.get(kind))
        self._time = block.get("timestamp") or self._time
        if _SILENT.fullmatch(kind) or block.get("thought") is True:
            self._silent = True
        elif _TEXT.fullmatch(kind):
            self._read_text(block or {"text": value}, kind, role)
        elif _DOCUMENT.fullmatch(kind) and (text := _document_text(block)):
            self._drafts.append(_Draft("document", _first(block, _FILE_NAMES) or "document", self._time, texts=[text]))
        elif _CALL.fullmatch(kind):
            self._read_call(block, kind)
        elif _RESULT.fullmatch(kind):
            self._read_result(block, kind)
        elif _MEDIA.fullmatch(kind):
            self._draft_of(role).attach(block, kind)
        else:
            self._extra.setdefault("parts", []).append(plain(value))
            self._notes.append(f"a part of the type {kind or type(value).__name__!r} was kept as metadata")

    def _read_text(self, block: Fields, kind: str, role: Any) -> None:
        role = {"user_prompt": "user", "system_prompt": "system", "steering_message": "user"}.get(kind, role)
        role = _ROLES.get(str(block.get("role" if kind == "message" else "speaker")).lower(), role)
        for value in _items(_first(block, ("text", "content", "parts", "refusal", "transcript"))):
            if not isinstance(value, str):
                self._read_part(value, role)
            elif value.strip():
                draft = self._draft_of(role)
                draft.texts.append(value)
                # Texts with citations are pieces of one sentence.
                draft.glue = "" if block.get("citations") else draft.glue

    def _draft_of(self, role: Any) -> _Draft:
        """Return the piece that is read, of this role; calls, results and documents stand alone."""
        last = self._drafts[-1] if self._drafts else None
        if last is None or last.role != role or last.speaker is not None:
            self._drafts.append(_Draft(role, at=self._time))
        return self._drafts[-1]

    def _read_call(self, block: dict[str, Any], kind: str) -> None:
        for name in ("function", "custom", "tool_invocation"):
            block |= _as_mapping(block.get(name))
        call_id = _first(block, (*_IDS, "id"))
        if str(call_id) in self._tools:
            # Told twice, as a part and beside the parts.
            return
        tool, arguments = _tool_name(block, kind) or "tool", _first(block, _ARGUMENTS)
        if call_id:
            self._tools[str(call_id)] = self._earlier_tools[str(call_id)] = tool
        draft = _Draft("tool", tool, self._time, call_id)
        # What an image was drawn as is binary.
        result = "" if kind.startswith("image") else draft.read(_first(block, _OUTPUTS))
        draft.texts = [f"{tool}({_json(arguments) if arguments else ''})", *([result] if result else [])]
        self._drafts.append(draft)

    def _read_result(self, block: Fields, kind: str) -> None:
        call_id = _first(block, _IDS)
        name = _tool_name(block, "") or self._earlier_tools.get(str(call_id)) or _tool_name(block, kind) or "tool"
        draft = _Draft("tool", name, self._time, call_id)
        draft.texts = list(
            filter(
                None, [draft.read({"type": kind} | {name: block[name] for name in _SAID_IN_RESULTS if name in block})]
            )
        )
        self._silent = True
        if draft.texts or draft.media:
            self._drafts.append(draft)


def _document_text(block: Fields) -> str:
    source = _as_mapping(block.get("source"))
    if source:
        return _Draft(None).read(source) if source.get("type") in ("text", "content") else ""
    return _Draft(None).read(_first(block, ("text", "content")))


def _tool_name(block: Fields, kind: str) -> str:
    """Return the name of a tool: its own, else what its kind says, if anything."""
    name = str(_first(block, ("name", "tool_name", "tool_type")) or _NO_NAME.sub("", kind))
    return "" if name in _ANY_TOOL else name


def _unwrapped(message: dict[str, Any]) -> dict[str, Any]:
    """Return the message in a record around it: a response, a line of a transcript, a dump of LangChain."""
    for name in _WRAPPERS * 2:
        value = message.get(name)
        inner = _as_mapping(value[0] if isinstance(value, list) and value and name.endswith("s") else value)
        if inner and (name != "content" or inner.keys() & {"parts", "role"}):
            dropped = (name, "id") if "lc" in message else (name,)
            message = {name: content for name, content in message.items() if name not in dropped} | inner
    return message


def _own_fields(message: dict[str, Any]) -> dict[str, Any]:
    """Take the fields of a turn, but for its text and role, out of a message, by any of their names."""
    base = {name: message.pop(name) for name in _OWN & message.keys() if name not in ("text", "role")}
    if not isinstance(base.get("metadata", {}), Mapping):
        raise InvalidTurn("a turn's metadata is a JSON object - give a mapping")
    for name, aliases in _ALIASES.items():
        for alias in aliases:
            value = _as_field(name, message.get(alias))
            if name not in base and value is not None:
                base[name] = value
                del message[alias]
    return base


def _as_field(name: str, value: Any) -> Any:
    """Return a value of another name of a field as the field takes it; None if it does not."""
    if name == "at":
        value = value / 1000 if isinstance(value, int | float) and value > _FIRST_MILLISECONDS else value
        try:
            parse_time(value, UTC)
        except InvalidTime:
            return None
        return value
    if name == "speaker":
        value = _first(_as_mapping(value), ("name", "display_name", "username")) or value
    elif isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None
