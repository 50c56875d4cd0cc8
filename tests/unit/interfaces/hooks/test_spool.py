"""What is to be captured waits."""

from hmem.interfaces.hooks.settings import Settings
from hmem.interfaces.hooks.spool import Capture, put, read, session_file, waiting, write


def test_a_session_waits_once_with_what_came_last(settings: Settings) -> None:
    for transcript in ("/a.jsonl", "/b.jsonl"):
        put(settings, Capture("S1", transcript, "/work"))
    put(settings, Capture("../../etc/passwd", "/c.jsonl", "/work"))
    assert {each.transcript for _, each in waiting(settings)} == {"/b.jsonl", "/c.jsonl"}
    assert all(place.parent == settings.folder / "spool" for place, _ in waiting(settings))


def test_a_file_that_says_nothing_is_taken_away(settings: Settings) -> None:
    settings.make_folders()
    for name, text in (("a", "{"), ("b", "[]"), ("c", '{"session": "S1"}'), ("d", "\x00")):
        (settings.folder / "spool" / f"{name}.json").write_text(text)
    assert list(waiting(settings)) == []
    assert list((settings.folder / "spool").iterdir()) == []


def test_what_is_written_is_read(settings: Settings) -> None:
    settings.make_folders()
    place = session_file(settings, "S1", "offset")
    assert read(place) == {}
    write(place, {"offset": 3})
    assert read(place) == {"offset": 3}
    assert session_file(settings, "S1", "began") != place
