"""Export over HTTP: what it holds, and that it makes the same memory again."""

import json
from pathlib import Path

from tests.serving import problem, serving

from hmem import Memory
from hmem.interfaces.bundle import Restoring


def test_an_export_makes_the_same_memory(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        site.create("garden-ö")
        texts = ["I adopted a kitten named Coco", "\u2028 is a line for some", "שלום"]
        for text in texts:
            assert site.post("memories/garden-ö/turns", {"text": text, "speaker": "Ann"}).is_success
        answer = site.get("memories/garden-ö/export")
        assert answer.headers["content-type"].startswith("application/jsonl")
        assert answer.headers["content-disposition"].endswith("garden-%C3%B6.jsonl")
        held = [json.loads(line) for line in answer.content.splitlines()]
        assert held[0]["type"] == "hmem-export"
        with Memory(":memory:") as memory:
            Restoring(memory).take(held)
            assert [turn.text for turn in memory.list()] == texts
        assert problem(site.get("memories/other/export")) == (404, "MemoryNotFound")
