"""Names of one person become one entity, and are parted where a turn contradicts it or people say so."""

import json
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.graph.graph import Graph
from hmem.language.analyst.base import Extraction, Naming, Tie
from hmem.model.entity import EntityType

START = datetime(2025, 3, 1, 9, tzinfo=UTC)
FORMS = {
    "Bob": ("robert",),
    "Robert": ("bob", "rob"),
    "Rob": ("robert",),
    "Robert Hill": ("bob", "rob"),
    "Bob Hill": ("robert",),
}


def naming(name: str, *also: str, kind: EntityType = "person") -> Naming:
    return Naming(name, kind, 0, len(name), also=also, variants=FORMS.get(name, ()))


def tie(source: str, target: str, label: str = "knows") -> Tie:
    return Tie(source, "person", target, "person", label)


def built(*turns: Extraction) -> Graph:
    graph = Graph()
    for turn, extraction in enumerate(turns):
        graph.add(turn, extraction, START + timedelta(minutes=turn))
    return graph


def said(*namings: Naming, ties: tuple[Tie, ...] = ()) -> Extraction:
    return Extraction(namings, ties)


def people(graph: Graph) -> dict[str, tuple[str, ...]]:
    return {graph.name(entity): graph.aliases(entity) for entity in graph.entities()}


def test_a_short_form_means_the_one_person_of_that_name() -> None:
    graph = built(said(naming("Robert")), said(naming("Bob")), said(naming("Bob Hill")), said(naming("Rob")))
    assert people(graph) == {"Robert": ("Bob", "Bob Hill", "Rob")}
    assert graph.mentions(0) == [0, 1, 2, 3]


def test_a_first_name_of_two_people_means_neither() -> None:
    graph = built(said(naming("Tom Hill")), said(naming("Tom Reed")), said(naming("Tom")))
    assert people(graph) == {"Tom Hill": (), "Tom Reed": (), "Tom": ()}


def test_a_first_name_that_a_second_person_has_too_means_neither_from_then_on() -> None:
    graph = built(said(naming("Tom Hill")), said(naming("Tom")), said(naming("Tom Reed")), said(naming("Tom")))
    assert people(graph) == {"Tom Hill": ("Tom",), "Tom Reed": (), "Tom": ()}


def test_two_names_that_a_turn_relates_are_two_people() -> None:
    both = said(naming("Robert"), naming("Bob"), ties=(tie("Robert", "Bob"),))
    assert people(built(both)) == {"Robert": (), "Bob": ()}


def test_names_taken_for_one_person_are_parted_by_a_turn_that_relates_them() -> None:
    graph = built(
        said(naming("Robert"), ties=(tie("Robert", "Ann"),)),
        said(naming("Bob"), ties=(tie("Bob", "Eva"),)),
        said(naming("Bob Hill")),
        said(naming("Robert"), naming("Bob"), ties=(tie("Robert", "Bob"),)),
    )
    told = {(graph.name(edge.source), graph.name(edge.target)) for edge in graph.relations()}
    assert told == {("Robert", "Ann"), ("Bob", "Eva"), ("Robert", "Bob")}
    assert people(graph) == {"Robert": (), "Ann": (), "Eva": (), "Bob": ("Bob Hill",)}


def test_somebodys_sister_is_the_name_that_a_later_turn_gives_her() -> None:
    graph = built(
        said(naming("Ann's sister"), ties=(tie("Ann's sister", "Ann"),)),
        said(naming("Lucy", "Ann's sister")),
        said(naming("Ann's sister")),
    )
    lucy = graph.find("Lucy")[0]
    assert graph.find("Ann's sister")[0] == lucy
    assert graph.mentions(lucy) == [0, 1, 2]
    assert [(graph.name(edge.source), graph.name(edge.target)) for edge in graph.relations()] == [("Lucy", "Ann")]


def test_a_role_that_two_have_means_neither() -> None:
    graph = built(
        said(naming("Lucy", "Ann's sister")), said(naming("Eva", "Ann's sister")), said(naming("Ann's sister"))
    )
    assert list(people(graph)) == ["Lucy", "Eva", "Ann's sister"]


def test_a_brother_is_no_mother() -> None:
    graph = built(said(naming("Melanie's brother")), said(naming("Melanie's mother")), said(naming("Melanie")))
    assert len(graph.entities()) == 3
    assert graph.overlaps() == []


