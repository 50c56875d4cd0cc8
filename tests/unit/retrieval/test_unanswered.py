from itertools import pairwise

import pytest

from hmem import Memory

TALKS = [
    (
        "When does Ana review the release notes?",
        "Ana reviews the release notes every Thursday morning.",
        "I don't have any information about when Ana reviews the release notes.",
    ),
    (
        "Which database does the billing service use?",
        "The billing service runs on Postgres 15.",
        "I couldn't find anything about which database the billing service uses.",
    ),
    (
        "What's my sister's name?",
        "My sister is called Irene and she lives in Malmo.",
        "You haven't told me your sister's name yet.",
    ),
    (
        "Do you know where we keep the staging keys?",
        "We keep the staging keys in the team vault under ops.",
        "No, I'm not sure where you keep the staging keys. Could you tell me?",
    ),
]


def asked(memory: Memory, question: str, reply: str, day: int = 12) -> None:
    messages = [{"role": "user", "text": question}, {"role": "assistant", "text": reply}]
    memory.add(messages, session=f"s{day}", at=f"2026-11-{day}T09:00:00Z")


@pytest.mark.parametrize(("question", "fact", "reply"), TALKS)
def test_a_question_asked_before_and_its_non_answer_rank_behind_the_fact(question: str, fact: str, reply: str) -> None:
    with Memory(":memory:") as memory:
        memory.add(fact, speaker="user", session="s0", at="2026-11-10T09:00:00Z")
        asked(memory, question, reply)
        memory.add("The tests of the parser pass now.", speaker="user", session="s2", at="2026-11-13T09:00:00Z")
        found = memory.search(question, 5)
        assert found[0].text == fact
        assert {item.text for item in found[-2:]} == {question, reply}
        for item in found[-2:]:
            assert item.relevance == 0
            assert "unanswered" in item.why.terms
            assert sum(term.contribution for term in item.why.terms.values()) == pytest.approx(item.score, abs=1e-3)
        assert all(one.score >= other.score for one, other in pairwise(found))


@pytest.mark.parametrize(("question", "fact", "reply"), TALKS)
def test_a_non_answer_is_no_answer_and_no_context(question: str, fact: str, reply: str) -> None:
    with Memory(":memory:") as memory:
        asked(memory, question, reply)
        assert memory.ask(question).abstained
        assert memory.context(question).evidence == ()
        memory.add(fact, speaker="user", session="s3", at="2026-11-13T09:00:00Z")
        assert fact in memory.context(question).text


def test_a_question_ranks_right_behind_the_reply_to_it() -> None:
    with Memory(":memory:") as memory:
        asked(memory, "Which database does the billing service use?", "It runs on Postgres 15.")
        memory.add("The tests of the parser pass now.", speaker="user", session="s2", at="2026-11-13T09:00:00Z")
        found = memory.search("Which database does the billing service use?", 3)
        assert [item.text for item in found[:2]] == [
            "It runs on Postgres 15.",
            "Which database does the billing service use?",
        ]
        assert all(item.relevance for item in found[:2])


def test_keywords_find_the_question_that_has_them() -> None:
    with Memory(":memory:") as memory:
        memory.add(["My knee is better.", "Where is the Zermatt brochure?", "The tests pass now."], speaker="user")
        for keywords in ("Zermatt", "Zermatt brochure"):
            assert memory.search(keywords, 2)[0].text == "Where is the Zermatt brochure?"
            assert "Zermatt" in memory.context(keywords).text
        assert memory.search("Where is the Zermatt brochure?", 3)[-1].relevance == 0


@pytest.mark.parametrize("question", ["Wann prüft Ana die Notizen?", "Ana はいつメモを確認しますか\uff1f"])
def test_a_question_in_another_language_that_was_asked_before_ranks_last(question: str) -> None:
    with Memory(":memory:") as memory:
        memory.add(question, speaker="user", session="s1", at="2026-11-12T09:00:00Z")
        memory.add("Ana prüft die Notizen am Donnerstag.", speaker="user", session="s2", at="2026-11-13T09:00:00Z")
        assert memory.search(question, 2)[1].text == question


def test_a_question_that_says_more_than_is_asked_keeps_its_place() -> None:
    with Memory(":memory:") as memory:
        told = "Did I tell you that Ana reviews the release notes on Thursdays?"
        memory.add(told, speaker="user", session="s1", at="2026-11-12T09:00:00Z")
        found = memory.search("When does Ana review the release notes?", 1)
        assert "unanswered" not in found[0].why.terms


def test_a_non_answer_that_names_something_else_keeps_its_place() -> None:
    with Memory(":memory:") as memory:
        told = "I'm not sure when Ana moved to Porto."
        memory.add(told, speaker="Ben", session="s1", at="2026-11-12T09:00:00Z")
        assert "unanswered" not in memory.search("Where did Ana move?", 1)[0].why.terms


def test_what_somebody_does_not_know_answers_a_question_about_that() -> None:
    with Memory(":memory:") as memory:
        told = "I don't know the launch date."
        memory.add(told, speaker="Oskar", session="s1", at="2026-11-12T09:00:00Z")
        assert memory.search("Does Oskar know the launch date?", 1)[0].relevance != 0


def test_a_statement_that_is_searched_by_its_own_words_is_found_first() -> None:
    with Memory(":memory:") as memory:
        said = "I have no idea where the keys are"
        memory.add([{"text": said}, {"text": "The keys are in the vault."}], speaker="user", session="s1")
        assert memory.search("The keys are in the vault.", 2)[0].text == "The keys are in the vault."
