"""The rules of the house that no linter holds."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import hmem

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "hmem"
UNIT = ROOT / "tests" / "unit"
PACKAGES = sorted((ROOT / "packages").iterdir())
# Each source with the folder of its tests, which has the same rooms.
HOUSES = {SOURCE: UNIT} | {each / "src" / each.name.replace("-", "_"): each / "tests" for each in PACKAGES}
MODULES = sorted(path for source in HOUSES for path in source.rglob("*.py"))

PUBLIC = [
    "Answer",
    "AsOf",
    "AsyncAsOf",
    "AsyncMemory",
    "Branch",
    "Case",
    "Change",
    "Conflict",
    "Consolidation",
    "Context",
    "Entity",
    "EntityProfile",
    "Episode",
    "Event",
    "Evidence",
    "FollowUp",
    "Forgotten",
    "Found",
    "KnowledgeGraph",
    "KeptReceipt",
    "Lesson",
    "Memory",
    "MemoryKey",
    "MemoryLike",
    "Node",
    "Note",
    "Outdated",
    "Overview",
    "PersonBrief",
    "Persona",
    "Plan",
    "Profile",
    "ProfileLine",
    "Receipt",
    "Record",
    "Relation",
    "Replacement",
    "Session",
    "Span",
    "Stats",
    "SubQuestion",
    "Term",
    "Tiers",
    "Trace",
    "Turn",
    "Usage",
    "Verification",
    "ViewLike",
    "Why",
    "connect",
    "errors",
    "reembed",
    "rekey",
]

# A file is one thought; a longer one is looked at twice.
LONGEST_FILE = 1000
LONGEST_FUNCTION = 60


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def test_the_public_names_are_these_and_no_others() -> None:
    assert hmem.__all__ == PUBLIC
    assert dir(hmem) == sorted(PUBLIC)


def test_checkers_know_the_public_names_by_the_places_that_they_are_loaded_from() -> None:
    (block,) = (node for node in tree_of(SOURCE / "__init__.py").body if isinstance(node, ast.If) and not node.orelse
                and ast.unparse(node.test) == "TYPE_CHECKING")  # fmt: skip
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom) and node.module != "typing"]
    known = {each.asname: node.module for node in imports for each in node.names}
    assert known == hmem._HOMES | {"errors": "hmem"}


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(hmem, name).__doc__


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Corpus"):
        hmem.__getattr__("Corpus")


def test_the_version_is_that_of_the_project() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == hmem.__version__


def test_importing_hmem_loads_nothing_heavy() -> None:
    code = "import sys, hmem; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "hmem" in loaded
    assert not {"numpy", "faiss", "tokenizers", "safetensors", "wordllama", "rich", "click"} & set(loaded)


# A test of each rule and not of each module, of which there are hundreds: what breaks it is told by its name.


def test_each_module_says_what_it_holds() -> None:
    silent = [name_of(path) for path in MODULES if not (ast.get_docstring(tree_of(path)) or "").partition("\n")[0]]
    assert silent == []


# A summary is an imperative or a noun, never a clause without a head.
HEADLESS = re.compile(
    r"(What|Whether|How|Which|Who|Whom|Whose|Where|When|Why|That|None|Nothing|So many|So much|As many|As much|If)\b"
)
# A model reads this docstring as the description of its output, so another wording is another prompt.
ON_THE_WIRE = {("src/hmem/language/llm/tasks.py", "SaidTurn")}


def headless(tree: ast.Module) -> Iterator[str]:
    """Yield the names of all whose docstring begins with a headless clause; a module's is empty."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if HEADLESS.match(ast.get_docstring(node) or ""):
            yield getattr(node, "name", "")


def test_no_docstring_begins_with_a_headless_clause() -> None:
    found = {(name_of(path), name) for path in MODULES for name in headless(tree_of(path))}
    assert sorted(found - ON_THE_WIRE) == []


