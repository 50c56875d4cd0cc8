"""Knowledge graph: names that mean one entity, names that stay apart, and equal graphs however they are built."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.chunks import encode
from hmem.derived.graph.graph import Entities, Graph, KeptEntity, Mention, Mentions, StatedRelation
from hmem.language.analyst.base import Extraction, Naming, Tie
from hmem.model.entity import EntityType
from hmem.model.scope import COMMON

START = datetime(2025, 3, 1, 9, tzinfo=UTC)


def at(turn: int) -> datetime:
    return START + timedelta(minutes=turn)


def named(*names: tuple[str, EntityType], ties: Sequence[Tie] = ()) -> Extraction:
    return Extraction(tuple(Naming(name, kind, 0, len(name)) for name, kind in names), tuple(ties))


def doubted(name: str, likely_type: EntityType = "other") -> Extraction:
    return Extraction((Naming(name, "other", 0, len(name), certain=False, likely_type=likely_type),))


def tied(source: str, label: str, target: str, confidence: float = 1.0) -> Tie:
    return Tie(source, "person", target, "other", label, confidence)


def state(graph: Graph) -> object:
    """Everything that can be read from a graph."""
    return [
        [
            (entity, graph.value(entity), graph.mentions(entity), graph.neighbours(entity), graph.relations(entity))
            for entity in graph.entities()
        ],
        graph.overlaps(),
        graph.relations(),
        graph.salient(1000),
    ]


def stored(graph: Graph) -> dict[str, dict[int, str]]:
    """All chunks, as JSON."""
    return {
        part.name: {number: json.dumps(content) for number in range(20) if (content := part.dump(number)) is not None}
        for part in graph.parts
    }


def loaded(chunks: dict[str, dict[int, str]]) -> Graph:
    graph = Graph()
    for part in graph.parts:
        for number, content in chunks[part.name].items():
            part.load(number, json.loads(content))
    return graph


def built(turns: dict[int, Extraction]) -> Graph:
    graph = Graph()
    for turn, extraction in turns.items():
        graph.add(turn, extraction, at(turn))
    return graph


NAMES: st.SearchStrategy[tuple[str, EntityType]] = st.sampled_from(
    [
        ("Mel", "person"),
        ("Melanie", "person"),
        ("melanie's", "person"),
        ("Max", "person"),
        ("Max", "product"),
        ("Paris", "location"),
        ("Paris", "other"),
        ("Paris", "person"),
        ("the Paris", "location"),
        ("Night Train to Lisbon", "work"),
        ("night train to lisbon", "other"),
        ("Night Trian to Lisbon", "work"),
        ("Tom", "person"),
        ("Tom", "animal"),
        ("Tom Hill", "person"),
        ("Tom Reed", "person"),
        ("Ann's son", "person"),
        ("pottery class", "other"),
        ("pottery classes", "other"),
        ("Lisbon", "location"),
        ("☃", "other"),
        ("東京", "location"),
    ]
)
TIES = st.builds(
    lambda source, target, label, confidence: Tie(*source, *target, label, confidence),
    NAMES,
    NAMES,
    st.sampled_from(["likes", "knows"]),
    st.sampled_from([0.3, 0.9]),
)
NAMINGS = st.builds(
    lambda name, certain, likely: Naming(*name, 0, len(name[0]), certain, likely if name[1] == "other" else "other"),
    NAMES,
    st.booleans(),
    st.sampled_from(["other", "person", "location"]),
)
EXTRACTIONS = st.builds(
    lambda namings, ties: Extraction(tuple(namings), tuple(ties)),
    st.lists(NAMINGS, max_size=4),
    st.lists(TIES, max_size=3),
)
LOGS = st.dictionaries(st.integers(0, 300), EXTRACTIONS, max_size=12).map(lambda log: dict(sorted(log.items())))


def test_a_name_is_known_again_whatever_its_case_article_or_possessive() -> None:
    graph = Graph()
    [first] = graph.add(1, named(("Grand Canyon", "location")), at(1))
    assert graph.add(2, named(("the grand canyon", "location")), at(2)) == [first]
    assert graph.add(3, named(("Grand Canyon's", "other")), at(3)) == [first]
    assert graph.mentions(first) == [1, 2, 3]


def test_a_misspelt_name_is_merged_and_kept_as_an_alias() -> None:
    graph = Graph()
    [first] = graph.add(1, named(("Night Train to Lisbon", "work")), at(1))
    assert graph.add(2, named(("Night Trian to Lisbon", "work")), at(2)) == [first]
    assert graph.aliases(first) == ("Night Trian to Lisbon",)
    assert graph.find("night trian to lisbon") == [first]


def test_a_nickname_is_joined_by_an_overlap_and_not_merged() -> None:
    graph = Graph()
    [short] = graph.add(1, named(("Mel", "person")), at(1))
    [long] = graph.add(2, named(("Melanie", "person")), at(2))
    assert short != long
    assert graph.overlaps() == graph.overlaps(short) == graph.overlaps(long) == [(short, long)]
    assert graph.neighbours(short) == [long]


def test_the_same_name_of_incompatible_types_means_two_entities() -> None:
    graph = Graph()
    place, person = graph.add(1, named(("Paris", "location"), ("Paris", "person")), at(1))
    assert place != person
    assert graph.overlaps() == [(place, person)]


def people(*turns: Extraction) -> dict[str, tuple[str, ...]]:
    """Return the names of the entities of turns, with their aliases."""
    graph = built(dict(enumerate(turns)))
    return {graph.name(entity): graph.aliases(entity) for entity in graph.entities()}


def person(*names: str, ties: Sequence[Tie] = ()) -> Extraction:
    return named(*((name, "person") for name in names), ties=ties)


def knows(source: str, target: str) -> Tie:
    return Tie(source, "person", target, "person", "knows")


def test_a_first_name_means_the_one_person_of_that_name() -> None:
    assert people(person("Tom Hill"), person("Tom")) == {"Tom Hill": ("Tom",)}
    assert people(person("Tom"), person("Tom Hill"), person("Tom Reed")) == {"Tom": ("Tom Hill",), "Tom Reed": ()}


def test_a_first_name_of_two_people_means_neither_from_then_on() -> None:
    assert people(person("Tom Hill"), person("Tom Reed"), person("Tom")) == {"Tom Hill": (), "Tom Reed": (), "Tom": ()}
    graph = people(person("Tom Hill"), person("Tom"), person("Tom Reed"), person("Tom"))
    assert graph == {"Tom Hill": ("Tom",), "Tom Reed": (), "Tom": ()}


def test_two_names_that_a_turn_relates_are_two_people() -> None:
    assert people(person("Tom Hill", "Tom", ties=[knows("Tom Hill", "Tom")])) == {"Tom Hill": (), "Tom": ()}


def test_names_taken_for_one_person_are_parted_by_a_turn_that_relates_them() -> None:
    graph = built(
        dict(
            enumerate(
                [
                    person("Tom Hill", ties=[knows("Tom Hill", "Ann")]),
                    person("Tom", ties=[knows("Tom", "Eva")]),
                    person("Tom Hill", "Tom", ties=[knows("Tom Hill", "Tom")]),
                ]
            )
        )
    )
    ends = {(graph.name(edge.source), graph.name(edge.target)) for edge in graph.relations()}
    assert ends == {("Tom Hill", "Ann"), ("Tom", "Eva"), ("Tom Hill", "Tom")}
    assert {graph.name(entity) for entity in graph.entities()} == {"Tom Hill", "Ann", "Tom", "Eva"}


def test_a_brother_is_no_mother() -> None:
    graph = built({turn: person(name) for turn, name in enumerate(("Mel's brother", "Mel's mother", "Mel"))})
    assert len(graph.entities()) == 3
    assert graph.overlaps() == []


def test_a_person_is_an_animal_once_it_is_said_to_be_one() -> None:
    graph = built({0: person("Max"), 1: named(("Max", "animal")), 2: person("Max")})
    assert [graph.type(entity) for entity in graph.entities()] == ["animal"]


def test_a_name_is_parted_and_merged_again() -> None:
    graph = built(
        {
            0: person("Tom Hill", ties=[knows("Tom Hill", "Ann")]),
            1: person("Tom", ties=[knows("Tom", "Eva")]),
            2: person("Tom"),
        }
    )
    tom = graph.split(0, "Tom")
    assert tom is not None
    assert (graph.mentions(0), graph.mentions(tom)) == ([0], [1, 2])
    assert graph.split(0, "Tom") is None
    assert {graph.name(edge.source) for edge in graph.relations()} == {"Tom Hill", "Tom"}
    assert graph.merge(0, tom) == [1, 2]
    assert graph.aliases(0) == ("Tom",)
    assert {graph.name(edge.source) for edge in graph.relations()} == {"Tom Hill"}


def test_relations_to_two_entities_that_become_one_are_one() -> None:
    graph = built({0: person("Ann", "Lucy", "Quim", ties=[knows("Ann", "Lucy"), knows("Ann", "Quim")])})
    graph.merge(1, 2)
    assert [(edge.source, edge.label, edge.target) for edge in graph.relations()] == [(0, "knows", 1)]
    graph.remove(0)
    assert graph.relations() == []


def test_names_that_differ_in_a_number_are_kept_apart() -> None:
    graph = Graph()
    four, five = graph.add(1, named(("PlayStation 4 Console", "product"), ("PlayStation 5 Console", "product")), at(1))
    assert four != five


def test_an_entity_takes_the_first_type_that_says_something() -> None:
    graph = Graph()
    [entity] = graph.add(1, named(("Lisbon", "other")), at(1))
    graph.add(2, named(("Lisbon", "location")), at(2))
    assert graph.type(entity) == "location"


def test_a_name_is_no_entity_until_a_turn_is_certain_of_it_but_its_turns_are_known() -> None:
    graph = Graph()
    [grazie] = graph.add(1, doubted("Grazie"), at(1))
    graph.add(2, doubted("Grazie"), at(2))
    assert (graph.entities(), graph.count(), graph.salient(9), graph.is_certain(grazie)) == ([], 0, [], False)
    assert graph.best_matches("grazie") == [grazie]
    assert graph.mentions(grazie) == [1, 2]
    graph = loaded(stored(graph))
    graph.add(3, named(("Grazie", "other")), at(3))
    assert (graph.entities(), graph.salient(9), graph.mentions(grazie)) == ([grazie], [grazie], [1, 2, 3])
    graph = loaded(stored(graph))
    graph.remove(3)
    assert (graph.entities(), graph.mentions(grazie)) == ([], [1, 2])


def test_a_tie_makes_its_own_ends_certain_but_no_name_of_the_turn() -> None:
    graph = Graph()
    doubtful = doubted("rascal")
    graph.add(1, Extraction(doubtful.namings, (Tie("Mel", "person", "rascal", "other", "mentions"),)), at(1))
    assert [graph.name(entity) for entity in graph.entities()] == ["Mel"]


def test_entities_that_are_merged_are_certain_if_one_was_and_apart_as_they_were() -> None:
    graph = Graph()
    [mel] = graph.add(1, doubted("Mel"), at(1))
    [rosa] = graph.add(2, named(("Rosa", "other")), at(2))
    graph.merge(mel, rosa)
    assert graph.entities() == [mel]
    again = graph.split(mel, "Rosa")
    assert graph.entities() == [again]


def test_a_likely_type_is_told_by_two_turns_that_agree() -> None:
    graph = Graph()
    [kasper] = graph.add(1, doubted("Kasper", "person"), at(1))
    assert graph.type(kasper) == "other"
    graph.add(2, doubted("Kasper", "person"), at(2))
    assert graph.type(kasper) == "person"
    graph.remove(1)
    assert graph.type(kasper) == "other"
    graph.add(3, doubted("Kasper", "location"), at(3))
    graph.add(4, doubted("Kasper", "location"), at(4))
    assert loaded(stored(graph)).type(kasper) == graph.type(kasper) == "other"
    graph.add(5, named(("Kasper", "location")), at(5))
    assert graph.type(kasper) == "location"


def test_nothing_is_pruned_by_confidence() -> None:
    graph = Graph()
    graph.add(1, named(ties=[tied("Mel", "likes", "tea", confidence=0.01)]), at(1))
    assert [(edge.label, edge.confidence) for edge in graph.relations()] == [("likes", 0.01)]


def test_the_same_relation_again_merges_its_evidence() -> None:
    graph = Graph()
    graph.add(1, named(ties=[tied("Mel", "likes", "tea", 0.4)]), at(1))
    graph.add(7, named(ties=[tied("Mel", "likes", "tea", 0.9)]), at(7))
    [edge] = graph.relations()
    assert (edge.evidence, edge.confidence, edge.at) == ((1, 7), 0.9, at(7))
    assert graph.mentions(edge.source) == graph.mentions(edge.target) == [1, 7]


def test_neighbours_are_reached_hop_by_hop() -> None:
    graph = Graph()
    graph.add(1, named(ties=[tied("Mel", "knows", "Rob"), tied("Rob", "knows", "Ida")]), at(1))
    [mel], [rob], [ida] = (graph.find(name) for name in ("Mel", "Rob", "Ida"))
    assert graph.neighbours(mel) == [rob]
    assert graph.neighbours(mel, hops=2) == [rob, ida]


def test_of_a_turn_only_those_names_are_known_that_earlier_turns_named() -> None:
    graph = built({1: named(("Coco", "animal"), ("Ann", "person")), 3: named(("Bob", "person"))})
    extraction = named(
        ("Coco", "animal"), ("Rascal", "other"), ("Bob", "person"),
        ties=(tied("Ann", "mentions", "Rascal"), tied("Ann", "mentions", "Coco")),
    )  # fmt: skip
    known = graph.known_names(extraction, "", 2)
    assert [naming.surface for naming in known.namings] == ["Coco"]
    assert [(tie.source, tie.target) for tie in known.ties] == [("Ann", "Coco")]


def test_a_turn_that_is_removed_takes_its_names_with_it() -> None:
    graph = Graph()
    [entity] = graph.add(1, named(("Night Train to Lisbon", "work")), at(1))
    graph.add(2, named(("Night Trian to Lisbon", "work")), at(2))
    assert graph.remove(1) == []
    assert graph.name(entity) == "Night Trian to Lisbon"
    assert graph.aliases(entity) == ()
    assert graph.remove(2) == [entity]
    assert graph.entities() == []


def test_the_frequent_entities_are_salient() -> None:
    graph = Graph()
    for turn in range(3):
        graph.add(turn, named(("Mel", "person"), *([("Lisbon", "location")] if turn else [])), at(turn))
    assert [graph.name(entity) for entity in graph.salient(5, min_turns=2)] == ["Mel", "Lisbon"]


def test_a_chunk_does_not_grow_with_the_mentions_of_one_entity() -> None:
    graph = Graph()
    for turn in range(2000):
        graph.add(turn, named(("Mel", "person")), at(turn))
    assert max(len(json.dumps(part.dump(number))) for part in graph.parts for number in range(31)) < 2000


def test_another_process_takes_up_a_chunk_that_changed() -> None:
    writer = built({1: named(("Mel", "person")), 70: named(("Lisbon", "location"))})
    reader = loaded(stored(writer))
    for part in writer.parts:
        part.changed.clear()
    writer.add(71, named(("Melanie", "person"), ("lisbon", "location")), at(71))
    writer.remove(1)
    for one, other in zip(writer.parts, reader.parts, strict=True):
        for number in sorted(one.changed):
            other.load(number, json.loads(json.dumps(one.dump(number))))
    assert state(reader) == state(writer)
    assert stored(reader) == stored(writer)


@given(LOGS)
def test_what_is_stored_and_loaded_is_the_same_graph(log: dict[int, Extraction]) -> None:
    graph = built(log)
    filled = Graph()
    for part, waiting in zip(graph.parts, filled.parts, strict=True):
        waiting.fill((number, encode(content)) for number in range(20) if (content := part.dump(number)) is not None)
    for again in (loaded(stored(graph)), filled):
        assert state(again) == state(graph)
        assert stored(again) == stored(graph)
        some = set(graph.entities()[::2])
        among = [edge for edge in graph.relations() if {edge.source, edge.target} <= some]
        assert again.relations_among(some) == among


@given(LOGS, st.integers(0, 12))
def test_a_graph_that_was_loaded_goes_on_as_if_it_had_never_been_stored(log: dict[int, Extraction], cut: int) -> None:
    whole = built(log)
    part = loaded(stored(built(dict(list(log.items())[:cut]))))
    for turn, extraction in list(log.items())[cut:]:
        part.add(turn, extraction, at(turn))
    assert state(part) == state(whole)


@given(LOGS, st.data())
def test_turns_that_are_removed_leave_no_orphan(log: dict[int, Extraction], data: st.DataObject) -> None:
    graph = built(log)
    gone = data.draw(st.lists(st.sampled_from(sorted(log)), unique=True)) if log else []
    for turn in gone:
        graph.remove(turn)
    kept = {
        name
        for turn, extraction in log.items()
        if turn not in gone
        for name in (
            *(naming.surface for naming in extraction.namings),
            *(end for tie in extraction.ties for end in (tie.source, tie.target)),
        )
    }
    for entity in graph.entities():
        assert graph.mentions(entity)
        assert not set(graph.mentions(entity)) & set(gone)
        assert {graph.name(entity), *graph.aliases(entity)} <= kept
    for edge in graph.relations():
        assert edge.evidence
        assert not set(edge.evidence) & set(gone)
        assert graph.value(edge.source)
        assert graph.value(edge.target)
    assert state(loaded(stored(graph))) == state(graph)

    for turn in log:
        graph.remove(turn)
    assert state(graph) == state(Graph())
    assert stored(graph) == stored(Graph()) == {part.name: {} for part in graph.parts}


@given(LOGS)
def test_a_turn_that_comes_again_changes_nothing(log: dict[int, Extraction]) -> None:
    graph = built(log)
    if log:
        turn, extraction = list(log.items())[-1]
        graph.add(turn, extraction, at(turn))
    assert state(graph) == state(built(log))


def test_nothing_depends_on_the_order_of_hashes() -> None:
    program = """
