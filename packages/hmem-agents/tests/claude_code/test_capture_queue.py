"""What is to be captured waits."""

from hmem_agents.claude_code.capture_queue import (
    Capture,
    enqueue,
    queue_entries,
    read,
    session_file,
    take_events,
    write,
)
from hmem_agents.claude_code.settings import HookSettings


def test_a_session_waits_once_with_what_came_last(settings: HookSettings) -> None:
    for transcript in ("/a.jsonl", "/b.jsonl"):
        enqueue(settings, Capture("S1", transcript, "/work"))
    enqueue(settings, Capture("../../etc/passwd", "/c.jsonl", "/work"))
    assert {each.transcript for _, each in queue_entries(settings)} == {"/b.jsonl", "/c.jsonl"}
    assert all(place.parent == settings.folder / "spool" for place, _ in queue_entries(settings))


def test_a_file_that_says_nothing_is_taken_away(settings: HookSettings) -> None:
    settings.make_folders()
    for name, text in (("a", "{"), ("b", "[]"), ("c", '{"session": "S1"}'), ("d", "\x00")):
        (settings.folder / "spool" / f"{name}.json").write_text(text)
    assert list(queue_entries(settings)) == []
    assert list((settings.folder / "spool").iterdir()) == []


def test_what_is_written_is_read(settings: HookSettings) -> None:
    settings.make_folders()
    place = session_file(settings, "S1", "offset")
    assert read(place) == {}
    write(place, {"offset": 3})
    assert read(place) == {"offset": 3}
    assert session_file(settings, "S1", "began") != place


def test_an_event_that_comes_while_sessions_are_looked_at_is_left_for_the_next_look(settings: HookSettings) -> None:
    settings.make_folders()
    place = settings.folder / "spool" / "event-1-2.json"
    place.write_text('{"event": {"session_id": "S1", "transcript_path": "/a.jsonl"}, "named": "", "here": "2f62"}')
    assert list(queue_entries(settings)) == []
    assert place.exists()
    take_events(settings)
    assert [each for _, each in queue_entries(settings)] == [Capture("S1", "/a.jsonl", "/b")]
    assert not place.exists()


def test_what_is_no_event_is_noted_down_and_taken_away(settings: HookSettings) -> None:
    settings.make_folders()
    for number, text in enumerate(
        ("{", "[]", '{"event": ' + "[" * 9_999, '{"event": {}, "named": "x"}', '{"event": 3}')
    ):
        (settings.folder / "spool" / f"event-{number}-1.json").write_text(text)
    take_events(settings)
    assert list((settings.folder / "spool").iterdir()) == []
    assert settings.log.read_text().count("capture: ") == 5
