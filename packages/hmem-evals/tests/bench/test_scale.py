import pytest

from hmem.errors import HmemError, InvalidQuery, UnknownName
from hmem_evals.bench import scale


def test_a_scale_gives_the_fields_of_the_contract_and_a_small_index_nearly_full_recall(tmp_path):
    told = []
    made = scale.run(300, queries=12, folder=tmp_path, progress=lambda done, total: told.append((done, total)))
    assert {"records", "ingest", "search_ms", "vector_recall", "open_s", "rss_bytes", "disk"} <= set(made)
    assert (made["records"], made["ingest"]["turns"], told) == (300, 300, [(300, 300)])
    # Holds only while what is embedded anew is what the memory embeds; a byte a component may swap neighbours.
    assert made["vector_recall"]["10"] >= 0.97
    assert set(made["search_ms"]) == {"p50", "p95"}
    assert made["open_s"] > 0
    assert 10_000_000 < made["rss_bytes"] < 2_000_000_000
    assert made["disk"]["text_bytes"] > 8 * 300
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_cannot_read_the_memory_is_an_error_of_one_line(tmp_path):
    with pytest.raises(HmemError, match=r"the process that reads the memory failed .*nowhere\.hmem.* - run"):
        scale._read(tmp_path / "nowhere.hmem", ["Who?", "When?"])


@pytest.mark.parametrize(("records", "queries"), [(0, 10), (10, 1)])
def test_too_few_records_or_queries_are_refused(records, queries):
    with pytest.raises(InvalidQuery):
        scale.run(records, queries=queries)


def test_an_unknown_embedder_is_named():
    with pytest.raises(UnknownName):
        scale.run(10, embedder="magic")
