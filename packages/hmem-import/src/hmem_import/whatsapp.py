"""WhatsApp's exported chats: ``_chat.txt`` of an iPhone, ``WhatsApp Chat with Ana.txt`` of an Android phone, or a ZIP.

Dates are read by the form that is learned from the chat.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from hmem_import.dates import DATE, MARKS, TIME, WrittenDate, ascii_digits, learn, written
from hmem_import.opening import ImportFile
from hmem_import.reading import digest, nonempty
from hmem_import.tree import NOTES, ImportTree, Item

NAME: Final = "whatsapp"
_IPHONE: Final = re.compile(rf"[{MARKS}]*\[{DATE}[,،]?\s{{1,2}}{TIME}\] (?P<rest>.*)")
_ANDROID: Final = re.compile(rf"[{MARKS}]*{DATE}[,،]?\s{{1,2}}{TIME} [-–] (?P<rest>.*)")
_SPEAKER_LINE: Final = re.compile(r"(?P<speaker>[^:\n]{1,100}?): (?P<text>.*)", re.DOTALL)
# "<attached: a.jpg>", "<Anhang: a.jpg>" of an iPhone; "a.jpg (file attached)", "a.jpg (Datei angehängt)" of others.
_ATTACHED: Final = re.compile(
    r"<[^:<>]{1,40}:\s*(?P<one>[^<>\n]+\.\w{2,5})>|^(?P<other>[^\n/]+\.\w{2,5}) \([^()\n]+\)$", re.MULTILINE
)
_OMITTED: Final = re.compile(r"^<[^<>\n]{3,60}>$")
# "image omitted", "Bild weggelassen", "imagem ocultada", "contato omitido": the kind of what was left out.
_OMITTED_ON_IPHONE: Final = re.compile(
    r"(\w+(?: \w+){0,3}) (?:omitted|weggelassen|omitid[ao]|ocultad[ao]|absente?|omess[ao]|weggelaten|utelämnad|utelatt|"
    r"udeladt|pois jätetty|pominięt[oay]|dahil edilmedi|пропущено)|(\S{2,10})(?:は省略されました|已省略|已略去)"
)
_EDIT_MARK: Final = re.compile(r"<[^<>:\n]{3,60}>")
_DELETED: Final = re.compile(
    r"(?:You deleted this message|This message was deleted|Diese Nachricht wurde gelöscht|Du hast diese Nachricht "
    r"gelöscht|Se eliminó este mensaje|Eliminaste este mensaje|Ce message a été supprimé|Vous avez supprimé ce message|"
    r"Mensagem apagada|Apagou esta mensagem|Questo messaggio è stato eliminato|null)\.?"
)
# A system's line may quote a name of a group with a colon.
_NO_NAME: Final = re.compile(r"[\"“”„«»]")


@dataclass(slots=True)
class _Line:
    """Message as it is written: its date, and what follows."""

    date: WrittenDate
    first_line: str
    iphone: bool
    number: int
    further_lines: list[str] = field(default_factory=list[str])

    @property
    def body(self) -> str:
        return "\n".join([self.first_line, *self.further_lines]).strip()


def looks_like(title: str, head: bytes) -> bool:
    """Tell if a text is an exported chat, by its beginning."""
    if not title.lower().endswith(".txt") and title:
        return False
    lines = [line for line in head.decode("utf-8", "ignore").splitlines()[:20] if line.strip()]
    return bool(lines) and _line(lines[0], 1) is not None


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive is one exported chat with its media."""
    chats = [name for name in tree.files if name.lower().endswith(".txt")]
    has_other_files = any(name.lower().endswith((*NOTES, ".json", ".jsonl")) for name in tree.files)
    return len(chats) == 1 and not has_other_files and looks_like(chats[0], tree.files[chats[0]].head())


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the messages of chats; in the place of a chat that cannot be read there is its error."""

    def of_file(name: str, file: ImportFile) -> Iterator[Item]:
        # An iPhone calls every chat the same, and its archive by the chat.
        title = tree.title if name.rpartition("/")[2] == "_chat.txt" else name.rpartition("/")[2].removesuffix(".txt")
        return messages(file.text(), re.sub(r"\s?\(\d+\)$", "", title) or NAME, tree.date_order, tree.remarks)

    return tree.items(of_file, None if tree.is_single else lambda name: name.lower().endswith(".txt"))


def messages(
    content: str, chat: str, date_order: str | None = None, remarks: list[str] | None = None
) -> Iterator[Item]:
    """Yield what was said in a chat, as ``Memory.add`` takes it; a system's lines and deleted messages are left out."""
    lines = list(_lines(content))
    moment = learn([line.date for line in lines], date_order, remarks)
    occurrences: Counter[tuple[Any, ...]] = Counter()
    for line in lines:
        match = _SPEAKER_LINE.fullmatch(line.body)
        if match is None or _NO_NAME.search(match["speaker"]):
            continue
        speaker = match["speaker"].strip(MARKS + "~ \u202f\xa0")
        body, captions, files = _content(match["text"], iphone=line.iphone)
        if not speaker or not (body or captions):
            continue
        time = moment(line.date)
        key = (line.date.numbers, line.date.clock, *sorted(line.date.halves), speaker, body, *captions)
        occurrences[key] += 1
        yield Item(
            line.number,
            nonempty(
                text=body,
                speaker=speaker,
                at=time,
                caption="; ".join(captions),
                attachments=files,
                session=f"{NAME}:{chat}:{time[:10]}" if time else f"{NAME}:{chat}",
                message_id=f"{NAME}:{digest(chat, str(key), str(occurrences[key]))}",
                metadata={"chat": chat},
            ),
        )


def _lines(content: str) -> Iterator[_Line]:
    """Yield the messages with the lines that belong to them."""
    message: _Line | None = None
    for number, line in enumerate(re.split(r"\r?\n", content), 1):
        parsed = _line(line, number)
        if parsed is not None:
            if message is not None:
                yield message
            message = parsed
        elif message is not None:
            message.further_lines.append(line)
    if message is not None:
        yield message


def _line(line: str, number: int) -> _Line | None:
    digits = ascii_digits(line)
    iphone = _IPHONE.fullmatch(digits)
    match = iphone or _ANDROID.fullmatch(digits)
    return None if match is None else _Line(written(match), line[match.start("rest") :], iphone is not None, number)


# Content.


def _content(content: str, *, iphone: bool) -> tuple[str, list[str], list[str]]:
    """Return the text, captions and names of files of a message; nothing for one of the system, or deleted."""
    text, mark, last = content.rpartition("\u200e")
    if not (mark and _EDIT_MARK.fullmatch(last.strip())):
        text = content
    files = [match["one"] or match["other"] for match in _ATTACHED.finditer(text.strip(MARKS))]
    if files:
        remainder = _ATTACHED.sub("", text.strip(MARKS))
        return remainder.strip(MARKS + " \n"), [f"attached: {', '.join(files)}"], files
    bare = text.strip(MARKS + " \n")
    omitted = _OMITTED_ON_IPHONE.fullmatch(bare) if iphone else None
    if omitted is not None and text.lstrip().startswith("\u200e"):
        return "", [omitted[1] or omitted[2]], []
    if _DELETED.fullmatch(bare) or (iphone and text.startswith("\u200e")):
        return "", [], []
    if _OMITTED.fullmatch(bare):
        return "", ["media"], []
    return bare, [], []