from datetime import UTC, datetime
from hmem.derived.graph.graph import Graph
from hmem.language.analyst.base import Extraction, Naming, Tie
words = "Mel Melanie Melissa Paris Pari Parish Lisbon Lisbonne Lisa Elisa Ann Anna Annabel Hannah".split()
graph = Graph()
for turn in range(200):
    names = [words[(turn * k) % len(words)] + " " * (turn % 2) + words[(turn + k) % 5] * (turn % 2) for k in (3, 5)]
    ties = (Tie(names[0], "person", names[1], "person", "knows"),)
    graph.add(turn, Extraction(tuple(Naming(n, "person", 0, 1) for n in names), ties), datetime(2025, 1, 1, tzinfo=UTC))
print([graph.value(entity) for entity in graph.entities()], graph.overlaps(), graph.relations(), graph.find("Mel Pa"))
print([graph.neighbours(entity, 2) for entity in graph.entities()], [p.dump(n) for p in graph.parts for n in range(4)])
"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


# Parts.


def mentions_of_two() -> Mentions:
    mentions = Mentions()
    mentions.replace(1, [Mention(0, 4, 3), Mention(1, -1, 0, "Mel")], [StatedRelation(0, 1, "knows", 0.9)], 60)
    mentions.replace(65, [Mention(0, 0, 3), Mention(1, 8, 7)], [StatedRelation(0, 1, "knows", 0.5)], 120)
    return mentions


