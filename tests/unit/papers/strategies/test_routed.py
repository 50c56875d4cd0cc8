import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formation import example
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.derived.chunks import turn_of
from hmem.errors import UnknownName
from hmem.papers.strategies.routed import RoutedOptions, routed
from hmem.retrieval.feedback import StrengthOptions
from hmem.retrieval.sources import Sources

QUESTIONS = (
    "Where did we go hiking?",
    "What did she say about her new job?",
    "Which instrument is being practised?",
    "When does the train leave?",
)


@pytest.fixture(scope="module")
def held():
    """What recall reads of the example, with layers."""
    with Memory(":memory:", recipe="layered") as memory:
        memory.add(example(240))
        with sources(memory) as read:
            yield read


def found(held: Sources, question: str, allowed=None, **options):
    return routed(held, query(held, question, allowed=allowed), RoutedOptions(**options), StrengthOptions())


@pytest.mark.parametrize("options", [{}, {"beam": "per-parent"}, {"routing": False}, {"layers": False}])
def test_a_statement_is_found_by_its_meaning(options) -> None:
    with Memory(":memory:", recipe="layered") as memory:
        memory.add(chatter(60))
        wanted = memory.add("I took home a young dog from the animal shelter", speaker="Cleo")
        with sources(memory) as read:
            made = found(read, "adopted puppies", **options)
            turns = read.corpus.turns(made.rows)
            assert wanted.id in [turn.id for turn in turns.values()]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("beam", ["whole", "per-parent"])
