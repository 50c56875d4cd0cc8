"""Which texts go into one call."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hmem.evolution.packing import TextKey, WriteItem, complete, in_order, portions, work_of
from hmem.language.analyst import Claim, Excerpt, Subject
from hmem.language.analyst.language_model import Room, ToName, ToPortray, ToProfile, ToSummarise, WriteRequest
from hmem.language.llm.tasks import as_json
from hmem.language.llm.texts import work_data
from hmem.language.tokens import count_tokens

MORNING = datetime(2025, 1, 1, 9, tzinfo=UTC)
LINES = [Excerpt(f"Maria likes the sea, {i}. " * 20, "Maria", MORNING, 5.0) for i in range(3)]


def lengths(pieces: list[WriteItem], room: Room) -> list[int]:
    return list(map(len, portions(pieces, room)))


@pytest.mark.parametrize(
    ("room", "wanted"),
    [(Room(10_000, 10_000), [3]), (Room(10_000, 200), [2, 1]), (Room(320, 10_000), [1, 1, 1]), (Room(0, 0), [1, 1, 1])],
)
def test_pieces_go_together_as_long_as_what_is_shown_and_what_is_said_fit(room: Room, wanted: list[int]) -> None:
    assert lengths([WriteItem(bytes([i]), ToSummarise((line,), 96)) for i, line in enumerate(LINES)], room) == wanted


def test_lines_that_pieces_share_take_room_once() -> None:
    room = Room(320, 10_000)
    assert lengths([WriteItem(bytes([i]), ToSummarise((LINES[0],), 96)) for i in range(3)], room) == [3]
    assert lengths([WriteItem(bytes([i]), ToSummarise((LINES[i % 2],), 96)) for i in range(3)], room) == [1, 1, 1]


def test_what_pieces_take_is_no_less_than_what_is_sent() -> None:
    claim = Claim("fact", "Maria", "likes", "the sea", "Maria likes the sea.")
    work = WriteRequest(
        (ToSummarise(tuple(LINES), 96),),
        (ToName((LINES[0],), ("Maria",), ("The mountains", "The town")),),
        (ToProfile(Subject("Sea", "location", (LINES[1],)), 96),),
        (ToPortray("Maria", (claim, claim), 96),),
    )
    asked = [*work.summaries, *work.topics, *work.profiles, *work.personas]
    pieces = [WriteItem(bytes([i]), one) for i, one in enumerate(asked)]
    sent = count_tokens(as_json(work_data(work)))
    fits = next(shown for shown in range(0, 4 * sent, 10) if lengths(pieces, Room(shown, 10_000)) == [4])
    assert sent <= fits < 2 * sent


def test_a_summary_of_summaries_comes_behind_those_that_are_written_with_it() -> None:
    january, march, year = (("summary", "calendar", number) for number in (3, 5, 1))
    told = [replace(LINES[i], text=text) for i, text in enumerate(("January.", "February.", "March."))]
    below: tuple[tuple[TextKey, Excerpt], ...] = (
        (january, told[0]),
        (("summary", "calendar", 4), told[1]),
        (march, told[2]),
    )
    above = WriteItem(b"y", ToSummarise((LINES[0], *told), 96), year, (LINES[0], *told), below)
    first = [
        WriteItem(b"j", ToSummarise((LINES[1],), 96), january),
        WriteItem(b"m", ToSummarise((LINES[2],), 96), march),
    ]
    assert in_order([above], {}) == [above]
    (*plain, last) = in_order([above, *first], {january: january, march: march, year: year})
    assert plain == first
    assert last.lines == (LINES[0], told[1])
    assert last.sources == (january, march)
    assert complete([*first, last]) == [*first, last]
    assert complete([first[0], last]) == [first[0]]
    assert work_of([[*first, last], [], [], []]).summaries[-1].summaries == (0, 1)
