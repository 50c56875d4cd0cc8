"""Pictures: what is written, and for whom there is no matplotlib."""

import subprocess
import sys
import warnings
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import pytest

from hmem.errors import UnknownName
from hmem.interfaces.pictures import picture_evolution, picture_graph
from hmem.model.entity import Entity, EntityType, KnowledgeGraph, Relation
from hmem.model.node import Branch, Node
from hmem.model.span import Span

pytest.importorskip("matplotlib", reason="pictures need the extra hmem[plot]")

START = datetime(2025, 1, 12, 18, tzinfo=UTC)
TYPES: list[EntityType] = ["person", "location", "organization", "work", "date", "time", "event", "product", "other"]


def web(count: int) -> KnowledgeGraph:
    """A graph of which one part hangs together around the first entity, and the rest stands alone."""
    entities = tuple(Entity(f"entity_{i}", f"Someone with the name {i}", TYPES[i % len(TYPES)]) for i in range(count))
    relations = tuple(
        Relation(f"relation_{i}", f"entity_{i}", f"entity_{i // 3}", "friend of", ("turn",) * (i % 4 + 1), 0.9, START)
        for i in range(1, count * 2 // 3)
    )
    overlaps = (("entity_1", "entity_2"),) if count > 2 else ()
    return KnowledgeGraph(entities, {f"entity_{i}": count - i for i in range(count)}, relations, overlaps)


def leaf_node(number: int, level: int, *below: Branch, leaves: tuple[str, ...] = ()) -> Branch:
    size = sum(child.node.size for child in below) + len(leaves)
    span = Span(START, START + timedelta(days=number))
    node = Node(f"node_{level}_{number}", "evolution", level, f"topic {number}", span, size=size)
    return Branch(node, below, leaves)


def grown(weeks: int) -> tuple[Branch, dict[str, datetime]]:
    """An evolution tree with two events a week, which month and year gather, and one more that stands alone."""
    said: dict[str, datetime] = {}
    months: list[Branch] = []
    for week in range(weeks):
        near, alone = (f"event_{week}a", f"event_{week}b"), f"event_{week}c"
        said |= {event: START + timedelta(weeks=week, hours=i) for i, event in enumerate((*near, alone))}
        gathered, single = leaf_node(week * 2, 1, leaves=near), leaf_node(week * 2 + 1, 1, leaves=(alone,))
        months += [leaf_node(week * 2, 2, gathered), leaf_node(week * 2 + 1, 2, single)]
    years = [leaf_node(0, 3, *months[::2]), *(leaf_node(i + 1, 3, month) for i, month in enumerate(months[1::2]))]
    return leaf_node(0, 4, *years), said


def size_of(png: Path) -> tuple[int, int]:
    header = png.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(header[16:20]), int.from_bytes(header[20:24])


@pytest.mark.parametrize("count", [0, 1, 40])
def test_a_graph_is_written_as_a_picture_of_a_sensible_size(tmp_path: Path, count: int) -> None:
    picture_graph(web(count), tmp_path / "graph.png")
    width, height = size_of(tmp_path / "graph.png")
    assert 1_000 <= width <= 5_000
    assert 500 <= height <= 5_000


@pytest.mark.parametrize("weeks", [0, 1, 40])
def test_an_evolution_tree_is_written_as_a_picture_of_a_sensible_size(tmp_path: Path, weeks: int) -> None:
    picture_evolution(*grown(weeks), tmp_path / "evolution.png")
    width, height = size_of(tmp_path / "evolution.png")
    assert 1_000 <= width <= 5_000
    assert 200 <= height <= 5_000


@pytest.mark.parametrize(("name", "begins"), [("a.svg", b"<?xml"), ("a.PDF", b"%PDF"), ("a.jpg", b"\xff\xd8")])
def test_the_suffix_says_what_is_written(tmp_path: Path, name: str, begins: bytes) -> None:
    picture_graph(web(4), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize("name", ["a.xyz", "a", "a.pgf"])
def test_a_suffix_that_means_no_picture_is_refused_with_those_that_do(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownName, match=r"\.png"):
        picture_graph(web(4), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_same_graph_makes_the_same_picture(tmp_path: Path) -> None:
    for name in ("one.png", "other.png"):
        picture_graph(web(12), tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "other.png").read_bytes()


@pytest.mark.parametrize(
    "name", ["漢字の名前", "$x_1$ \\frac", "👋🏽", "a\x1b[31mb\x00", " ", "ש" * 200, "e\u0301" * 40]
)
def test_any_name_can_be_drawn_without_a_warning(tmp_path: Path, name: str) -> None:
    entities = (Entity("a", name, "person"), Entity("b", "Ben", "other"))
    relations = (Relation("r", "a", "b", name, (), 1.0, START),)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture_graph(KnowledgeGraph(entities, {"a": 1, "b": 0}, relations), tmp_path / "graph.png")
        node = Node("n", "evolution", 1, name, Span(START, START), size=2)
        root = Node("r", "evolution", 2, "", Span(START, START), size=2)
        tree = Branch(root, (Branch(node, (), ("x", "y")),))
        picture_evolution(tree, {"x": START, "y": START}, tmp_path / "evolution.png")


@pytest.mark.parametrize("years", [(1,), (9999,), (1, 9999), (1969, 1970), (2024, 2026)])
def test_any_time_can_be_drawn_without_a_warning(tmp_path: Path, years: tuple[int, ...]) -> None:
    said = {f"event_{year}": datetime(year, 1, 1, tzinfo=UTC) for year in years}
    tree = leaf_node(0, 4, *(leaf_node(i, 1, leaves=(event,)) for i, event in enumerate(said)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture_evolution(tree, said, tmp_path / "evolution.png")


def test_relations_of_what_is_not_shown_and_of_a_thing_with_itself_are_left_out(tmp_path: Path) -> None:
    entities = (Entity("a", "Anna", "person"),)
    relations = (
        Relation("r1", "a", "elsewhere", "likes", (), 1.0, START),
        Relation("r2", "a", "a", "is", (), 1.0, START),
    )
    picture_graph(KnowledgeGraph(entities, {"a": 1}, relations, (("a", "elsewhere"),)), tmp_path / "graph.png")
    assert size_of(tmp_path / "graph.png")


def test_drawing_opens_no_window_and_says_nothing_even_where_no_fonts_were_looked_for_yet(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from hmem.interfaces.pictures import picture_graph\n"
        "from hmem.model.entity import Entity, KnowledgeGraph\n"
        "picture_graph(KnowledgeGraph((Entity('a', 'Anna', 'person'),), {'a': 1}), pathlib.Path(sys.argv[1]))\n"
        "assert 'matplotlib.pyplot' not in sys.modules and 'tkinter' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, tmp_path / "graph.png"],
        env={"MPLCONFIGDIR": str(tmp_path / "settings"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("needed", ["matplotlib", "networkx"])
def test_without_what_draws_the_error_names_what_to_install(tmp_path: Path, needed: str) -> None:
    script = (
        "import sys; sys.modules[sys.argv[1]] = None\n"
        "from pathlib import Path\n"
        "from hmem.errors import ExtraMissing\n"
        "from hmem.interfaces.pictures import picture_graph\n"
        "from hmem.model.entity import KnowledgeGraph\n"
        "try: picture_graph(KnowledgeGraph((), {}), Path('graph.png'))\n"
        "except ExtraMissing as error: print(error)\n"
    )
    command = [sys.executable, "-c", script, needed]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == f"pictures need {needed} - run `pip install 'hmem[plot]'`\n"
    assert list(tmp_path.iterdir()) == []


def boxes(count: int) -> list[tuple[float, float, float, float]]:
    """What the parts of a graph take up: left, right, bottom and top of each, with its names."""
    from hmem.interfaces.pictures.drawings import Disc, arrange_discs

    discs = [Disc(f"a name of number {i}", "person", 4.0 + i % 20, 7.0) for i in range(count)]
    arrange_discs(discs, [(i, i // 2 * 2) for i in range(1, count) if i % 2])
    pairs = [discs[i : i + 2] for i in range(0, count, 2)]
    return [
        (
            min(each.x - each.side for each in pair),
            max(each.x + each.side for each in pair),
            min(each.y - each.radius for each in pair),
            max(each.y + each.radius for each in pair),
        )
        for pair in pairs
    ]


@pytest.mark.parametrize("count", [2, 9, 40])
def test_parts_of_a_graph_do_not_cover_each_other(count: int) -> None:
    for one, other in combinations(boxes(count), 2):
        assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
