"""An evaluation that is interrupted goes on."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hmem.model.answer import Usage
from hmem_evals.asking import Gold, Outcome, TimedAnswer
from hmem_evals.conversations import Conversation, Question
from hmem_evals.journal import Journal, digest

QUESTION = Question("q1", "Who?", "Ana", "single-hop", ("1:0",))
GOLD = Gold(("1:0",), ("s1",), ("Me.",))
SAID = TimedAnswer("Ana", False, 0.5, 3.0, {"plan": Usage(1, 10, 5, 0.1, 2.5)}, correct=True, simple="Ana")
AT = datetime(2024, 1, 1, tzinfo=UTC)


def outcome() -> Outcome:
    return Outcome(QUESTION, GOLD, ("1:0", "1:1"), ("s1",), 1.0, 40, 2.0, SAID, "cache", AT, (SAID,))


def test_an_outcome_comes_back_as_it_was_noted(tmp_path: Path) -> None:
    Journal(tmp_path / "run", "key").note_outcome("asked q1", outcome())
    assert Journal(tmp_path / "run", "key").outcome("asked q1", QUESTION, GOLD) == outcome()


def test_a_line_that_was_cut_off_counts_for_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "key")
    journal.note_outcome("asked q1", outcome())
    journal.note("formed c", {"turns": 3})
    file = tmp_path / "outcomes.jsonl"
    file.write_text(file.read_text()[:-5])
    again = Journal(tmp_path, "key")
    assert again.get("formed c") is None
    assert again.outcome("asked q1", QUESTION, GOLD) == outcome()
    again.note("formed c", {"turns": 3})
    assert Journal(tmp_path, "key").get("formed c") == {"of": "formed c", "turns": 3}


def test_a_journal_of_another_run_is_begun_anew_with_its_memories(tmp_path: Path) -> None:
    Journal(tmp_path, "key").note("formed c", {"turns": 3})
    (tmp_path / "c.hmem").write_text("old")
    (tmp_path / "c.hmem-index").mkdir()
    (tmp_path / "c.hmem-index" / "rows").write_text("old")
    (tmp_path / "mine.txt").write_text("not ours")
    assert Journal(tmp_path, "other").get("formed c") is None
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine.txt", "outcomes.jsonl"]


def test_without_a_folder_nothing_is_kept() -> None:
    journal = Journal(None, "key")
    journal.note("formed c", {"turns": 3})
    assert journal.get("formed c") is not None
    assert Journal(None, "key").get("formed c") is None


def test_other_data_or_settings_are_another_run() -> None:
    message = {"text": "Hi", "speaker": "Ana", "at": AT, "session": "s", "message_id": "1"}
    one = Conversation("c", (message,), (QUESTION,))
    later = Conversation("c", ({**message, "at": AT + timedelta(days=1)},), (QUESTION,))
    assert digest([one], {"recipe": "flat"}) == digest([one], {"recipe": "flat"})
    assert len({digest([one], {"recipe": "flat"}), digest([one], {}), digest([later], {"recipe": "flat"})}) == 3
