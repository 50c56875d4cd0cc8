"""Bytes that are left of what was taken away."""

from contextlib import closing
from pathlib import Path

from hmem.storage.sqlite.driver import Connection
from hmem.storage.sqlite.store import SQLiteStorage
from hmem_testing.conformance.harness import keep, make_turn, make_turns, sequence_numbers


def test_what_was_deleted_without_overwriting_is_found_in_the_file(path: Path) -> None:
    storage = SQLiteStorage(str(path))
    storage.put_settings({"vectors.generation": "1"})
    keep(storage, [*make_turns(60), make_turn("Quillon is a zebrafish in the category of fish")])
    with closing(Connection(str(path))) as careless:
        careless.execute("PRAGMA secure_delete = OFF")
        careless.execute("DELETE FROM vector WHERE seq = 61")
        careless.execute("DELETE FROM turn WHERE seq = 61")
    assert {trace.word for trace in storage.residue(["quillon", "categ", "cat"])} == {"quillon", "categ"}
    assert {trace.location for trace in storage.residue(["quillon"])} <= {path.name, f"{path.name}-wal"}
    assert storage.purge()
    assert storage.residue(["quillon", "categ"]) == []
    storage.close()


def test_a_word_across_two_values_is_no_trace(path: Path) -> None:
    storage = SQLiteStorage(str(path))
    keep(storage, [make_turn("the end", caption="gamepad", user="serious")])
    storage.purge()
    assert storage.residue(["endgame", "padser", "tables"]) == []
    assert storage.residue(["end"])[0].location == "turn.text"
    storage.close()


def test_long_values_and_chance_bytes_are_no_traces(path: Path) -> None:
    storage = SQLiteStorage(str(path))
    storage.put_settings({"vectors.generation": "1"})
    text = " ".join(f"xquillon{i}x" for i in range(3_000))
    keep(storage, [make_turn(text), *make_turns(300)])
    words = ["quillon", "llon12", *(f"{a}{b}{c}" for a in "bcd" for b in "fgh" for c in "jkl")]
    assert storage.residue(words) == []
    storage.forget(sequence_numbers(storage)[:1])
    storage.purge()
    assert storage.residue(words) == []
    storage.close()


def test_a_search_of_the_bytes_leaves_the_locks_of_the_file_alone(path: Path) -> None:
    storage = SQLiteStorage(str(path))
    keep(storage, make_turns(3))
    storage.residue(["quillon"])
    held = next(line for line in Path("/proc/locks").read_text().splitlines() if str(path.stat().st_ino) in line)
    assert "POSIX" in held
    storage.close()
