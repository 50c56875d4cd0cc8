"""What is drawn: which lines, in which order, and what is folded."""

from datetime import UTC, datetime, timedelta

from hmem.interfaces.cli import views
from hmem.interfaces.cli.views import Folding, Twig
from hmem.model.entity import Entity, EntityProfile, KnowledgeGraph, Relation
from hmem.model.episode import Episode
from hmem.model.event import Event
from hmem.model.node import Branch, Node
from hmem.model.note import Note
from hmem.model.persona import Persona
from hmem.model.span import Span
from hmem.model.tier import Record, Tiers
from hmem.model.turn import Session, Turn

START = datetime(2023, 8, 11, 10, tzinfo=UTC)


def branch(label: str, level: int, *children: Branch, leaves: tuple[str, ...] = (), days: int = 0) -> Branch:
    size = sum(child.node.size for child in children) + len(leaves)
    span = Span(START + timedelta(days=days), START + timedelta(days=days, minutes=1))
    node = Node(f"node_{label}", "any", level, label, span, None, f"About {label}.", (), size)
    return Branch(node, children, leaves)


def texts(twigs: tuple[Twig, ...]) -> list[object]:
    """The lines alone, those below a line as a list after it."""
    return [part for twig in twigs for part in ([twig.text, texts(twig.twigs)] if twig.twigs else [twig.text])]


def test_the_timeline_names_years_months_and_days() -> None:
    tree = branch("", 4, branch("2023", 3, branch("2023-08", 2, branch("2023-08-11", 1, leaves=("a", "b")))))
    [year] = views.timeline(tree, Twig, Folding())
    assert texts((year,)) == ["2023", ["August 2023", ["Fri 11 Aug 2023", ["a", "b"]]]]
    assert year.more == "2 turns"


def test_the_timeline_is_in_the_order_of_time_and_topics_in_that_of_size() -> None:
    late, early = branch("2024", 1, leaves=("a", "b"), days=300), branch("2023", 1, leaves=("c",))
    tree = branch("", 2, late, early)
    assert [twig.text for twig in views.timeline(tree, Twig, Folding())] == ["2023", "2024"]
    assert [twig.text for twig in views.topics(tree, Twig, Folding())] == ["2024", "2023"]


def test_what_is_too_long_is_folded() -> None:
    many = tuple(f"turn {i}" for i in range(9))
    tree = branch("", 2, *(branch(f"topic {i}", 1, leaves=many) for i in range(30)))
    twigs = views.topics(tree, Twig, Folding(limit=2, leaves=1))
    assert [twig.text for twig in twigs] == ["topic 0", "topic 1", "… 28 more"]
    assert texts(twigs[0].twigs) == ["turn 0", "… 8 more"]
    assert views.topics(tree, Twig, Folding(limit=1, leaves=0))[0].twigs == ()


def test_a_tree_is_drawn_to_a_depth() -> None:
    tree = branch("", 3, branch("a", 2, branch("b", 1, leaves=("c",))))
    assert texts(views.layers(tree, Twig, Folding(depth=1))) == ["a"]
    assert texts(views.layers(tree, Twig, Folding(depth=2))) == ["a", ["b"]]
    assert texts(views.layers(tree, Twig, Folding(depth=3))) == ["a", ["b", ["c"]]]


def test_a_tree_that_is_too_long_is_drawn_to_the_depth_that_is_not() -> None:
    def tree(months: int, days: int) -> Branch:
        of_month = [
            branch(
                f"2023-{m:02}", 2, *(branch(f"2023-{m:02}-{d:02}", 1, leaves=("a", "b", "c")) for d in range(1, days))
            )
            for m in range(1, months)
        ]
        return branch("", 4, branch("2023", 3, *of_month))

    whole = Folding(limit=31)
    assert views.fitting(views.timeline, tree(3, 29), whole).depth is None
    assert views.fitting(views.timeline, tree(13, 29), whole).depth == 3
    assert views.fitting(views.timeline, tree(13, 29), Folding(depth=9)).depth == 9
    many = branch("", 2, *(branch(f"topic {i}", 1, leaves=("a",)) for i in range(900)))
    assert views.fitting(views.topics, many, Folding(limit=900)).depth == 1


