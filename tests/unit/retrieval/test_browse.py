from pathlib import Path

import pytest
from tests.formation import example

from hmem import Branch, Event, KnowledgeGraph, Memory, Note, Turn
from hmem.errors import InvalidQuery, UnknownId
from hmem.language.verbatim.layers import taxonomy


@pytest.fixture(scope="module")
def told() -> Memory:
    memory = Memory(":memory:")
    memory.add(example(240))
    return memory


def branches(root: Branch) -> list[Branch]:
    return [root, *(each for child in root.children for each in branches(child))]


@pytest.mark.parametrize("tree", ["calendar", "topic", "layers", "evolution"])
def test_a_trees_sizes_and_spans_nest_and_its_leaves_can_be_got(told: Memory, tree: str) -> None:
    root: Branch = told.tree(tree)
    for branch in branches(root):
        assert branch.node.size == len(branch.leaves) + sum(child.node.size for child in branch.children)
        for child in branch.children:
            assert child.node.parent == branch.node.id
            assert branch.node.span.start <= child.node.span.start
            assert child.node.span.end <= branch.node.span.end
    leaves = [leaf for branch in branches(root) for leaf in branch.leaves]
    assert len(leaves) == len(set(leaves)) == root.node.size > 10
    assert isinstance(told.get(leaves[0]), Turn if tree in ("calendar", "topic") else Event)
    ids = [branch.node.id for branch in branches(root)]
    assert len(set(ids)) == len(ids)


def test_the_layers_show_no_label_that_no_model_gave(told: Memory) -> None:
    guesses = {name for labels in taxonomy().labels for name in (labels.domain, labels.category)}
    layers = branches(told.tree("layers"))
    assert len(layers) > 10
    assert guesses.isdisjoint(branch.node.label for branch in layers)


def test_the_calendar_has_years_months_and_days(told: Memory) -> None:
    year = told.tree("calendar").children[0]
    assert year.node.label == "2025"
    assert year.children[0].node.label == "2025-01"
    assert year.children[0].children[0].node.label == "2025-01-12"


def test_episodes_and_notes_are_linked_both_ways(told: Memory) -> None:
    episodes = {episode.id: episode for episode in told.episodes(limit=1_000)}
    notes = told.notes(limit=1_000)
    assert notes
    for note in notes:
        for episode in note.episodes:
            assert note.id in episodes[episode].notes
            assert not set(note.sources).isdisjoint(episodes[episode].turns)
    assert any(len(note.episodes) > 1 for note in notes)
    linked = [(episode.id, note) for episode in episodes.values() for note in episode.notes]
    assert sorted(linked) == sorted((episode, note.id) for note in notes for episode in note.episodes)


def test_episodes_of_a_session_are_its_turns_in_order(told: Memory) -> None:
    session = told.sessions()[1]
    episodes = told.episodes(session=session.id)
    turns = [turn for episode in episodes for turn in episode.turns]
    assert turns == [turn.id for turn in told.list(session=session.id)]
    assert all(episode.session == session.id for episode in episodes)
    assert told.episodes(session="none such") == ()


def test_events_say_what_when_and_from_where(told: Memory) -> None:
    events = told.events(limit=1_000)
    assert told.get(events[3].id) == events[3]
    dated = [event for event in events if event.happened is not None]
    assert dated
    for event in events:
        assert event.text
        assert isinstance(told.get(event.sources[-1]), Turn)
    pages = [event for start in range(0, len(events), 7) for event in told.events(limit=7, offset=start)]
    assert tuple(pages) == events


def test_events_of_a_session_are_of_its_turns(told: Memory) -> None:
    session = told.sessions()[2].id
    turns = {turn.id for turn in told.list(session=session)}
    events = told.events(session=session)
    assert events
    assert all(event.sources[-1] in turns for event in events)


def test_notes_can_be_asked_for_by_subject_slot_and_kind(told: Memory) -> None:
    notes = told.notes(limit=1_000)
    one = notes[0]
    assert told.get(one.id) == one
    assert one in told.notes(subject=one.subject, slot=one.slot)
    assert all(note.subject == one.subject for note in told.notes(subject=one.subject))
    assert all(note.kind == "preference" for note in told.notes(kind="preference"))
    assert all(note.slot == one.slot for note in told.notes(slot=one.slot))


@pytest.mark.parametrize("kind", ["foo", "", "facts", 3, ["fact"]])
def test_a_kind_of_notes_that_there_is_not_is_refused_with_the_choices(told: Memory, kind) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidQuery, match=r"no kind of note is called .* - choose from: fact, preference, profile"):
        told.notes(kind=kind)


