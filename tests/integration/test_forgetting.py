"""What is forgotten is gone: from every answer and every byte, whatever happens meanwhile."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formation import derived, example, formed
from tests.processes import exit_code, running, started
from tests.support import chatter

from hmem import Memory
from hmem.corpus import corpus
from hmem.corpus.corpus import Corpus
from hmem.storage.sqlite.store import SQLiteStorage
from hmem.util.files import files_under
from hmem.util.residue import words_in

SECRET = [
    {"text": "I adopted a zebrafish named Quillon yesterday in Zanzibar", "speaker": "Nadja", "session": "hideout"},
    {"text": "How lovely, Nadja! What does Quillon eat?", "speaker": "Bartholomew", "session": "hideout"},
    {"text": "Only plankton from Vladivostok. My sister Xanthippe sends it.", "speaker": "Nadja", "session": "hideout"},
    {"text": "You must be proud.", "speaker": "Bartholomew", "session": "hideout"},
]
WORDS = ["quillon", "zebrafish", "zanzibar", "plankton", "vladivostok", "xanthippe", "hideout", "nadja", "bartholomew"]


KEY = "correct horse battery staple"
ENCRYPTED_TOO = pytest.mark.parametrize(
    "key", [None, KEY], ids=["in the clear", "encrypted"], indirect=True, scope="module"
)


@pytest.fixture(scope="module", autouse=True)
def key(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """The key of every memory of a test, from the environment; None in the clear."""
    given: str | None = getattr(request, "param", None)
    with pytest.MonkeyPatch.context() as patched:
        if given is not None:
            patched.setenv("HMEM_KEY", given)
        yield given


def bytes_of(path: Path) -> bytes:
    """Everything that lies on the disk of a memory, read by nothing of ours."""
    folder = Path(f"{path}-index")
    files = [*sorted(path.parent.glob(f"{path.name}*")), *sorted(files_under(folder))]
    return b"".join(file.read_bytes() for file in files if file.is_file()).lower()


def said(messages: list[dict[str, Any]]) -> set[str]:
    return {word for each in messages for text in (each["text"], each.get("speaker", "")) for word in words_in(text)}


def shown(memory: Memory) -> str:
    """Everything that a memory shows."""
    return str([
        *(memory.tree(name, summaries=True) for name in ("calendar", "topic", "layers", "evolution")),
        memory.episodes(limit=1000), memory.events(limit=1000), memory.notes(limit=1000),
        memory.graph(limit=1000), memory.personas(), memory.tiers(), memory.list(limit=1000), memory.sessions(),
    ]).lower()  # fmt: skip


@ENCRYPTED_TOO
def test_what_is_forgotten_is_in_no_answer_and_in_no_byte(path: Path, key: str | None) -> None:
    with Memory(path) as memory:
        memory.add(example(30))
        memory.add(SECRET)
        memory.add(example(45)[30:])
        memory.consolidate()
        memory.flush()
        assert {word.encode() in bytes_of(path) for word in ("zanzibar", "hideout", "nadja")} == {key is None}
        forgotten = memory.forget(session="hideout", why="they asked", by="host")
        assert (forgotten.turns, forgotten.sessions, forgotten.speakers, forgotten.pending) == (4, 1, 2, None)
        assert forgotten.events
        assert forgotten.entities
        assert set(WORDS) <= set(forgotten.words)
        assert memory.verify(forgotten.words).problems == ()
        memory.consolidate()
        assert memory.verify(forgotten.words).problems == ()
        told = shown(memory)
        assert [word for word in WORDS if word in told] == []
        for word in WORDS:
            assert word not in memory.context(f"What of {word}?").text.lower().replace(f"what of {word}?", "")
    left = bytes_of(path)
    assert [word for word in WORDS if word.encode() in left] == []


def test_forgetting_leaves_the_memory_in_which_it_was_never_said() -> None:
    with Memory(":memory:") as memory, Memory(":memory:") as other:
        memory.add(example(24))
        memory.add(SECRET)
        other.add(example(24))
        memory.consolidate()
        other.consolidate()
        memory.forget(session="hideout")
        memory.consolidate()
        one, two = formed(memory), formed(other)
        for part in ("judgements", "events", "notes", "graph", "relations"):
            assert one[part] == two[part], part
        # What is kept of a person is renewed when a session begins; what is shown is as the notes stand.
        personas = [[(each.speaker, each.text, each.traits) for each in kept.personas()] for kept in (memory, other)]
        assert personas[0] == personas[1]
        texts = [
            sorted(str(text) for number in range(200) if (text := kept.profiles.get(number)) is not None)
            for kept in (derived(memory), derived(other))
        ]
        assert texts[0] == texts[1]


@settings(max_examples=3)
@given(st.randoms(use_true_random=False))
def test_in_any_order_what_is_forgotten_is_found_nowhere(chance: random.Random) -> None:
    messages = [{**each, "message_id": f"m{i}"} for i, each in enumerate(example(12) + SECRET)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "any.hmem"
        with Memory(path) as memory:
            ids = [receipt.id or "" for receipt in memory.add(messages)]
            order = list(range(len(messages)))
            chance.shuffle(order)
            while order:
                some = [order.pop() for _ in range(min(len(order), chance.randint(4, 12)))]
                if chance.random() < 0.5:
                    memory.consolidate()
                forgotten = memory.forget(*(ids[place] for place in some))
                assert forgotten.turns == len(some)
                assert memory.verify(forgotten.words).problems == ()
                gone = said([messages[place] for place in some])
                assert not set(forgotten.words) & said([messages[place] for place in order])
                assert set(forgotten.words) <= gone | words_in(" ".join(f"m{i} {messages[i]['session']}" for i in some))
            stats = memory.stats()
            assert (stats.turns, stats.events, stats.notes, stats.entities, stats.speakers) == (0, 0, 0, 0, 0)
        # Of a memory that forgot everything nothing is left but its own furniture.
        left = bytes_of(path)
        assert [word for word in WORDS if word.encode() in left] == []


def test_turns_that_come_while_others_are_forgotten_are_kept(path: Path) -> None:
    with Memory(path) as memory, Memory(path) as other:
        memory.add(SECRET)
        more = example(25)

        def add() -> None:
            for message in more:
                other.add(message)

        thread = threading.Thread(target=add)
        thread.start()
        forgotten = memory.forget(session="hideout")
        thread.join()
        memory.consolidate()
        assert memory.stats().turns == other.stats().turns == len(more)
        assert memory.verify(WORDS).problems == ()
        assert set(WORDS) <= set(forgotten.words)
        assert [word for word in WORDS if word in shown(other)] == []
        assert other.search("zebrafish Quillon", 3)[0].text in {message["text"] for message in more}


STAGES: list[tuple[type, str]] = [
    (Corpus, "forget"), (Corpus, "forget"), (SQLiteStorage, "form"), (Corpus, "wipe"), (SQLiteStorage, "purge"),
    (SQLiteStorage, "put_settings"),
]  # fmt: skip


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def forget_and_die_at(path: str, stage: int, key: str | None) -> None:
    """Be killed when a stage begins; the second is the first when it is done."""
    place, name = STAGES[stage]
    done = getattr(place, name)
    memory = Memory(path, key=key)
    memory.stats()
    setattr(place, name, lambda *arguments: die(done(*arguments)) if stage == 1 else die())
    memory.forget(session="hideout")


def forget_and_die_after(path: str, milliseconds: int, key: str | None) -> None:
    memory = Memory(path, key=key)
    threading.Timer(milliseconds / 1000, die).start()
    memory.forget(session="hideout")
    die()


def kill(task: Callable[[str, int, str | None], None], path: Path, how: int, key: str | None) -> None:
    assert exit_code(started(task, str(path), how, key)) == -signal.SIGKILL


def all_or_nothing(path: Path) -> bool:
    """Whether everything is gone; that not half of it is."""
    with Memory(path) as memory:
        kept = len(memory.list(session="hideout"))
        assert kept in (0, len(SECRET))
        if kept:
            assert memory.verify().problems == ()
            assert "quillon" in shown(memory)
            return False
        assert memory.verify(WORDS).problems == ()
        assert [word for word in WORDS if word in shown(memory)] == []
        by_people = [entry.verb for entry in memory.corpus.storage.recorded() if entry.verb not in ("renew", "revise")]
        assert by_people == ["forget"]
    left = bytes_of(path)
    assert [word for word in WORDS if word.encode() in left] == []
    return True


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, key: str | None) -> Path:
    """A folder with a consolidated memory that holds the secret; what lies beside it is of it."""
    folder = tmp_path_factory.mktemp("told")
    with Memory(folder / "test.hmem", key=key) as memory:
        memory.add(example(30))
        memory.add(SECRET)
        memory.consolidate()
    return folder


@ENCRYPTED_TOO
@pytest.mark.parametrize("stage", range(6))
def test_a_forgetting_that_is_killed_at_a_stage_is_done_or_not_begun(
    told: Path, path: Path, stage: int, key: str | None
) -> None:
    shutil.copytree(told, path.parent, dirs_exist_ok=True)
    kill(forget_and_die_at, path, stage, key)
    assert all_or_nothing(path) == (stage > 0)


@ENCRYPTED_TOO
def test_a_forgetting_that_is_killed_at_any_time_is_done_or_not_begun(
    told: Path, tmp_path: Path, key: str | None
) -> None:
    chance, done = random.Random(5), 0
    for number in range(6):
        path = shutil.copytree(told, tmp_path / str(number)) / "test.hmem"
        kill(forget_and_die_after, path, chance.randint(0, 100), key)
        with Memory(path) as memory:
            kept = len(memory.list(session="hideout"))
            assert kept in (0, len(SECRET))
            done += not kept
            assert memory.verify(() if kept else WORDS).problems == ()
    assert done <= 6


@ENCRYPTED_TOO
@pytest.mark.index_files_when_large
def test_a_large_memory_forgets_in_its_index_files_too(
    path: Path, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "ALONE_TURNS", 1_000)
    with Memory(path, recipe="flat") as memory:
        memory.add(chatter(1_200, sessions=40))
        memory.add(SECRET)
        memory.add(chatter(300, seed=1, sessions=3))
        memory.flush()
        index = Path(f"{path}-index")
        assert (index / "columns.npz").exists() == (key is None)
        before = {file.name for file in files_under(index)}
        assert memory.corpus._rows.lexical.holds(["vladivostok", "quillon"]) == ["vladivostok", "quillon"]
        memory.forget(speaker="Nadja")
        forgotten = memory.forget(session="hideout")
        assert (
            not before
            & {file.name for file in files_under(index)}
            & {name for name in before if name.startswith("vectors-")}
        )
        assert memory.corpus._rows.lexical.holds(["vladivostok", "quillon"]) == []
        assert memory.verify(WORDS).problems == ()
        assert forgotten.pending is None
    left = bytes_of(path)
    assert [word for word in WORDS if word.encode() in left] == []
    with Memory(path) as memory:
        assert memory.verify(WORDS).problems == ()
        assert len(memory.search("garden lantern", 5)) == 5


@ENCRYPTED_TOO
def test_another_process_that_is_writing_only_delays_the_wiping(path: Path) -> None:
    with Memory(path, busy_seconds=0.1) as memory:
        memory.add(example(10))
        memory.add(SECRET)
        hold = (
            "import sys; from hmem.storage import open_storage\n"
            "held = open_storage(sys.argv[1], read_only=True)\n"
            "with held.snapshot():\n"
            "    held.counts(); print('ready', flush=True); sys.stdin.readline()\n"
        )
        command = [sys.executable, "-c", hold, str(path)]
        with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
            assert reader.stdout is not None
            reader.stdout.readline()
            forgotten = memory.forget(session="hideout")
            assert forgotten.pending is not None
            assert memory.stats().forgetting_problem == forgotten.pending
            assert any("not finished" in problem for problem in memory.verify().problems)
            reader.communicate("\n")
        memory.consolidate()
        assert memory.stats().forgetting_problem is None
        assert memory.verify(forgotten.words).problems == ()
    left = bytes_of(path)
    assert [word for word in WORDS if word.encode() in left] == []


# Through what follows.


def test_a_forgotten_question_lives_on_in_no_answer_to_it(path: Path) -> None:
    with Memory(path) as memory:
        memory.add("Where did you hide the sapphire passport?", speaker="Ana", session="s")
        memory.add("In the oven.", speaker="Ben", session="s")
        memory.add("The mill is closed on Mondays.", speaker="Ben", session="s")
        done = memory.forget(memory.list()[0].id)
        assert {"sapphire", "passport"} <= {*done.words}
        assert not any(word in shown(memory) for word in ("sapphire", "passport"))
        assert memory.verify(done.words).ok
        # What was said is there, and so is what else was said.
        assert [turn.text for turn in memory.list()] == ["In the oven.", "The mill is closed on Mondays."]
        assert any("mill" in event.text for event in memory.events())
    assert not any(word in bytes_of(path) for word in (b"sapphire", b"passport"))


# By another process, and in what people wrote.


def test_what_another_process_forgets_this_one_remembers_no_more(path: Path) -> None:
    with Memory(path) as here:
        here.add(SECRET)
        here.add("The harbour was grey", speaker="Tom", session="other")
        assert here.search("What does Quillon eat?")
        with Memory(path) as there:
            assert there.search("Who is Quillon?")
            words = [*there.forget(session="hideout").words]
        # Whatever comes first hears of it: here the recall of something else.
        here.search("How was the harbour?")
        echo = "You said: I adopted a zebrafish named Quillon yesterday in Zanzibar"
        made = here.add({"role": "assistant", "content": echo})
        assert [turn.echoes for turn in here.list() if turn.id == made.id] == [()]
        here.forget(made.id)
        here.consolidate()
        assert here.verify(words).ok
    assert not any(word.encode() in bytes_of(path) for word in WORDS)


def test_an_edit_of_a_persona_says_no_more_what_was_forgotten(path: Path) -> None:
    edit = "Tom feeds the zebrafish Quillon on Sundays. He rows on the lake."
    with Memory(path) as memory:
        memory.add(SECRET)
        memory.add(["I live in Porto", "I work as a baker"], speaker="Tom", session="other")
        memory.edit.persona("Tom", text=edit, traits=["patient", "zebrafish lover"])
        with Memory(path) as other:
            done = other.forget(session="hideout")
        assert {"quillon", "zebrafish"} <= {*done.words}
        persona = memory.persona("Tom")
        assert persona is not None
        assert "He rows on the lake." in persona.text
        assert "patient" in persona.traits
        assert not any(word in shown(memory) for word in WORDS)
        memory.consolidate()
        assert memory.verify(done.words).ok
        (change,) = [each for each in memory.history() if each.verb == "persona"]
        assert change.after == "He rows on the lake.\ntraits: patient"
        # It can be undone as any other.
        memory.undo(change.id)
        assert "rows" not in str(memory.persona("Tom"))
    assert not any(word.encode() in bytes_of(path) for word in WORDS)
