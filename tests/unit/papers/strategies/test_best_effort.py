from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.formation import example
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.language.tokens import count_tokens
from hmem.papers.strategies.best_effort import BestEffortOptions, best_effort
from hmem.retrieval.sources import Sources

NOW = datetime(2025, 12, 1, tzinfo=UTC)
COLOUR = "What color did I ask you to use for the dashboard buttons last Tuesday?"


@pytest.fixture
def held(ten_months: Memory) -> Iterator[Sources]:
    with sources(ten_months) as opened:
        yield opened


def said(text: str, at: str, session: str, role: str = "user") -> dict[str, str]:
    return {"text": text, "speaker": "Ana" if role == "user" else "bot", "role": role, "at": at, "session": session}


def test_a_note_that_lacks_the_day_leads_to_its_episode(memory: Memory) -> None:
    """HiMem's worked case: the note that blue is preferred does not tell of the buttons, nor of Tuesday."""
    memory.add(
        [
            said("I prefer blue, it is my favorite color.", "2025-03-04T10:00:00Z", "design"),
            said("Please use it for the dashboard buttons, in the lighter shade.", "2025-03-04T10:01:00Z", "design"),
            said("Sure, done.", "2025-03-04T10:02:00Z", "design", "assistant"),
        ]
    )
    memory.add(chatter(120))
    with sources(memory) as held:
        asked = query(held, COLOUR, datetime(2025, 3, 10, tzinfo=UTC))
        found = best_effort(held, asked, BestEffortOptions())
        texts = {turn.text for turn in held.corpus.turns(found.rows[:3]).values()}
    assert any("blue" in held_note for held_note in _notes(held, found))
    assert found.story["confidence"] < 0.85
    assert found.story["ended in"] == "episodes"
    assert {"dashboard", "buttons"} <= set(found.story["lacking"])
    assert any("dashboard buttons" in text for text in texts)
    assert [hit.kind for hit in found.hits].count("episode") >= 1


def _notes(held: Sources, found: object) -> list[str]:
    numbers = [hit.number for hit in found.hits if hit.kind == "note"]  # type: ignore[attr-defined]
    return [note.text for number in numbers if (note := held.derived.notes.get(number))]


def test_notes_that_suffice_are_all_that_is_read(held: Sources) -> None:
    asked = query(held, "What is the name of Nadia's dog?", NOW)
    found = best_effort(held, asked, BestEffortOptions(threshold=0.0, notes_first=True))
    assert (found.story["ended in"], found.story["episodes"], found.story["sufficient"]) == ("notes", 0, True)
    assert {hit.kind for hit in found.hits} == {"note"}
    assert len(found.rows) <= BestEffortOptions().notes


def test_rules_do_not_end_the_search_unless_they_are_let(held: Sources) -> None:
    asked = query(held, "What is the name of Nadia's dog?", NOW)
    assert best_effort(held, asked, BestEffortOptions(threshold=0.0)).story["ended in"] == "episodes"


def test_who_asks_for_one_level_gets_the_notes_and_is_told_that_there_is_more(held: Sources) -> None:
    asked, options = query(held, "What is the name of Nadia's dog?", NOW), BestEffortOptions()
    notes, episodes = (best_effort(held, replace(asked, levels=levels), options) for levels in (1, 2))
    assert (notes.story["ended in"], notes.deeper) == ("notes", True)
    assert (episodes.story["ended in"], episodes.deeper) == ("episodes", False)
    assert {hit.kind for hit in notes.hits} == {"note"}
    assert len(notes.rows) < len(episodes.rows)
    for nothing in (replace(options, relevant=99.0), replace(options, use_episodes=False)):
        assert not best_effort(held, replace(asked, levels=1), nothing).deeper
    assert len(best_effort(held, replace(asked, levels=1), replace(options, relevant=99.0)).rows)


def test_a_note_stands_on_its_turn(held: Sources) -> None:
    found = best_effort(held, query(held, "What is the name of Nadia's dog?", NOW), BestEffortOptions())
    seqs = set(held.corpus.columns.seq[found.rows].tolist())
    assert all(set(hit.turns) <= seqs for hit in found.hits if hit.kind == "note")
    scores = [hit.score for hit in found.hits if hit.kind == "note"]
    assert scores == sorted(scores, reverse=True)


