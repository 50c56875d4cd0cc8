"""`hmem consolidate`."""

from pathlib import Path

from tests.support import chatter
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_consolidation_writes_what_is_told_and_a_second_one_has_nothing_to_do(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(60))
    first = run("consolidate", "--memory", path, "--json").json
    assert list(first) == ["turns", "summaries", "names", "profiles", "personas", "forgotten", "seconds"]
    assert first["summaries"] > 0
    again = run("consolidate", "--memory", path, "--json").json
    assert {name: count for name, count in again.items() if name != "seconds"} == dict.fromkeys(list(again)[:-1], 0)


def test_a_timeline_has_summaries_after_consolidation(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(60))
    before = run("show", "timeline", "--memory", path, "--json").json
    run("consolidate", "--memory", path)
    after = run("show", "timeline", "--memory", path, "--json").json
    assert (before["children"][0]["summary"], bool(after["children"][0]["summary"])) == ("", True)


def test_consolidation_says_what_it_wrote(run: Run, path: Path) -> None:
    Memory(path).close()
    result = run("consolidate", "--memory", path)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("0 summaries, 0 names, 0 profiles, 0 personas written in ")
