"""What a memory is opened with and keeps, what opening leaves behind, and memories that can only be read."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.formation import FormedExample
from tests.support import chatter

from hmem import Memory, Turn, reembed
from hmem.api import opening
from hmem.api.erasure import Erasure
from hmem.api.opening import RECIPE
from hmem.errors import (
    EmbedderMismatch,
    HmemError,
    InvalidTurn,
    MemoryNotFound,
    ReadOnlyMemory,
    UnknownName,
)
from hmem.interfaces.cli import main
from hmem.language.embed import Embedder
from hmem.model.ids import new_key, to_id
from hmem.model.span import now
from hmem.model.turn import MessagesRejected
from hmem.papers.strategies.tiered import TieredOptions
from hmem.util.files import files_under, tree


def strategies(memory: Memory) -> tuple[str, ...]:
    return memory._components.retrieval_config.strategies


def on_the_command_line(*arguments: str) -> tuple[int, str]:
    with CliRunner().isolation() as streams:
        code = main(list(arguments))
        return code, "".join(stream.getvalue().decode() for stream in streams[:2])


# The recipe.


def test_a_memory_recalls_by_the_recipe_that_it_was_made_with(path: Path) -> None:
    with Memory(path, recipe="orchestrated", settings={"tiered.k": "7"}) as memory:
        memory.add(chatter(20))
        own = strategies(memory)
        assert own == ("tiered",)
    with Memory(path) as memory:
        assert strategies(memory) == own
        assert memory._components.retrieval_config.papers["tiered"] == TieredOptions(k=7)
    with Memory(path, recipe="flat") as memory:
        assert strategies(memory) == ("flat",)
    with Memory(path, settings={"tiered.threshold": "0.5"}) as memory:
        assert memory._components.retrieval_config.papers["tiered"] == TieredOptions(k=7, threshold=0.5)
    with Memory(path) as memory:
        assert strategies(memory) == own


def test_a_memory_opens_without_the_settings_of_another_version(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(3))
        kept = {"name": "fusion", "settings": {"retrieval.strategies": "graph", "read.strategies": "flat"}}
        memory.corpus.storage.put_settings({RECIPE: json.dumps(kept)})
    with pytest.warns(UserWarning, match="read.strategies=flat, but it is no setting of this version"):
        memory = Memory(path)
    with memory:
        assert strategies(memory) == ("graph",)


def test_a_memory_that_is_rebuilt_by_a_recipe_keeps_that(path: Path) -> None:
    with Memory(path, recipe="orchestrated") as memory:
        memory.add(chatter(20))
    with Memory(path, recipe="flat") as memory:
        memory.rebuild()
    with Memory(path) as memory:
        assert strategies(memory) == ("flat",)


# What is left.


def wrong_embedder(path: Path) -> None:
    Memory(path, embedder="no-such")


def empty_text(path: Path) -> None:
    with Memory(path) as memory:
        memory.add("")


def bad_message_on_the_command_line(path: Path) -> None:
    code, told = on_the_command_line("add", "", "--memory", str(path))
    assert code == 2, told
    raise InvalidTurn(told)


@pytest.mark.parametrize("fails", [wrong_embedder, empty_text, bad_message_on_the_command_line])
def test_what_fails_at_first_leaves_nothing(path: Path, fails: Callable[[Path], None]) -> None:
    with pytest.raises((InvalidTurn, UnknownName)):
        fails(path)
    assert list(path.parent.iterdir()) == []


def test_an_opening_that_fails_once_the_file_is_made_leaves_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMEM_EMBEDDER", "no-such")
    with pytest.raises(UnknownName):
        Memory(path)
    assert list(path.parent.iterdir()) == []


def test_a_list_of_which_nothing_can_be_kept_leaves_nothing(path: Path) -> None:
    with Memory(path) as memory, pytest.warns(MessagesRejected):
        assert [receipt.fate for receipt in memory.add(["", {"text": " "}])] == ["rejected"] * 2
    memory.close()
    assert list(path.parent.iterdir()) == []


def kept_afterwards(memory: Memory) -> None:
    memory.add("I live in Lisbon.")


def ruled(memory: Memory) -> None:
    memory.edit.set_conflict_rule("home", "first")


def bounded(memory: Memory) -> None:
    memory.model.budget(day_calls=3)


@pytest.mark.parametrize("does", [kept_afterwards, ruled, bounded])
def test_what_holds_anything_stays(path: Path, does: Callable[[Memory], None]) -> None:
    with Memory(path) as memory:
        with pytest.raises(InvalidTurn):
            memory.add("")
        does(memory)
    with Memory(path, create=False) as memory:
        assert memory.verify().ok


def test_a_memory_that_was_there_or_was_only_made_stays(path: Path) -> None:
    Memory(path).close()
    with Memory(path) as memory, pytest.raises(InvalidTurn):
        memory.add("")
    assert path.exists()


def test_a_memory_that_somebody_else_has_open_stays(path: Path) -> None:
    with Memory(path) as memory, Memory(path) as other:
        with pytest.raises(InvalidTurn):
            memory.add("")
        memory.close()
        other.add("I live in Lisbon.")
    with Memory(path, create=False) as again:
        assert [turn.text for turn in again.list()] == ["I live in Lisbon."]


def test_an_opening_that_fails_leaves_a_memory_that_was_there(path: Path) -> None:
    with Memory(path) as memory:
        memory.corpus.storage.put_settings({"embedder.fingerprint": "another"})
    with pytest.raises(EmbedderMismatch):
        Memory(path)
    assert path.exists()


# Only to be read.


@pytest.fixture
def kept(path: Path, formed_example: FormedExample) -> Path:
    formed_example(path, 40)
    with Memory(path) as memory:
        memory.consolidate()
        # One that is not formed yet.
        memory.corpus.append([Turn(to_id("turn", new_key()), "Nadia", "I collect old maps.", now(), "new")])
    return path


def content(path: Path) -> bytes:
    return path.read_bytes()


def test_a_memory_that_is_only_read_is_asked_everything_and_stays_as_it_is(kept: Path) -> None:
    before = content(kept)
    with Memory(kept, read_only=True, background=True) as memory:
        settings = memory.corpus.storage.state().settings
        assert memory.search("Who collects maps?")[0].text == "I collect old maps."
        assert memory.search("the dog", kinds=["note", "event", "episode"])
        assert memory.context("What does Nadia say of the dog?").text
        assert memory.ask("Where does Tomas work?").text
        assert memory.as_of("2999-01-01").search("the dog")
        assert memory.notes()
        assert memory.events()
        assert memory.tree("calendar", summaries=True).children
        assert memory.personas()
        assert memory.tiers().counts
        assert memory.history() is not None
        assert memory.graph().entities
        assert memory.forget(query="maps", preview=True).turns == 1
        told = memory.stats()
        assert (told.unformed, told.formation_problem) == (1, None)
        assert memory.verify().ok
        assert memory.corpus.storage.state().settings == settings
    assert content(kept) == before


WRITES: list[Callable[[Memory, str], object]] = [
    lambda memory, _: memory.add("I live in Lisbon."),
    lambda memory, turn: memory.correct(turn, "no"),
    lambda memory, turn: memory.retract(turn),
    lambda memory, _: memory.edit.set_conflict_rule("home", "first"),
    lambda memory, _: memory.edit.persona("Nadia", text="a sailor"),
    lambda memory, _: memory.undo("change_1"),
    lambda memory, turn: memory.feedback(turn, "approve"),
    lambda memory, turn: memory.forget(turn),
    lambda memory, _: memory.retain(30),
    lambda memory, _: memory.consolidate(),
    lambda memory, _: memory.rebuild(),
    lambda memory, _: memory.flush(),
    lambda memory, _: memory.model.run_jobs(),
    lambda memory, _: memory.model.reanalyse(),
    lambda memory, _: memory.model.budget(day_calls=1),
    lambda memory, _: memory.verify(["maps"]),
    lambda memory, _: memory.corpus.storage.put_settings({"a": "b"}),
]


def test_what_writes_or_needs_the_files_is_refused(kept: Path) -> None:
    before = content(kept)
    with Memory(kept, read_only=True) as memory:
        first = memory.list(limit=1)[0].id
        for write in WRITES:
            with pytest.raises(ReadOnlyMemory, match=" - "):
                write(memory, first)
    assert content(kept) == before


def test_what_others_write_meanwhile_is_read(kept: Path) -> None:
    with Memory(kept, read_only=True) as memory, Memory(kept) as other:
        other.add("I bought a sextant.", speaker="Nadia")
        assert memory.search("sextant")[0].text == "I bought a sextant."


def test_there_must_be_something_to_read(path: Path) -> None:
    with pytest.raises(MemoryNotFound):
        Memory(path, read_only=True)
    with pytest.raises(ReadOnlyMemory):
        Memory(":memory:", read_only=True)
    path.touch()
    with pytest.raises(HmemError, match="empty"):
        Memory(path, read_only=True)


# Root may write anything, unless that is taken from it.
BOUND = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]


def told_by_one_who_may_not_write(path: Path, code: str) -> str:
    """What a process says for which permissions hold."""
    bound = BOUND if os.geteuid() == 0 else []
    run = subprocess.run(
        [*bound, sys.executable, "-c", textwrap.dedent(code), str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


READS = """
    import sys
    from hmem import Memory
    from hmem.errors import ReadOnlyMemory
    from hmem.interfaces.cli import main
    with Memory(sys.argv[1]) as memory:
        print(memory.search("Who collects maps?")[0].text, len(memory.notes()) > 0)
        try:
            memory.add("I live in Lisbon.")
        except ReadOnlyMemory as error:
            print("refused", flush=True)
    sys.exit(main(["search", "Who collects maps?", "--memory", sys.argv[1]]))
