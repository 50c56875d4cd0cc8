from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.chunks import encode
from hmem.derived.episodes import TurnJudgement, TurnJudgements

judgements = st.builds(
    TurnJudgement,
    session=st.integers(0, 40),
    memorable=st.booleans(),
    importance=st.integers(1, 10),
    cut=st.sampled_from([None, "topic", "surprise", "session", "length"]),
    made_by=st.sampled_from(["rules/1", "a model"]),
    owner=st.sampled_from(["", "", "ann", "bob"]),
    language=st.sampled_from(["", "en", "de"]),
)


@given(st.dictionaries(st.integers(0, 2_000), judgements, max_size=60))
def test_judgements_come_back_from_their_chunks(made: dict[int, TurnJudgement]) -> None:
    kept = TurnJudgements()
    for seq, judgement in made.items():
        kept.replace(seq, judgement)
    loaded = TurnJudgements()
    for number in kept.changed:
        loaded.load(number, kept.dump(number))
    assert {seq: loaded.get(seq) for seq in loaded.seqs()} == made
    assert not loaded.changed


@given(st.dictionaries(st.integers(0, 2_000), judgements, max_size=60), st.integers(0, 2_000))
def test_judgements_that_are_filled_in_answer_as_those_that_were_put(made: dict[int, TurnJudgement], one: int) -> None:
    kept, loaded = TurnJudgements(), TurnJudgements()
    for seq, judgement in made.items():
        kept.replace(seq, judgement)
    loaded.fill([(number, encode(kept.dump(number))) for number in sorted(kept.changed)])
    assert (len(loaded), one in loaded, loaded.get(one)) == (len(kept), one in kept, kept.get(one))
    assert loaded.owned == kept.owned
    assert [loaded.only(owner) for owner in ("", "ann")] == [kept.only(owner) for owner in ("", "ann")]
    assert (len(loaded), loaded.makers(), loaded.languages()) == (len(kept), kept.makers(), kept.languages())
    version = loaded.version
    assert loaded.seqs() == kept.seqs()
    assert [loaded.dump(number) for number in kept.changed] == [kept.dump(number) for number in kept.changed]
    assert (loaded.version, loaded.altered, loaded.changed) == (version, set(), set())


def test_a_chunk_that_was_filled_in_is_replaced() -> None:
    kept, loaded = TurnJudgements(), TurnJudgements()
    kept.replace(300, TurnJudgement(1, True, 5))
    kept.replace(301, TurnJudgement(1, True, 5))
    loaded.fill([(1, encode(kept.dump(1)))])
    kept.take(300)
    loaded.load(1, kept.dump(1))
    assert (loaded.seqs(), len(loaded), loaded.altered) == ([301], 1, {300})
    loaded.replace(302, TurnJudgement(1, True, 5))
    assert (loaded.seqs(), len(loaded)) == ([301, 302], 2)


def test_what_is_taken_is_gone() -> None:
    kept = TurnJudgements()
    kept.replace(7, TurnJudgement(1, True, 5))
    kept.take(7)
    assert 7 not in kept
    assert kept.dump(0) is None
    kept.load(0, None)
    assert len(kept) == 0


def test_turns_that_were_formed_again_are_told_here_and_in_another_process() -> None:
    here, there = TurnJudgements(), TurnJudgements()
    for seq in (1, 2, 3):
        here.replace(seq, TurnJudgement(1, True, 5))
    there.load(0, here.dump(0))
    assert (here.altered, there.altered) == (set(), set())
    here.take(2)
    here.replace(2, TurnJudgement(1, True, 5, made_by="openai:small/1"))
    here.take(3)
    there.load(0, here.dump(0))
    assert here.altered == there.altered == {2, 3}


def test_columns_that_were_not_read_tell_the_same_as_judgements() -> None:
    kept = TurnJudgements()
    for seq in range(1, 1_500, 3):
        cut = (None, "topic", "session")[seq % 3 if seq % 5 else 1]
        kept.replace(seq, TurnJudgement(seq // 40, memorable=seq % 2 == 0, importance=1 + seq % 10, cut=cut))  # type: ignore[arg-type]
    waiting = TurnJudgements()
    waiting.fill((number, encode(kept.dump(number))) for number in range(6))
    seqs = list(range(1_600))
    expected = [0 if (judgement := kept.get(seq)) is None else judgement.importance for seq in seqs]
    assert waiting.importances(seqs).tolist() == kept.importances(seqs).tolist() == expected
    assert waiting.importances(seqs[:9]).tolist() == expected[:9]
    assert waiting.cuts() == kept.cuts() != {}
    assert waiting.makers() == kept.makers() == {"verbatim": 500}
    assert TurnJudgements().importances(seqs).tolist() == [0] * 1_600
