"""The list of stages: their order, and that each can be left out by its name."""

from dataclasses import replace
from typing import Final

import pytest
from tests.formation import example

from hmem import Memory
from hmem.model.evidence import SEARCH_KINDS
from hmem.recipes import settings_without
from hmem.retrieval import stages
from hmem.retrieval.stages import NAMES, STAGES, Stage

QUESTION: Final = "Where does Nadia work?"
PHASES: Final = ("ranking", "context", "search")


def test_each_stage_has_one_name_one_phase_and_says_what_it_does() -> None:
    assert len({*NAMES}) == len(NAMES)
    assert [stage.phase for stage in STAGES] == sorted((stage.phase for stage in STAGES), key=PHASES.index)
    assert all((stage.apply.__doc__ or "").endswith(".") for stage in STAGES)


def test_stages_are_applied_in_the_order_of_the_list_unless_unused_or_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[str] = []

    def recorded(stage: Stage) -> Stage:
        return replace(stage, apply=lambda _: applied.append(stage.name))

    monkeypatch.setattr(stages, "STAGES", tuple(map(recorded, STAGES)))
    with Memory(":memory:", settings={"retrieval.without": "newer,kinds"}) as memory:
        memory.add(example(24))
        memory.search(QUESTION, 5)
        assert applied == ["rerank", "unanswered", "standing", "backfill", "outdated", "sessions", "relevance", "cut"]
        applied.clear()
        memory.context(QUESTION, 100)
        assert applied == ["rerank", "unanswered", "standing", "own-words", "filling", "exchange", "pinned"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("recipe", ["flat", "fusion", "orchestrated"])
def test_each_stage_can_be_left_out(recipe: str, name: str) -> None:
    with Memory(":memory:", recipe=recipe, settings=settings_without([name])) as memory:
        turns = memory.add(example(24))
        memory.pin(turns[0].id)
        assert memory.search(QUESTION, 40, kinds=SEARCH_KINDS).evidence
        pinned = [item.id for item in memory.context(QUESTION, 600).evidence if item.why.strategies == ("pinned",)]
        assert memory.ask(QUESTION).text
    assert pinned == ([] if name == "pinned" else [turns[0].id])