"""


@pytest.mark.parametrize("folder", [0o755, 0o555])
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or (os.geteuid() == 0 and shutil.which("setpriv") is None),
    reason="nothing keeps this process from writing",
)
def test_a_file_that_may_not_be_written_is_read_by_itself(kept: Path, folder: int) -> None:
    shutil.rmtree(f"{kept}-index", ignore_errors=True)
    kept.chmod(0o444)
    kept.parent.chmod(folder)
    before = content(kept)
    try:
        told = told_by_one_who_may_not_write(kept, READS)
    finally:
        kept.parent.chmod(0o755)
    assert told.startswith("I collect old maps. True\nrefused\n")
    assert told.count("I collect old maps.") == 2
    assert content(kept) == before
    if folder == 0o555:
        assert [each.name for each in kept.parent.iterdir()] == [kept.name]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or (os.geteuid() == 0 and shutil.which("setpriv") is None),
    reason="nothing keeps this process from writing",
)
def test_a_folder_in_which_nothing_may_be_written_holds_a_memory_to_read(kept: Path) -> None:
    kept.parent.chmod(0o555)
    try:
        told = told_by_one_who_may_not_write(kept, READS)
    finally:
        kept.parent.chmod(0o755)
    assert told.startswith("I collect old maps. True\nrefused\n")


def files_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """The files in a folder of index files: when they were written, and what they hold."""
    return {str(each): (each.stat().st_mtime_ns, each.read_bytes()) for each in files_under(folder)}


@pytest.fixture
def indexed(kept: Path) -> Iterator[Path]:
    """A memory with index files, to which nothing was written afterwards."""
    with Memory(kept, background=False) as memory:
        memory.flush()
    before = content(kept), files_of(Path(f"{kept}-index"))
    assert before[1]
    yield kept
    assert (content(kept), files_of(Path(f"{kept}-index"))) == before


def test_a_memory_that_is_only_read_uses_the_index_files_and_leaves_them(indexed: Path) -> None:
    with Memory(indexed, read_only=True) as memory:
        # An index of its own would lack all of them.
        assert memory.stats().tail == 0
        assert memory.stats().index_bytes > 0
        assert memory.search("Who collects maps?")[0].text == "I collect old maps."
        assert memory.verify().ok


@pytest.mark.parametrize("lost", ["columns.npz", "vectors-*.lexical.npz"])
def test_index_files_that_cannot_be_read_are_done_without(kept: Path, lost: str) -> None:
    with Memory(kept, background=False) as memory:
        memory.flush()
    (damaged,) = Path(f"{kept}-index").glob(lost)
    damaged.write_bytes(b"?")
    before = files_of(Path(f"{kept}-index"))
    with Memory(kept, read_only=True) as memory:
        assert memory.search("Who collects maps?")[0].text == "I collect old maps."
        assert memory.verify().ok
        assert "cannot be read" in (memory.stats().index_problem or "")
    assert files_of(Path(f"{kept}-index")) == before


def test_what_the_index_files_lack_is_read_until_another_process_writes_them(kept: Path) -> None:
    with Memory(kept, background=False) as other:
        other.flush()
        other.add("I bought a sextant.", speaker="Nadia")
        with Memory(kept, read_only=True) as memory:
            assert 0 < memory.stats().tail < memory.stats().turns
            assert memory.search("sextant")[0].text == "I bought a sextant."
            other.flush()
            assert memory.search("sextant")[0].text == "I bought a sextant."
            # The same, when it makes all of them anew.
            other.rebuild()
            assert memory.search("sextant")[0].text == "I bought a sextant."
            assert memory.verify().ok


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or (os.geteuid() == 0 and shutil.which("setpriv") is None),
    reason="nothing keeps this process from writing",
)
def test_index_files_that_may_not_be_written_are_used(indexed: Path) -> None:
    indexed.chmod(0o444)
    places = [indexed.parent, *(each for each in tree(Path(f"{indexed}-index")) if each.is_dir())]
    for each in places:
        each.chmod(0o555)
    asks = """
        import sys
        from hmem import Memory
        with Memory(sys.argv[1]) as memory:
            print(memory.search("Who collects maps?")[0].text, memory.stats().tail, memory.stats().index_problem)
    """
    try:
        told = told_by_one_who_may_not_write(indexed, asks)
    finally:
        for each in places:
            each.chmod(0o755)
    assert told == "I collect old maps. 0 None\n"


def test_an_opening_goes_along_with_an_embedder_that_is_switched_meanwhile(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory(path) as memory:
        memory.add("The kiln is hot.", speaker="Ana")
    real, switched = opening.load_embedder, list[str]()

    def load(name: str) -> Embedder:
        loaded = real(name)
        if not switched:
            switched.append(name)
            reembed(path, "wordllama:64")
        return loaded

    monkeypatch.setattr(opening, "load_embedder", load)
    with Memory(path) as memory:
        assert memory.stats().embedder == "wordllama:64"
        assert memory.search("What is hot?")
    with pytest.raises(EmbedderMismatch):
        Memory(path, embedder="wordllama:128")


def test_a_memory_opens_though_its_embedder_is_switched_at_the_last_moment(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory(path) as memory:
        memory.add("The kiln is hot.", speaker="Ana")
    real, switched = Erasure.finish, list[int]()

    def finish(self: Erasure) -> None:
        if not switched:
            switched.append(reembed(path, "wordllama:64"))
        real(self)

    monkeypatch.setattr(Erasure, "finish", finish)
    with Memory(path) as memory, pytest.raises(EmbedderMismatch, match="open it again"):
        memory.search("What is hot?")
