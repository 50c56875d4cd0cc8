"""Fuzzing: inputs made of the pieces that parsers, dates and importers look for, and what they may do with them.

Each input is made by a seed and its number, so that a finding is made again by these two. What is tried either returns
what it promises, or raises a named error; anything else is a finding, and so are two seconds of work.

Run ``python -m hmem_testing.torture.fuzz --tries 1000000 --seed 1``; ``--only dates`` limits it to a target.
"""

import argparse
import gzip
import io
import json
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, cast

from hmem.errors import HmemError
from hmem.formation.capture import Defaults, to_turn
from hmem.interfaces.bundle import looks_like as looks_like_export
from hmem.interfaces.rest.names import normalise as checked_name
from hmem.language.analyst import DEFAULT, Lexicon, analyst
from hmem.language.blocks import blocks
from hmem.language.pasted import pasted_contexts
from hmem.model.ids import kind_of, number_of, to_key
from hmem.model.span import duration, from_stored, parse_time, to_stored, zone
from hmem.recipes import SETTINGS, recipe
from hmem.retrieval.plan import check_question, wording
from hmem.storage.location import Location
from hmem_import import (
    chatgpt,
    claude,
    discord,
    knowledge_graph,
    letta,
    mail,
    markdown,
    mem0,
    slack,
    telegram,
    whatsapp,
    zep,
)
from hmem_import.formats import FORMATS, read
from hmem_import.opening import ImportLimits
from hmem_import.transcripts import messages_since
from hmem_import.tree import open_tree
from hmem_testing.torture.history import Failure
from hmem_testing.torture.surfaces import Mcp, RestTarget, Unmet, offers_mcp

# Of the processor: other processes may have it for longer.
SECONDS = 2.0
_MAX_CHARACTERS: Final = 300
_UTC: Final = zone("UTC")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LIMITS: Final = ImportLimits(bytes=200_000, line=20_000, files=20, depth=20)
_SLOTS: Final = 4


class Finding(NamedTuple):
    """Input that was not met as promised: its target, its number, what happened, and its beginning."""

    target: str
    number: int
    problem: str
    value: str


@dataclass(frozen=True, slots=True)
class Target:
    """Promise that is tried: ``make`` makes an input, ``meet`` tries it; it has ``share`` of all tries."""

    name: str
    share: int
    make: Callable[[Random], Any]
    meet: Callable[[Any], None]


def _promise(condition: object, message: str) -> None:
    if not condition:
        raise Unmet(message)


# Inputs.

_OF_WORDS: Final = """
yesterday today tomorrow last next this the of in on at from until since by before after between ago every each
other about around early late mid end beginning noon midnight morning evening night weekend week weeks month
year years day days hour hours quarter season summer winter spring fall christmas easter monday fri. saturday
january feb sept december st nd rd th am pm o'clock half past to a an one two twenty-first hundred dozen couple
few 's s I you we they she he it who what where when why how did does is are was were not never no yes ok said
told met moved lives works likes Ana Ben Porto e.g. Mr. Dr. U.S. etc. www.example.com a@b.co C++ don't we'll
rock'n'roll
"""
_WORDS: Final = tuple(_OF_WORDS.split())
_NUMBERS: Final = ("0", "1", "12", "29", "31", "32", "60", "99", "1900", "2024", "9999", "10000", "-1", "1e9", "3.14",
                   "05/07/2023", "2023-02-29", "29.02.2023", "23:59:60", "7:30pm", "24:00", "'99", "1st", "٣", "²",
                   "1" * 40)  # fmt: skip
