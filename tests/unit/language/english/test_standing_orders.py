import pytest

from hmem.language.english.parser import parser
from hmem.language.english.standing_orders import directs, is_conditional, requests


@pytest.mark.parametrize(
    "said",
    [
        "always add type hints when you write python for me",
        "please never ring the landline",
        "And don't give me numbers in pounds or miles.",
        "Whenever I ask for a wine, keep it under twelve euros.",
        "oh and when you show me shell commands, i'm on fish, not bash",
        "so anything you suggest for sunday dinner has to work for her",
        "No garlic, ever.",
        "Aisle seats, always, because of my leg.",
        "can you always use football for examples?",
        "One rule: never recommend crypto.",
    ],
)
def test_what_is_to_be_done_for_good_directs(said: str) -> None:
    assert any(map(directs, parser().parse([said])[0].sentences))


@pytest.mark.parametrize(
    "said",
    [
        "Write me a function that parses a date.",
        "We ate garlic soup in Porto.",
        "My sister never drinks coffee.",
        "When I was a child, we had no garden.",
        "Don't worry about the invoice.",
        "Did you always live in Lisbon?",
        "The ferry leaves at ten.",
        "Do you have any tips on how to get started?",
        "Can you recommend any good places for lunch?",
        "Please emphasize variety in every part of each ad.",
        "I was wondering if you could help me find some coffee shops.",
        "No problem about the confusion earlier.",
        "Keep in mind that this is a small brand.",
        "Imposing rules and standards on loans.",
    ],
)
def test_what_is_told_or_asked_for_once_does_not_direct(said: str) -> None:
    assert not any(map(directs, parser().parse([said])[0].sentences))


@pytest.mark.parametrize(
    "said",
    [
        "Write me a function",
        "Can you add retries to the socket code?",
        "help me with the essay",
        "What should I cook on Sunday?",
        "How do I set an environment variable?",
        "We need to contact the household about the invoice.",
        "Suggest a hike with a good climb.",
    ],
)
def test_what_asks_to_do_or_advise_is_a_request(said: str) -> None:
    assert requests(said)


@pytest.mark.parametrize(
    "said",
    [
        "What did Maria paint?",
        "Where does Ben live?",
        "When was the ferry booked?",
        "Do you remember what I said about Coco?",
        "Has Ana moved?",
        "What is the name of the puppy?",
    ],
)
def test_a_question_to_the_memory_is_no_request(said: str) -> None:
    assert not requests(said)


def test_an_instruction_with_an_occasion_is_conditional() -> None:
    assert is_conditional("when you show me commands, i'm on fish")
    assert not is_conditional("keep the answers short")
