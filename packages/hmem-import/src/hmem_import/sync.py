"""Sync of a memory with a folder of Markdown: what changed on either side since the last sync comes to the other.

A line is compared three ways: as the last sync left it, as the file has it, and as the memory has it. Only public
operations of the memory are used, so it may be at a server.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

from hmem import MemoryLike, Turn
from hmem.errors import InputError, InvalidQuery, UnknownId
from hmem.util.amounts import amount
from hmem_import import markdown
from hmem_import.reading import digest
from hmem_import.sync_folder import CONFLICTS, DAYS, NOTES, PROFILE, Line, SyncFolder, canonical, parse, write_whole

# Lines that may be gone at once, and the part of all, without a question.
MOST_GONE: Final = 20
PART_GONE: Final = 10
_PAGE: Final = 1_000
_BY: Final = "sync"
_DAY: Final = re.compile(rf"{DAYS}/.*?(\d{{4}}-\d\d-\d\d)\.md")
_NOT_IN_NAMES: Final = re.compile(r"[^\w-]+")


@dataclass(slots=True)
class SyncReport:
    """Report of a sync: numbers of lines by what came of them, the files written, and conflicts that it left alone."""

    added: int = 0
    corrected: int = 0
    retracted: int = 0
    forgotten: int = 0
    written: list[str] = field(default_factory=list[str])
    conflicts: list[str] = field(default_factory=list[str])
    again: bool = False

    def add(self, later: "SyncReport") -> None:
        """Add what a later sync did; ``again`` is that of the later one."""
        self.added += later.added
        self.corrected += later.corrected
        self.retracted += later.retracted
        self.forgotten += later.forgotten
        self.written += later.written
        self.conflicts += later.conflicts
        self.again = later.again


@dataclass(slots=True)
class _Item:
    """Line as the memory has it, the file where it goes, and the turn that it stands in, if there is one."""

    text: str
    path: str
    turn: str | None


class _View:
    """Lines of a memory, by id, and what was corrected since."""

    def __init__(
        self, memory: MemoryLike, hidden: set[str], sources: Mapping[str, tuple[str, str]], user: str | None
    ) -> None:
        self._sources = sources
        self.turns = {turn.id: turn for turn in _turns(memory) if user is None or turn.user == user}
        self.replaced = dict[str, str]()
        withdrawn = set[str]()
        for change in memory.history():
            if change.verb == "correct" and change.link:
                if change.undone:
                    withdrawn.add(change.link)
                else:
                    self.replaced[change.target] = change.link
            if change.verb in ("correct", "retract") and not change.undone:
                withdrawn.add(change.target)
        now = datetime.now(UTC)
        self.present = {
            line_id: turn
            for line_id, turn in self.turns.items()
            if line_id not in withdrawn and (turn.expires is None or turn.expires > now)
        }
        self.speakers = {line_id: turn.speaker for line_id, turn in self.present.items()}
        self.items: dict[str, _Item] = {
            line_id: _Item(canonical(turn.text), f"{DAYS}/{turn.at:%Y-%m-%d}.md", line_id)
            for line_id, turn in self.present.items()
            if line_id not in hidden and canonical(turn.text)
        }
        sentences = set[tuple[str, str]]()
        for note in _notes(memory, user):
            path, text = f"{NOTES}/{_file_name(note.subject)}.md", canonical(note.text)
            # Of a sentence that says two things there are two notes: who took one line for a copy would retract both.
            if note.status in ("current", "contested") and text and (path, text) not in sentences:
                sentences.add((path, text))
                self.items[note.id] = _Item(text, path, self._source(note.sources, text))
        try:
            lines = memory.profile(user=user).lines
        except (UnknownId, InvalidQuery):
            lines = ()
        for line in lines:
            if line.turn_id in self.present and (text := canonical(line.text)):
                key = f"fact_{line.turn_id.removeprefix('turn_')}_{digest(text)[:6]}"
                self.items[key] = _Item(text, PROFILE, line.turn_id)

    def _source(self, sources: tuple[str, ...], text: str) -> str | None:
        """Return the latest turn that has a text, word for word."""
        present = [
            line_id for line_id in sources if line_id in self.present and text in canonical(self.present[line_id].text)
        ]
        return max(present, key=lambda line_id: self.present[line_id].at, default=None)

    def find(self, line_id: str) -> _Item | None:
        """Return what stands now where a line was: also a sentence whose note or place in the profile is gone."""
        latest = self.latest(line_id)
        item = self.items.get(latest)
        if item is not None or line_id not in self._sources:
            return item
        turn, text = self._sources[line_id]
        is_there = turn in self.present and text in canonical(self.present[turn].text)
        return _Item(text, "", turn) if is_there else None

    def latest(self, line_id: str) -> str:
        """Return the id of what stands in the place of something corrected."""
        while line_id in self.replaced:
            line_id = self.replaced[line_id]
        return line_id


def _turns(memory: MemoryLike) -> Iterator[Turn]:
    after = None
    while page := memory.list(after=after, limit=_PAGE):
        yield from page
        after = page[-1].id


def _notes(memory: MemoryLike, user: str | None) -> Iterator[Any]:
    start = 0
    while page := memory.notes(limit=_PAGE, offset=start, user=user):
        yield from page
        start += len(page)


def _file_name(subject: str) -> str:
    return _NOT_IN_NAMES.sub("-", subject).strip("-").lower()[:60] or "other"


class Sync:
    """One sync of a memory with a folder.

    Args:
        memory: the memory.
        root: the folder; made if it does not exist.
        author: who edits the files: new lines are theirs. None: they have the authority of a document.
        user: the user whose turns are synced, and to whom new lines belong. None: those of all.
        forget: True to forget what is gone from the files, instead of retracting it.
        consent: asks whether to go on, after a text that says what would happen.
    """

    def __init__(
        self, memory: MemoryLike, root: Path, *, author: str | None = None, user: str | None = None,
        forget: bool = False, consent: Callable[[str], bool] = lambda _: False,
    ) -> None:  # fmt: skip
        self._memory = memory
        self._folder = SyncFolder(root)
        self._by = author or _BY
        self._user = user
        self._turn_fields = (
            {"speaker": author, "role": "user"} if author else {"speaker": "document", "role": "document"}
        ) | ({"user": user} if user else {})
        self._forget = forget
        self._consent = consent
        self._report = SyncReport()
        # Id and text now of turns that this sync changed, by their earlier ids; None for those that it withdrew.
        self._changed = dict[str, tuple[str, str] | None]()

    def run(self) -> SyncReport:
        """Bring both sides to the same; what both changed is left as the memory has it, and stands in conflicts.md.

        Raises:
            InputError: too much is gone, and nobody agreed; nothing was changed.
            InvalidFile: a file cannot be read; nothing was changed.
        """
        view = self._view()
        lines = self._lines()
        missing_ids = [line_id for line_id in self._folder.state.lines if line_id not in lines]
        missing_foreign = list(self._missing_foreign())
        self._check(view, missing_ids, missing_foreign)
        self._delete(view, missing_ids, missing_foreign)
        for line_id, (path, line) in lines.items():
            self._edit(view, line_id, path, line)
        for path, blocks in self._folder.files.items():
            for place, line in enumerate(blocks):
                if line.id is None and not line.raw and line.text:
                    self._add(path, line, place)
        self._import_foreign()
        self._write(view)
        return self._report

    def _view(self) -> _View:
        state = self._folder.state
        hidden = {turn for turns in state.foreign.values() for turn in turns.values()}
        return _View(self._memory, hidden, state.sources, self._user)

    def _lines(self) -> dict[str, tuple[str, Line]]:
        """Return the lines with ids; of copies the one that was edited is a new line, if another one was not."""
        by_id = dict[str, tuple[str, Line]]()
        for path, blocks in self._folder.files.items():
            for line in blocks:
                if line.id is None:
                    continue
                if line.id not in by_id:
                    by_id[line.id] = path, line
                elif by_id[line.id][1].text == line.text:
                    line.dropped = True
                else:
                    base = self._folder.state.lines.get(line.id, ("", ""))[1]
                    copy = line if digest(line.text) != base else by_id[line.id][1]
                    by_id[line.id] = (path, line) if copy is not line else by_id[line.id]
                    copy.id = None
        return by_id

    # What is gone.

    def _missing_foreign(self) -> Iterator[tuple[str, str]]:
        """Yield the file and the turn of each section of others' files that is gone."""
        contents = self._folder.foreign()
        for path, turns in self._folder.state.foreign.items():
            keys = {key for key, _ in _sections(path, contents[path])} if path in contents else set[str]()
            yield from ((path, line_id) for key, line_id in turns.items() if key not in keys)

    def _check(self, view: _View, missing_ids: list[str], missing_foreign: list[tuple[str, str]]) -> None:
        """Ask before lines are taken out of the memory that are perhaps not gone on purpose."""
        stored_lines = self._folder.state.lines
        missing_items = [line_id for line_id in missing_ids if view.find(line_id)]
        if stored_lines and not any(
            line_id in view.items or view.latest(line_id) != line_id for line_id in stored_lines
        ):
            self._ask(f"of the {amount(len(stored_lines), 'line')} of {self._folder.root} none is of this memory")
        paths = {stored_lines[line_id][0] for line_id in missing_items} | {path for path, _ in missing_foreign}
        missing = sorted(
            path for path in paths if path not in self._folder.files and path not in self._folder.foreign()
        )
        if missing:
            self._ask(f"{', '.join(missing[:3])}{' and others' if len(missing) > 3 else ''}: gone from the folder")
        count = len(missing_items) + len(missing_foreign)
        total = len(stored_lines) + sum(map(len, self._folder.state.foreign.values()))
        if count > max(1, min(MOST_GONE, total // PART_GONE)):
            self._ask(f"{count} of {amount(total, 'line')} are gone from the files at once")
        if self._forget and (
            ids := [*self._whole_turns(view, missing_items), *(line_id for _, line_id in missing_foreign)]
        ):
            preview = self._memory.forget(*ids, preview=True)
            samples = "".join(f"\n  {sample}" for sample in preview.samples)
            self._ask(f"{amount(preview.turns, 'turn')} would be forgotten for good:{samples}")

    def _ask(self, text: str) -> None:
        if not self._consent(text):
            raise InputError(f"{text} - nothing was changed; restore them, or agree with --yes")

    @staticmethod
    def _whole_turns(view: _View, line_ids: list[str]) -> list[str]:
        """Return the turns of which lines are all that they say."""
        items = [item for line_id in line_ids if (item := view.find(line_id)) and item.turn]
        turns = [item.turn for item in items if canonical(view.present[item.turn or ""].text) == item.text]
        return list(dict.fromkeys(turn for turn in turns if turn))

    def _delete(self, view: _View, missing_ids: list[str], missing_foreign: list[tuple[str, str]]) -> None:
        state = self._folder.state
        erased = set(self._whole_turns(view, missing_ids) if self._forget else ())
        for line_id in missing_ids:
            path, base = state.lines[line_id]
            item = view.find(line_id)
            if item is None or item.turn in erased:
                continue
            if digest(item.text) != base:
                self._conflict(f"{path}: gone here, and changed in the memory: {item.text}")
            elif self._try(path, item.text, lambda line_id=line_id, item=item: self._replace(view, line_id, item, "")):
                self._report.retracted += 1
        for path, line_id in missing_foreign:
            turns = state.foreign[path]
            state.foreign[path] = {key: turn for key, turn in turns.items() if turn != line_id}
            if self._forget:
                erased.add(line_id)
            elif line_id in view.present:
                self._memory.retract(line_id, by=self._by, why="gone from a file")
                self._report.retracted += 1
        if erased:
            self._report.forgotten = self._memory.forget(*erased, by=self._by).turns

    def _replace(self, view: _View, line_id: str, item: _Item, text: str) -> bool:
        """Put another text in the place of a line, in the turn that it stands in, or nothing; tell if that was to do.

        Raises:
            InvalidQuery: this sync changed the turn otherwise before.
        """
        why = "edited in a file" if text else "gone from a file"
        if item.turn is None:
            self._change(line_id, text, why)
            return True
        latest = self._changed.get(item.turn, (item.turn, canonical(view.present[item.turn].text)))
        if latest is None or (text and text in latest[1] and item.text not in latest[1]):
            return False
        turn, turn_text = latest
        if item.text not in turn_text:
            raise InvalidQuery(f"its turn was changed to {turn_text!r} in another file - edit it in one")
        edited_text = canonical(turn_text.replace(item.text, text, 1))
        link = self._change(turn, edited_text, why)
        self._changed[item.turn] = (link, edited_text) if link else None
        return True

    def _change(self, line_id: str, text: str, why: str) -> str | None:
        """Correct a turn or a note, or retract it if no text is left; return the id of what stands in its place."""
        if not text:
            self._memory.retract(line_id, by=self._by, why=why)
            return None
        return self._memory.correct(line_id, text, by=self._by, why=why).link

    # What was edited.

    def _edit(self, view: _View, line_id: str, path: str, line: Line) -> None:
        base = self._folder.state.lines.get(line_id, ("", ""))[1]
        item = view.find(line_id)
        if not line.text or digest(line.text) == base or (item is not None and item.text == line.text):
            return
        if item is None or digest(item.text) != base:
            reason = "is gone from the memory" if item is None else f"is in the memory: {item.text}"
            self._conflict(f"{path}: edited here: {line.text}\n{reason}")
        elif self._try(path, line.text, lambda: self._replace(view, line_id, item, line.text)):
            self._report.corrected += 1

    def _add(self, path: str, line: Line, number: int) -> None:
        day = _DAY.fullmatch(path)
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        at = f"{day[1]}T12:00:00" if day and day[1] != today else None
        key = digest(path, line.text, str(self._folder.state.run), str(number))
        receipt = self._try(path, line.text, lambda: self._memory.add(
            {"text": line.text, "message_id": f"sync:{key}", **self._turn_fields}, at=at))  # fmt: skip
        if receipt is not None:
            line.id = receipt.id
            self._report.added += 1

    def _import_foreign(self) -> None:
        """Keep what is new in the files of others."""
        state = self._folder.state
        for path, content in self._folder.foreign().items():
            turns = state.foreign.setdefault(path, {})
            for key, message in _sections(path, content):
                if key in turns:
                    continue
                marked = {**message, **self._turn_fields, "message_id": f"sync:{digest(path, key, str(state.run))}"}
                receipt = self._try(path, message["text"], lambda marked=marked: self._memory.add(marked))
                if receipt is not None:
                    turns[key] = receipt.id
                    self._report.added += 1

    def _try(self, path: str, text: str, call: Callable[[], Any]) -> Any:
        """Return what a change gives; what the memory refuses is a conflict."""
        try:
            return call()
        except InputError as error:
            self._conflict(f"{path}: {text}\nwas refused: {error}")
            return None

    def _conflict(self, text: str) -> None:
        self._report.conflicts.append(text)

    # The files.

    def _write(self, before: _View) -> None:
        """Bring the files to what the memory has now: lines stay where they are, and new ones go to their file."""
        view = self._view()
        fresh = {line_id: item for line_id, item in view.items.items() if line_id not in before.items}
        files, written_ids = self._folder.files, set[str]()
        for line in chain.from_iterable(files.values()):
            if line.id is None or line.dropped:
                continue
            line_id = view.latest(line.id)
            if line_id not in view.items or not line_id.startswith(line.id[:4]):
                # A note or a fact that was edited has another id now.
                renamed = (new for new, item in fresh.items() if (new[:4], item.text) == (line.id[:4], line.text))
                line_id = next(renamed, line_id)
            if line_id in view.items and line_id not in written_ids:
                line.id, line.text = line_id, view.items[line_id].text
                written_ids.add(line_id)
            else:
                line.dropped = True
        for line_id, item in view.items.items():
            if line_id not in written_ids and not self._folder.is_foreign(item.path):
                blocks = files.setdefault(item.path, parse(f"# {_title(item.path)}\n\n"))
                at_end = len(blocks) - (bool(blocks) and blocks[-1].raw and not blocks[-1].text)
                blocks.insert(at_end, Line(item.text, line_id))
        derived = {name: (item.turn, item.text) for name, item in view.items.items() if name != item.turn and item.turn}
        self._folder.state.sources |= derived
        self._report.written, self._report.again = self._folder.write(view.speakers)
        if self._report.conflicts:
            place = self._folder.root / CONFLICTS
            earlier = place.read_text("utf-8") if place.exists() else "# Conflicts\n\nDelete what you have settled.\n"
            marks = "".join(f"\n- {text.replace(chr(10), chr(10) + '  ')}\n" for text in self._report.conflicts)
            write_whole(place, f"{earlier}{marks}")


def _title(path: str) -> str:
    name = path.rpartition("/")[2].removesuffix(".md")
    return name if path.startswith(DAYS) else name.replace("-", " ").capitalize()


def _sections(path: str, content: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the sections of a file of others, each with the digest of its text and place among equal ones."""
    counts = dict[str, int]()
    for item in markdown.note(content, path, None):
        if item.error is None:
            text = item.message["text"]
            counts[text] = counts.get(text, 0) + 1
            yield digest(text, str(counts[text])), dict(item.message)