_MARKS: Final = (
    "\n", "\n\n", "\r\n", "\t", " ", "  ", "\xa0", "\u200b", "\u202e", "\u2028", "\x00", "\x1b[31m", "\x85", "…",
    "—", "-", "--", "---", "***", "#", "## ", "- ", "* ", "1. ", "> ", "```", "~~~", "<!--", "-->", "[", "]", "(",
    ")", "{", "}", "<", ">", "</", "&amp;", "|", "\\", "/", "'", '"', "\u201c", "\u201d", "`", ",", ".", "..", "?",
    "!", ":", ";", "=", "+", "@", "$", "%", "^", "_", "ß", "İ", "ﬁ", "é", "e\u0301", "世界", "Привет", "\U0001f600",
    "\U000e0041", "\ud800",
)  # fmt: skip
_OF_KEYS: Final = """
id text content role name speaker at session caption attachments user agent message_id metadata expires ttl
mapping message messages parent children current_node create_time author parts content_type title
conversation_id weight recipient is_visually_hidden_from_conversation asset_pointer dalle prompt chat_messages
uuid sender created_at updated_at files file_name memory memories results user_id type entity relation
entityType observations from to relationType haystack_sessions haystack_dates haystack_session_ids question_id
question answer question_date answer_session_ids question_type sample_id conversation qa session_1
session_1_date_time speaker_a dia_id blip_caption evidence category version number verb target by why before
after link key echoes timestamp isMeta tool_calls image_url url input_text conversations_memory project_memories
docs prompt_template filename extracted_content agents blocks agent_type core_memory block_ids role_type fact edges
threads date date_unixtime from_id forwarded_from edited_unixtime poll media_type chats list ts thread_ts subtype
guild channel forwardedMessage embeds stickers sessionId
"""
_KEYS: Final = tuple(_OF_KEYS.split())
_TEXTS: Final = ("user", "assistant", "system", "human", "text", "multimodal_text", "code", "entity", "relation",
                 "turn", "change", "hmem-export", "correct", "D1:2", "turn_01HBGXNJ80000000000000TZR0", "30d",
                 "2023-01-01", "1:56 pm on 8 May, 2023", "2023/05/20 (Sat) 02:21", "all", "", " ")  # fmt: skip


def words(random: Random) -> str:
    """Return a text of words, numbers and marks, some of them many times."""
    tokens: list[str] = []
    for _ in range(random.choice((1, 3, 8, 20, 40))):
        pool = random.choices((_WORDS, _NUMBERS, _MARKS), (6, 2, 3))[0]
        token = random.choice(pool)
        tokens += [token] * (random.choice((2, 50, 400)) if random.random() < 0.02 else 1)
        if random.random() < 0.7:
            tokens.append(" ")
    return "".join(tokens)


def plain(random: Random) -> str:
    """Return such a text as a program can store it: Unicode without halves of characters."""
    return words(random).encode("utf-8", "replace").decode()


def value(random: Random, depth: int = 4) -> Any:
    """Return a JSON value with the names that formats look for."""
    roll = random.random()
    if depth == 0 or roll < 0.45:
        return _scalar(random)
    if roll < 0.7:
        return [value(random, depth - 1) for _ in range(random.randrange(4))]
    names = random.choices(_KEYS, k=random.randrange(1, 7))
    return {name: value(random, depth - 1) for name in names}


def _scalar(random: Random) -> Any:
    return random.choice((
        None, True, False, 0, -1, 1.7e9, 1e308, -1e18, 10**30, float("nan"), float("inf"), random.choice(_TEXTS),
        random.choice(_TEXTS), plain(random), words(random),
    ))  # fmt: skip


def mutate(random: Random, seed: Any) -> Any:
    """Return a valid value with some of its parts replaced, dropped or doubled."""
    if random.random() < 0.08:
        return value(random, 2)
    if isinstance(seed, dict):
        mapping = cast("dict[str, Any]", seed)
        mutated = {name: mutate(random, item) for name, item in mapping.items() if random.random() > 0.03}
        if random.random() < 0.1:
            mutated[random.choice(_KEYS)] = value(random, 2)
        return mutated
    if isinstance(seed, list):
        made_list = [mutate(random, item) for item in cast("list[Any]", seed) if random.random() > 0.03]
        return made_list + made_list[:1] if random.random() < 0.1 else made_list
    return _scalar(random) if random.random() < 0.1 else seed


def damaged(random: Random, data: bytes) -> bytes:
    """Return bytes with some of them changed, cut or repeated."""
    damaged_bytes = bytearray(data)
    for _ in range(random.choice((0, 1, 1, 3, 10))):
        if not damaged_bytes:
            break
        offset = random.randrange(len(damaged_bytes))
        match random.randrange(5):
            case 0:
                damaged_bytes[offset] ^= 1 << random.randrange(8)
            case 1:
                del damaged_bytes[offset:]
            case 2:
                del damaged_bytes[offset : offset + random.randrange(1, 30)]
            case 3:
                damaged_bytes[offset:offset] = damaged_bytes[offset : offset + 40] * random.choice((1, 3, 100))
            case _:
                damaged_bytes[offset:offset] = random.choice(
                    (b"\xff", b"\x00", b"[" * 500, b'{"a":' * 300, b"\n", b"\\ud800")
                )
    return bytes(damaged_bytes)


