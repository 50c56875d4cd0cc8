"""One suite for a memory here and a memory elsewhere: the same calls, the same values, the same errors."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.serving import Site, serving

import hmem
from hmem import Memory, errors
from hmem.model.node import TreeName
from hmem.model.note import Conflict
from hmem.model.plain import plain
from hmem.model.turn import MessagesRejected

_NUMBERS = count(1)
GONE = "turn_01HBGXNJ80000000000000TZR0"
STORY = [
    {"text": "I adopted a puppy named Coco", "speaker": "Maria", "at": "2023-08-11T10:00:00Z", "session": "s1"},
    {"text": "Congratulations! What breed is she?", "speaker": "John", "at": "2023-08-11T10:01:00Z", "session": "s1"},
    {"text": "My favorite food is sushi", "speaker": "Maria", "at": "2023-09-02T18:00:00+02:00", "session": "s2"},
    {"text": "I moved to Porto last week", "speaker": "John", "at": "2023-09-02T18:01:00+02:00", "session": "s2"},
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("root")) as found:
        yield found


@pytest.fixture(params=["here", "elsewhere"])
def memory(request: pytest.FixtureRequest, site: Site, tmp_path: Path) -> Iterator[Any]:
    """An empty memory, in a file or at a server."""
    if request.param == "here":
        opened: Any = Memory(tmp_path / "a.hmem")
    else:
        opened = hmem.connect(f"{site.address}/remote-{next(_NUMBERS)}", create=True)
    with opened:
        yield opened


@pytest.fixture
def told(memory: Any) -> Any:
    assert [receipt.fate for receipt in memory.add(STORY)] == ["stored"] * len(STORY)
    return memory


def test_turns_are_listed_by_words_and_times_and_backwards(told: Any) -> None:
    turns = told.list()
    assert [turn.text for turn in told.list(query="moving PORTO")] == ["I moved to Porto last week"]
    assert told.list(query="puppy sushi") == told.list(query="nowhere") == []
    assert told.list(query="?!") == told.list(since="2023-08-11", until="2023-09-03") == turns
    assert told.list(since="2023-09-01", limit=1) == turns[2:3]
    assert told.list(until="2023-08-11T10:01:00Z") == turns[:1]
    assert told.list(before=turns[3].id, limit=2) == turns[1:3]
    assert told.list(before=turns[3].id, after=turns[0].id, limit=1) == turns[1:2]
    assert told.list(before=turns[3].id, speaker="maria", session="s1") == turns[:1]
    with pytest.raises(errors.UnknownId, match="'before'"):
        told.list(before=GONE)


def test_an_outcome_is_found_for_the_next_task_like_it(memory: Any) -> None:
    kept = memory.outcome("Fix the flaky upload test", worked=False, steps=["waited longer"], lesson="Poll.")
    (case,) = memory.cases("The download test is flaky", k=1)
    assert (case.id, case.worked, case.steps, case.lesson) == (kept.id, False, ("waited longer",), "Poll.")


def test_a_message_is_kept_with_all_that_it_says(memory: Any) -> None:
    receipt = memory.add(
        "A picture of my dog", speaker="Maria", at=datetime(2024, 1, 2, 3, tzinfo=UTC), session="s9", caption="a dog",
        message_id="m1", metadata={"mood": "glad", "n": 1}, user="u", agent="a", ttl=timedelta(days=36_500),
    )  # fmt: skip
    assert receipt == hmem.Receipt("stored", receipt.id)
    turn = memory.get(receipt.id)
    assert (turn.text, turn.speaker, turn.session, turn.caption) == ("A picture of my dog", "Maria", "s9", "a dog")
    assert (turn.at, turn.message_id, turn.user, turn.agent) == (datetime(2024, 1, 2, 3, tzinfo=UTC), "m1", "u", "a")
    assert turn.metadata == {"mood": "glad", "n": 1}
    assert turn.expires == turn.at + timedelta(days=36_500)
    assert memory.add({"text": "A picture of my dog", "message_id": "m1"}, speaker="Maria").fate == "duplicate"


def test_who_speaks_is_settled_by_the_role(memory: Any) -> None:
    ids = [memory.add({"role": role, "content": "Hello there"}, speaker="Anna").id for role in ("user", "assistant")]
    assert [memory.get(each).speaker for each in ids] == ["Anna", "assistant"]


def test_a_list_tells_the_fate_of_each(memory: Any) -> None:
    with pytest.warns(MessagesRejected):
        receipts = memory.add(["Good morning", {"text": ""}, {"role": "user", "content": "Hi"}], session="s1")
    assert [receipt.fate for receipt in receipts] == ["stored", "rejected", "stored"]
    assert "empty" in receipts[1].error


def calls(view: Any, method: str, **arguments: Any) -> Any:
    """Return what a method gives, with a list for what comes piece by piece, and without how long anything took."""
    value = plain([*view.ask_stream(**arguments)] if method == "ask_stream" else getattr(view, method)(**arguments))
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, dict) and part.get("trace"):
            part["trace"]["milliseconds"] = {}
    return value


QUESTION = "What happened to Maria and John?"
SAME: list[tuple[str, dict[str, Any]]] = [
    ("search", {"question": QUESTION, "k": 2, "trace": True}),
    ("search", {"question": QUESTION, "since": datetime(2023, 9, 1, tzinfo=UTC), "kinds": ("turn", "event")}),
    ("search", {"question": QUESTION, "speaker": "John", "session": "s2", "until": "2024-01-01", "min_score": 0.0}),
    ("search", {"question": QUESTION, "user": "bob", "entity": "Rome"}),
    ("context", {"question": QUESTION, "tokens": 100}),
    ("ask", {"question": "When did Maria adopt Coco?", "trace": True}),
    ("ask_stream", {"question": "When did Maria adopt Coco?", "analyst": "rules"}),
    *((name, {}) for name in ("notes", "events", "episodes", "entities", "personas", "graph", "conflicts")),
    *((name, {"limit": 2, "offset": 1}) for name in ("notes", "events", "episodes", "entities")),
    *((name, {"limit": limit}) for name in ("notes", "events", "episodes") for limit in (0, -1)),
    *(("tree", {"name": name, "summaries": True}) for name in get_args(TreeName)),
    ("tree", {"name": "calendar", "user": "bob", "depth": 1}),
    ("notes", {"subject": "Maria", "kind": "fact"}),
    ("notes", {"user": "alice"}),
    ("events", {"session": "s1"}),
    ("episodes", {"since": "2023-09-01", "until": "2023-10-01"}),
    ("entities", {"name": "mar"}),
    ("graph", {"entity": "Coco", "limit": 3}),
    ("persona", {"speaker": "Maria"}),
    ("persona_history", {"speaker": "user", "user": "bob"}),
    ("profile", {"person": "maria", "tokens": 120}),
    ("profile", {"user": "alice"}),
]
NOW: list[tuple[str, dict[str, Any]]] = [
    ("list", {}),
    ("overview", {}),
    ("overview", {"seen": 3, "user": "bob", "limit": 2}),
    ("list", {"speaker": "John", "limit": 1}),
    ("list", {"entity": "Porto"}),
    ("sessions", {"limit": 1, "offset": 1}),
    ("sessions", {"offset": -1}),
    ("history", {}),
    ("history", {"since": "2023-08-12", "limit": 1}),
    ("pins", {}),
    ("conflict_rules", {}),
]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    """The same memory, in its file and at a server."""
    root = tmp_path_factory.mktemp("pair")
    with Memory(root / "a.hmem") as here:
        here.add(STORY)
        for user, home in (("alice", "Porto"), ("bob", "Rome")):
            here.add(f"Big news: I moved to {home} last week and started a job there!", speaker="user", user=user)
        here.retract(here.list()[1].id, why="a joke")
        here.consolidate()
        with serving(root) as site, hmem.connect(f"{site.address}/a") as elsewhere:
            yield here, elsewhere


@pytest.mark.parametrize(("name", "arguments"), [*SAME, *NOW], ids=str)
def test_a_memory_at_a_server_gives_the_values_of_its_file(
    pair: tuple[Any, Any], name: str, arguments: dict[str, Any]
) -> None:
    moment = {"at": datetime(2024, 1, 1, tzinfo=UTC)} if "question" in arguments else {}
    here, elsewhere = (calls(memory, name, **arguments, **moment) for memory in pair)
    assert elsewhere == here


@pytest.mark.parametrize(("name", "arguments"), SAME, ids=str)
def test_so_does_a_view_of_it_from_a_standpoint(pair: tuple[Any, Any], name: str, arguments: dict[str, Any]) -> None:
    moment = datetime(2023, 8, 20, tzinfo=UTC)
    for look in (
        lambda memory: memory.as_of("2099-01-01").valid_at(moment),
        lambda memory: memory.valid_at(moment).as_of("2099-01-01"),
    ):
        here, elsewhere = (calls(look(memory), name, **arguments) for memory in pair)
        assert elsewhere == here


def test_items_stats_and_tiers_are_the_same_too(pair: tuple[Any, Any]) -> None:
    here, elsewhere = pair
    for item in (here.list()[0], here.events()[0], here.notes()[0]):
        assert elsewhere.get(item.id) == item
        assert type(elsewhere.get(item.id)) is type(item)
    assert elsewhere.tiers().counts == here.tiers().counts
    assert (elsewhere.stats().turns, elsewhere.stats().first) == (here.stats().turns, here.stats().first)
    assert elsewhere.list(node=here.tree("topic").children[0].node.id)
    assert elsewhere.verify().remarks == ()


NAMES = ("speaker", "session", "user", "agent", "message_id")
FILTERS = ("speaker", "session", "entity", "user", "agent")
REFUSED: list[tuple[type[errors.HmemError], Callable[[Any], Any]]] = [
    (errors.InvalidTurn, lambda memory: memory.add("  ")),
    (errors.InvalidTime, lambda memory: memory.add("Hello", at="noon")),
    (errors.InvalidTime, lambda memory: memory.add("Hello", ttl="soon")),
    (errors.InvalidQuery, lambda memory: memory.search("")),
    (errors.InvalidTime, lambda memory: memory.search("Who?", since="2025-02-01", until="2025-01-01")),
    (errors.InvalidQuery, lambda memory: memory.search("Who?", metadata={"a": {"b": 1}})),
    (errors.UnknownId, lambda memory: memory.context("Who?", entity="entity_0000000000000000000000ZZZZ")),
    (errors.InvalidQuery, lambda memory: memory.persona("user")),
    (errors.InvalidQuery, lambda memory: memory.profile()),
    (errors.InvalidQuery, lambda memory: memory.as_of("2024-01-01").tiers()),
    (errors.InvalidQuery, lambda memory: memory.search("Who?", k=0)),
    (errors.InvalidQuery, lambda memory: memory.search("Who?", k=10**30)),
    (errors.InvalidQuery, lambda memory: memory.search("Who?", kinds=["song"])),
    (errors.InvalidQuery, lambda memory: memory.search("Who?", kinds=[])),
    *((errors.InvalidTurn, lambda memory, name=name: memory.add("Hello", **{name: " "})) for name in NAMES),
    *((errors.InvalidQuery, lambda memory, name=name: memory.search("Who?", **{name: ""})) for name in FILTERS),
    (errors.InvalidQuery, lambda memory: memory.context("Who?", tokens=0)),
    (errors.InvalidQuery, lambda memory: memory.ask("Who?", tokens=0)),
    (errors.InvalidQuery, lambda memory: memory.ask_stream("Who?", tokens=0)),
    (errors.InvalidQuery, lambda memory: memory.ask_stream("")),
    (errors.InvalidTime, lambda memory: memory.ask("Who?", at="noon")),
    (errors.InvalidTime, lambda memory: memory.as_of("noon").search("Who?")),
    (errors.UnknownId, lambda memory: memory.get(GONE)),
    (errors.UnknownId, lambda memory: memory.get("../x?y")),
    (errors.UnknownId, lambda memory: memory.get("")),
    (errors.UnknownId, lambda memory: memory.get(3)),
    (errors.InputError, lambda memory: memory.retract(3)),
    (errors.UnknownId, lambda memory: memory.history(GONE)),
    (errors.UnknownId, lambda memory: memory.history(since="change_1")),
    (errors.InvalidTime, lambda memory: memory.history(since="noon")),
    (errors.UnknownId, lambda memory: memory.persona_history("Nobody")),
    (errors.UnknownId, lambda memory: memory.edit.persona("Nobody", text="x")),
    (errors.UnknownId, lambda memory: memory.resolve(GONE.replace("turn", "note"), "keep")),
    (errors.InvalidQuery, lambda memory: memory.edit.set_conflict_rule("home", "sometimes")),
    (errors.InvalidQuery, lambda memory: memory.feedback(3, "approve")),
    (errors.InvalidQuery, lambda memory: memory.feedback(["nothing"], "approve")),
    (errors.UnknownId, lambda memory: memory.delete(GONE)),
    (errors.InvalidTime, lambda memory: memory.valid_at("noon").notes()),
    (errors.InvalidTime, lambda memory: memory.consolidate(at="noon")),
    (errors.UnknownId, lambda memory: memory.list(after="nothing")),
    (errors.UnknownId, lambda memory: memory.graph("Nobody")),
    (errors.UnknownName, lambda memory: memory.tree("oak")),
    (errors.UnknownId, lambda memory: memory.persona("Nobody")),
    (errors.UnknownId, lambda memory: memory.profile("Nobody")),
    (errors.InvalidQuery, lambda memory: memory.profile(tokens=0)),
    (errors.UnknownId, lambda memory: memory.correct(GONE, "x")),
    (errors.UnknownId, lambda memory: memory.undo(GONE.replace("turn", "change"))),
    (errors.UnknownId, lambda memory: memory.feedback(GONE, "approve")),
    (errors.InvalidQuery, lambda memory: memory.feedback(GONE, "great")),
    (errors.InvalidQuery, lambda memory: memory.forget()),
    (errors.InvalidQuery, lambda memory: memory.forget(speaker="Maria", since="2023", after="2024")),
    (errors.InputError, lambda memory: memory.retain(0)),
    (errors.InvalidQuery, lambda memory: memory.consolidate(budget=-1)),
    (errors.InputError, lambda memory: memory.search("\ud800")),
    (errors.InputError, lambda memory: memory.add("Hello", metadata={"x": object()})),
]


@pytest.mark.parametrize(("error", "call"), REFUSED)
def test_what_is_refused_has_the_same_name(
    pair: tuple[Any, Any], error: type[errors.HmemError], call: Callable[[Any], Any]
) -> None:
    for memory in pair:
        with pytest.raises(error):
            call(memory)


def test_changes_are_made_told_and_taken_back(told: Any) -> None:
    wrong = told.search("Who is Coco?", k=1)[0]
    change = told.correct(wrong.id, "I adopted a kitten named Coco", why="a slip", by="Maria")
    assert (change.verb, change.target, change.by, change.why) == ("correct", wrong.id, "Maria", "a slip")
    assert told.get(change.link).text == "I adopted a kitten named Coco"
    assert told.undo(change.id).verb == "undo"
    assert told.retract(wrong.id).verb == "retract"
    assert [each.verb for each in told.history(wrong.id)] == ["correct", "undo", "retract"]
    assert [each.verb for each in told.history(since=change.id)] == ["undo", "retract"]
    assert told.history(since=datetime(2023, 8, 11, tzinfo=UTC), limit=1)[0].id == change.id
    answer = told.search("What is the favorite food?", k=1)
    assert [each.verb for each in told.feedback(answer, "approve")] == ["feedback"]
    assert told.feedback(answer[0].id, 1.5)[0].target == answer[0].id
    assert told.edit.persona("Maria", text="Likes animals.", traits=["kind"]).verb == "persona"
    assert told.persona("Maria").text.startswith("Likes animals.")


def test_what_is_pinned_is_carried(told: Any) -> None:
    food = told.search("What is the favorite food?", k=1)[0].id
    made = told.pin(food, why="a rule")
    assert (made.verb, made.target) == ("pin", food)
    assert told.pins() == (made,)
    assert told.context("Who is Coco?", tokens=200).citations["1"] == food
    assert told.context("Who is Coco?", tokens=20).lacking == (food,)
    assert told.unpin(food).link == made.id
    assert told.pins() == ()


def test_entities_are_merged_and_split(told: Any) -> None:
    told.add("I met Lucy and Quim.", speaker="Maria", at="2023-08-12T10:00:00Z", session="m")
    made = told.edit.merge_entities("Lucy", "Quim")
    assert (made.verb, made.before, made.after) == ("merge", "Quim", "Lucy")
    (lucy,) = (each for each in told.graph(limit=100).entities if each.name == "Lucy")
    assert "Quim" in lucy.aliases
    assert told.edit.split_entity("Lucy", "Quim").verb == "split"
    assert "Quim" in {each.name for each in told.graph(limit=100).entities}


def test_contradictions_are_settled_by_a_rule_or_a_decision(memory: Any) -> None:
    assert memory.conflict_rules()["*"] == "newest"
    assert memory.edit.set_conflict_rule("favorite food", "ask").verb == "rule"
    assert memory.conflict_rules()["favorite food"] == "ask"
    memory.add(
        [{"text": f"My favorite food is {food}", "speaker": "Maria", "session": food} for food in ("sushi", "soup")]
    )
    conflicts = memory.conflicts()
    assert all(isinstance(each, Conflict) for each in conflicts)
    note = memory.notes(subject="Maria")[0]
    assert memory.resolve(note.id, "retire").verb == "resolve"
    assert memory.as_of("2020-01-01").conflicts() == ()


def test_forgetting_is_previewed_done_and_proved(told: Any) -> None:
    assert told.forget(query="sushi", preview=True).turns == 1
    gone = told.forget(query="sushi", why="asked to")
    assert (gone.turns, "sushi" in gone.words) == (1, True)
    assert told.verify(gone.words)
    told.retain(36_500)
    assert told.stats().retain_days == 36_500
    told.retain(None)
    assert told.delete(told.list()[0].id).turns == 1
    assert len(told.list()) == 2


def test_upkeep_is_done(told: Any) -> None:
    assert told.consolidate(budget=20.0).left == 0
    told.flush()
    told.rebuild()
    assert told.verify().ok


def test_what_a_model_may_spend_is_set(memory: Any) -> None:
    assert memory.model.budget(day_calls=5).day.calls == 5
    assert memory.model.budget().day.calls == 5
    assert memory.model.budget(day_calls=None).day.calls is None
    for call in (memory.model.run_jobs, memory.model.reanalyse, lambda: memory.model.budget(moon=1)):
        with pytest.raises(errors.InputError):
            call()
    assert memory.add("Hello there", wait=True).fate == "stored"


def test_a_message_id_with_another_text_is_a_conflict(memory: Any) -> None:
    memory.add("One", message_id="m")
    with pytest.raises(errors.MessageConflict):
        memory.add("Two", message_id="m")


def test_what_is_no_message_is_rejected_by_itself(memory: Any) -> None:
    with pytest.warns(MessagesRejected):
        receipts = memory.add(["One", None, {"text": "Two", "speaker": ""}, "Three"])
    assert [receipt.fate for receipt in receipts] == ["stored", "rejected", "rejected", "stored"]
    assert all(receipt.error for receipt in receipts if not receipt)


def test_a_list_is_as_long_as_asked_for_however_many_pages_it_takes(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmem.interfaces.client.remote._PAGE", 1)
    turns = [each["text"] for each in STORY]
    assert [turn.text for turn in told.list(limit=3)] == turns[:3]
    assert [turn.text for turn in told.list(after=told.list()[0].id)] == turns[1:]
    assert [turn.text for turn in told.list(speaker="John")] == turns[1::2]


def test_a_closed_memory_takes_no_more_calls(memory: Any) -> None:
    memory.close()
    with pytest.raises(errors.MemoryClosed):
        memory.search("Who?")
