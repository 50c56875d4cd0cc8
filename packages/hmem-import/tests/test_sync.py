"""Sync of a memory with a folder of Markdown.

``HMEM_SYNC_EDITS=1000 pytest packages/hmem-import/tests/test_sync.py -k random`` makes a thousand random edits.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from hmem import Memory
from hmem.errors import InputError, InvalidFile
from hmem_import.sync import Sync, SyncReport
from hmem_import.sync_folder import CONFLICTS, STATE, canonical, parse

EDITS = int(os.environ.get("HMEM_SYNC_EDITS", "60"))
STORY = [
    {"text": "I moved to Porto last week. My sister Ana lives in Faro.", "speaker": "Maria", "at": "2026-03-01T10:00Z"},
    {"text": "I'm allergic to penicillin.", "speaker": "Maria", "at": "2026-03-02T10:00Z"},
    {"text": "I adopted a puppy named Coco.", "speaker": "Maria", "at": "2026-03-03T10:00Z"},
    {"text": "Congratulations!\n\n- What breed is she?", "role": "assistant", "at": "2026-03-03T10:01Z"},
]  # fmt: skip
ALLERGY, COCO = "days/2026-03-02.md", "days/2026-03-03.md"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:", embedder="wordllama:64") as opened:
        opened.add(STORY)
        yield opened


@pytest.fixture
def root(memory: Memory, tmp_path: Path) -> Path:
    assert Sync(memory, tmp_path / "notes").run().written
    return tmp_path / "notes"


def edit(root: Path, path: str, change: Callable[[str], str]) -> None:
    place = root / path
    place.write_text(change(place.read_text("utf-8")), "utf-8")


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda content: content.replace(old, new)


def without(text: str) -> Callable[[str], str]:
    return lambda content: "\n".join(row for row in content.split("\n") if text not in row)


def said(memory: Memory) -> list[str]:
    """Return the texts of the turns that are in force."""
    gone, undone = set[str](), set[str]()
    for change in memory.history():
        if change.verb in ("correct", "retract"):
            (undone.add(change.link or "") if change.undone else gone.add(change.target))
    return [turn.text for turn in memory.list(limit=10_000) if turn.id not in gone | undone]


def did(outcome: SyncReport) -> tuple[int, int, int, int]:
    assert not outcome.conflicts
    return outcome.added, outcome.corrected, outcome.retracted, outcome.forgotten


def test_a_folder_has_a_profile_notes_by_subject_and_a_file_for_each_day(memory: Memory, root: Path) -> None:
    names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.md"))
    assert names == ["days/2026-03-01.md", ALLERGY, COCO, "notes/maria.md", "profile.md"]
    assert "- **Maria:** I'm allergic to penicillin. <!-- turn_" in (root / ALLERGY).read_text("utf-8")
    assert "- I'm allergic to penicillin. <!-- note_" in (root / "notes/maria.md").read_text("utf-8")
    assert "- I'm allergic to penicillin. <!-- fact_" in (root / "profile.md").read_text("utf-8")
    assert Sync(memory, root).run() == SyncReport()


@pytest.mark.parametrize("path", [ALLERGY, "notes/maria.md", "profile.md"])
def test_an_edit_is_a_correction_and_stands_in_every_file(memory: Memory, root: Path, path: str) -> None:
    edit(root, path, replaced("penicillin", "aspirin"))
    assert did(Sync(memory, root, author="Maria").run()) == (0, 1, 0, 0)
    assert "I'm allergic to aspirin." in said(memory)
    assert memory.history()[-1].by == "Maria"
    for shown in (ALLERGY, "notes/maria.md", "profile.md"):
        assert "aspirin" in (root / shown).read_text("utf-8")
        assert "penicillin" not in (root / shown).read_text("utf-8")
    assert Sync(memory, root).run() == SyncReport()


@pytest.mark.parametrize("path", [ALLERGY, "notes/maria.md", "profile.md"])
def test_a_line_that_is_gone_is_retracted(memory: Memory, root: Path, path: str) -> None:
    edit(root, path, without("penicillin"))
    assert did(Sync(memory, root).run()) == (0, 0, 1, 0)
    assert memory.history()[-1].verb == "retract"
    assert all("penicillin" not in place.read_text("utf-8") for place in root.rglob("*.md"))
    memory.undo(memory.history()[-1].id)
    Sync(memory, root).run()
    assert "penicillin" in (root / ALLERGY).read_text("utf-8")


def test_a_sentence_that_is_gone_leaves_the_others_of_its_turn(memory: Memory, root: Path) -> None:
    edit(root, "profile.md", without("My sister"))
    assert did(Sync(memory, root).run()) == (0, 0, 1, 0)
    assert said(memory)[-1] == "I moved to Porto last week."


def test_a_new_line_is_a_turn_of_the_day_with_the_authority_of_a_document(memory: Memory, root: Path) -> None:
    edit(root, COCO, lambda content: f"{content}\nA paragraph\nof two rows\n- [ ] Call the vet.\n")
    assert did(Sync(memory, root).run()) == (2, 0, 0, 0)
    first, second = memory.list()[-2:]
    assert (first.text, first.role, f"{first.at:%Y-%m-%d}") == ("A paragraph\nof two rows", "document", "2026-03-03")
    assert second.text == "[ ] Call the vet."
    assert Sync(memory, root).run() == SyncReport()


def test_a_new_line_of_who_edits_is_their_own(memory: Memory, root: Path) -> None:
    edit(root, "notes/maria.md", lambda content: f"{content}- I live in Braga.\n")
    Sync(memory, root, author="Maria").run()
    turn = memory.list()[-1]
    assert (turn.speaker, turn.role) == ("Maria", "user")
    assert "Braga" in memory.profile("Maria").text


def test_what_is_moved_or_set_between_stays_where_it_is(memory: Memory, root: Path) -> None:
    line = next(row for row in (root / ALLERGY).read_text("utf-8").split("\n") if "penicillin" in row)
    edit(root, ALLERGY, without("penicillin"))
    edit(root, COCO, lambda content: f"---\ntags: pets\n---\n## Health\n{line}\n\n> quoted\n{content}")
    before = (root / COCO).read_text("utf-8")
    assert Sync(memory, root).run() == SyncReport()
    assert (root / COCO).read_text("utf-8") == before
    memory.correct(memory.list()[1].id, "I'm allergic to nuts.")
    Sync(memory, root).run()
    assert "## Health\n- **Maria:** I'm allergic to nuts. <!-- turn_" in (root / COCO).read_text("utf-8")


def test_a_copy_that_was_edited_is_a_new_line(memory: Memory, root: Path) -> None:
    line = next(row for row in (root / ALLERGY).read_text("utf-8").split("\n") if "penicillin" in row)
    edit(root, COCO, lambda content: f"{content}{line.replace('penicillin', 'cats')}\n{line}\n")
    assert did(Sync(memory, root).run()) == (1, 0, 0, 0)
    assert {"I'm allergic to penicillin.", "I'm allergic to cats."} <= set(said(memory))


def test_what_both_sides_changed_is_shown_and_nothing_is_lost(memory: Memory, root: Path) -> None:
    edit(root, ALLERGY, replaced("penicillin", "aspirin"))
    memory.correct(memory.list()[1].id, "I'm allergic to nuts.")
    outcome = Sync(memory, root).run()
    assert len(outcome.conflicts) == 1
    assert "I'm allergic to nuts." in (root / ALLERGY).read_text("utf-8")
    conflicts = (root / CONFLICTS).read_text("utf-8")
    assert "edited here: I'm allergic to aspirin." in conflicts
    assert "is in the memory: I'm allergic to nuts." in conflicts
    assert Sync(memory, root).run() == SyncReport()


def test_a_line_gone_here_and_changed_there_comes_back(memory: Memory, root: Path) -> None:
    edit(root, ALLERGY, without("penicillin"))
    memory.correct(memory.list()[1].id, "I'm allergic to nuts.")
    assert "gone here" in Sync(memory, root).run().conflicts[0]
    assert "nuts" in (root / ALLERGY).read_text("utf-8")


def test_a_file_or_folder_that_is_gone_stops_the_sync_until_somebody_agrees(memory: Memory, root: Path) -> None:
    (root / ALLERGY).unlink()
    with pytest.raises(InputError, match="gone from the folder"):
        Sync(memory, root).run()
    assert "I'm allergic to penicillin." in said(memory)
    assert did(Sync(memory, root, consent=lambda _: True).run()) == (0, 0, 1, 0)


def test_many_lines_gone_at_once_stop_the_sync(memory: Memory, root: Path) -> None:
    memory.add([{"text": f"Fact number {number}.", "at": "2026-03-04T10:00Z"} for number in range(300)])
    Sync(memory, root).run()
    for gone, stops in ((20, False), (21, True)):
        rows = (root / "days/2026-03-04.md").read_text("utf-8").split("\n")
        kept = [row for row in rows if not row.startswith("-")] + [row for row in rows if row.startswith("-")][gone:]
        (root / "days/2026-03-04.md").write_text("\n".join(kept), "utf-8")
        if stops:
            with pytest.raises(InputError, match="21 of"):
                Sync(memory, root).run()
        else:
            assert Sync(memory, root).run().retracted == gone


def test_a_folder_of_another_memory_or_without_its_state_is_left_alone(memory: Memory, root: Path) -> None:
    with Memory(":memory:", embedder="wordllama:64") as other, pytest.raises(InputError, match="of this memory"):
        Sync(other, root).run()
    (root / STATE).unlink()
    with pytest.raises(InvalidFile, match="is gone"):
        Sync(memory, root).run()


def test_a_sentence_that_says_two_things_stands_once_in_a_file(memory: Memory, root: Path) -> None:
    memory.add("I live in Porto with my dog, Coco.", speaker="Rui", at="2026-03-05T10:00Z")
    Sync(memory, root).run()
    assert len([note for note in memory.notes() if note.text == "I live in Porto with my dog, Coco."]) == 2
    assert (root / "notes/rui.md").read_text("utf-8").count("Coco") == 1
    assert did(Sync(memory, root).run()) == (0, 0, 0, 0)


def test_a_folder_that_cannot_be_written_is_named_and_synced_later(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/days").write_text("in the way", "utf-8")
    with pytest.raises(InvalidFile, match="cannot be written"):
        Sync(memory, tmp_path / "notes").run()
    (tmp_path / "notes/days").unlink()
    assert Sync(memory, tmp_path / "notes").run().written


def test_forgetting_is_previewed_and_only_with_consent(memory: Memory, root: Path) -> None:
    edit(root, ALLERGY, without("penicillin"))
    asked = list[str]()
    with pytest.raises(InputError):
        Sync(memory, root, forget=True, consent=lambda text: bool(asked.append(text))).run()
    assert "1 turn would be forgotten for good:\n" in asked[0]
    assert "penicillin" in asked[0]
    assert did(Sync(memory, root, forget=True, consent=lambda _: True).run()) == (0, 0, 0, 1)
    assert all("penicillin" not in turn.text for turn in memory.list())
    assert memory.verify(["penicillin"]).ok


def test_markdown_of_others_is_read_and_kept(memory: Memory, tmp_path: Path) -> None:
    """A folder as Claude Code and OpenClaw have it."""
    root = tmp_path / "memory"
    (root / "memory").mkdir(parents=True)
    claude = "# Project\n\n- Use uv, not pip.\n- Tests are fast.\n"
    (root / "CLAUDE.md").write_text(claude, "utf-8")
    (root / "memory/2026-03-01.md").write_text("Met Ana at the harbour.\n", "utf-8")
    (root / "profile.md").write_text("My own profile.\n", "utf-8")
    assert did(Sync(memory, root).run())[0] == 4
    assert (root / "CLAUDE.md").read_text("utf-8") == claude
    assert (root / "profile.md").read_text("utf-8") == "My own profile.\n"
    assert Sync(memory, root).run() == SyncReport()
    assert all("uv" not in place.read_text("utf-8") for place in (root / "days").glob("*.md"))
    edit(root, "CLAUDE.md", replaced("Tests are fast", "Tests are slow"))
    assert did(Sync(memory, root).run()) == (1, 0, 1, 0)
    assert [text for text in said(memory) if "Tests are" in text] == ["Project: Tests are slow."]


def test_a_file_that_is_edited_while_the_sync_runs_is_left_for_the_next(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(root, ALLERGY, replaced("penicillin", "aspirin"))
    sync = Sync(memory, root)
    edit(root, ALLERGY, lambda content: f"{content}- And to dust.\n")
    outcome = sync.run()
    assert outcome.again
    assert "And to dust." in (root / ALLERGY).read_text("utf-8")
    assert did(Sync(memory, root).run()) == (1, 0, 0, 0)
    assert Sync(memory, root).run() == SyncReport()
    assert {"I'm allergic to aspirin.", "And to dust."} <= set(said(memory))


def test_a_sync_that_broke_off_before_the_files_adds_nothing_twice(
    memory: Memory, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(root, ALLERGY, lambda content: f"{content.replace('penicillin', 'aspirin')}- And to dust.\n")
    edit(root, COCO, without("Coco"))
    sync = Sync(memory, root)
    monkeypatch.setattr(sync, "_write", lambda _: None)
    sync.run()
    before = said(memory)
    assert did(Sync(memory, root).run())[1:] == (0, 0, 0)
    assert said(memory) == before
    assert Sync(memory, root).run() == SyncReport()


# Random edits.


class Life:
    """A memory and its folder, changed on both sides; ``texts`` are those that should stand on both."""

    def __init__(self, memory: Memory, root: Path, random: Random) -> None:
        self.memory, self.root, self.random = memory, root, random
        self.count, self.texts = 0, list[str]()

    def new(self) -> str:
        self.count += 1
        things = ["tea", f"a thing {self.count}.\n\n- a van", "<!-- x"]
        verb, thing = self.random.choice(["like", "bought", "lost", "need"]), self.random.choice(things)
        return f"I {verb} {thing} number {self.count}."

    def rows(self) -> list[tuple[Path, str, str]]:
        """Return the lines of the files: the file, the line as it stands there, its text."""
        places = sorted(path for path in self.root.rglob("*.md") if path.name != CONFLICTS)
        lines = [(path, line) for path in places for line in parse(path.read_text("utf-8")) if line.id]
        speakers = {turn.id: turn.speaker for turn in self.memory.list(limit=10_000)}
        return [(path, line.render(speakers.get(line.id or "")), line.text) for path, line in lines]

    def edit_files(self, busy: set[str]) -> None:
        path, row, text = self.random.choice(self.rows())
        # A note or a line of the profile may be one sentence of a turn.
        whole = next((candidate for candidate in self.texts if text in candidate), None)
        if whole is None or whole in busy:
            return
        busy.add(whole)
        content = path.read_text("utf-8")
        assert content.count(row) == 1
        match self.random.choice(["edit", "edit", "gone", "new", "new", "move"]):
            case "edit":
                new = self.new()
                first, *_ = row.split("\n")
                mark = first[first.index(" <!-- ") if "-->" in first else len(first) :].rpartition(" <!-- ")[2]
                head = first[: first.index(":** ") + 4] if ":** " in first else "- "
                body = new.replace("<!--", "&lt;!--").split("\n")
                lines = [f"{head}{body[0]} <!-- {mark}", *(f"  {line}" if line else "" for line in body[1:])]
                path.write_text(content.replace(row, "\n".join(lines)), "utf-8")
                self.texts[self.texts.index(whole)] = changed = canonical(whole.replace(text, new, 1))
                busy.add(changed)
            case "gone":
                path.write_text(content.replace(f"{row}\n", ""), "utf-8")
                self.texts.remove(whole)
                if rest := canonical(whole.replace(text, "", 1)):
                    self.texts.append(rest)
                    busy.add(rest)
            case "move":
                path.write_text(content.replace(f"{row}\n", ""), "utf-8")
                other = self.random.choice(self.rows() or [(path, "", "")])[0]
                other.write_text(f"{row}\n\n{other.read_text('utf-8')}", "utf-8")
            case _:
                new = self.new()
                body = "\n".join(f"  {line}" if line and place else line for place, line in enumerate(new.split("\n")))
                path.write_text(f"{content}\n- {body}\n", "utf-8")
                self.texts.append(new)
                busy.add(new)

    def edit_memory(self, busy: set[str]) -> None:
        texts = [text for text in self.texts if text not in busy]
        kind = self.random.choice(["add", "correct", "retract"]) if len(texts) > 3 else "add"
        new = self.new()
        if kind == "add":
            self.memory.add(new, speaker="Maria", at=f"2026-03-{self.random.randint(1, 9):02}T10:00Z")
            self.texts.append(new)
            busy.add(new)
            return
        text = self.random.choice(texts)
        busy |= {text, new}
        ids = {turn.text: turn.id for turn in self.memory.list(limit=10_000)}
        if kind == "correct":
            self.memory.correct(ids[text], new)
            self.texts[self.texts.index(text)] = new
        else:
            self.memory.retract(ids[text])
            self.texts.remove(text)

    def check(self) -> None:
        outcome = Sync(self.memory, self.root, author="Maria", consent=lambda _: True).run()
        assert not outcome.conflicts
        assert Sync(self.memory, self.root).run() == SyncReport()
        shown = Counter(text for path, row, text in self.rows() if "<!-- turn_" in row)
        assert shown == Counter(self.texts) == Counter(said(self.memory))


@pytest.mark.hypothesis
@pytest.mark.timeout(1_800)
def test_random_edits_on_both_sides_end_in_the_same_texts(tmp_path: Path) -> None:
    random = Random(7)
    with Memory(":memory:", embedder="wordllama:64") as memory:
        life = Life(memory, tmp_path, random)
        for _ in range(8):
            life.edit_memory(set())
        life.check()
        done = 0
        while done < EDITS:
            busy = set[str]()
            for _ in range(random.randint(1, 12)):
                (life.edit_files if random.random() < 0.75 else life.edit_memory)(busy)
                done += 1
            life.check()