_SEEDS: Final[Mapping[str, Any]] = {
    "chatgpt": [{"id": "c", "title": "T", "create_time": 1.7e9, "current_node": "b", "mapping": {
        "a": {"message": None, "parent": None, "children": ["b"]},
        "b": {"parent": "a", "children": [], "message": {
            "id": "m", "author": {"role": "user"}, "create_time": 1.7e9, "recipient": "all", "metadata": {},
            "content": {"content_type": "multimodal_text", "parts": ["Hi", {"content_type": "image_asset_pointer"}]},
        }}}}],
    "claude": [{"uuid": "c", "name": "T", "chat_messages": [
        {"uuid": "m", "sender": "human", "text": "Hello", "created_at": "2025-03-01T10:00:00Z",
         "content": [{"type": "text", "text": "Hello"}], "files": [{"file_name": "a.pdf"}]}]}],
    "mem0": {"results": [{"id": "1", "memory": "Hello", "user_id": "u", "created_at": "2026-01-01",
                          "metadata": {"a": 1}}]},
    "messages": {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"},
                                                           {"type": "image_url", "image_url": {"url": "x"}}]}]},
    "mcp-memory": {"type": "entity", "name": "Ana", "entityType": "person",
                   "observations": ["speaks", {"content": "x"}]},
    "letta": {"blocks": [{"id": "b", "label": "human", "value": "Ana"}], "agents": [
        {"name": "S", "agent_type": "letta_v1_agent", "block_ids": ["b"], "messages": [
            {"role": "user", "content": [{"type": "text", "text": "{\"type\": \"user_message\"}"}], "created_at": "x"},
            {"role": "assistant", "tool_calls": [{"function": {"name": "send_message", "arguments": "{}"}}]}]}]},
    "zep": {"thread_id": "t", "messages": [{"uuid": "m", "role": "user", "content": "Hi", "created_at": "2025-01-01"}],
            "facts": [{"uuid": "f", "fact": "Hi", "valid_at": "2025-01-01"}]},
    "telegram": {"id": 1, "type": "personal_chat", "name": "A", "messages": [
        {"id": 1, "type": "message", "date": "2024-03-01T10:00:00", "date_unixtime": "1709287200", "from": "Ana",
         "text": ["Hi", {"type": "bold", "text": "x"}], "photo": "a.jpg", "edited_unixtime": "1709287300"}]},
    "slack": [{"type": "message", "user": "U1", "text": "Hi <@U1|a> &amp;", "ts": "1709287200.000200",
               "files": [{"name": "a"}], "attachments": [{"text": "x"}]}],
    "discord": {"guild": {"name": "g"}, "channel": {"id": "1", "name": "c"}, "messages": [
        {"id": "1", "type": "Default", "timestamp": "2024-03-01T10:00:00Z", "content": "Hi", "author": {"name": "a"},
         "embeds": [{"title": "x"}], "forwardedMessage": {"content": "x"}}]},
    "jsonl": {"text": "Hello", "speaker": "Ana", "at": "2025-01-01T00:00:00Z", "session": "s", "metadata": {"a": [1]},
              "ttl": "30d", "message_id": "m1"},
    "hmem": {"type": "turn", "id": "turn_01HBGXNJ80000000000000TZR0", "text": "Hi", "speaker": "A", "session": "s",
             "at": "2025-01-01T00:00:00Z", "number": 1, "echoes": [[0, 1, "turn_01HBGXNJ80000000000000TZR0"]]},
}  # fmt: skip


def export(random: Random) -> tuple[str, Any]:
    """Return the name of a format, and possible content of such a file."""
    name = random.choice(tuple(_SEEDS))
    return name, mutate(random, _SEEDS[name])


def moment(random: Random) -> datetime:
    """Return a time with an offset, anywhere in the calendar."""
    offset = timezone(timedelta(minutes=random.randrange(-1_439, 1_440)))
    try:
        return (_EPOCH + timedelta(seconds=random.uniform(-6.2e10, 2.5e11))).astimezone(offset)
    except OverflowError:
        return _EPOCH


