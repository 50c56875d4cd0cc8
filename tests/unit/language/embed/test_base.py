import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.embed.base import NO_PREFIXES, Calibration, prefixes_of

RAW = st.floats(-1, 1)


@given(RAW, RAW)
def test_a_calibration_keeps_the_order_of_cosines(one: float, other: float) -> None:
    calibrate = Calibration(((0.0, 0.1), (0.2, 0.3), (0.6, 0.7)))
    assert (calibrate(one) <= calibrate(other)) == (one <= other) or abs(one - other) < 1e-12


def test_a_calibration_meets_its_points_and_the_ends() -> None:
    calibrate = Calibration(((0.2, 0.3), (0.6, 0.7)))
    assert [calibrate(x) for x in (-1.0, 0.2, 0.6, 1.0)] == [-1.0, 0.3, 0.7, 1.0]
    assert abs(calibrate(0.4) - 0.5) < 1e-9
    assert calibrate(1.0000001) == 1.0


def test_without_points_it_changes_nothing() -> None:
    assert Calibration()(0.25) == 0.25


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("multilingual_e5_base/", "query: ", "passage: "),
        ("C:\\models\\e5-base", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence", ""),
        ("openai:nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("mixedbread-ai/mxbai-embed-large-v1", "Represent this sentence", ""),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", "Represent this sentence", ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("intfloat/multilingual-e5-large-instruct", "Instruct: ", ""),
        ("Qwen/Qwen3-Embedding-0.6B", "Instruct: ", ""),
        ("google/embeddinggemma-300m", "task: search result | query: ", "title: none | text: "),
    ],
)
def test_a_model_s_card_is_followed(model: str, query: str, passage: str) -> None:
    found = prefixes_of(model)
    assert found.query.startswith(query)
    assert found.passage == passage


@pytest.mark.parametrize(
    "model",
    [
        "all-MiniLM-L6-v2",
        "text-embedding-3-small",
        "BAAI/bge-m3",
        "thenlper/gte-base",
        "some/e50-model",
        "e5/other",
        "",
    ],
)
def test_others_have_none(model: str) -> None:
    assert prefixes_of(model) == NO_PREFIXES
