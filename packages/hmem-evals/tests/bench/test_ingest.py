import json
from pathlib import Path

import pytest

from hmem.errors import InvalidFile
from hmem_evals.bench import ingest

REAL = Path("../shared/data/locomo-dev.json")


@pytest.fixture(autouse=True)
def _few_singles(monkeypatch):
    monkeypatch.setattr(ingest, "SINGLES", 5)


def write(folder, *names, turns=3):
    session = [{"speaker": "Ana", "dia_id": f"D1:{n}", "text": f"Turn {n} é"} for n in range(turns)]
    spoken = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": session}
    file = folder / "locomo.json"
    file.write_text(json.dumps([{"sample_id": name, "conversation": spoken, "qa": []} for name in names]))
    return file


@pytest.mark.parametrize("names", [("a",), ("a", "b", "c")])
def test_all_conversations_go_into_one_memory_though_their_ids_are_alike(tmp_path, names):
    made = ingest.run(write(tmp_path, *names))
    assert made["ingest"]["turns"] == 3 * len(names)
    times = {"single_ms", "formed_ms", "within_ms", "burst_ms"}
    assert set(made["ingest"]) == {"turns", "seconds", "turns_per_s"} | times
    for name in times:
        assert 0 < made["ingest"][name]["p50"] <= made["ingest"][name]["p95"], name
    assert made["ingest"]["single_ms"]["p50"] < made["ingest"]["formed_ms"]["p50"]
    assert made["disk"]["text_bytes"] == 3 * len(names) * len("Turn 0 é".encode())
    assert made["disk"]["truth_bytes"] > 0
    assert made["disk"]["index_bytes"] > 0


def test_progress_runs_from_the_batch_to_the_last_single_turn(tmp_path):
    told = []
    ingest.run(write(tmp_path, "a", "b"), progress=lambda done, total: told.append((done, total)))
    assert told[0] == (6, 6 + 3 * ingest.SINGLES)
    assert told[-1] == (6 + 3 * ingest.SINGLES, 6 + 3 * ingest.SINGLES)


def test_a_file_without_turns_is_named(tmp_path):
    with pytest.raises(InvalidFile, match="has no turns"):
        ingest.run(write(tmp_path, "a", turns=0))


@pytest.mark.data
@pytest.mark.skipif(not REAL.exists(), reason=f"needs {REAL}")
def test_the_real_file_is_ingested_whole():
    assert ingest.run(REAL, recipe="flat")["ingest"]["turns"] == 2_760