def test_the_evolution_leaves_out_nodes_that_gather_nothing() -> None:
    alone = branch("year alone", 3, branch("month alone", 2, branch("week alone", 1, leaves=("x",))), days=1)
    gathered = branch("year", 3, branch("month", 2, branch("week", 1, leaves=("a", "b"))))
    assert texts(views.evolution(branch("", 4, alone, gathered), Twig, Folding())) == ["week", ["a", "b"], "x"]


def test_a_node_without_a_label_goes_by_its_time() -> None:
    [twig] = views.evolution(branch("", 2, branch("", 1, leaves=("a", "b"))), Twig, Folding())
    assert (twig.text, twig.more) == ("11 Aug 2023", "2 events, 11 Aug 2023")


def test_a_turn_is_told_with_its_time_and_speaker_and_an_event_with_both_its_times() -> None:
    turn = Turn("turn_1", "Maria", "I adopted\na puppy", START, "s1", caption="a puppy")
    assert views.leaf(turn, dated=False).text == "10:00 Maria: I adopted a puppy [photo: a puppy]"
    assert views.leaf(turn, dated=True).text == "2023-08-11 10:00 Maria: I adopted a puppy [photo: a puppy]"
    before = Span(START - timedelta(days=14), START - timedelta(days=13))
    event = Event("event_1", "Maria adopted a puppy", ("turn_1",), START, before)
    assert views.leaf(event, dated=True) == Twig(
        "2023-08-11 Maria adopted a puppy", "happened 28 Jul 2023 - 29 Jul 2023"
    )


def test_sessions_stand_under_their_days() -> None:
    held = [
        Session("s1", START, START, 2, ("Maria", "Ben"), "Hello"),
        Session("s2", START + timedelta(days=3), START + timedelta(days=3), 1, ("Ben",)),
    ]
    assert texts(views.sessions(held)) == [
        "Fri 11 Aug 2023", ["10:00 s1: Maria, Ben, 2 turns"], "Mon 14 Aug 2023", ["10:00 s2: Ben, 1 turn"],
    ]  # fmt: skip


def test_episodes_stand_under_their_sessions() -> None:
    until = Span(START, START + timedelta(minutes=5))
    episode = Episode("episode_1", "s1", ("a", "b"), until, "topic", "They talk.")
    [session] = views.episodes([episode])
    assert texts((session,)) == ["s1", ["11 Aug 2023 10:00-10:04, 2 turns"]]
    assert (session.twigs[0].more, session.twigs[0].below) == ("begins with a new topic", "They talk.")


def test_notes_stand_under_their_subjects_by_slot() -> None:
    def note(subject: str, slot: str, value: str, *, positive: bool = True) -> Note:
        return Note("n", "fact", subject, slot, value, f"{subject} {value}", ("t",), START, positive=positive)

    held = [
        note("Maria", "pet", "Coco"),
        note("Ben", "home", "Porto"),
        note("Maria", "job", "baker"),
        note("Maria", "pet", "Rex", positive=False),
    ]
    assert texts(views.notes(held)) == [
        "Maria", ["pet: Coco", "pet: not Rex", "job: baker"], "Ben", ["home: Porto"]
    ]  # fmt: skip


def test_a_note_says_since_when_it_holds_and_when_it_does_no_more() -> None:
    until = START + timedelta(days=1, hours=1)
    held = Note("n", "fact", "Maria", "pet", "Coco", "Maria has Coco", ("t",), START, START, until, "superseded")
    [[twig]] = [subject.twigs for subject in views.notes([held])]
    assert twig.more == "fact, said 11 Aug 2023, 11 Aug 2023 - 12 Aug 2023, superseded"