def test_a_turn_gives_back_what_it_names() -> None:
    mentions = mentions_of_two()
    assert mentions.mentions(1) == [Mention(0, 4, 3), Mention(1, -1, 0, "Mel")]
    assert mentions.entities(65) == [0, 1]
    assert mentions.entities(2) == []


def test_entities_know_their_turns_and_other_names() -> None:
    mentions = mentions_of_two()
    assert mentions.turns(1) == [1, 65]
    assert mentions.surfaces(1) == {"Mel": 1}
    assert mentions.own_name_used(1)
    assert mentions.counts() == {0: 2, 1: 2}


def test_a_relation_has_one_key_and_all_its_evidence() -> None:
    mentions = mentions_of_two()
    assert mentions.keys() == mentions.keys(1) == [(0, 1, "knows")]
    assert mentions.evidence((0, 1, "knows")) == [(1, 0.9, 60), (65, 0.5, 120)]


def test_only_chunks_that_changed_are_named() -> None:
    mentions = mentions_of_two()
    assert mentions.changed == {0, 1}
    mentions.changed.clear()
    mentions.drop(65)
    assert mentions.changed == {1}
    assert mentions.dump(1) is None


def test_a_chunk_that_is_loaded_replaces_what_was_there() -> None:
    mentions, other = mentions_of_two(), Mentions()
    other.replace(2, [Mention(5, 0, 1)], [], 0)
    for number in (1, 0):
        other.load(number, json.loads(json.dumps(mentions.dump(number))))
    assert other.turns(5) == []
    assert other.turns(0) == [1, 65]
    assert [other.dump(number) for number in (0, 1)] == [mentions.dump(number) for number in (0, 1)]
    other.load(0, None)
    assert other.evidence((0, 1, "knows")) == [(65, 0.5, 120)]


