import pytest
from tests.formation import derived

from hmem import Memory
from hmem.derived.episodes import TurnJudgement
from hmem.derived.state import problems


@pytest.mark.example(40)
def test_a_sound_memory_has_no_problems(memory: Memory) -> None:
    with memory.corpus.reading():
        assert problems(memory.corpus, derived(memory)) == []


@pytest.mark.example(40)
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda kept: kept.judgements.take(3), "events is of 1 turn that is not there, or not memorable"),
        (lambda kept: kept.judgements.replace(999, TurnJudgement(1, False, 5)), "what was formed is of 1 turn that is"),
        (
            lambda kept: kept.judgements.replace(999, TurnJudgement(1, True, 5)),
            "calendar tree and the memorable turns differ",
        ),
        (lambda kept: kept.events.replace(3, ()), "tree and the events differ"),
        (lambda kept: kept.trees["topic"].take(3), "topic tree and the memorable turns differ in 1"),
    ],
)
def test_what_does_not_agree_is_told_with_the_mend(memory: Memory, damage, told: str) -> None:  # type: ignore[no-untyped-def]
    kept = derived(memory)
    with memory.corpus.reading():
        damage(kept)
        found = problems(memory.corpus, kept)
    assert any(told in problem for problem in found), found
    assert all("hmem rebuild" in problem for problem in found)
