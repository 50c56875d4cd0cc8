from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import get_args

import pytest
from tests.formation import FormedExample, example
from tests.support import chatter

from hmem import Branch, Memory, Profile, Turn
from hmem.errors import InvalidTime, UnknownId
from hmem.model.node import TreeName
from hmem.retrieval import browse

TREES = get_args(TreeName)
LISTS = ("episodes", "events", "notes", "personas")


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, formed_example: FormedExample) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("views") / "test.hmem"
    formed_example(path, 120, consolidated=True)
    with Memory(path) as memory:
        yield memory


def branches(root: Branch) -> list[Branch]:
    return [root, *(each for child in root.children for each in branches(child))]


@pytest.mark.parametrize("tree", TREES)
def test_a_tree_tells_summaries_when_they_are_asked_for(lived: Memory, tree: TreeName) -> None:
    told = [branch.node.summary for branch in branches(lived.tree(tree, summaries=True))]
    assert any(told)
    plain = branches(lived.tree(tree))
    assert len(plain) == len(told)
    assert [branch.node.id for branch in plain] == [branch.node.id for branch in branches(lived.tree(tree))]


@pytest.mark.parametrize("view", ["episodes", "events", "notes"])
def test_pages_of_a_view_follow_each_other(lived: Memory, view: str) -> None:
    every = getattr(lived, view)(limit=10_000)
    pages = [item for start in range(0, len(every), 5) for item in getattr(lived, view)(limit=5, offset=start)]
    assert tuple(pages) == every
    assert len(every) > 10
    assert getattr(lived, view)(limit=0) == getattr(lived, view)(offset=10_000) == ()


def test_a_persona_is_of_who_spoke(lived: Memory) -> None:
    speakers = {speaker for session in lived.sessions() for speaker in session.speakers}
    personas = lived.personas()
    assert speakers == {"Assistant", "Nadia", "Tomas"}
    assert "Nadia" in {persona.speaker for persona in personas} <= speakers
    assert all(persona.text for persona in personas)
    for persona in personas:
        assert lived.persona(persona.speaker) == persona
    with pytest.raises(UnknownId, match="nobody"):
        lived.persona("nobody of this name")


def test_a_view_shows_what_was_just_written_and_no_more_what_was_deleted(memory: Memory) -> None:
    memory.add(chatter(20))
    kept = memory.add("I adopted a greyhound named Biscuit in May.", speaker="Maria", at="2025-06-01T10:00Z")
    assert kept.id is not None
    assert any(event.sources[-1] == kept.id for event in memory.events(limit=100))
    assert kept.id in {leaf for branch in branches(memory.tree("calendar")) for leaf in branch.leaves}
    assert sum(memory.tiers().counts.values()) == 21
    memory.delete(kept.id)
    assert not any(event.sources[-1] == kept.id for event in memory.events(limit=100))
    assert kept.id not in {leaf for branch in branches(memory.tree("calendar")) for leaf in branch.leaves}
    assert sum(memory.tiers().counts.values()) == 20


@pytest.mark.parametrize("recipe", ["fusion", "flat"])
def test_every_view_of_an_empty_memory_is_empty(path: Path, recipe: str) -> None:
    with Memory(path, recipe=recipe) as memory:
        for tree in TREES:
            assert memory.tree(tree, summaries=True).children == ()
        for view in LISTS:
            assert getattr(memory, view)() == ()
        assert memory.graph().entities == memory.graph().relations == ()
        assert memory.profile() == Profile("", (), 0, "")
        assert sum(memory.tiers().counts.values()) == 0