def written_time(random: Random) -> Any:
    """Return a possible time: a number, or a damaged text of a time."""
    if random.random() < 0.2:
        return _scalar(random)
    text = moment(random).isoformat(sep=random.choice("T "))
    return damaged(random, text.encode()).decode("utf-8", "replace")[:200]


def _written_duration(random: Random) -> Any:
    if random.random() < 0.2:
        return _scalar(random)
    amount, unit = random.choice((*_NUMBERS, "12", "0.5", "1e5")), random.choice(["s", "min", "h", "d", "w", "y", "x"])
    return f"{amount}{random.choice(('', ' '))}{unit}"


def _at_times_damaged(random: Random, data: bytes) -> bytes:
    return damaged(random, data) if random.random() < 0.5 else data


def file_of(random: Random) -> tuple[str, bytes]:
    """Return the name and the bytes of a file to import."""
    name, content = export(random)
    if random.random() < 0.15:
        names = ("notes.md", "2025-03-01.markdown", "a.txt", "a.eml", "a.html")
        return random.choice(names), damaged(random, plain(random).encode())
    lines = name in ("jsonl", "hmem", "mcp-memory") or random.random() < 0.1
    text = "\n".join(json.dumps(mutate(random, content)) for _ in range(3)) if lines else json.dumps(content)
    data = damaged(random, text.encode())
    suffix = "jsonl" if lines and random.random() < 0.7 else "json"
    roll = random.random()
    if roll < 0.1:
        return f"a.{suffix}.gz", damaged(random, gzip.compress(data, 1)) if random.random() < 0.5 else gzip.compress(
            data, 1
        )
    if roll < 0.2:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(random.choice(("conversations.json", "x/conversations.json", "other.json")), data)
        return "a.zip", _at_times_damaged(random, buffer.getvalue())
    return f"a.{suffix}", data


# Targets.

_BY_DATA: Final = {module.NAME: module for module in (chatgpt, claude, mem0, letta, zep, telegram, discord)}


@cache
def _lexicon() -> Lexicon:
    return analyst(DEFAULT).lexicon


def _meet_time(text: Any) -> None:
    time = parse_time(text, _UTC)
    _promise(from_stored(*to_stored(time)) == time, "a stored time is another one")


def _meet_dates(value: tuple[str, datetime]) -> None:
    text, now = value
    end = 0
    for mention in _lexicon().find_dates(text, now):
        _promise(end <= mention.start < mention.end <= len(text), "mentions overlap, or lie outside")
        end = mention.end


def _meet_sentences(text: str) -> None:
    lexicon, end = _lexicon(), 0
    for sentence in lexicon.split(text):
        _promise(end <= sentence.start < sentence.end <= len(text), "sentences overlap, or lie outside")
        _promise(sentence.text == text[sentence.start : sentence.end], "a sentence is not what stands there")
        end = sentence.end
    pasted_contexts(text)
    lexicon.opens_question(text)


def _meet_markdown(text: str) -> None:
    before = 0
    for block in markdown.split_markdown(text):
        _promise(block.text.strip(), "an empty piece")
        _promise(block.line >= before, "pieces are out of order")
        before = block.line


def _meet_export(value: tuple[str, Any]) -> None:
    name, data = value
    for message in _messages(name, data):
        try:
            to_turn(message, Defaults(_UTC))
        except HmemError:
            continue


def _meet_chat(text: str) -> None:
    whatsapp.looks_like("chat.txt", text.encode()[:200])
    for item in whatsapp.messages(text, "chat"):
        if item.message is None or item.line <= 0:
            raise Unmet("a message that stands nowhere")
        to_turn(item.message, Defaults(_UTC))


def _meet_mail(text: str) -> None:
    reply = mail.own_words(text, reply=True)
    _promise(len(reply) <= len(text) + 1, "a reply that grows")


def _chat(random: Random) -> str:
    """Return a text with the lines of a chat of WhatsApp."""
    dates = (
        "31/12/2023, 21:41 - ",
        "[12/31/23, 9:41:05\u202fPM] ",
        "1.2.24, 09.05 - ",
        "2023/12/31 \u4e0b\u53489:41 - ",
    )
    lines = (random.choice((*dates, "")) + random.choice(("Ana: ", "\u200e", "")) + plain(random) for _ in range(5))
    return damaged(random, "\n".join(lines).encode()).decode("utf-8", "replace")


