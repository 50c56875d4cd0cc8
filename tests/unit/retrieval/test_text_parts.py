import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyzer import stems
from hmem.language.tokens import count_tokens
from hmem.retrieval import text_parts
from hmem.retrieval.text_parts import TextPartsCache
from hmem.util.caches import clear_caches


@given(st.text(max_size=200))
def test_parts_are_counted_exactly(text: str) -> None:
    parts = TextPartsCache().of_text(text)
    assert parts.counted_line == (parts.line, count_tokens(parts.line))
    assert [each.tokens for each in parts.sentences] == [count_tokens(each.text) for each in parts.sentences]


def test_a_text_has_its_sentences_in_their_order() -> None:
    parts = TextPartsCache().of_text("Figs ripen. Do figs, figs ripen?\nNo!")
    assert [each.text for each in parts.sentences] == ["Figs ripen.", "Do figs, figs ripen?", "No!"]


def test_each_sentence_counts_a_stem_once() -> None:
    parts = TextPartsCache().of_text("Figs ripen. Do figs, figs ripen?\nNo!")
    assert parts.count_shared(("fig", "ripen", "rip")) == [2, 2, 0]
    assert parts.count_shared(("do", "no", "fi")) == [0, 1, 1]


@given(st.lists(st.sampled_from(["Figs ripen.", "No!", "Do figs ripen?", "1 2.", "...", "x"]), max_size=8))
def test_shared_stems_are_those_of_the_sentences(said: list[str]) -> None:
    parts = TextPartsCache().of_text(" ".join(said))
    terms = {"fig", "ripen", "no", "1", "x"}
    assert parts.count_shared(terms) == [len(terms.intersection(stems(each.text))) for each in parts.sentences]


def test_the_same_text_has_the_same_parts() -> None:
    cache = TextPartsCache()
    assert cache.of_text("Figs ripen.") is cache.of_text("Figs ripen.")


def test_the_oldest_texts_go_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_parts, "_MAX_CHARACTERS", 8)
    cache = TextPartsCache()
    first, second = cache.of_text("aaaa"), cache.of_text("bbbb")
    cache.of_text("cccc")
    assert cache.of_text("bbbb") is second
    assert cache.of_text("aaaa") is not first
    assert cache.of_text("longer than what is kept") is cache.of_text("longer than what is kept")


def test_nothing_is_left_after_a_forgetting() -> None:
    cache = TextPartsCache()
    before = cache.of_text("Quillon eats plankton.")
    clear_caches()
    assert cache.of_text("Quillon eats plankton.") is not before