def test_numbers_count_up_and_only_the_last_is_taken_again() -> None:
    entities = Entities()
    assert [entities.new(KeptEntity(name, "other", COMMON)) for name in ("a", "b", "c")] == [0, 1, 2]
    entities.drop(1)
    assert entities.numbers() == [0, 2]
    assert entities.new(KeptEntity("d", "other", COMMON)) == 3
    entities.drop(3)
    entities.drop(2)
    assert entities.new(KeptEntity("e", "other", COMMON)) == 1


def test_a_chunk_holds_64_entities_and_comes_back_as_it_was() -> None:
    entities, other = Entities(), Entities()
    for number in range(70):
        entities.new(
            KeptEntity(
                f"name {number}",
                "person" if number % 2 else "location",
                "ann" if number % 3 else COMMON,
                certain=number % 5 > 0,
            )
        )
    entities.drop(3)
    assert entities.changed == {0, 1}
    for number in (1, 0):
        other.load(number, json.loads(json.dumps(entities.dump(number))))
    assert other.numbers() == entities.numbers()
    assert [other.get(number) for number in other.numbers()] == [entities.get(number) for number in entities.numbers()]


def test_a_chunk_with_nothing_left_is_none() -> None:
    entities = Entities()
    entities.drop(entities.new(KeptEntity("a", "other", COMMON)))
    assert entities.dump(0) is None
    assert entities.get(0) is None
    entities.load(0, None)
    assert entities.numbers() == []


def test_the_type_that_a_removed_turn_told_goes_with_it() -> None:
    graph = Graph()
    graph.add(1, named(("Torino", "other")), at(1))
    graph.add(2, named(("Torino", "location")), at(2))
    graph.add(3, named(("Torino", "location")), at(3))
    (torino,) = graph.entities()
    graph = loaded(stored(graph))
    graph.remove(2)
    assert graph.type(torino) == "location"
    graph.remove(3)
    assert graph.type(torino) == "other"
    assert stored(graph) == stored(loaded(stored(graph)))
