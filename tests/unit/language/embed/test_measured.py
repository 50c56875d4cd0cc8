"""Embedders of models that are not ours: measured once, remembered, and watched."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hmem.errors import EmbedderUnavailable
from hmem.language.embed import embedder
from hmem.language.embed.base import Role
from hmem.language.embed.measured import (
    ANCHORS,
    LONGEST,
    MeasuredEmbedder,
    ModelMeasurements,
    Rows,
    calibrate,
    calibrating_texts,
    delete_measurements,
    load_measurements,
    store_measurements,
    triples,
)
from hmem.util.caches import clear_caches


class Turned(MeasuredEmbedder):
    """The bundled embedder's vectors, turned by a seed, stretched, and with some noise."""

    version = "1"

    def __init__(self, seed: int = 0, noise: float = 0.0, name: str = "turned") -> None:
        super().__init__()
        self._label = name
        self.noise = noise
        self.turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(256, 256)))[0].astype(np.float32)
        self.asked: list[list[str]] = []

    @property
    def name(self) -> str:
        return self._label

    @property
    def model(self) -> str:
        return self._label

    def vectors(self, texts: Sequence[str], role: Role = "passage") -> Rows:
        self.asked.append(list(texts))
        rows = embedder("wordllama").embed(texts) @ self.turn * 3
        return rows + np.random.default_rng(len(self.asked)).normal(size=rows.shape).astype(np.float32) * self.noise


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    clear_caches()


def test_rows_are_unit_vectors_and_a_blank_text_gives_zeros_without_being_asked_for() -> None:
    chosen = Turned()
    rows = chosen.embed(["a puppy", "", " \n", "a dog"])
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 0, 1], atol=1e-5)
    assert all(text.strip() for batch in chosen.asked for text in batch)
    assert chosen.embed([]).shape == (0, 256)


def test_one_call_measures_everything() -> None:
    chosen = Turned()
    assert chosen.dimension == 256
    assert np.allclose(chosen.calibration.points, embedder("wordllama").calibration.points, atol=0.003)
    assert chosen.fingerprint.startswith("turned/256/")
    assert len(chosen.asked) == 1


def test_another_process_asks_nothing_to_know_the_fingerprint() -> None:
    first, second = Turned(), Turned()
    assert first.fingerprint == second.fingerprint
    assert second.calibration == first.calibration
    assert second.asked == []


def test_the_first_batch_brings_the_probe_along_and_later_ones_do_not() -> None:
    Turned().fingerprint  # noqa: B018 - remembers
    chosen = Turned()
    chosen.embed(["a puppy"])
    chosen.embed(["a dog"])
    assert [len(batch) for batch in chosen.asked] == [2, 1]


def test_a_model_that_gives_other_vectors_than_it_did_is_told_of_and_then_measured_anew() -> None:
    before = Turned(seed=0).fingerprint
    other = Turned(seed=1)
    with pytest.raises(EmbedderUnavailable, match="hmem reembed --embedder turned"):
        other.embed(["a puppy"])
    assert Turned(seed=1).fingerprint != before


def test_noise_in_the_last_digits_changes_no_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prints: set[str] = set()
    for number in range(5):
        monkeypatch.setenv("HMEM_CACHE", str(tmp_path / str(number)))
        prints.add(Turned(noise=1e-5).fingerprint)
    assert len(prints) == 1


def test_models_of_other_names_have_other_fingerprints() -> None:
    assert Turned(name="one").fingerprint != Turned(name="other").fingerprint


def test_no_text_is_asked_for_twice_until_something_is_forgotten() -> None:
    chosen = Turned()
    chosen.embed(["a puppy", "a puppy", "a dog"])
    chosen.embed(["a dog", "a cat"])
    assert chosen.asked[1:] == [["a puppy", "a dog"], ["a cat"]]
    clear_caches()
    chosen.embed(["a dog"])
    assert chosen.asked[-1] == ["a dog"]