def test_who_somebody_is_goes_with_the_turn_that_said_it() -> None:
    graph = built(said(naming("Ann's sister")), said(naming("Lucy", "Ann's sister")), said(naming("Lucy")))
    graph.remove(1)
    assert people(graph) == {"Lucy": (), "Ann's sister": ()}


def test_a_person_is_an_animal_once_it_is_said_to_be_one() -> None:
    graph = built(said(naming("Max")), said(naming("Max", kind="animal")), said(naming("Max")))
    assert [graph.type(entity) for entity in graph.entities()] == ["animal"]


def test_a_name_is_parted_and_merged_again() -> None:
    graph = built(
        said(naming("Robert"), ties=(tie("Robert", "Ann"),)),
        said(naming("Bob"), ties=(tie("Bob", "Eva"),)),
        said(naming("Bob")),
    )
    bob = graph.part(0, "Bob")
    assert bob is not None
    assert (graph.mentions(0), graph.mentions(bob)) == ([0], [1, 2])
    assert graph.part(0, "Bob") is None
    assert {graph.name(edge.source) for edge in graph.relations()} == {"Robert", "Bob"}
    assert graph.merge(0, bob) == [1, 2]
    assert people(graph)["Robert"] == ("Bob",)
    assert {graph.name(edge.source) for edge in graph.relations()} == {"Robert"}


NAMES = st.sampled_from(
    ["Bob", "Robert", "Rob", "Robert Hill", "Bob Hill", "Robert Reed", "Ann", "Ann's son", "Ann's dog"]
)
NAMINGS = st.builds(
    lambda name, also, kind: naming(name, *also, kind=kind),
    NAMES,
    st.lists(st.sampled_from(["Ann's son", "Ann's dog"]), max_size=2, unique=True),
    st.sampled_from(["person", "person", "animal", "other"]),
)
SAID = st.builds(
    lambda namings, ties: said(*namings, ties=tuple(ties)),
    st.lists(NAMINGS, max_size=4),
    st.lists(st.builds(tie, NAMES, NAMES), max_size=2),
)


def stored(graph: Graph) -> dict[str, dict[int, str]]:
    return {
        part.name: {number: json.dumps(content) for number in range(4) if (content := part.dump(number)) is not None}
        for part in graph.parts
    }


def loaded(chunks: dict[str, dict[int, str]]) -> Graph:
    graph = Graph()
    for part in graph.parts:
        for number, content in chunks[part.name].items():
            part.load(number, json.loads(content))
    return graph


def state(graph: Graph) -> object:
    return [
        [(each, graph.value(each), graph.mentions(each), graph.relations(each)) for each in graph.entities()],
        graph.overlaps(),
    ]


@given(st.lists(SAID, max_size=8), st.integers(0, 8))
def test_a_graph_that_merged_goes_on_as_if_it_had_never_been_stored(turns: list[Extraction], cut: int) -> None:
    whole, part = built(*turns), loaded(stored(built(*turns[:cut])))
    for turn, extraction in list(enumerate(turns))[cut:]:
        part.add(turn, extraction, START + timedelta(minutes=turn))
    assert state(part) == state(whole)
    assert stored(part) == stored(whole)


@given(st.lists(SAID, max_size=8), st.data())
def test_removing_turns_leaves_no_name_that_only_they_gave(turns: list[Extraction], data: st.DataObject) -> None:
    graph = built(*turns)
    gone = data.draw(st.lists(st.sampled_from(range(len(turns))), unique=True)) if turns else []
    for turn in gone:
        graph.remove(turn)
    kept = {
        name
        for turn, extraction in enumerate(turns)
        if turn not in gone
        for name in (
            *(each for found in extraction.namings for each in (found.surface, *found.also)),
            *(end for found in extraction.ties for end in (found.source, found.target)),
        )
    }
    for entity in graph.entities():
        assert graph.mentions(entity)
        assert not set(graph.mentions(entity)) & set(gone)
        assert {graph.name(entity), *graph.aliases(entity)} <= kept
    assert state(loaded(stored(graph))) == state(graph)
    for turn in range(len(turns)):
        graph.remove(turn)
    assert stored(graph) == {part.name: {} for part in graph.parts}


def test_relations_to_two_entities_that_become_one_are_one() -> None:
    graph = built(said(naming("Ann"), naming("Lucy"), naming("Quim"), ties=(tie("Ann", "Lucy"), tie("Ann", "Quim"))))
    graph.merge(1, 2)
    assert [(edge.source, edge.label, edge.target) for edge in graph.relations()] == [(0, "knows", 1)]
    graph.remove(0)
    assert graph.relations() == []
