"""Each service stands by itself, over the parts of a memory and without ``Memory``."""

from collections.abc import Iterator
from datetime import UTC

import pytest

from hmem import Memory
from hmem.api.changes import Changes
from hmem.api.components import Components
from hmem.api.erasure import Erasure
from hmem.api.feedback import Feedback
from hmem.api.ingestion import Ingestion
from hmem.api.lookup import Lookup
from hmem.api.maintenance import Maintenance
from hmem.api.model_work import ModelWork
from hmem.api.opening import Choice
from hmem.api.queries import Queries
from hmem.api.views import Views
from hmem.corpus.corpus import Corpus
from hmem.derived.changes import ModelOutputs
from hmem.errors import InputError, UnknownId
from hmem.formation.capture import Defaults, capture
from hmem.language.analyst import analyst
from hmem.language.analyst.cached_model import CachedModelAnalyst
from hmem.language.embed import embedder
from hmem.recipes import recipe
from hmem.storage import open_storage

SAID = ["I adopted a puppy named Coco.", "I live in Lisbon."]


@pytest.fixture
def components() -> Iterator[Components]:
    """The parts of a memory with two turns, put together by hand."""
    storage = open_storage(":memory:", create=True, busy_seconds=1)
    corpus = Corpus(storage, embedder("minilm"), None)
    readings, made = ModelOutputs(storage), recipe("fusion")
    reading = CachedModelAnalyst(analyst("verbatim"), readings)
    yield Components(corpus, reading, readings, made.retrieval, made.formation, made.capture)
    corpus.close()


@pytest.fixture
def turns(components: Components) -> list[str]:
    kept = capture(components.corpus, SAID, Defaults(UTC, speaker="Maria", at="2023-08-11T10:00:00Z", session="s1"))
    return [receipt.id or "" for receipt in kept]


def test_a_memory_is_its_services_and_little_else() -> None:
    with Memory(":memory:") as memory:
        assert len(vars(memory)) <= 12


def test_queries_need_what_recalls_and_who_answers(components: Components, turns: list[str]) -> None:
    shown = list[str]()
    queries = Queries(
        lambda formed, _: components.recall(include_formed=formed), lambda _: None, UTC,
        on_recall=lambda found, *_: shown.append(found.question),
    )  # fmt: skip
    assert queries.search("Where does Maria live?")[0].id == turns[1]
    assert "I live in Lisbon." in queries.ask("Where does Maria live?").text
    assert shown == ["Where does Maria live?"] * 2


def test_views_need_what_is_browsed(components: Components, turns: list[str]) -> None:
    views = Views(components.browsing, lambda: components.formation.config.tiering, UTC)
    assert [event.sources for event in views.events()] == [(turn,) for turn in turns]
    assert views.persona("Maria") is not None


def test_what_is_kept_is_looked_up(components: Components, turns: list[str]) -> None:
    lookup = Lookup(components)
    assert [turn.text for turn in lookup.list(after=turns[0])] == SAID[1:]
    assert lookup.get(turns[0]) == lookup.list(limit=1)[0]
    assert [session.id for session in lookup.sessions()] == ["s1"]


def test_changes_are_made_and_taken_back(components: Components, turns: list[str]) -> None:
    changes = Changes(components, UTC)
    made = changes.retract(turns[0])
    assert [each.id for each in changes.history(turns[0])] == [made.id]
    assert changes.undo(made.id).verb == "undo"


def test_feedback_is_on_what_was_recalled_last(components: Components, turns: list[str]) -> None:
    feedback = Feedback(components)
    assert [change.verb for change in feedback.feedback(turns[0], "approve")] == ["feedback"]
    feedback.on_recall(components.recall(include_formed=False).search("Where does Maria live?", 1), None, None)
    assert components.retrieval.last is not None
    assert components.retrieval.last.recall.ids == (turns[1],)


def test_erasure_forgets_with_all_that_recalls_remember(components: Components, turns: list[str]) -> None:
    erasure, before = Erasure(components, UTC), components.retrieval
    assert erasure.forget(turns[0]).turns == 1
    assert erasure.verify(["puppy"]).ok
    assert components.retrieval is not before
    with pytest.raises(UnknownId):
        Lookup(components).get(turns[0])


def test_ingestion_keeps_forms_and_tells_when_it_rejected_everything(components: Components) -> None:
    work = ModelWork(components)
    ingestion = Ingestion(components, Feedback(components), work, zone=UTC, later=1)
    with pytest.raises(InputError):
        ingestion.add("")
    assert ingestion.rejected_everything
    assert ingestion.add(SAID[0]).fate == "stored"
    assert not ingestion.rejected_everything
    assert components.formation.pipeline.backlog() == 1
    ingestion.add(SAID[1])
    assert components.formation.pipeline.backlog() == 0


def test_model_work_without_a_model_is_refused(components: Components) -> None:
    work = ModelWork(components)
    assert work.model() is None
    assert work.answerer() is None
    assert work.budget(day_calls=5).day.calls == 5
    with pytest.raises(InputError, match="rules read this memory"):
        work.run_model_jobs()


def test_maintenance_rebuilds_by_a_recipe_that_every_service_then_goes_by(
    components: Components, turns: list[str]
) -> None:
    erasure, work = Erasure(components, UTC), ModelWork(components)
    maintenance = Maintenance(components, erasure, work, location="here", zone=UTC, rebuilt=Choice("flat"))
    views = Views(components.browsing, lambda: components.formation.config.tiering, UTC)
    assert maintenance.consolidate().complete
    assert len(views.events()) == 2
    maintenance.rebuild()
    assert views.events() == ()
    told = maintenance.stats()
    assert (told.path, told.zone, told.turns, told.events) == ("here", "UTC", 2, 0)


def test_what_another_process_forgets_is_not_remembered_in_this_one(components: Components, turns: list[str]) -> None:
    storage = components.corpus.storage
    assert storage.erasure is not None
    gone, stays = storage.locate(turns[:1])[turns[0]], storage.locate(turns[1:])[turns[1]]
    components.recall(include_formed=True).search("What is the puppy called?", 5)
    components.retrieval.missing_notes.notice("what is the puppy called", [stays])
    storage.erasure.forget([gone])
    with components.corpus.reading():
        components.retrieval.missing_notes.write(components.corpus)
    assert not [each for each in storage.recorded() if "puppy" in str(each)]
    assert components.retrieval.last is None
