from itertools import pairwise
from pathlib import Path

import pytest
from tests.formation import derived, example, formation, formed

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.errors import StorageFull
from hmem.formation.config import FormationConfig
from hmem.formation.pipeline import FormationPipeline
from hmem.language.analyst import Curation, Passage
from hmem.language.verbatim import VerbatimAnalyst
from hmem.storage.base import LogEntry


@pytest.fixture
def unformed() -> Memory:
    memory = Memory(":memory:", recipe="flat")
    memory.add(example(30))
    return memory


def test_forming_tells_how_many_and_leaves_none_behind(unformed: Memory) -> None:
    late = formation(unformed)
    assert late.backlog() == 30
    assert late.form() == 30
    assert (late.backlog(), late.form()) == (0, 0)


def test_forming_stops_at_its_limit_and_goes_on_from_there(unformed: Memory) -> None:
    late = formation(unformed)
    assert late.form(limit=12) == 12
    assert late.backlog() == 18
    told: list[tuple[int, int]] = []
    assert late.form(progress=lambda done, total: told.append((done, total))) == 18
    assert told[-1] == (18, 18)


def test_the_first_turn_that_the_embedder_cannot_read_is_a_word_in_the_log_and_later_ones_are_none(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Memory(path) as memory:
        memory.add("I moved to Porto because of my new job.", speaker="Ana")
        memory.stats()
        assert caplog.messages == []
        memory.add("Mi hermana Ana vive en Madrid y trabaja como enfermera desde enero.", speaker="Ana")
        memory.stats()
        memory.add("Am 5. März heirate ich Jana, und im Mai ziehen wir nach Hamburg.", speaker="Ana")
        memory.stats()
    with Memory(path) as memory:
        memory.add("Je travaille chez Airbus depuis le 3 mai et j'habite à Lyon avec Claire.", speaker="Ana")
        memory.stats()
    (told,) = caplog.messages
    assert "other languages (es)" in told
    assert "`hmem reembed --embedder multilingual`" in told


def test_nothing_is_formed_by_a_recipe_without_formation(unformed: Memory) -> None:
    assert unformed.stats().unformed == 0
    assert unformed.notes() == ()


def test_keeping_up_notes_a_problem_instead_of_raising_it(unformed: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    late = formation(unformed)

    def full(*_: object, **__: object) -> None:
        raise StorageFull("no space left - free some")

    with monkeypatch.context() as patch:
        patch.setattr(type(unformed.corpus.storage), "form", full)
        late.catch_up()
        assert late.problem == "no space left - free some"
        with pytest.raises(StorageFull):
            late.form()
    late.catch_up()
    assert late.problem is None
    assert late.backlog() == 0


class Stumbling(VerbatimAnalyst):
    """An analyst with a slip in it: one word brings it down."""

    def curate(self, passages):  # type: ignore[no-untyped-def]
        assert all(isinstance(passage, Passage) for passage in passages)
        if any("zeppelin" in turn.text for passage in passages for turn in passage.targets):
            raise IndexError("list index out of range")
        found: list[list[Curation]] = super().curate(passages)
        return found


class StumblingLate(VerbatimAnalyst):
    """An analyst with a slip where its reading is put into the derived state."""

    def importance(self, passages, personas=None, curations=None, claims=None):  # type: ignore[no-untyped-def]
        if any("zeppelin" in turn.text for passage in passages for turn in passage.targets):
            raise ZeroDivisionError("division by zero")
        return super().importance(passages, personas, curations, claims)


def stumbling(memory: Memory, analyst: type[VerbatimAnalyst] = Stumbling) -> FormationPipeline:
    reader = analyst()
    return FormationPipeline(memory.corpus, DerivedState(memory.corpus, reader), reader, FormationConfig())


@pytest.mark.parametrize(("analyst", "error"), [(Stumbling, "IndexError"), (StumblingLate, "ZeroDivisionError")])
def test_a_text_that_the_analyst_slips_at_is_set_aside(
    unformed: Memory, analyst: type[VerbatimAnalyst], error: str
) -> None:
    unformed.add("A zeppelin landed in Porto.", speaker="Nadia", session="s02")
    unformed.add("I live in Porto now.", speaker="Nadia", session="s02")
    late = stumbling(unformed, analyst)
    assert late.form() == 32
    with unformed.corpus.reading():
        told = late.warning() or ""
    assert (error in told, "zeppelin" in told, "`hmem rebuild`" in told) == (True, False, True)
    kept = derived(unformed)
    with unformed.corpus.reading():
        judgement = kept.judgements.get(31)
        assert judgement is not None
        assert (judgement.memorable, judgement.made_by, judgement.unread) == (False, "verbatim", ("error",))
        assert kept.events.of_turn(32)
        assert (kept.events.of_turn(31), kept.trees["calendar"].node_of(31)) == ((), None)
    assert unformed.verify().ok
    assert unformed.verify().remarks == ()


class Upgraded(VerbatimAnalyst):
    """A later version of the analyst, without the slip."""

    @property
    def made_by(self) -> str:
        return "verbatim/later"


def test_what_was_set_aside_is_formed_by_another_version(unformed: Memory) -> None:
    unformed.add("A zeppelin landed in Porto.", speaker="Nadia", session="s02")
    unformed.add("I live in Porto now.", speaker="Nadia", session="s02")
    stumbling(unformed).form()
    again = stumbling(unformed)
    with unformed.corpus.reading():
        assert again.is_up_to_date()
    later = stumbling(unformed, Upgraded)
    with unformed.corpus.reading():
        assert not later.is_up_to_date()
    later.form()
    kept = derived(unformed)
    with unformed.corpus.reading():
        assert later.is_up_to_date()
        assert (later.warning(), kept.judgements.unread_for("error")) == (None, [])
        assert kept.events.of_turn(31)


class Away(VerbatimAnalyst):
    """An analyst whose files are away."""

    def curate(self, passages):  # type: ignore[no-untyped-def]
        raise OSError("no such file")


def test_faults_of_the_surroundings_set_nothing_aside_and_are_tried_again_less_and_less_often(
    unformed: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("hmem.formation.pipeline.monotonic", lambda: now[0])
    late, tried = stumbling(unformed, Away), list[float]()
    form = late.form

    def counted(limit: int | None = None) -> int:
        tried.append(now[0] - 1000)
        return form(limit)

    monkeypatch.setattr(late, "form", counted)
    for _ in range(4000):
        late.catch_up()
        now[0] += 0.1
    assert "OSError" in (late.problem or "")
    assert (late.backlog(), derived(unformed).judgements.unread_for("error")) == (30, [])
    pauses = [after - before for before, after in pairwise(tried)]
    assert len(tried) < 20
    assert pauses == sorted(pauses)
    assert 60 <= max(pauses) < 61


def test_a_session_begins_with_its_first_turn_though_the_analyst_slips_at_it(unformed: Memory) -> None:
    unformed.add(["A zeppelin landed.", "Another zeppelin landed.", "I live in Porto."], speaker="Nadia", session="new")
    assert stumbling(unformed).form() == 33
    kept = derived(unformed)
    found = [kept.judgements.get(seq) for seq in (31, 32, 33)]
    assert [each and each.cut for each in found] == ["session", None, None]
    assert len({each and each.session for each in found}) == 1


def test_what_is_kept_of_a_person_follows_a_rule(memory: Memory) -> None:
    homes = [("Maria", "Porto"), ("Tom", "Rome"), ("Maria", "Lisbon"), ("Tom", "Paris")]
    for number, (speaker, home) in enumerate(homes):
        memory.add(f"I live in {home}.", speaker=speaker, session=f"s{number}", at=f"2024-0{number + 1}-01T10:00Z")
    memory.add("Good morning.", speaker="Ann", session="last", at="2024-06-01T10:00Z")
    memory.consolidate()

    def kept() -> dict[int, str]:
        return {number: text for number, (_, text, _) in formed(memory)["personas"].items()}

    assert kept() == {1: "home: Lisbon", 2: "home: Paris"}
    memory.edit.set_conflict_rule("Maria:home", "first")
    assert kept() == {1: "home: Porto", 2: "home: Paris"}
    memory.edit.set_conflict_rule("home", "first")
    assert kept() == {1: "home: Porto", 2: "home: Rome"}
    # Two that another process set, and formation sees at once.
    rules = [LogEntry(9, "user", "rule", slot, after="newest") for slot in ("Maria:home", "Tom:home")]
    memory.corpus.storage.record(rules)
    memory.consolidate()
    assert kept() == {1: "home: Lisbon", 2: "home: Paris"}


@pytest.mark.parametrize("analyst", [Stumbling, StumblingLate])
@pytest.mark.parametrize("limit", [1, 7, None])
def test_turns_beside_one_that_the_analyst_slips_at_are_formed_as_ever(
    unformed: Memory, analyst: type[VerbatimAnalyst], limit: int | None
) -> None:
    with Memory(":memory:", recipe="flat") as other:
        other.add([*example(30), {"text": "A zeppelin landed in Porto.", "speaker": "Nadia", "session": "later"}])
        late = stumbling(other, analyst)
        while late.form(limit):
            pass
        formation(unformed).form()
        one, two = formed(unformed), formed(other)
        assert {seq: two["events"][seq] for seq in one["events"]} == one["events"]
        assert [note for note in two["notes"] if note.turn <= 30] == one["notes"]