def test_the_ablations_leave_notes_or_episodes_out(held: Sources) -> None:
    asked = query(held, "What is the name of Nadia's dog?", NOW)
    notes = best_effort(held, asked, BestEffortOptions(use_episodes=False))
    episodes = best_effort(held, asked, BestEffortOptions(use_notes=False))
    assert {hit.kind for hit in notes.hits} == {"note"}
    assert {hit.kind for hit in episodes.hits} == {"episode"}
    assert episodes.story["direct"]
    nothing = best_effort(held, asked, BestEffortOptions(use_notes=False, use_episodes=False))
    assert (len(nothing.rows), nothing.hits) == (0, ())


def test_without_the_hierarchy_notes_lead_nowhere_and_lend_nothing(held: Sources) -> None:
    asked = query(held, "What is the name of Nadia's dog?", NOW)
    found = best_effort(held, asked, BestEffortOptions(threshold=0.0, hierarchy=False))
    assert (found.story["episodes"], found.story["ended in"]) == (0, "nothing more")
    assert found.story["notes"] > 0
    assert not found.terms["note"].any()
    assert len(found.rows) > BestEffortOptions().notes


def test_where_no_note_is_relevant_the_episodes_are_searched(held: Sources) -> None:
    asked = query(held, "What is the name of Nadia's dog?", NOW)
    assert best_effort(held, asked, BestEffortOptions()).story["notes"]
    found = best_effort(held, asked, BestEffortOptions(relevant=99.0))
    assert (found.story["notes"], found.story["direct"], found.story["ended in"]) == (0, True, "episodes")
    assert len(found.rows)


def test_a_note_leads_to_no_more_than_its_episodes(held: Sources) -> None:
    asked = query(held, "Which races did Nadia run?", NOW)
    for most in (1, 3):
        found = best_effort(held, asked, BestEffortOptions(episodes_per_note=most, nearest_episodes=False))
        assert found.story["episodes"] <= most * found.story["notes"]


@pytest.mark.parametrize("tokens", [1, 150, 1_272])
def test_notes_and_turns_stay_within_the_budget(held: Sources, tokens: int) -> None:
    found = best_effort(held, query(held, "Which races did Nadia run?", NOW), BestEffortOptions(tokens=tokens))
    turns = held.corpus.turns(found.rows)
    taken = sum(count_tokens(turn.content) for turn in turns.values()) + sum(map(count_tokens, _notes(held, found)))
    assert taken == found.story["tokens"]
    assert taken <= tokens or not len(found.rows)


def test_no_turn_nor_note_outside_of_what_is_allowed_is_found(held: Sources) -> None:
    allowed = np.zeros(len(held.corpus.columns), np.bool_)
    allowed[100:160] = True
    for options in (BestEffortOptions(), BestEffortOptions(use_notes=False)):
        found = best_effort(held, query(held, "What about Biscuit?", NOW, allowed=allowed), options)
        assert allowed[found.rows].all()
        for hit in found.hits:
            assert allowed[held.corpus.columns.rows_of(hit.turns)].all()


def test_notes_that_come_and_go_are_taken_up(memory: Memory) -> None:
    with sources(memory) as held:
        memory.add(example(80))
        asked = query(held, "What is the name of Nadia's dog?", NOW)
        best_effort(held, asked, BestEffortOptions())
        kept = memory.add("My parrot is called Pistachio", speaker="Nadia", session="new", at="2025-11-30T10:00:00Z")
        memory.flush()
        question = query(held, "What is Nadia's parrot called?", NOW)
        with memory.corpus.reading():
            found = best_effort(held, question, BestEffortOptions())
            assert any("Pistachio" in note for note in _notes(held, found))
        memory.delete(kept.id)
        with memory.corpus.reading():
            found = best_effort(held, question, BestEffortOptions())
            assert not any("Pistachio" in turn.text for turn in held.corpus.turns(found.rows).values())
