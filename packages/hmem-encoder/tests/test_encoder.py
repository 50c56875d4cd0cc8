import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hmem_encoder
from hmem_encoder import DIMENSION, Encoder, about, encoder

PACKAGE = Path(hmem_encoder.__file__).parent
TEXTS = ["I moved to Lisbon.", "word " * 400, "x", "Ein Satz auf Deutsch: äöü.", "今日は雨です", "🦔"]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=8), st.integers(0, 7))
def test_a_text_has_the_same_vector_to_the_last_bit_alone_and_in_any_batch(texts: list[str], place: int) -> None:
    alone = encoder().vectors([texts[place % len(texts)]])[0]
    np.testing.assert_array_equal(encoder().vectors([*TEXTS, *texts])[len(TEXTS) + place % len(texts)], alone)


def test_rows_are_unit_vectors_and_nothing_to_read_gives_zeros() -> None:
    rows = encoder().vectors(["a text", "", "   ", "another"])
    assert (rows.shape, rows.dtype) == ((4, DIMENSION), np.float32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 0, 1], atol=1e-5)
    assert encoder().vectors([]).shape == (0, DIMENSION)


def test_meaning_counts_and_not_words_alone() -> None:
    asked, told, other = encoder().vectors(["Where does she live?", "She moved to Lisbon.", "She lives for chess."])
    assert asked @ told > asked @ other - 0.1
    one, same, far = encoder().vectors(["My knee hurts.", "There is a pain in my leg.", "The invoice is overdue."])
    assert one @ same > one @ far + 0.2


SAID = "I moved to Lisbon last week. The flat is small but sunny, and Tomas likes it."


def test_a_text_is_read_once_for_its_vector_and_those_of_its_sentences() -> None:
    (read,) = encoder().read([SAID], [[(0, 28), (29, len(SAID))]])
    np.testing.assert_array_equal(read.vector, encoder().vectors([SAID])[0])
    alone = encoder().vectors([SAID[:28], SAID[29:]])
    likeness = read.sentences @ alone.T
    assert likeness[0, 0] > likeness[0, 1]
    assert likeness[1, 1] > likeness[1, 0]


def test_every_sentence_of_a_long_text_has_a_vector() -> None:
    text = "We met at the station. " * 80 + "The rabbit is called Coco."
    (read,) = encoder().read([text], [[(0, 22), (len(text) - 26, len(text)), (3, 3)]])
    np.testing.assert_allclose(np.linalg.norm(read.sentences, axis=1), [1, 1, 0], atol=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=80), min_size=1, max_size=6))
def test_sentences_have_the_same_vectors_whatever_was_read_before(texts: list[str]) -> None:
    spans = [[(0, len(text) // 2), (len(text) // 2, len(text))] for text in texts]
    kept = encoder().read(texts, spans)
    for one, other in zip(kept, Encoder().read(texts, spans), strict=True):
        np.testing.assert_array_equal(one.sentences, other.sentences)


def test_what_stands_behind_the_tokens_that_are_read_does_not_count() -> None:
    start = "the cat sat on the mat. " * 100
    np.testing.assert_array_equal(*encoder().vectors([start + "and then it rained", start + "x" * 100_000]))


def test_threads_get_the_vectors_of_one_thread() -> None:
    alone = encoder().vectors(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(lambda _: encoder().vectors(TEXTS), range(8)):
            np.testing.assert_array_equal(rows, alone)


def test_the_model_is_loaded_with_the_first_text_and_given_back_when_idle() -> None:
    one = Encoder(idle=0.05)
    assert not one.loaded
    before = one.vectors(["a text"])
    assert one.loaded
    for _ in range(200):
        if not one.loaded:
            break
        time.sleep(0.05)
    assert not one.loaded
    np.testing.assert_array_equal(one.vectors(["a text"]), before)
    one.release()
    assert not one.loaded


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_child_of_a_fork_has_an_encoder_of_its_own() -> None:
    # In a process without other threads; a child that hangs is ended.
    code = (
        "import os, signal; from hmem_encoder import encoder; before = encoder().vectors(['a text'])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    signal.alarm(60); os._exit(0 if (encoder().vectors(['a text']) == before).all() else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "0"


def test_the_fingerprint_is_the_digest_of_model_tokenizer_and_pooling() -> None:
    held = b"".join((PACKAGE / name).read_bytes() for name in ("model.onnx", "tokenizer.json"))
    assert about()["fingerprint"] == sha256(held + b"mean, unit length").hexdigest()
    assert json.loads((PACKAGE / "about.json").read_text("utf-8"))["licence"] == "Apache-2.0"


def test_importing_the_package_loads_no_runtime() -> None:
    code = "import sys, hmem_encoder; print({'onnxruntime', 'tokenizers'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
