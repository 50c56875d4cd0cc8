"""Messenger's and Instagram's exports as JSON: a folder for each thread, with ``message_1.json`` and so on."""

import re
from collections.abc import Iterator
from typing import Any, Final

from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, digest, fields, moment, nonempty, objects, text
from hmem_import.tree import ImportTree, Item

NAME: Final = "messenger"
_THREAD_FILES: Final = re.compile(r"(?:.*/)?[^/]+/message_\d+\.json")
_MEDIA: Final = ("photos", "videos", "audio_files", "files", "gifs", "media")


def looks_like(data: Any) -> bool:
    """Tell if data is a thread: Meta's export has snake case, that of end-to-end encrypted chats camel case."""
    first = next(objects(fields(data).get("messages")), fields(None))
    return "participants" in fields(data) and bool({"sender_name", "senderName"} & first.keys())


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive has threads."""
    return any(_THREAD_FILES.fullmatch(name) for name in tree.files)


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the messages of threads."""

    def of_file(name: str, file: ImportFile) -> Iterator[Item]:
        turns = messages(file.load_json(), name.rpartition("/")[0].rpartition("/")[2])
        return (Item(number, message) for number, message in enumerate(turns, 1))

    return tree.items(of_file, None if tree.is_single else lambda name: bool(_THREAD_FILES.fullmatch(name)))


def messages(data: Any, folder: str = "") -> Iterator[dict[str, Any]]:
    """Yield what was said in a thread, the oldest first; what was unsent is left out."""
    thread = fields(data)
    path = text(thread.get("thread_path")) or text(thread.get("threadName")) or folder
    title = _repaired(text(thread.get("title"))) or path
    entries = [*objects(thread.get("messages"))]
    for entry in sorted(entries, key=_milliseconds):
        body = _repaired(text(entry.get("content")) or text(entry.get("text")))
        link = text(fields(entry.get("share")).get("link"))
        files = [text(file.get("uri")) for name in _MEDIA for file in objects(entry.get(name))]
        files += [link] if link and link not in body else []
        captions = [f"attached: {', '.join(file.rpartition('/')[2] or file for file in files)}"] if files else []
        captions += ["sticker"] if entry.get("sticker") else []
        if entry.get("is_unsent") or entry.get("isUnsent") or not (body or captions):
            continue
        time = moment(_milliseconds(entry) / 1_000)
        speaker = _repaired(text(entry.get("sender_name")) or text(entry.get("senderName")))
        yield nonempty(
            text=body,
            speaker=speaker,
            at=time,
            caption="; ".join(captions),
            attachments=files,
            session=f"{NAME}:{path}:{(time or '')[:10]}",
            message_id=f"{NAME}:{digest(path, str(_milliseconds(entry)), speaker, body, *files)}",
            metadata={"chat": title},
        )


def _milliseconds(entry: Fields) -> float:
    time = entry.get("timestamp_ms") or entry.get("timestamp")
    return float(time) if isinstance(time, int | float) else 0.0


def _repaired(text: str) -> str:
    """Return a text of which Meta wrote each byte of UTF-8 as a character."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text
