import json

import pytest
from tests.formation import derived, example

from hmem import Memory
from hmem.derived.episodes import Episodes, TurnJudgement, TurnJudgements


@pytest.mark.example(80)
def test_every_turn_lies_in_one_episode_of_its_session(memory: Memory) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        episodes = Episodes(memory.corpus, kept.judgements)
        turns = [seq for run in episodes.runs for seq in run.turns]
        assert sorted(turns) == kept.judgements.seqs()
        assert all(episodes.first_of(seq) == run.turns[0] for run in episodes.runs for seq in run.turns)
        assert episodes.first_of(10_000) is None
        columns = memory.corpus.columns
        for run in episodes.runs:
            assert {int(number) for number in columns.session[columns.rows_of(run.turns)]} == {run.session}


@pytest.mark.example(80)
def test_an_episode_begins_where_a_session_does_or_a_cut_was_made(memory: Memory) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        runs = Episodes(memory.corpus, kept.judgements).runs
        for run in runs:
            judgement = kept.judgements.get(run.turns[0])
            assert judgement is not None
            assert run.cut == (judgement.cut or "session")
            assert all(kept.judgements.get(seq).cut is None for seq in run.turns[1:])  # type: ignore[union-attr]
    assert len({run.cut for run in runs}) > 1


def test_sessions_without_segmentation_are_episodes() -> None:
    with Memory(":memory:", settings={"formation.segmentation": "false"}) as memory:
        memory.add(example(80))
        episodes = memory.episodes()
        assert [episode.cut for episode in episodes] == ["session"] * len(memory.sessions())
        assert [len(episode.turns) for episode in episodes] == [session.turns for session in memory.sessions()]


def test_judgements_count_what_formed_the_turns() -> None:
    judgements = TurnJudgements()
    for seq, made_by in enumerate(("rules/1", "rules/2", "rules/2")):
        judgements.replace(seq, TurnJudgement(1, memorable=True, importance=5, made_by=made_by))
    loaded = TurnJudgements()
    loaded.load(0, json.loads(json.dumps(judgements.dump(0))))
    assert loaded.makers() == {"rules/2": 2, "rules/1": 1}
    loaded.take(1)
    assert loaded.makers() == {"rules/1": 1, "rules/2": 1}


def test_judgements_keep_languages_and_what_was_not_read() -> None:
    judgements = TurnJudgements()
    judgements.replace(1, TurnJudgement(1, memorable=True, importance=5, language="en"))
    judgements.replace(2, TurnJudgement(1, memorable=True, importance=5, language="en", unread=("code", "length")))
    judgements.replace(3, TurnJudgement(1, memorable=False, importance=2, language="de", unread=("language:de",)))
    loaded = TurnJudgements()
    loaded.load(0, json.loads(json.dumps(judgements.dump(0))))
    assert [loaded.get(seq) for seq in (1, 2, 3)] == [judgements.get(seq) for seq in (1, 2, 3)]
    assert loaded.languages() == {"en": 2, "de": 1}
    assert loaded.unread() == {"code": 1, "length": 1, "language:de": 1}


def test_judgements_of_the_first_edition_tell_no_language() -> None:
    loaded = TurnJudgements()
    loaded.load(0, [["rules/2"], [1, 1], [1, 0], [5, -2], "e ", None])
    assert loaded.get(1) == TurnJudgement(1, memorable=True, importance=5, cut="session", made_by="rules/2")
    assert (loaded.languages(), loaded.unread()) == ({}, {})