def _reply(random: Random) -> str:
    marks = ("> ", ">> ", "-----Original Message-----", "From: a", "-- ", "On Friday, a@b.c wrote:", "", "")
    return "\n".join(random.choice(marks) + random.choice((plain(random), "")) for _ in range(8))


def _meet_message(message: Any) -> None:
    turn = to_turn(message, Defaults(_UTC))
    _promise(turn.content.strip(), "a turn without content")
    # It can be stored, and said again.
    json.dumps(turn.metadata, allow_nan=False).encode()
    turn.text.encode()


def _messages(name: str, data: Any) -> Iterator[Any]:
    match name:
        case "chatgpt" | "claude" | "mem0" | "letta" | "zep" | "telegram" | "discord":
            module = _BY_DATA[name]
            module.looks_like(data)
            yield from module.messages(data)
        case "slack":
            slack.looks_like(data)
            yield from slack.messages(data, "c", "2024-03-01", {"U1": "Ana"}, {})
        case "mcp-memory":
            knowledge_graph.looks_like(data)
            yield from knowledge_graph.messages(data)
        case _:
            looks_like_export(data)
            yield data


def _meet_setting(setting: tuple[str, Any]) -> None:
    recipe("fusion", {setting[0]: setting[1]})


def _meet_name(text: str) -> None:
    name = checked_name(text)
    _promise("/" not in name and ".." not in name and "\0" not in name, "a name that leads elsewhere")


def _meet_ids(text: str) -> None:
    kind = kind_of(text)
    for item_kind in ("turn", "event", "note", "entity", "episode", "change"):
        _promise(to_key(item_kind, text) is None or kind == item_kind, "an id of two kinds")
        number_of(item_kind, text)
    location = Location.parse(text)
    _promise(not isinstance(location.path, Path) or str(location), "a place without a name")


def _meet_question(text: str) -> None:
    wording(check_question(text), (), _lexicon())


class _Files:
    """Files that are tried, one after another, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def _write(self, name: str, data: bytes) -> Path:
        self._count += 1
        folder = self._folder / str(self._count % _SLOTS)
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
        return folder / name

    def imported(self, file: tuple[str, bytes]) -> None:
        """Read a file in the detected format, and in each other one now and then."""
        path = self._write(*file)
        format_name = list(FORMATS)[self._count % len(FORMATS)] if self._count % 3 == 0 else None
        for item in read(path, format_name, _LIMITS).items:
            _promise((item.message is None) or item.error is None, "an item with both a message and an error")

    def transcript(self, data: bytes) -> None:
        """Read a transcript of Claude Code to its end."""
        end = 0
        for message in messages_since(self._write("s.jsonl", data)):
            _promise(message.end > end, "a transcript that does not go on")
            end = message.end

    def folder(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Read a folder of notes."""
        place = self._folder / "notes"
        for name, data in files:
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(data)
        for item in markdown.messages(open_tree(place, _LIMITS)):
            _promise(item.line > 0, "a piece that stands nowhere")


def _transcript(random: Random) -> bytes:
    lines = [
        {"type": random.choice(("user", "assistant", "system")), "uuid": f"u{number}",
         "timestamp": "2026-03-01T10:00:00Z",
         "message": {"role": "user", "content": random.choice((plain(random), [{"type": "text", "text": "Hi"}]))}}
        for number in range(3)
    ]  # fmt: skip
    return damaged(random, "".join(json.dumps(mutate(random, line)) + "\n" for line in lines).encode())


def _notes(random: Random) -> list[tuple[str, bytes]]:
    names = ("a.md", "2025-03-01.md", "x/b.markdown", "c.txt")
    return [(name, damaged(random, plain(random).encode())) for name in names]


