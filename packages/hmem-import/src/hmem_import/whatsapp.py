"""WhatsApp's exported chats: ``_chat.txt`` of an iPhone, ``WhatsApp Chat with Ana.txt`` of an Android phone, or a ZIP.

Each phone writes dates as its own country does, without saying which; the order of day and month is that in which the
whole chat makes sense. Times have no zone: that of the memory is taken.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

from hmem_import.opening import ImportFile
from hmem_import.reading import digest, nonempty
from hmem_import.tree import NOTES, ImportTree, Item

NAME: Final = "whatsapp"
_DATE: Final = r"(?P<date>\d{1,4}(?:\. ?|/|-|년 ?)\d{1,2}(?:\. ?|/|-|월 ?)\d{1,4})[.일]?"
# "klo 14.08", "下午9:41", "9:41 p. m.": what stands before or after the hour is half of the day, or says nothing.
_TIME: Final = (
    r"(?P<before>[^\W\d]{1,20}\.?)?\s{0,2}(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)"
    r"\s?(?P<after>[^\W\d]\.?\s?[^\W\d]?\.?)?"
)
_MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\ufeff"
_IPHONE: Final = re.compile(rf"[{_MARKS}]*\[{_DATE}[,،]?\s{{1,2}}{_TIME}\] (?P<rest>.*)")
_ANDROID: Final = re.compile(rf"[{_MARKS}]*{_DATE}[,،]?\s{{1,2}}{_TIME} [-–] (?P<rest>.*)")
_SPEAKER_LINE: Final = re.compile(r"(?P<speaker>[^:\n]{1,100}?): (?P<text>.*)", re.DOTALL)
_AFTERNOON: Final = frozenset({"pm", "م", "오후", "下午", "晚上", "午後"})
_MORNING: Final = frozenset({"am", "ص", "오전", "上午", "凌晨", "早上", "午前"})
# "<attached: a.jpg>", "<Anhang: a.jpg>" of an iPhone; "a.jpg (file attached)", "a.jpg (Datei angehängt)" of others.
_ATTACHED: Final = re.compile(
    r"<[^:<>]{1,40}:\s*(?P<one>[^<>\n]+\.\w{2,5})>|^(?P<other>[^\n/]+\.\w{2,5}) \([^()\n]+\)$", re.MULTILINE
)
_OMITTED: Final = re.compile(r"^<[^<>\n]{3,60}>$")
_OMITTED_ON_IPHONE: Final = re.compile(r"^(\w+) omitted$")
_EDIT_MARK: Final = re.compile(r"<[^<>:\n]{3,60}>")
_DELETED: Final = re.compile(
    r"(?:You deleted this message|This message was deleted|Diese Nachricht wurde gelöscht|Du hast diese Nachricht "
    r"gelöscht|Se eliminó este mensaje|Eliminaste este mensaje|Ce message a été supprimé|Vous avez supprimé ce message|"
    r"Mensagem apagada|Apagou esta mensagem|Questo messaggio è stato eliminato|null)\.?"
)
# A system's line may quote a name of a group with a colon.
_NO_NAME: Final = re.compile(r"[\"“”„«»]")
_EARLIEST: Final = 2009
_MONTHS: Final = 12


@dataclass(slots=True)
class _Line:
    """Message as it is written: its numbers of a date, its time, and what follows."""

    date: tuple[str, str, str]
    clock: tuple[int, int, int]
    halves: bool
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
        return messages(file.text(), re.sub(r"\s?\(\d+\)$", "", title) or NAME)

    return tree.items(of_file, None if tree.is_single else lambda name: name.lower().endswith(".txt"))


def messages(content: str, chat: str) -> Iterator[Item]:
    """Yield what was said in a chat, as ``Memory.add`` takes it; a system's lines and deleted messages are left out."""
    lines = list(_lines(content))
    order = _order([line.date for line in lines], halves=any(line.halves for line in lines))
    occurrences: Counter[tuple[Any, ...]] = Counter()
    for line in lines:
        match = _SPEAKER_LINE.fullmatch(line.body)
        if match is None or _NO_NAME.search(match["speaker"]):
            continue
        speaker = match["speaker"].strip(_MARKS + "~ \u202f\xa0")
        body, captions, files = _content(match["text"], iphone=line.iphone)
        if not speaker or not (body or captions):
            continue
        time = _moment(line, order)
        key = (line.date, line.clock, speaker, body, *captions)
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
    iphone = _IPHONE.fullmatch(line)
    match = iphone or _ANDROID.fullmatch(line)
    if match is None:
        return None
    date = re.findall(r"\d+", match["date"])
    hour, minute, *second = (int(digits) for digits in re.findall(r"\d+", match["time"]))
    halves = {
        re.sub(r"[.\s\u202f\xa0]", "", match[group] or "").lower().replace("μμ", "pm").replace("πμ", "am")
        for group in ("before", "after")
    }
    if halves & _AFTERNOON:
        hour = hour % _MONTHS + _MONTHS
    elif halves & _MORNING:
        hour %= _MONTHS
    clock = (hour, minute, second[0] if second else 0)
    halved = bool(halves & (_AFTERNOON | _MORNING))
    return _Line((date[0], date[1], date[2]), clock, halved, match["rest"], iphone is not None, number)


# Dates.


def _order(dates: Sequence[tuple[str, str, str]], *, halves: bool) -> tuple[int, int, int]:
    """Return the places of year, month and day in the dates of a chat.

    Where both orders are possible throughout, it is that in which time goes back least often; else, with a clock of
    twelve hours, the month stands first, as in the United States.
    """
    if any(len(date[0]) == len("2026") for date in dates):
        return 0, 1, 2
    day_first, month_first = (2, 1, 0), (2, 0, 1)
    orders = [month_first, day_first] if halves else [day_first, month_first]
    return min(orders, key=lambda order: _unlikely(dates, order))


def _unlikely(dates: Iterable[tuple[str, str, str]], order: tuple[int, int, int]) -> tuple[int, int]:
    """Return the number of impossible dates in an order, and how often time goes back."""
    numbered = [tuple(int(date[index]) for index in order) for date in dict.fromkeys(dates)]
    impossible = sum(month > _MONTHS for _, month, _ in numbered)
    return impossible, sum(later < earlier for earlier, later in pairwise(numbered))


def _moment(line: _Line, order: tuple[int, int, int]) -> str | None:
    year, month, day = (int(line.date[index]) for index in order)
    try:
        return datetime(year if year >= _EARLIEST else 2000 + year, month, day, *line.clock).isoformat()  # noqa: DTZ001
    except ValueError:
        return None


# Content.


def _content(content: str, *, iphone: bool) -> tuple[str, list[str], list[str]]:
    """Return the text, captions and names of files of a message; nothing for one of the system, or deleted."""
    text, mark, last = content.rpartition("\u200e")
    if not (mark and _EDIT_MARK.fullmatch(last.strip())):
        text = content
    files = [match["one"] or match["other"] for match in _ATTACHED.finditer(text.strip(_MARKS))]
    if files:
        remainder = _ATTACHED.sub("", text.strip(_MARKS))
        return remainder.strip(_MARKS + " \n"), [f"attached: {', '.join(files)}"], files
    bare = text.strip(_MARKS + " \n")
    omitted = _OMITTED_ON_IPHONE.fullmatch(bare) if iphone else None
    if omitted is not None and text.lstrip().startswith("\u200e"):
        return "", [omitted[1]], []
    if _DELETED.fullmatch(bare) or (iphone and text.startswith("\u200e")):
        return "", [], []
    if _OMITTED.fullmatch(bare):
        return "", ["media"], []
    return bare, [], []
