from hypothesis import given
from hypothesis import strategies as st

from hmem.index.tail import BLOCK, TURN, WINDOW, Tail

TEXTS = st.lists(st.sampled_from(["cat", "dog cat", "dog dog", "bird", ""]), min_size=1, max_size=5)


@given(st.dictionaries(st.integers(1, 9), TEXTS, min_size=1, max_size=4))
def test_terms_are_counted_by_turn_by_window_and_by_block(blocks: dict[int, list[str]]) -> None:
    tail, terms = Tail(), ["cat", "dog", "fish"]
    for block, texts in blocks.items():
        tail.put(block, [(block * 100 + i, text) for i, text in enumerate(texts)])
    by_turn = {
        key: [text.split().count(term) for term in terms]
        for block, texts in blocks.items()
        for key, text in ((block * 100 + i, text) for i, text in enumerate(texts))
    }
    assert dict(zip(tail.keys(TURN).tolist(), tail.frequencies(TURN, terms).table.T.tolist(), strict=True)) == by_turn
    windows = dict(zip(tail.keys(WINDOW).tolist(), tail.frequencies(WINDOW, terms).table.T.tolist(), strict=True))
    nothing = [0, 0, 0]
    for key, counts in windows.items():
        around = [by_turn.get(other, nothing) for other in (key - 1, key, key + 1)]
        assert counts == [sum(column) for column in zip(*around, strict=True)]
    for scale in (TURN, WINDOW, BLOCK):
        table, containing = tail.frequencies(scale, terms)
        assert containing == (table > 0).sum(axis=1).tolist()
    wholes = dict(zip(tail.keys(BLOCK).tolist(), tail.frequencies(BLOCK, terms).table.T.tolist(), strict=True))
    for block, texts in blocks.items():
        assert wholes[block] == [" ".join(texts).split().count(term) for term in terms]


def test_an_emptied_block_stands_in_for_what_the_index_still_holds() -> None:
    tail = Tail()
    tail.put(1, [(10, "cat")])
    tail.put(1, [])
    assert tail.block_numbers == [1]
    assert len(tail) == 0
    tail.drop([1])
    assert tail.block_numbers == []


def test_an_empty_tail_counts_nothing() -> None:
    assert Tail().frequencies(WINDOW, ["cat"]).table.shape == (1, 0)
    assert Tail().frequencies(BLOCK, ["cat"]).table.shape == (1, 0)