def test_a_beam_wider_than_the_layers_finds_what_comparing_all_events_finds(held, question, beam) -> None:
    wide, flat = found(held, question, k=10_000, beam=beam), found(held, question, routing=False)
    assert [hit.score for hit in wide.hits] == [hit.score for hit in flat.hits]
    assert wide.story["operations"]["routed"] > flat.story["operations"]["routed"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_beam_of_each_parent_finds_events_at_least_as_near(held, question) -> None:
    whole, each = (found(held, question, k=2, last=2, beam=beam) for beam in ("whole", "per-parent"))
    assert sum(hit.score for hit in each.hits) >= sum(hit.score for hit in whole.hits)
    assert each.story["operations"]["routed"] >= whole.story["operations"]["routed"]


@pytest.mark.parametrize("options", [{}, {"k": 3, "last": 4}, {"routing": False}, {"layers": False}])
def test_turns_are_those_of_the_events_each_once_with_terms_that_sum_to_the_score(held, options) -> None:
    weights = {"semantic.event": 1.0, "semantic.turn": 1.0, "strength": 0.2}
    made = found(held, QUESTIONS[0], weights=weights, **options)
    assert len(made.rows) == len(set(made.rows.tolist())) > 0
    total = sum(values * made.weights[name] for name, values in made.terms.items())
    assert total == pytest.approx(made.scores, abs=1e-5)
    assert (np.diff(made.scores) <= 0).all()


def test_the_turns_around_an_event_are_found_by_their_words(memory: Memory) -> None:
    memory.add("I sold my old zeppelin on Sunday", speaker="Cleo")
    memory.add("To the museum? How much for?", speaker="Dora")
    with sources(memory) as read:
        by_words = found(read, "What did the museum pay for the zeppelin?")
        by_meaning = found(read, "What did the museum pay for the zeppelin?", similarity="semantic")
    assert len(by_words.rows) == 2
    assert len(by_meaning.rows) == 1


@pytest.mark.example(60)
def test_a_node_gains_by_the_words_of_its_best_turn(memory: Memory) -> None:
    wanted = memory.add("My brother was bitten by the quokka on Rottnest", speaker="Cleo")
    with sources(memory) as read:
        made = found(read, "quokka", k=1, words=1_000.0)
        (event,) = read.derived.events.of_turn(int(read.corpus.turn_cache.locate([wanted.id])[wanted.id]))
        node = read.derived.trees["layers"].path(event.number)[1]
    assert str(node) in made.story["paths"][0]


def test_by_meaning_alone_the_best_events_are_those_of_the_best_turns(held) -> None:
    made = found(held, QUESTIONS[0], similarity="semantic")
    turns = {turn for hit in made.hits for turn in hit.turns}
    assert turns <= set(held.corpus.columns.seq[made.rows].tolist())


def test_the_story_tells_the_paths_the_confidence_and_the_operations(held) -> None:
    made = found(held, QUESTIONS[1])
    tree, size = held.derived.trees["layers"], held.corpus.embedder.dimension
    for hit, path, confidence in zip(made.hits, made.story["paths"], made.story["confidence"], strict=True):
        assert path == [held.derived.name_of("layers", node) or str(node) for node in tree.path(hit.number)[1:]]
        assert len(path) == 3
        judged = held.derived.judgements.get(turn_of(hit.number))
        assert confidence == pytest.approx(judged.importance / 10)
    assert made.story["operations"]["flat"] == len(tree) * size
    assert len(made.story["scored"]) == 4


def test_routing_compares_fewer_entries_than_there_are(held) -> None:
    made = found(held, QUESTIONS[0], k=3, last=3)
    assert made.story["k"] == 3
    assert made.story["operations"]["routed"] < made.story["operations"]["flat"] / 2


def test_a_beam_that_brings_too_few_is_widened(held) -> None:
    made = found(held, QUESTIONS[0], k=1, last=60)
    assert len(made.hits) == 60
    assert made.story.get("k", 8) > 1


@given(st.integers(0, 1_000), st.sampled_from([0.0, 0.01, 0.1, 0.7]), st.sampled_from(QUESTIONS), st.data())
def test_no_turn_outside_of_a_filter_is_found_and_as_many_as_there_are_inside(held, seed, share, question, data):
    options = data.draw(st.sampled_from([{}, {"beam": "per-parent"}, {"routing": False}, {"layers": False}]))
    allowed = np.random.default_rng(seed).random(len(held.corpus.columns)) < share
    made = found(held, question, allowed=allowed, **options)
    assert allowed[made.rows].all()
    columns = held.corpus.columns
    for hit in made.hits:
        assert allowed[columns.rows_of(hit.turns)].all()
    if "layers" not in options:
        events = held.derived.trees["layers"].leaves_below(0)
        inside = [event for event in events if allowed[columns.rows_of([turn_of(event)])[0]]]
        assert len(made.hits) == min(len(inside), 10)


def test_what_was_added_since_is_found_and_what_was_deleted_is_not() -> None:
    with Memory(":memory:", recipe="layered") as memory:
        memory.add(chatter(40))
        with sources(memory) as read:
            assert found(read, "a parrot that speaks").hits
        wanted = memory.add("I bought a parrot that speaks three languages", speaker="Cleo")
        with sources(memory) as read:
            made = found(read, "a parrot that speaks")
            assert read.corpus.turns(made.rows[:1])[int(made.rows[0])].id == wanted.id
        memory.delete(wanted.id or "")
        with sources(memory) as read:
            texts = [turn.text for turn in read.corpus.turns(found(read, "a parrot that speaks").rows).values()]
            assert not any("parrot" in text for text in texts)


@pytest.mark.parametrize("recipe", ["flat", "layered"])
def test_a_memory_without_layers_is_recalled_by_turns(recipe: str) -> None:
    with Memory(":memory:", recipe=recipe, settings={"formation.layers": "false"}) as memory:
        with sources(memory) as read:
            assert len(found(read, "Is anyone there?").rows) == 0
        memory.add(chatter(30))
        with sources(memory) as read:
            made = found(read, "violin market")
            assert (len(made.rows), made.hits, made.story["layers"]) == (10, (), False)


@pytest.mark.parametrize("layers", ["2", "3", "5", "6"])
def test_any_number_of_layers_is_routed_through(layers: str) -> None:
    with Memory(":memory:", recipe="layered", settings={"layers.layers": layers}) as memory:
        memory.add(example(60))
        with sources(memory) as read:
            made = found(read, QUESTIONS[0])
            assert len(made.story["paths"][0]) == int(layers) - 1
            flat = found(read, QUESTIONS[0], routing=False)
            assert [p.score for p in found(read, QUESTIONS[0], k=999).hits] == [p.score for p in flat.hits]


def test_an_unknown_beam_is_refused(held) -> None:
    with pytest.raises(UnknownName, match="no beam is called 'narrow'"):
        found(held, QUESTIONS[0], beam="narrow")
