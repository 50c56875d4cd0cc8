"""Words in the files of the indices."""

from pathlib import Path

from hmem.corpus.index.scales import LexicalScales, index_traces

TEXTS = [(1, 1, "Quillon swims in Zanzibar"), (1, 2, "The harbours are quiet"), (2, 3, "Windows and harbour")]


def scales(folder: Path) -> LexicalScales:
    made = LexicalScales(folder, "memory_x")
    assert made.flush([1, 2], TEXTS, 3)
    return made


def test_a_flush_leaves_the_terms_of_what_was_taken_out_and_a_renewal_does_not(tmp_path: Path) -> None:
    made = scales(tmp_path)
    assert made.flush([1], TEXTS[1:2], 4)
    assert made.indexed_terms(["quillon", "harbour", "plankton"]) == ["quillon", "harbour"]
    found = index_traces(tmp_path, made, ["Quillon", "harbours"], [text for _, _, text in TEXTS[1:]])
    assert [(word, place) for word, place in found if place == "the lexical index"] == [
        ("quillon", "the lexical index")
    ]
    assert made.renew(lambda: [TEXTS[1:2], TEXTS[2:]], 5)
    assert made.indexed_terms(["quillon", "harbour"]) == ["harbour"]
    assert index_traces(tmp_path, made, ["Quillon", "zanzibar"], [text for _, _, text in TEXTS[1:]]) == []
    assert made.watermark == 5
    assert made.keys().tolist() == [2, 3]


def test_a_renewal_waits_for_nobody(tmp_path: Path) -> None:
    made = scales(tmp_path)
    writer = made._turns._index.writer(heap_size=15_000_000, num_threads=1)
    other = LexicalScales(tmp_path, "memory_x")
    assert not other.renew(lambda: [TEXTS], 4)
    assert not other._turns.sweep()
    del writer
    assert other.renew(lambda: [TEXTS], 4)


def test_files_are_searched_for_long_words_that_no_living_text_has(tmp_path: Path) -> None:
    made = scales(tmp_path)
    (tmp_path / "stray").write_bytes(b"\0QUILLON\0oak\0harbour")
    found = index_traces(tmp_path, made, ["quillon", "oak", "harbour", "memory"], ["The harbours"])
    assert found[-1] == ("quillon", f"{tmp_path.name}/stray")
    assert {word for word, _ in found} == {"quillon"}


def test_a_memory_without_files_has_none(tmp_path: Path) -> None:
    assert index_traces(None, LexicalScales(None, "memory_x"), ["quillon"], []) == []
