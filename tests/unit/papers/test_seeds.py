from dataclasses import replace

import numpy as np
import pytest
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.model.plan import SubQuestion
from hmem.papers.seeds import cosines_of, facts_near, meaning, names_in, names_like, speaker_agreement


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.add(chatter(100))
    memory.add("My cousin Rufus moved to Lisbon in March", speaker="Anna")
    memory.add("Haha, okay!", speaker="Ben")
    memory.tree("topic")
    return memory


def test_what_a_question_is_about_leaves_out_its_frame_and_who_speaks(told: Memory) -> None:
    with sources(told) as held:
        asked = meaning(held, query(held, "Where did the cousin of Anna move to?"))
        assert asked == pytest.approx(held.corpus.embedder.embed(["cousin move"])[0])


def test_a_question_without_content_is_searched_for_as_it_is(told: Memory) -> None:
    with sources(told) as held:
        asked = query(held, "?!")
        assert (meaning(held, asked) == asked.vector).all()


def test_a_topic_is_searched_for_instead_of_the_question(told: Memory) -> None:
    with sources(told) as held:
        asked = query(held, "Where did Rufus move to in March?")
        assert meaning(held, asked, "Rufus") == pytest.approx(held.corpus.embedder.embed(["Rufus"])[0])


def test_the_nearest_facts_come_first_and_small_talk_is_none(told: Memory) -> None:
    with sources(told) as held:
        asked = query(held, "Is that okay?")
        vector = held.corpus.embedder.embed(["haha okay"])[0]
        rows = facts_near(held, asked, vector, 1_000)
        assert (np.diff(cosines_of(held.corpus, vector, rows)) <= 0).all()
        assert len(held.corpus.columns) - 1 not in rows


def test_as_many_facts_are_found_as_are_asked_for_whatever_is_left_out(told: Memory) -> None:
    with sources(told) as held:
        asked = query(held, "garden", allowed=np.arange(len(held.corpus.columns)) % 9 == 0)
        rows = facts_near(held, asked, asked.vector, 5)
        assert len(rows) == 5
        assert (rows % 9 == 0).all()


def test_cosines_are_those_of_the_rows_asked_for(told: Memory) -> None:
    with sources(told) as held:
        vector = query(held, "garden").vector
        whole = cosines_of(held.corpus, vector, np.arange(len(held.corpus.columns)))
        assert cosines_of(held.corpus, vector, np.array([7, 3])) == pytest.approx(whole[[7, 3]])
        assert len(cosines_of(held.corpus, vector, np.array([], np.int64))) == 0


def test_a_turn_of_one_whom_the_question_names_agrees(told: Memory) -> None:
    with sources(told) as held:
        speakers = held.corpus.columns.speaker
        agreed = speaker_agreement(speakers, query(held, "Where did Anna go?"))
        assert agreed.tolist() == (speakers == held.corpus.speaker_numbers("Anna")[0]).astype(float).tolist()


def test_names_are_those_of_the_plan_or_those_written_large_and_then_words(told: Memory) -> None:
    with sources(told) as held:
        asked = query(held, "Did Rufus Hale like Lisbon?")
        assert names_in(asked, held.analyst.lexicon)[:2] == ["Rufus Hale", "Lisbon"]
        planned = query(held, asked.text, part=SubQuestion(asked.text, entities=("Porto",)))
        assert names_in(planned, held.analyst.lexicon)[0] == "Porto"


def test_entities_whose_names_are_like_a_vector_are_found_as_far_as_they_are_alike(told: Memory) -> None:
    with sources(told) as held:
        graph, vector = held.derived.graph, held.corpus.embedder.embed(["Lisbon"])[0]
        asked = query(held, "Lisbon")
        assert [graph.name(entity) for entity in names_like(held, asked, vector, 0.9, 3)] == ["Lisbon"]
        assert names_like(held, asked, vector, 1.1, 3) == []
        assert names_like(held, replace(asked, user="nobody"), vector, 0.9, 3) == []