def targets(folder: Path, servers: ExitStack) -> tuple[Target, ...]:
    """Return what is tried; files are written to a folder, and ``servers`` ends those that were started."""
    files = _Files(folder)
    server, mcp = servers.enter_context(RestTarget(folder, value)), servers.enter_context(Mcp(folder, value))
    tools = (Target("tools", 2, mcp.make, mcp.meet),) if offers_mcp() else ()
    return (
        Target("times", 20, written_time, _meet_time),
        Target("durations", 5, _written_duration, lambda value: _call(duration, value)),
        Target("dates", 20, lambda random: (plain(random), moment(random)), _meet_dates),
        Target("sentences", 12, plain, _meet_sentences),
        Target("blocks", 3, plain, lambda text: _call(blocks, text)),
        Target("questions", 5, words, _meet_question),
        Target("markdown", 8, plain, _meet_markdown),
        Target("exports", 12, export, _meet_export),
        Target("chats", 3, _chat, _meet_chat),
        Target("replies", 2, _reply, _meet_mail),
        Target("turns", 5, lambda random: mutate(random, _SEEDS["jsonl"]), _meet_message),
        Target("files", 5, file_of, files.imported),
        Target("folders", 1, _notes, files.folder),
        Target("transcripts", 2, _transcript, files.transcript),
        Target("settings", 2, lambda random: (random.choice(tuple(SETTINGS)), _scalar(random)), _meet_setting),
        Target("names", 1, plain, _meet_name),
        Target("ids", 1, lambda random: random.choice((words(random), random.choice(_TEXTS))), _meet_ids),
        Target("requests", 3, server.make, server.meet),
        *tools,
    )


def _call(function: Callable[..., object], *arguments: Any) -> None:
    function(*arguments)


# Running.


@dataclass(slots=True)
class FuzzTally:
    """Tries and findings so far, by target."""

    tries: Counter[str]
    refusals: Counter[str]
    findings: list[Finding]


def fuzz(folder: Path, seed: int, tries: int, only: Sequence[str] = ()) -> FuzzTally:
    """Try so many inputs, over all targets by their shares; files are written to a folder."""
    _lexicon()
    tally = FuzzTally(Counter(), Counter(), [])
    with ExitStack() as servers:
        selection = [target for target in targets(folder, servers) if not only or target.name in only]
        shares = [target.share for target in selection]
        for number in range(tries):
            random = Random(f"{seed} {number}")
            target = random.choices(selection, shares)[0]
            _try(target, number, target.make(random), tally)
    return tally


class Caught:
    """Context manager that keeps the error, whatever it is: one that is not named is a finding."""

    error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        self.error = error if isinstance(error, Exception) else None
        return self.error is not None


def _try(target: Target, number: int, value: Any, tally: FuzzTally) -> None:
    tally.tries[target.name] += 1
    start = time.process_time()
    problem = None
    with Caught() as caught:
        target.meet(value)
    if isinstance(caught.error, HmemError):
        tally.refusals[target.name] += 1
    elif caught.error is not None:
        frame = traceback.extract_tb(caught.error.__traceback__)[-1]
        problem = f"{type(caught.error).__name__}: {caught.error} ({Path(frame.filename).name}:{frame.lineno})"[
            :_MAX_CHARACTERS
        ]
    seconds = time.process_time() - start
    if problem is None and seconds > SECONDS:
        problem = f"took {seconds:.1f} s"
    if problem is not None:
        tally.findings.append(Finding(target.name, number, problem, repr(value)[:_MAX_CHARACTERS]))


def fuzzed(folder: Path, seed: int, size: int) -> tuple[int, list[Failure]]:
    """Try so many thousands of inputs, for ``hmem torture``."""
    folder.mkdir(parents=True, exist_ok=True)
    tally = fuzz(folder, seed, 1_000 * size)
    failures = [
        Failure(0, f"{finding.target}, input {finding.number}: {finding.problem}", (finding.value,))
        for finding in tally.findings
    ]
    return sum(tally.tries.values()), failures


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return 1 if there are findings."""
    parser = argparse.ArgumentParser(description="Fuzz parsers, dates and importers.")
    parser.add_argument("--tries", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    with TemporaryDirectory(prefix="hmem-fuzz-") as folder:
        tally = fuzz(Path(folder), options.seed, options.tries, options.only)
    for finding in tally.findings[:50]:
        sys.stdout.write(f"{finding.target} {finding.number}: {finding.problem}\n    {finding.value}\n")
    findings = Counter(finding.target for finding in tally.findings)
    for name, tries in sorted(tally.tries.items()):
        sys.stdout.write(
            f"{name:12} {tries:9,} tries {tally.refusals[name]:9,} named errors {findings[name]:5,} findings\n"
        )
    seconds = time.perf_counter() - start
    sys.stdout.write(
        f"{options.tries:,} tries, {len(tally.findings):,} findings, seed {options.seed}, {seconds:.0f} s\n"
    )
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
