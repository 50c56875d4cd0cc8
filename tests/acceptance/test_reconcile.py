"""Revisions against pairs labelled by hand, and the worked case of HiMem."""

from collections.abc import Iterator

import pytest
from benchmarks.reconcile import measure, pairs

from hmem import Memory

# Measured: none wrong, 0.03 and 0.13 missed, 0.93 and 0.89 accurate. The patterns that trees replaced missed 0.03 and
# were 0.95 accurate on these pairs, whose sentences they were written for.
WRONG_REVISIONS, MISSED, ACCURACY = 0.0, 0.14, 0.89


def test_hardly_a_note_is_retired_that_still_holds() -> None:
    report, _ = measure()
    assert len(pairs()) >= 140
    for part in ("seen", "held_out"):
        assert report[part]["wrong_revisions"] <= WRONG_REVISIONS
        assert report[part]["missed_contradictions"] <= MISSED
        assert report[part]["accuracy"] >= ACCURACY


# The paper says "I love the blue theme" and "green accents are easier on my eyes": no rule tells that these are about
# one thing, so the case is told with its slot.
@pytest.fixture(params=["fusion", "notes-episodes"])
def memory(request: pytest.FixtureRequest) -> Iterator[Memory]:
    with Memory(":memory:", recipe=request.param) as made:
        made.add("My theme colour is blue.", speaker="Maria", at="2024-01-05T10:00:00Z", session="january")
        made.add("It suits the dashboard well.", speaker="Ben", at="2024-01-05T10:01:00Z", session="january")
        made.add(
            "My theme colour is green now. It is easier on my eyes.",
            speaker="Maria", at="2024-03-12T10:00:00Z", session="march",
        )  # fmt: skip
        made.add("Good to know, I will use them.", speaker="Ben", at="2024-03-12T10:01:00Z", session="march")
        yield made


def test_a_preference_that_changed_is_told_as_it_is_now_and_as_it_was(memory: Memory) -> None:
    now = memory.search("Which theme colour does Maria prefer now?", kinds=("note",), at="2024-04-01T00:00:00Z")
    assert [item.text for item in now] == ["Maria's theme colour is green now. It is easier on Maria's eyes."]
    then = memory.search("Which theme colour did Maria originally prefer?", kinds=("note",), at="2024-04-01T00:00:00Z")
    assert [item.text for item in then] == ["Maria's theme colour is blue."]
    assert "green" in memory.ask("Which theme colour does Maria prefer now?", at="2024-04-01T00:00:00Z").text
    assert "blue" in memory.ask("Which theme colour did Maria originally prefer?", at="2024-04-01T00:00:00Z").text


def test_the_note_keeps_what_it_was_before_with_its_dates_and_both_episodes(memory: Memory) -> None:
    blue, green = memory.notes(subject="Maria")
    assert (blue.value, blue.status, blue.successor) == ("blue", "superseded", green.id)
    assert (green.value, green.status, green.predecessors) == ("green", "current", (blue.id,))
    assert blue.valid_to == green.valid_from == green.recorded
    episodes = {episode.id: episode.session for episode in memory.episodes()}
    assert [episodes[each] for each in (*blue.episodes, *green.episodes)] == ["january", "march"]
    assert memory.as_of("2024-02-01").notes(subject="Maria")[0].status == "current"
