"""Recorded readings of our conversations by a model."""

import json

import pytest

from hmem import Memory
from hmem_evals.talks import NAMES, load
from hmem_evals.talks.reading import RECORDINGS


@pytest.mark.parametrize("name", NAMES)
def test_each_turn_has_a_reading_whatever_embeds_it(name):
    [conversation] = load(name)
    with Memory(":memory:", analyst=f"recorded:{RECORDINGS / name}", embedder="wordllama:64") as memory:
        memory.add(conversation.messages)
        worked = memory.work()
        assert (worked.turns, worked.failures, worked.left) == (len(conversation.messages), 0, 0)
        read = memory.stats().model.read
        assert (
            sum(count for made, count in read.items() if made.startswith("recorded:")) >= len(conversation.messages) - 2
        )
        assert len(memory.notes(limit=10_000)) > len(conversation.messages) / 10
        assert memory.verify().problems == ()


@pytest.mark.parametrize("name", NAMES)
def test_each_response_answers_a_request_of_its_own(name):
    requests, responses = (
        [
            json.loads(line)["custom_id"]
            for line in (RECORDINGS / name / f"{kind}.jsonl").read_text("utf-8").splitlines()
        ]
        for kind in ("requests", "responses")
    )
    assert requests == responses
    assert len(set(requests)) == len(requests)
