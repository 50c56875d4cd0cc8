import ast
import re
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest

from hmem import Memory
from hmem.language.english import RulesAnalyst, version
from hmem.language.english.version import sources

LANGUAGE = Path(str(files("hmem.language")))


@pytest.fixture(autouse=True)
def unread():  # type: ignore[no-untyped-def]
    version.version.cache_clear()
    yield
    version.version.cache_clear()


def imported(source: bytes) -> set[str]:
    """The modules of the package that a file imports from."""
    found = [node.module or "" for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    return {name for name in found if name.startswith("hmem.language.")}


def test_every_file_that_the_rules_import_is_in_their_version() -> None:
    held = dict(sources())
    assert len(held) > 40
    assert {"hmem_english/pipeline/meta.json", "hmem_english/lemmas.json.gz"} <= held.keys()
    assert {"english/data/places.txt", "english/meaning/claims.py", "dates/words.py", "regex.py"} <= held.keys()
    # What they give and take, and what only counts tokens, decides nothing.
    # The embedder that the rules use decides by the version of its package.
    types = ("hmem.language.analyst", "hmem.language.tokens", "hmem.language.embed")
    for name, content in held.items():
        for module in imported(content) if name.endswith(".py") else ():
            if module.startswith(types):
                continue
            path = module.removeprefix("hmem.language.").replace(".", "/")
            assert {f"{path}.py", f"{path}/__init__.py"} & held.keys(), f"{name} imports {module}"


@pytest.mark.parametrize(
    "name",
    ["english/data/places.txt", "english/meaning/claims.py", "dates/words.py", "hmem_english/pipeline/meta.json"],
)
def test_a_change_of_any_file_is_another_version(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before, held = version.version(), dict(sources())
    assert re.fullmatch("[0-9a-f]{8}", before)
    version.version.cache_clear()
    monkeypatch.setattr(version, "sources", {**held, name: held[name] + b"\n"}.items)
    assert version.version() != before


def test_the_version_is_the_same_from_a_zipped_package_and_with_other_ends_of_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = version.version()
    with ZipFile(tmp_path / "wheel.zip", "w") as packed:
        for path in LANGUAGE.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                content = (
                    path.read_bytes().replace(b"\n", b"\r\n") if path.suffix in (".py", ".txt") else path.read_bytes()
                )
                packed.writestr(str(path.relative_to(LANGUAGE.parent)), content)
    with ZipFile(tmp_path / "wheel.zip") as packed:
        from zipfile import Path as ZipPath

        root = ZipPath(packed, "language/")
        places = {"hmem.language": root, "hmem.language.english": root / "english"}
        monkeypatch.setattr(version, "files", lambda name: places.get(name) or files(name))
        version.version.cache_clear()
        assert version.version() == before


def test_what_the_rules_make_says_their_version() -> None:
    with Memory(":memory:") as memory:
        memory.add(["I live in Lisbon", "I moved to Porto last week"], speaker="Maria")
        assert {note.made_by for note in memory.notes()} == {f"rules/{version.version()}"}
        assert {event.made_by for event in memory.events()} == {RulesAnalyst().made_by}
