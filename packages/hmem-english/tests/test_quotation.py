import pytest

from hmem_english.quotation import announces, clauses, length_of_lead


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
