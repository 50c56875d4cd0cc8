import pytest

from hmem.language.english.quotation import announces, clauses, contexts, length_of_lead, without


@pytest.mark.parametrize(
    ("lead", "rest"),
    [
        ("As you told me in May, ", "you adopted a puppy"),
        ("You told me last week ", "you adopted a puppy"),
        ("You mentioned that ", "your sister lives in Lyon"),
        ("I remember ", "you adopted a puppy"),
        ("According to my notes, ", "the vet is on Friday"),
        ("From our earlier conversation: ", "the vet is on Friday"),
        ("Well, as you said, ", "the vet is on Friday"),
        ("", "I went to the vet, and it rained"),
        ("", "Remember"),
    ],
)
def test_what_leads_a_quotation_in_is_found(lead: str, rest: str) -> None:
    assert length_of_lead(lead + rest) == len(lead)


def test_clauses_cover_a_sentence() -> None:
    text = "You adopted a puppy, and I booked a vet but you forgot; it rained - twice"
    found = [text[start:end] for start, end in clauses(text, 0, len(text))]
    assert "".join(found) == text
    assert [each.strip() for each in found] == [
        "You adopted a puppy,", "and I booked a vet", "but you forgot;", "it rained -", "twice",
    ]  # fmt: skip


def test_a_sentence_announces_what_was_told() -> None:
    assert announces("Here is what I remember:")
    assert not announces("Shopping list:")
    assert not announces("Here is what I remember")


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
    [(start, end)] = contexts(text)
    assert text[start:end].strip() == pasted.strip()
    twice = f"{pasted}Thanks.\n{pasted}"
    assert [twice[start:end].strip() for start, end in contexts(twice)] == [pasted.strip()] * 2


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
    assert contexts(text) == []


def test_what_is_left_of_a_text_reads_well() -> None:
    text = "Sure. You adopted a puppy, and I booked a vet."
    start = text.index("You")
    assert without(text, [(start, start + len("You adopted a puppy, "))]) == "Sure. and I booked a vet."
    assert without(text, [(0, len(text))]) == ""
    assert without("Yes, it is so: you have a dog", [(15, 29)]) == ""
    points = "Two things:\n- a dog\n- a cat\nThat is all about animals"
    assert without(points, [(14, 19), (22, 27)]) == "Two things:\nThat is all about animals"
    assert without("Points:\n1. a dog\n2. a cat", [(11, 16), (20, 25)]) == "Points:"
    assert without("as it is", []) == ""
    assert without("plain words", []) == "plain words"
