"""What is written as JSON of trees, episodes, the graph and personas."""

import json
from datetime import UTC, datetime

from hmem.model.entity import Entity, EntityProfile, KnowledgeGraph, Relation
from hmem.model.event import Episode
from hmem.model.node import Branch, Node, NodeShape
from hmem.model.persona import Persona
from hmem.model.plain import plain
from hmem.model.span import Span

START = datetime(2023, 8, 11, 10, tzinfo=UTC)
ISO = "2023-08-11T10:00:00+00:00"
SPAN = Span(START, START)


def test_a_branch_is_a_node_with_its_children_and_leaves() -> None:
    lower = Branch(Node("node_2", "topic", 1, "dogs", SPAN, "node_1", "About dogs.", (0.5,), 2), (), ("a", "b"))
    tree = Branch(Node("node_1", "topic", 2, "", SPAN, size=2), (lower,))
    made = plain(tree)
    assert made["children"] == [
        {
            "id": "node_2", "level": 1, "label": "dogs", "start": ISO, "end": ISO, "size": 2, "summary": "About dogs.",
            "children": [], "leaves": ["a", "b"], "folded": 0,
        }
    ]  # fmt: skip
    assert plain(NodeShape.from_branch(tree, depth=1))["children"][0]["leaves"] == []
    assert plain(NodeShape.from_branch(tree, depth=2)) == made
    assert json.loads(json.dumps(made)) == made


def test_an_episode_has_its_bounds_beside_its_fields() -> None:
    [made] = plain([Episode("episode_1", "s1", ("a",), SPAN, "start", "Hello.", ("n",))])
    assert made == {
        "id": "episode_1", "session": "s1", "start": ISO, "end": ISO, "cut": "start", "turns": ["a"],
        "summary": "Hello.", "notes": ["n"],
    }  # fmt: skip


def test_an_entity_has_its_number_of_mentions() -> None:
    made = plain(
        KnowledgeGraph(
            (Entity("a", "Maria", "person", ("Mary",)), Entity("b", "Coco", "other")),
            {"a": 3},
            (Relation("r", "a", "b", "adopted", ("t",), 0.9, START),),
            (("a", "b"),),
            (EntityProfile("p", "a", "Has a dog.", "Went out.", ("t",)),),
        )
    )
    assert made["entities"][0] == {
        "id": "a", "name": "Maria", "type": "person", "aliases": ["Mary"], "mentions": 3, "user": None,
    }  # fmt: skip
    assert made["entities"][1]["mentions"] == 0
    assert made["relations"][0] == {
        "id": "r", "source": "a", "target": "b", "label": "adopted", "evidence": ["t"], "confidence": 0.9, "at": ISO,
        "past": False,
    }  # fmt: skip
    assert made["overlaps"] == [["a", "b"]]
    assert made["profiles"][0]["persistent"] == "Has a dog."


def test_a_persona_has_no_vector() -> None:
    [made] = plain([Persona("p", 2, "Likes dogs.", ("dogs",), (0.5,), START, ("n",), "Maria")])
    assert made == {
        "id": "p", "speaker": "Maria", "version": 2, "text": "Likes dogs.", "traits": ["dogs"], "at": ISO,
        "sources": ["n"], "made_by": "verbatim", "user": None,
    }  # fmt: skip