def test_a_note_without_an_end_holds_since_its_start() -> None:
    open_end = datetime(9999, 12, 31, tzinfo=UTC)
    held = Note("n", "fact", "Maria", "home", "Lisbon", "Maria lives in Lisbon", ("t",), START, START, open_end)
    assert views.notes([held])[0].twigs[0].more == "fact, said 11 Aug 2023, since 11 Aug 2023"


def test_what_is_told_of_an_only_child_is_not_told_of_its_parent() -> None:
    [year] = views.timeline(branch("", 3, branch("2023", 2, branch("2023-08", 1, leaves=("a",)))), Twig, Folding())
    assert (year.below, year.twigs[0].below) == ("", "About 2023-08.")


def a_graph(relations: int) -> KnowledgeGraph:
    entities = (Entity("a", "Maria", "person", ("Mary",)), Entity("b", "Coco", "other"), Entity("c", "Mari", "person"))
    stated = tuple(Relation(f"r{i}", "a", "b", f"label_{i}", ("t",) * (i + 1), 1.0, START) for i in range(relations))
    profile = EntityProfile("p", "a", "Has a dog.", "", ())
    return KnowledgeGraph(entities, {"a": 3, "b": 1, "c": 1}, stated, (("a", "c"),), (profile,))


def test_entities_stand_with_their_relations_from_both_ends_and_their_overlaps() -> None:
    maria, coco, mari = views.graph(a_graph(1), everything=False)
    assert (maria.text, maria.more, maria.below) == ("Maria", "person, 3 turns, also Mary", "Has a dog.")
    assert texts(maria.twigs) == ["→ label 0 → Coco", "≈ Mari"]
    assert texts(coco.twigs) == ["← label 0 ← Maria"]
    assert texts(mari.twigs) == ["≈ Maria"]


def test_the_best_proven_relations_of_an_entity_come_first_and_the_rest_is_folded() -> None:
    maria = views.graph(a_graph(9), everything=False)[0]
    assert texts(maria.twigs) == [*(f"→ label {i} → Coco" for i in (8, 7, 6, 5, 4)), "… 5 more"]
    assert len(views.graph(a_graph(9), everything=True)[0].twigs) == 10


def test_a_persona_is_a_text_with_its_traits() -> None:
    persona = Persona("p", 3, "Maria likes dogs.", ("likes dogs",), (), START, ("n",), "Maria")
    [twig] = views.personas([persona])
    assert twig == Twig("Maria", "version 3, 11 Aug 2023, from 1 note", "Maria likes dogs.", (Twig("likes dogs"),))


def test_the_tiers_show_their_best_records() -> None:
    records = tuple(
        Record(f"t{i}", "cache", "Hello", "Ben", START, 7, 0.25, 2, 9.5 - i, pivotal=True) for i in range(3)
    )
    shown = Tiers(records, (), ("s1", "s2"), {"cache": 3, "buffer": 0, "archive": 40})
    cache, buffer, archive = views.tiers(shown, limit=2)
    assert cache.more == "3 turns; the latest sessions: s1, s2"
    assert texts(cache.twigs) == [
        "9.50  2023-08-11 10:00 Ben: Hello", "8.50  2023-08-11 10:00 Ben: Hello", "… 1 more",
    ]  # fmt: skip
    assert cache.twigs[0].more == "importance 7, likeness 0.25, used 2 times, pivotal"
    assert (buffer.twigs, archive.more) == ((), "40 turns")


def test_nothing_that_is_drawn_moves_the_cursor() -> None:
    turn = Turn("turn_1", "Ben\x1b[2J", "one\r\ntwo\x07", START, "s1")
    assert views.leaf(turn, dated=False).text == "10:00 Ben [2J: one two"
    [twig] = views.topics(branch("", 2, branch("a\x1b[31m", 1, leaves=("a",))), Twig, Folding())
    assert "\x1b" not in twig.text + twig.below
