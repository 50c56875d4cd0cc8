"""One turn at which something raises harms no other turn and no call, is found all the same, and can be forgotten."""

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.errors import EmbedderUnavailable, FormationDelayed
from hmem.formation import pipeline
from hmem.formation.organise import Organiser
from hmem.formation.pipeline import FormationPipeline
from hmem.language.embed import Embedder
from hmem.language.embed.wordllama import WordLlama
from hmem.language.verbatim import VerbatimAnalyst
from hmem.language.verbatim.reading import Reader
from hmem.model.node import TreeName

WORD: Final = "zeppelin"
BEFORE: Final = ("I live in Rome.", "I adopted a dog named Coco.")
AFTER: Final = ("I have two sisters, Ana and Rosa.", "We went to Lisbon in May and liked it.")


class Bug(Exception):
    """An error of no known kind."""


ERRORS: Final[dict[str, type[Exception]]] = {
    error.__name__.title(): error
    for error in (
        *(ValueError, KeyError, RuntimeError, AssertionError, RecursionError, Bug),
        *(MemoryError, OSError, EmbedderUnavailable),
    )
}
OFFENDERS: Final = tuple(f"I live in {WORD.title()} {name}. I like to swim there." for name in ERRORS)

# Stages that write texts when they are looked at.
WRITTEN: Final = ("attributed_summaries", "summarise", "attributed_names", "profiles", "personas")
# Where they are raised: a class or a module, and the name of what it calls.
STAGES: Final[dict[str, tuple[Any, str]]] = {
    **{name: (VerbatimAnalyst, name) for name in ("coverage", "curate", "cues", "events", "claims", "entities")},
    **{name: (VerbatimAnalyst, name) for name in ("labels_of", "importance", "maker", "reconcile", "likeness")},
    **{name: (VerbatimAnalyst, name) for name in WRITTEN},
    "embedder": (WordLlama, "embed"),
    "parts": (Embedder, "embed_parts"),
    "heads": (Reader, "read"),
    "echoes": (pipeline, "without_echoes"),
    "extract": (pipeline, "extract"),
    "vectors": (FormationPipeline, "_embed"),
    "add": (Organiser, "add"),
    "placement": (Organiser, "_place_in_trees"),
    "texts": (DerivedState, "outdate_texts"),
    "store": (DerivedState, "store"),
}


# Stages at which what is raised is held off before it reaches the turn.
HELD_OFF: Final = ("reconcile", "likeness", *WRITTEN)
# Turns for which the embedder is away; those that it cannot read have zeros.
WITHOUT_VECTOR: Final = ("3 turns have no vector - run `hmem rebuild`",)


def raise_at(monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    """Have a stage raise errors wherever offending turns are at hand: those that they name, one after another."""
    owner, name = STAGES[stage]
    times = count()
    work: Callable[..., Any] = getattr(owner, name)

    def raising(*args: Any, **kwargs: Any) -> Any:
        for errors in map(_named, args):
            if errors:
                raise errors[next(times) % len(errors)](WORD)
        return work(*args, **kwargs)

    monkeypatch.setattr(owner, name, raising)


def _named(value: Any) -> list[type[Exception]]:
    """Return the errors that the offending turns in a value name."""
    if isinstance(value, DerivedState):
        value = [event.text for seq in value.events.turns() for event in value.events.of_turn(seq)]
    elif isinstance(value, Embedder | FormationPipeline | Organiser | VerbatimAnalyst | Reader):
        return []
    said = repr(value)
    return [error for name, error in ERRORS.items() if f"{WORD.title()} {name}" in said]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of a few turns before the offending ones."""
    path = tmp_path_factory.mktemp("begun") / "me.hmem"
    with Memory(path) as memory:
        memory.add([{"text": text, "speaker": "Ann", "session": "s"} for text in BEFORE])
    return path


@pytest.fixture
def copied(begun: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(begun, tmp_path / "me.hmem"))


def use(memory: Memory, offenders: list[str], copy: Path, problems: tuple[str, ...] = ()) -> None:
    """Make every public call that formation could harm."""
    found = memory.search(WORD, k=len(OFFENDERS), min_score=0)
    assert {each.text for each in found} == {*OFFENDERS}
    memory.context("Where does Ann live?")
    memory.ask("Where does Ann live?")
    assert [memory.get(each).text for each in offenders] == [*OFFENDERS]
    assert [turn.text for turn in memory.list()][: len(BEFORE)] == [*BEFORE]
    for name in get_args(TreeName):
        memory.tree(name, summaries=True)
    for look in (memory.notes, memory.events, memory.episodes):
        look()
    for look in (memory.graph, memory.entities, memory.personas, memory.profile, memory.tiers, memory.sessions):
        look()
    one, other = memory.list(limit=2)
    for change in (memory.correct(one.id, "I live in Oslo."), memory.retract(other.id)):
        memory.undo(change.id)
    assert memory.history()
    memory.flush()
    memory.backup(copy)
    copy.unlink()
    assert memory.verify().problems == problems


def traces(folder: Path) -> list[Path]:
    """Return the files that have the word."""
    return [file for file in folder.rglob("*") if file.is_file() and WORD.encode() in file.read_bytes().lower()]


@pytest.mark.parametrize("stage", STAGES)
def test_faults_at_some_turns_harm_no_other_turn_and_no_call(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, stage: str
) -> None:
    raise_at(monkeypatch, stage)
    lacking = WITHOUT_VECTOR if stage == "embedder" else ()
    with Memory(copied) as memory:
        offenders = [memory.add(text, speaker="Ann", session="s").id for text in OFFENDERS]
        good = [memory.add(text, speaker="Ann", session="s").id for text in AFTER]
        use(memory, offenders, tmp_path / "copy.hmem", lacking)
        stats = memory.stats()
        assert (stats.unformed, stats.unread.get("error", 0)) == (0, 0 if stage in HELD_OFF else len(OFFENDERS))
        assert (stats.formation_problem is None) == (stage in HELD_OFF)
        assert all(memory.formed(turn).events for turn in good)
    with Memory(copied) as memory:
        use(memory, offenders, tmp_path / "copy.hmem", lacking)
        memory.consolidate()
        assert memory.delete(offenders[0]).pending is None
        assert memory.forget(*offenders[1:]).pending is None
        memory.rebuild()
        assert memory.stats().formation_problem is None
        assert memory.verify([WORD]).problems == ()
    assert traces(tmp_path) == []
    assert WORD not in caplog.text


def test_a_fault_while_consolidating_is_told_and_leaves_what_was_stored(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*_: Any) -> Any:
        raise KeyError(WORD)

    with Memory(copied) as memory:
        memory.flush()
        with monkeypatch.context() as patch:
            patch.setattr(DerivedState, "store", raising)
            with pytest.raises(FormationDelayed, match="consolidation failed"):
                memory.consolidate()
        result = memory.consolidate()
        assert result.left == 0
        assert result.summaries or result.profiles
        assert memory.verify().problems == ()