def test_a_long_text_is_embedded_by_its_first_part() -> None:
    chosen = Turned()
    rows = chosen.embed(["dog " * 10_000, ("dog " * 10_000)[:LONGEST]])
    assert np.array_equal(rows[0], rows[1])
    assert max(map(len, chosen.asked[-1])) == LONGEST


@pytest.mark.parametrize("made", [np.zeros((1, 256)), np.full((2, 256), np.nan), np.zeros(2), np.ones((2, 8))])
def test_what_is_not_a_vector_for_each_text_is_refused(made: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Turned()
    assert chosen.dimension == 256
    monkeypatch.setattr(chosen, "vectors", lambda texts, role: made)
    with pytest.raises(EmbedderUnavailable, match=" - check"):
        chosen.embed(["a puppy", "a dog"])


def test_a_folder_that_cannot_be_written_only_means_that_it_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("HMEM_CACHE", str(file))
    first, second = Turned(), Turned()
    assert first.fingerprint == second.fingerprint
    assert len(second.asked) == 1


def test_a_broken_file_of_the_cache_is_measured_over(tmp_path: Path) -> None:
    kept = Turned().fingerprint
    files = list((tmp_path / "cache" / "embedders").iterdir())
    for text in ("", "{}", "[]", '{"key": "turned 1", "dimension": "x", "signature": "", "points": []}'):
        files[0].write_text(text)
        chosen = Turned()
        assert chosen.fingerprint == kept
        assert len(chosen.asked) == 1


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), MemoryError(), OSError("model.onnx is gone")])
def test_what_a_library_raises_while_its_model_runs_is_an_embedder_that_cannot_be_had(error: Exception) -> None:
    class Broken(Turned):
        def vectors(self, texts: Sequence[str], role: Role = "passage") -> Rows:
            raise error

    with pytest.raises(EmbedderUnavailable, match=f"turned failed .{type(error).__name__}"):
        Broken().embed(["a puppy"])


FACTS = ModelMeasurements(256, "0abc", ((0.1, 0.1), (0.6, 0.7)))


def test_what_was_measured_is_recalled_until_it_is_forgotten() -> None:
    assert load_measurements("one") is None
    store_measurements("one", FACTS)
    store_measurements("two", ModelMeasurements(8, "ffff", ()))
    assert (load_measurements("one"), load_measurements("two")) == (FACTS, ModelMeasurements(8, "ffff", ()))
    delete_measurements("one")
    delete_measurements("one")
    assert load_measurements("one") is None


def test_without_a_folder_of_its_own_it_lies_in_the_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HMEM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    store_measurements("one", FACTS)
    assert len(list((tmp_path / "xdg" / "hmem" / "embedders").iterdir())) == 1


@pytest.mark.parametrize("name", ["wordllama", "wordllama:128", "wordllama:64"])
def test_what_is_measured_of_the_bundled_embedder_is_what_ships(name: str) -> None:
    chosen = embedder(name)
    points = calibrate(chosen.embed(calibrating_texts())).points
    assert np.allclose(points, chosen.calibration.points, atol=0.002)


def test_on_the_common_scale_the_triples_lie_where_the_papers_thresholds_expect_them() -> None:
    rows = embedder("wordllama").embed(calibrating_texts())
    scale = calibrate(rows)
    texts, same = np.split(rows, 2)
    alike = sorted(scale(float(one @ other)) for one, other in zip(texts, same, strict=True))
    apart = sorted(scale(float(texts[i] @ texts[j])) for i in range(len(texts)) for j in range(i))
    assert alike[len(alike) // 8] >= 0.68
    assert apart[len(apart) * 9 // 10] <= 0.3


def test_a_model_that_takes_everything_for_alike_still_has_a_monotone_scale() -> None:
    rows = np.ones((len(calibrating_texts()), 8), np.float32) / np.sqrt(np.float32(8))
    scale = calibrate(rows)
    values = [scale(raw / 50) for raw in range(-50, 51)]
    assert values == sorted(values)
    assert len(scale.points) < len(ANCHORS)


def test_there_are_two_texts_for_each_triple() -> None:
    assert len(calibrating_texts()) == 2 * len(triples())
