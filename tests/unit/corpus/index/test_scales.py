from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.index.scales import LexicalScales, index_traces
from hmem.corpus.index.tail import BLOCK, TURN, WINDOW

TEXTS = st.lists(
    st.lists(st.sampled_from(["apple", "banana", "cherry", "damson", "elder", "fig"]), min_size=1, max_size=6).map(
        " ".join
    ),
    min_size=1,
    max_size=12,
)


# Enough of it that one document more or less in the statistics does not show.
FILLER = [f"grape hazelnut iris{i} juniper" for i in range(40)]


def contents(texts: list[str]) -> list[tuple[int, int, str]]:
    return [(1 + i // 4, 10 + i, text) for i, text in enumerate(FILLER + texts)]


@given(TEXTS, st.sampled_from([TURN, WINDOW, BLOCK]))
def test_the_tail_scores_as_the_index_will(texts: list[str], scale: str) -> None:
    said = contents(texts)
    blocks = sorted({block for block, _, _ in said})
    mean = sum(len(text.split()) for _, _, text in said) / len(said)
    in_tail, in_index = LexicalScales(None, "m"), LexicalScales(None, "m")
    in_tail.put_in_tail(blocks, said)
    in_index.flush(blocks, said, 1)
    one, other = (scales.search(scale, ["appl", "banana"], 100, mean) for scales in (in_tail, in_index))
    np.testing.assert_array_equal(one.keys, other.keys)
    # The mean length of windows and blocks is an estimate in the tail.
    np.testing.assert_allclose(one.values, other.values, rtol=0.02 if scale == TURN else 0.12)
    assert (one.values < 1).all()


def test_blocks_in_the_tail_hide_what_the_index_holds_of_them() -> None:
    scales = LexicalScales(None, "m")
    scales.flush([1, 2], [(1, 10, "old cat"), (2, 20, "a cat")], 1)
    scales.put_in_tail([1], [(1, 11, "new cat")])
    assert scales.search(TURN, ["cat"], 10, 2).keys.tolist() == [11, 20]
    assert scales.keys().tolist() == [11, 20]
    scales.put_in_tail([1], [])
    assert scales.search(TURN, ["cat"], 10, 2).keys.tolist() == [20]


def test_a_window_finds_a_turn_by_its_neighbours_words(tmp_path: Path) -> None:
    scales = LexicalScales(tmp_path, "m")
    scales.flush([1], [(1, 1, "where is the lighthouse"), (1, 2, "by the sea"), (1, 3, "thanks")], 1)
    assert scales.search(TURN, ["lighthous"], 10, 3).keys.tolist() == [1]
    assert scales.search(WINDOW, ["lighthous"], 10, 3).keys.tolist() == [1, 2]
    assert scales.search(BLOCK, ["lighthous"], 10, 3).keys.tolist() == [1]


def test_no_terms_find_nothing() -> None:
    scales = LexicalScales(None, "m")
    scales.flush([1], [(1, 1, "cat")], 1)
    assert len(scales.search(TURN, [], 10, 1).keys) == 0


WRITTEN = [(1, 1, "Quillon swims in Zanzibar"), (1, 2, "The harbours are quiet"), (2, 3, "Windows and harbour")]


def scales(folder: Path) -> LexicalScales:
    made = LexicalScales(folder, "memory_x")
    assert made.flush([1, 2], WRITTEN, 3)
    return made


def test_a_flush_leaves_the_terms_of_what_was_taken_out_and_a_renewal_does_not(tmp_path: Path) -> None:
    made = scales(tmp_path)
    assert made.flush([1], WRITTEN[1:2], 4)
    assert made.indexed_terms(["quillon", "harbour", "plankton"]) == ["quillon", "harbour"]
    found = index_traces(tmp_path, made, ["Quillon", "harbours"], [text for _, _, text in WRITTEN[1:]])
    assert [(word, place) for word, place in found if place == "the lexical index"] == [
        ("quillon", "the lexical index")
    ]
    assert made.renew(lambda: [WRITTEN[1:2], WRITTEN[2:]], 5)
    assert made.indexed_terms(["quillon", "harbour"]) == ["harbour"]
    assert index_traces(tmp_path, made, ["Quillon", "zanzibar"], [text for _, _, text in WRITTEN[1:]]) == []
    assert made.watermark == 5
    assert made.keys().tolist() == [2, 3]


def test_a_renewal_waits_for_nobody(tmp_path: Path) -> None:
    made = scales(tmp_path)
    writer = made._turns._index.writer(heap_size=15_000_000, num_threads=1)
    other = LexicalScales(tmp_path, "memory_x")
    assert not other.renew(lambda: [WRITTEN], 4)
    assert not other._turns.sweep()
    del writer
    assert other.renew(lambda: [WRITTEN], 4)


def test_files_are_searched_for_long_words_that_no_living_text_has(tmp_path: Path) -> None:
    made = scales(tmp_path)
    (tmp_path / "stray").write_bytes(b"\0QUILLON\0oak\0harbour")
    found = index_traces(tmp_path, made, ["quillon", "oak", "harbour", "memory"], ["The harbours"])
    assert found[-1] == ("quillon", f"{tmp_path.name}/stray")
    assert {word for word, _ in found} == {"quillon"}


def test_a_memory_without_files_has_none(tmp_path: Path) -> None:
    assert index_traces(None, LexicalScales(None, "memory_x"), ["quillon"], []) == []
