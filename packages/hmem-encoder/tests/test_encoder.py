import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hmem_encoder
from hmem_encoder import DIMENSION, Encoder, encoder, model_facts

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


def test_the_vector_of_a_long_text_is_that_of_its_first_256_tokens() -> None:
    # Seven tokens a sentence, and two marks of the ends.
    long, start = "the cat sat on the mat. " * 100, "the cat sat on the mat. " * 36 + "the cat"
    np.testing.assert_array_equal(*encoder().vectors([long, start]))


def test_a_sentence_across_the_end_of_a_run_is_read_in_one() -> None:
    before, sentence = "The cat sat on the mat. " * 35, "My sister moved from Lisbon to Porto with her two dogs."
    text = before + sentence + " It rained." * 40
    (read,) = encoder().read([text], [[(len(before), len(before) + len(sentence))]])
    (alone,) = encoder().vectors([sentence + " It rained." * 40])
    (own,) = encoder().read([sentence + " It rained." * 40], [[(0, len(sentence))]])
    assert read.sentences[0] @ own.sentences[0] > 0.98
    assert read.sentences[0] @ own.sentences[0] > read.sentences[0] @ alone


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


def test_a_model_that_is_used_again_in_time_is_kept() -> None:
    one = Encoder(idle=1.0)
    for text in ("one", "two", "three", "four", "five", "six"):
        one.vectors([text])
        time.sleep(0.25)
        assert one.loaded


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


def test_the_fingerprint_is_the_digest_of_what_makes_the_vector_whatever_else_the_model_returns() -> None:
    model = only_output((PACKAGE / "model.onnx").read_bytes())
    tokenizer = (PACKAGE / "tokenizer.json").read_bytes()
    assert model_facts()["fingerprint"] == sha256(model + tokenizer + b"mean, unit length").hexdigest()
    assert model_facts()["licence"] == "Apache-2.0"


def only_output(model: bytes) -> bytes:
    """Return an ONNX file without the outputs of its graph behind the first one."""
    found = b""
    for number, header, content in fields(model):
        if number == GRAPH:
            outputs = 0
            graph = b""
            for inner, head, part in fields(content):
                outputs += inner == OUTPUT
                graph += head + part if inner != OUTPUT or outputs == 1 else b""
            found += header[:1] + varint(len(graph)) + graph
        else:
            found += header + content
    return found


GRAPH, OUTPUT = 7, 12  # Fields of ModelProto and GraphProto.


def fields(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the fields of a protocol buffer: number, what stands before the content, content."""
    place = 0
    while place < len(message):
        start = place
        tag, place = read_varint(message, place)
        size, after = read_varint(message, place)
        # Integers are their own content; here all else tells its length.
        place = after + (size if tag & 7 == 2 else 0)
        yield tag >> 3, message[start:after], message[after:place]


def read_varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def test_importing_the_package_loads_no_runtime() -> None:
    code = "import sys, hmem_encoder; print({'onnxruntime', 'tokenizers'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
