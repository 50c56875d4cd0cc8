"""What holds for every command: naming the memory, errors, exit codes, what is loaded."""

import os
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes import running
from tests.unit.interfaces.cli.conftest import Run


def hmem(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    kept = {name: value for name, value in os.environ.items() if name != "HMEM_MEMORY"}
    return subprocess.run(
        [sys.executable, "-m", "hmem", *map(str, arguments)],
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_help_loads_no_engine_and_nothing_that_draws() -> None:
    heavy = "{'numpy', 'faiss', 'rich', 'hmem.api.memory', 'hmem.interfaces.cli.commands.recall'}"
    script = (
        f"import sys; from hmem.interfaces.cli import main; main(['--help']); print(sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_call_without_a_command_says_what_to_do_next_and_fails(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run()
    assert (result.code, result.out) == (2, "")
    assert 'hmem ask "Who adopted a puppy?"' in result.err
    assert f"The memory is {Path('~/.hmem/user.hmem').expanduser()}, which is not there yet" in result.err
    monkeypatch.setenv("HMEM_MEMORY", str(filled))
    assert f"HMEM_MEMORY names {filled}." in run().err
    monkeypatch.setenv("HMEM_MEMORY", f"{filled}x")
    assert "which is not there yet" in run().err
    monkeypatch.setenv("HMEM_MEMORY", "postgresql://me:secret@host/db?memory=a")
    assert "secret" not in run().err
    assert "Commands:" in run("show").err


def test_what_it_says_to_do_next_works(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = [line.strip().removeprefix("hmem ") for line in run().err.splitlines() if line.startswith("  hmem ")]
    assert [line.split()[0] for line in said] == ["add", "ask", "import", "notes", "explore", "mcp"]
    assert run(*shlex.split(said[0])).code == 0
    assert run(*shlex.split(said[1])).out.startswith("Maria")
    assert run(*shlex.split(said[3])).code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("serch", "x"), "there is no command 'serch' - did you mean 'search'"),
        (("show", "session"), "there is no command 'session' - did you mean 'sessions'?"),
        (("frobnicate",), "No such command 'frobnicate' - see `hmem --help`"),
        (("search", "x", "--recipe", "fuson"), "did you mean 'fusion'? choose one of: fusion, "),
        (("stats", "--memory", "{}"), "test.hmen - did you mean 'test.hmem'?"),
    ],
)
def test_a_name_that_is_nearly_right_gets_a_question(
    run: Run, filled: Path, arguments: tuple[str, ...], told: str
) -> None:
    named = [] if "--memory" in arguments else ["--memory", filled]
    result = run(*(each.format(filled.with_suffix(".hmen")) for each in arguments), *named)
    assert result.code in (2, 3)
    assert told in result.err


def test_a_memory_is_named_before_or_after_the_command_or_by_the_environment(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = run("stats", "--memory", filled, "--json")
    before = run("--memory", filled, "stats", "--json")
    monkeypatch.setenv("HMEM_MEMORY", str(filled))
    environment = run("stats", "--json")
    assert after.json["turns"] == before.json["turns"] == environment.json["turns"] == 3


def test_the_option_of_the_command_wins_over_that_before_it_and_over_the_environment(run: Run, filled: Path) -> None:
    done = hmem("--memory", "/nowhere/a", "stats", "--json", "--memory", filled, HMEM_MEMORY="/nowhere/b")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_path_in_the_home_folder_may_begin_with_a_tilde(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(filled.parent))
    assert run("stats", "--memory", f"~/{filled.name}").code == 0


def test_without_a_memory_it_uses_the_default_one_and_names_it(run: Run) -> None:
    path = Path("~/.hmem/user.hmem").expanduser()
    added = run("add", "I adopted a puppy named Coco", "--speaker", "Maria")
    assert added.code == 0
    assert added.err == f"hmem: the memory is {path}; --memory or HMEM_MEMORY names another\n"
    assert path.parent.stat().st_mode & 0o077 == 0
    assert run("search", "Who adopted Coco?", "--json").json["evidence"][0]["speaker"] == "Maria"
    assert str(path) in run("memories").out
    assert [each["path"] for each in run("memories", "--json").json] == [str(path)]


def test_a_default_memory_that_is_not_there_is_made_by_add_alone(run: Run) -> None:
    result = run("search", "Coco")
    assert (result.code, result.out) == (3, "")
    assert "there is no memory at" in result.err
    assert run("memories").out.endswith("has no memories\n")


@pytest.mark.parametrize(
    "command",
    [
        ("search", "Coco"),
        ("context", "Coco"),
        ("ask", "Coco"),
        ("show", "tree", "calendar"),
        ("show", "graph"),
        ("consolidate",),
        ("stats",),
        ("verify",),
        ("rebuild",),
        ("reembed", "--embedder", "wordllama:64"),
    ],
    ids=" ".join,
)
def test_only_add_and_import_make_a_memory(run: Run, path: Path, command: tuple[str, ...]) -> None:
    result = run(*command, "--memory", path)
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith("hmem: error: there is no memory at")
    assert list(path.parent.iterdir()) == []


def test_an_error_is_one_line_on_stderr_and_with_json_also_an_object_on_stdout(run: Run, path: Path) -> None:
    result = run("search", "Coco", "--json", "--memory", path)
    assert result.code == 3
    assert result.err.count("\n") == 1
    assert result.json["error"]["name"] == "MemoryNotFound"
    assert result.err == f"hmem: error: {result.json['error']['message']}\n"


def test_a_path_in_a_missing_folder_is_told_of(run: Run, tmp_path: Path) -> None:
    result = run("add", "Hello", "--memory", tmp_path / "missing" / "me.hmem")
    assert result.code == 3
    assert "make its folder" in result.err
    assert result.err.count("\n") == 1


def test_a_text_file_is_not_a_memory_and_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("These are my notes.\n" * 100)
    result = run("add", "Hello", "--memory", file, "--json")
    assert (result.code, result.json["error"]["name"]) == (3, "NotAMemory")
    assert file.read_text() == "These are my notes.\n" * 100


def test_a_memory_of_a_newer_schema_is_refused(run: Run, filled: Path) -> None:
    connection = sqlite3.connect(filled)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    result = run("search", "Coco", "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (3, "SchemaTooNew")
    assert "upgrade hmem" in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("frobnicate",), "No such command"),
        (("search", "Coco", "--bogus"), "--bogus"),
        (("search",), "QUERY"),
        (("search", "Coco", "-k", "many"), "many"),
    ],
)
def test_a_wrong_use_exits_with_2_and_one_line(run: Run, filled: Path, arguments: tuple[str, ...], said: str) -> None:
    result = run("--memory", filled, *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("hmem: error: ")
    assert said in result.err
    assert result.err.count("\n") == 1
    assert "--help`" in result.err


def test_an_argument_that_is_not_text_is_refused_by_name(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hmem", "add", b"\xff\xfe", "--memory", str(path)], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"hmem: error: the text is not Unicode")


def test_a_reader_that_goes_away_is_no_error(filled: Path) -> None:
    command = [sys.executable, "-m", "hmem", "show", "tree", "calendar", "--memory", str(filled)]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_terminal_that_lacks_a_character_shows_its_number(path: Path) -> None:
    calls = '["add", "Merhaba \\U0001f44b"], ["search", "Merhaba"], ["search", "Merhaba", "--json"]'
    code = f"from hmem.interfaces.cli import main; print(sum(main(arguments) for arguments in ({calls})))"
    environment = os.environ | {"HMEM_MEMORY": str(path), "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "Merhaba \\U0001f44b" in done.stdout
    assert "\\ud83d\\udc4b" in done.stdout
    assert done.stdout.splitlines()[-1] == "0"


@pytest.mark.parametrize(
    "command", [("stats",), ("search", "kiln"), ("doctor",), ("mcp",), ("mcp", "--json"), ("add", "a")]
)
@pytest.mark.parametrize("by_environment", [False, True])
def test_no_command_shows_the_password_of_a_location(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], by_environment: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    url = "postgres://u:s3cr3t@h/db"
    if by_environment:
        monkeypatch.setenv("HMEM_MEMORY", url)
    result = run(*command, *(() if by_environment else ("--memory", url)))
    # The MCP server opens no memory before it is asked, and a client's entry leaves such a location to the environment.
    assert (result.code == 0) == (by_environment and command[0] == "mcp")
    assert "s3cr3t" not in result.out + result.err
    assert list(tmp_path.iterdir()) == []
