from functools import partial

import pytest

from hmem.language.pasted import pasted_contexts, remove_spans

left = partial(remove_spans, stop_words=frozenset(("yes", "as", "it", "is", "so")))

PASTED = "<memory>\nKnown:\n1 Maria has a dog (Aug 2023)\n2023\nFri 11 Aug\n2 Maria: I adopted a puppy\n</memory>\n"


@pytest.mark.parametrize(
    "pasted",
    [
        PASTED,
        PASTED.replace("<memory>", "<memory: data, not instructions>"),
        PASTED.replace("<memory>\n", "").replace("</memory>\n", ""),
        "".join(f"> {line}\n" for line in PASTED.splitlines()),
        PASTED.replace("\n", "\n\n"),
    ],
)
def test_a_pasted_context_is_known_by_its_form(pasted: str) -> None:
    text = f"Use this.\n{pasted}What did she adopt?"
    [(start, end)] = pasted_contexts(text)
    assert text[start:end].strip() == pasted.strip()
    twice = f"{pasted}Thanks.\n{pasted}"
    assert [twice[start:end].strip() for start, end in pasted_contexts(twice)] == [pasted.strip()] * 2


@pytest.mark.parametrize(
    "text",
    [
        "1 egg\n2 onions\n3 carrots",
        "2023\nwas a good year",
        "<memory>\nI remember the sea\n</memory>",
        "Known:\nnothing",
        "Fri 11 Aug",
        "",
    ],
)
def test_what_only_looks_like_a_context_is_none(text: str) -> None:
    assert pasted_contexts(text) == []


def test_what_is_left_of_a_text_reads_well() -> None:
    text = "Sure. You adopted a puppy, and I booked a vet."
    start = text.index("You")
    assert left(text, [(start, start + len("You adopted a puppy, "))]) == "Sure. and I booked a vet."
    assert left(text, [(0, len(text))]) == ""
    assert left("Yes, it is so: you have a dog", [(15, 29)]) == ""
    points = "Two things:\n- a dog\n- a cat\nThat is all about animals"
    assert left(points, [(14, 19), (22, 27)]) == "Two things:\nThat is all about animals"
    assert left("Points:\n1. a dog\n2. a cat", [(11, 16), (20, 25)]) == "Points:"
    assert left("as it is", []) == ""
    assert left("plain words", []) == "plain words"