def test_a_headless_clause_is_found_in_every_kind_of_docstring() -> None:
    source = '''"""What this holds."""
class One:
    """Whether it is."""
    async def two(self):
        """How many there are."""
    def three(self):
        """Whoever it is, return it."""
def four(): ...
'''
    assert sorted(headless(ast.parse(source))) == ["", "One", "two"]


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name_of(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_file_and_no_function_is_too_long() -> None:
    files = [name_of(path) for path in MODULES if len(path.read_text("utf-8").splitlines()) > LONGEST_FILE]
    assert files == []
    too_long = [
        (name_of(path), node.name)
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= LONGEST_FUNCTION
    ]
    assert too_long == []


def broad_handlers(tree: ast.Module) -> Iterator[ast.ExceptHandler]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            names = {one.id for one in caught if isinstance(one, ast.Name)}
            if node.type is None or names & {"Exception", "BaseException"}:
                yield node


def test_a_broad_except_swallows_nothing() -> None:
    # To tidy up and raise again is the one good reason to catch everything; formation is contained in one place.
    swallowing = [
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        for node in broad_handlers(tree_of(path))
        if not isinstance(node.body[-1], ast.Raise)
    ]
    assert swallowing == ["language/containment.py"]


ERRORS = {node.name for node in tree_of(SOURCE / "errors.py").body if isinstance(node, ast.ClassDef)}


def wording(message: ast.expr) -> str | None:
    """What the source itself says of a message; None where it is worded elsewhere."""
    match message:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(wording(part) or "…" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            told = wording(left), wording(right)
            return None if told == (None, None) else "".join(each or "…" for each in told)
        case ast.IfExp(body=one, orelse=other):
            told = wording(one), wording(other)
            # Both ways must say it.
            return min((each for each in told if each is not None), key=lambda each: " - " in each, default=None)
        case _:
            return None


def called(function: ast.expr) -> str:
    """The last name of what is called, where it has one."""
    return getattr(function, "attr", getattr(function, "id", ""))


def messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and called(node.func) in ERRORS:
            told = wording(node.args[0])
            if told is not None:
                yield node.lineno, told


def test_each_error_says_what_mends_it() -> None:
    told = [(name_of(path), *each) for path in MODULES for each in messages(tree_of(path))]
    assert len(told) > 100
    assert [each for each in told if " - " not in each[-1]] == []


def test_the_wording_of_a_message_is_read_off_the_source() -> None:
    source = """
raise InvalidQuery("one")
raise errors.InvalidQuery(f"two {x} - mend")
raise InvalidQuery("three" + x)
raise InvalidQuery("four - mend" if x else "five")
raise InvalidQuery(str(error))
raise Other("six")
"""
    assert [told for _, told in messages(ast.parse(source))] == ["one", "two … - mend", "three…", "five"]


def nouns_of_amounts(trees: Iterable[ast.Module]) -> set[str]:
    """First words of the plurals that `amount` is called with."""
    words = [
        [argument.value for argument in node.args[1:] if isinstance(argument, ast.Constant)]
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node.func) == "amount"
    ]
    return {str(forms[-1] if len(forms) > 1 else f"{forms[0]}s").split()[0] for forms in words if forms}


def bare_plurals(tree: ast.Module, nouns: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Values in a text that are followed by a plural, though they may be one; a constant is what it is."""
    plural = re.compile(rf" (?:{'|'.join(sorted(nouns))})\b")
    for node in ast.walk(tree):
        for value, text in pairwise(node.values) if isinstance(node, ast.JoinedStr) else ():
            if not isinstance(value, ast.FormattedValue) or not isinstance(text, ast.Constant):
                continue
            is_constant = isinstance(value.value, ast.Name) and value.value.id.isupper()
            # What is shown as a share or as a text is no count.
            is_count = value.conversion == -1 and ast.unparse(value.format_spec or ast.Constant("")) in ("''", "f','")
            if not is_constant and is_count and plural.match(str(text.value)):
                yield value.lineno, f"{{{ast.unparse(value.value)}}}{text.value}"


def test_a_count_takes_the_number_of_its_noun() -> None:
    # "names" is a verb, too.
    nouns = nouns_of_amounts(map(tree_of, MODULES)) - {"names"}
    assert {"turns", "memories", "entities"} <= nouns
    assert [(name_of(path), *each) for path in MODULES for each in bare_plurals(tree_of(path), nouns)] == []


def test_the_distributions_have_one_version_and_depend_on_that_of_hmem() -> None:
    for package in PACKAGES:
        project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
        assert project["version"] == hmem.__version__
        minor = int(hmem.__version__.split(".")[1])
        of = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        needed = package.name == "hmem-encoder"
        on, name = (of, project["name"]) if needed else (project, "hmem")
        # hmem needs its encoder and its pipeline of English; the others need hmem.
        assert f"{name}>=0.{minor},<0.{minor + 1}" in on["dependencies"]


def untested_folders(source: Path, tests: Path) -> list[Path]:
    folders = {path.parent.relative_to(source) for path in source.rglob("*.py") if path.name != "__init__.py"}
    # The conformance suite is itself tests, which the storage's tests run.
    return [
        source / folder
        for folder in sorted(folders)
        if "conformance" not in folder.parts and not list((tests / folder).glob("test_*.py"))
    ]


def test_each_folder_of_the_source_has_its_folder_of_tests() -> None:
    assert [folder for house in HOUSES.items() for folder in untested_folders(*house)] == []


def subjects(place: Path) -> set[str]:
    """Names for a test file: a module or folder of its place, the place, or what its package defines."""
    names = {place.name, *(path.stem for path in place.glob("*"))}
    package = place / "__init__.py"
    defined = tree_of(package).body if package.exists() else []
    return names | {node.name for node in defined if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def is_named_after(test: Path, names: set[str]) -> bool:
    """Tell if a test file is named after a subject, or after a subject and an aspect of it: ``test_notes_slots``."""
    name = test.stem.removeprefix("test_")
    return any(name == each or name.startswith(f"{each}_") for each in names)


def test_each_file_of_unit_tests_is_named_after_its_subject() -> None:
    strangers = [
        path
        for source, tests in HOUSES.items()
        for path in sorted({*tests.rglob("test_*.py")} - {Path(__file__)})
        if not is_named_after(path, subjects(source / path.parent.relative_to(tests)))
    ]
    assert strangers == []


def test_the_mutation_tests_name_modules_and_tests_that_are_there() -> None:
    groups = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text("utf-8"))["groups"].values()
    for group in groups:
        home = ROOT / group.get("package", "")
        assert [pattern for pattern in group["modules"] if not list(home.glob(pattern))] == []
        named = [each.partition("::")[0] for each in (*group["tests"], *group.get("without", ()))]
        assert [each for each in named if not (home / each).exists()] == []