def test_the_graph_around_an_entity_holds_it_and_its_neighbours(told: Memory) -> None:
    graph = told.graph("Nadia")
    assert graph.entities[0].name.startswith("Nadia")
    ids = {entity.id for entity in graph.entities}
    assert all({relation.source, relation.target} <= ids for relation in graph.relations)
    assert graph.relations
    assert told.graph(graph.entities[0].id).entities[0] == graph.entities[0]
    for relation in graph.relations:
        assert isinstance(told.get(relation.evidence[0]), Turn)


def test_a_relation_has_one_id_in_every_listing(ten_months: Memory) -> None:
    def listed(graph: KnowledgeGraph) -> dict[str, tuple[str, str, str]]:
        found = {each.id: (each.source, each.label, each.target) for each in graph.relations}
        assert len(found) == len(graph.relations)
        return found

    few, more, all_of_them = (listed(ten_months.graph(limit=limit)) for limit in (5, 20, 50))
    assert 0 < len(few) < len(more) < len(all_of_them)
    assert few.items() <= more.items() <= all_of_them.items()
    around = listed(ten_months.graph(ten_months.graph(limit=50).relations[-1].target))
    assert around
    assert around.items() <= all_of_them.items()


def test_a_relation_keeps_its_id_when_it_is_said_again(path: Path) -> None:
    with Memory(path) as memory:
        memory.add("My sister Julie lives in Porto.", speaker="Maria", session="a", at="2024-01-01")
        before = memory.graph().relations
        memory.add("My sister Julie called.", speaker="Maria", session="b", at="2024-02-01")
    with Memory(path) as memory:
        memory.rebuild()
        after = {each.id: each for each in memory.graph().relations}
        assert before
        assert {each.id for each in before} <= after.keys()
        assert any(len(after[each.id].evidence) > len(each.evidence) for each in before)


def test_entities_come_by_their_number_of_mentions(told: Memory) -> None:
    graph = told.graph(limit=10)
    counts = [graph.mentions[entity.id] for entity in graph.entities]
    assert counts == sorted(counts, reverse=True)
    assert len(counts) == 10


def test_a_name_that_is_not_certain_is_in_no_view(memory: Memory) -> None:
    for text in ("My neighbour Gunn has it, in Lisbon.", "It works. Grazie.", "Grazie, Gunn."):
        memory.add(text, speaker="Aldo")
    shown = memory.graph(limit=100)
    around = memory.graph("Aldo")
    names = [[entity.name for entity in entities] for entities in (shown.entities, around.entities, memory.entities())]
    assert all("Lisbon" in some and "Grazie" not in some for some in names)
    assert "Grazie" not in [entity.name for turn in memory.list() for entity in memory.formed(turn.id).entities]
    assert memory.graph("Grazie").entities[0].name == "Grazie"


def test_tiers_hold_every_turn_once(told: Memory) -> None:
    tiers = told.tiers()
    assert sum(tiers.counts.values()) == 240
    assert len(tiers.cache) == tiers.counts["cache"]
    assert len(tiers.buffer) == tiers.counts["buffer"]
    assert len(tiers.sessions) == 5
    latest = told.sessions()[-1].id
    assert tiers.sessions[0] == latest


@pytest.mark.parametrize(
    "ask",
    [
        lambda memory: memory.get("event_00000000000000000000000000"),
        lambda memory: memory.get("note_00000000000000000000000000"),
        lambda memory: memory.get("note_nonsense"),
        lambda memory: memory.graph("Rumpelstiltskin"),
        lambda memory: memory.persona("Rumpelstiltskin"),
    ],
)
def test_what_is_unknown_is_one_named_error(told: Memory, ask) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UnknownId, match=r"Rumpelstiltskin|0000|nonsense"):
        ask(told)


def test_a_name_that_is_nearly_right_is_asked_back(told: Memory) -> None:
    with pytest.raises(UnknownId, match="did you mean 'Nadia'"):
        told.persona("Nadja")
    with pytest.raises(UnknownId, match="did you mean 'Lisbon'"):
        told.graph("Lisbom")
    with pytest.raises(UnknownId, match=r"Nadja Zzz.* - `hmem show persona` lists them"):
        told.persona("Nadja Zzz")


def test_an_empty_memory_can_be_looked_at(memory: Memory) -> None:
    assert memory.tree("calendar").children == ()
    assert memory.notes() == memory.events() == memory.episodes() == memory.personas() == ()
    assert memory.graph().entities == ()


def test_a_note_of_a_speaker_is_a_note(told: Memory) -> None:
    assert isinstance(told.get(told.notes()[0].id), Note)