def test_a_memory_that_forms_nothing_shows_no_trees_and_no_notes(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add(example(30))
        for tree in TREES:
            assert memory.tree(tree).children == ()
        assert memory.events() == memory.notes() == memory.personas() == ()
        assert memory.graph().entities == ()
        assert sum(memory.tiers().counts.values()) == 0


@pytest.mark.parametrize("tree", TREES)
def test_a_part_of_a_tree_has_the_way_to_its_node_and_the_levels_below_it(lived: Memory, tree: TreeName) -> None:
    show = partial(lived.tree, tree)
    whole: Branch = show()
    for child in whole.children:
        root: Branch = show(node=child.node.id, depth=1)
        (alone,) = root.children
        assert root.node == whole.node
        assert alone.node == child.node
        assert not root.leaves
        assert [below.node for below in alone.children] == [below.node for below in child.children]
        assert not any(below.children or below.leaves for below in alone.children)
        assert alone.leaves == child.leaves
        assert show(node=child.node.id).children == (child,)
    assert show(depth=100) == whole
    assert not show(depth=0).children


@pytest.mark.parametrize("tree", TREES)
def test_a_tree_of_a_turn_has_only_the_nodes_above_it(lived: Memory, tree: TreeName) -> None:
    whole = branches(lived.tree(tree))
    events = {event.sources[-1]: event.id for event in lived.events(limit=1_000)}
    found = 0
    for turn in lived.list(limit=60):
        shown = branches(lived.tree(tree, turn=turn.id))
        leaves = {leaf for branch in shown for leaf in branch.leaves}
        if tree in ("calendar", "topic"):
            assert leaves <= {turn.id}
        else:
            assert all(lived.get(leaf).sources[-1] == turn.id for leaf in leaves)  # type: ignore[union-attr]
            assert bool(leaves) is (turn.id in events)
        assert {branch.node.id for branch in shown} == {
            branch.node.id
            for branch in whole
            if branch is whole[0] or leaves & {leaf for below in branches(branch) for leaf in below.leaves}
        }
        found += len(leaves)
    assert found > 20


def test_the_turns_below_a_node_are_those_of_its_leaves(lived: Memory) -> None:
    topics = lived.tree("topic")
    for branch in branches(topics):
        leaves = {leaf for below in branches(branch) for leaf in below.leaves}
        assert {turn.id for turn in lived.list(node=branch.node.id, limit=1_000)} == leaves
    for branch in lived.tree("layers").children:
        stated = {lived.get(leaf).sources[-1] for below in branches(branch) for leaf in below.leaves}  # type: ignore[union-attr]
        assert {turn.id for turn in lived.list(node=branch.node.id, limit=1_000)} == stated


def test_turns_of_a_node_and_an_entity_come_by_pages_and_meet_every_condition(lived: Memory) -> None:
    graph = lived.graph(limit=1)
    every = lived.list(entity=graph.entities[0].id, limit=1_000)
    assert len(every) == graph.mentions[graph.entities[0].id]
    assert lived.list(entity=graph.entities[0].name, limit=1_000) == every
    pages, after = list[Turn](), None
    while page := lived.list(entity=graph.entities[0].id, after=after, limit=3):
        pages, after = [*pages, *page], page[-1].id
    assert pages == every
    speaker, session = every[0].speaker, every[0].session
    wanted = [turn for turn in every if turn.speaker == speaker and turn.session == session]
    assert lived.list(entity=graph.entities[0].id, speaker=speaker.upper(), session=session, limit=1_000) == wanted
    node = max(lived.tree("topic").children, key=lambda branch: branch.node.size).node.id
    both = {turn.id for turn in every} & {turn.id for turn in lived.list(node=node, limit=1_000)}
    assert both
    assert {turn.id for turn in lived.list(entity=graph.entities[0].id, node=node, limit=1_000)} == both


def test_a_node_or_a_turn_that_is_not_there_is_named(lived: Memory) -> None:
    other = lived.tree("topic").children[0].node.id
    wrong: tuple[Callable[[], object], ...] = (
        lambda: lived.tree("calendar", node="node_none"),
        lambda: lived.tree("calendar", node=other),
        lambda: lived.tree("calendar", turn="turn_none"),
        lambda: lived.list(node="node_none"),
        lambda: lived.list(entity="Nobody"),
    )
    for ask in wrong:
        with pytest.raises(UnknownId):
            ask()


def test_entities_are_found_by_letters_of_their_names(lived: Memory) -> None:
    every = lived.entities(limit=1_000)
    mentions = lived.graph(limit=1_000).mentions
    assert [mentions[entity.id] for entity in every] == sorted(mentions.values(), reverse=True)
    for entity in every[:10]:
        for name in (entity.name, *entity.aliases):
            assert entity in lived.entities(name=name[1:].swapcase(), limit=1_000)
    found = lived.entities(name=every[0].name[:2], limit=1_000)
    wanted = every[0].name[:2].casefold()
    assert found == tuple(
        entity for entity in every if any(wanted in name.casefold() for name in (entity.name, *entity.aliases))
    )
    assert lived.entities(name="no such name") == ()
    assert lived.entities(limit=2, offset=1) == every[1:3]


def test_episodes_and_events_are_limited_to_a_time(lived: Memory) -> None:
    day = lived.sessions()[1].start.date()
    since, until = day.isoformat(), (day + timedelta(days=30)).isoformat()
    turns = {turn.id: turn for turn in lived.list(limit=1_000)}

    def inside(moment: datetime) -> bool:
        return since <= moment.astimezone(UTC).date().isoformat() < until

    every = lived.episodes(limit=1_000)
    shown = lived.episodes(since=since, until=until, limit=1_000)
    assert shown == tuple(each for each in every if any(inside(turns[turn].at) for turn in each.turns))
    assert 0 < len(shown) < len(every)
    start, end = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (since, until))
    events = lived.events(limit=1_000)
    assert lived.events(since=since, until=until, limit=1_000) == tuple(
        each
        for each in events
        if inside(each.said) or (each.happened and each.happened.start < end and each.happened.end > start)
    )
    pages = [each for place in range(0, 20, 2) for each in lived.events(since=since, limit=2, offset=place)]
    assert tuple(pages) == lived.events(since=since, limit=20)
    with pytest.raises(InvalidTime):
        lived.events(since="never")


@pytest.mark.parametrize("tree", TREES)
def test_a_brief_tree_has_the_largest_children_and_the_same_names(
    lived: Memory, tree: TreeName, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, brief = lived.tree(tree, depth=2), lived.tree(tree, depth=2, brief=True)
    assert (brief.folded, brief.node, brief.leaves) == (0, whole.node, ())
    assert [child.node.label for child in brief.children] == [child.node.label for child in whole.children]
    monkeypatch.setattr(browse, "_WIDTH", 1)
    if whole.children:
        narrow = lived.tree(tree, depth=1, brief=True)
        (child,) = narrow.children
        assert narrow.folded == len(whole.children) - 1
        assert child.node.size == max(each.node.size for each in whole.children)
        deeper = lived.tree(tree, node=whole.children[-1].node.id, depth=1, brief=True)
        assert deeper.children[0].node == whole.children[-1].node


def test_a_brief_graph_writes_the_profile_of_one_entity_alone(formed_example: FormedExample, tmp_path: Path) -> None:
    formed_example(tmp_path / "a.hmem", 120)
    with Memory(tmp_path / "a.hmem") as memory:
        brief = memory.graph(brief=True)
        assert brief.entities
        assert brief.profiles == ()
        entity = brief.entities[0]
        (profile,) = memory.graph(entity.id, brief=True).profiles
        whole = memory.graph()
        assert (whole.entities, whole.profiles[0]) == (brief.entities, profile)


def test_the_first_notes_of_a_page_are_those_of_the_whole(lived: Memory) -> None:
    every = lived.notes(limit=10_000)
    assert lived.notes(limit=5, offset=3) == every[3:8]
