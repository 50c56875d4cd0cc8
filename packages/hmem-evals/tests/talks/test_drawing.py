from collections import Counter

from hmem_evals.conversations import read_json
from hmem_evals.talks import load
from hmem_evals.talks.drawing import FILE, QUESTION_COUNT, SEED, draw, drawn_ids, main


def test_the_committed_draw_is_that_of_its_seed(tmp_path):
    main(tmp_path / "drawn.json")
    assert (tmp_path / "drawn.json").read_text("utf-8") == FILE.read_text("utf-8")
    assert read_json(FILE)["seed"] == SEED


def test_twenty_questions_of_each_conversation_are_drawn_and_all_its_kinds():
    conversations, chosen = load(), drawn_ids()
    assert len(chosen) == QUESTION_COUNT * len(conversations)
    for conversation in conversations:
        kinds = Counter(question.category for question in conversation.questions if question.id in chosen)
        assert kinds.total() == QUESTION_COUNT
        assert set(kinds) == {question.category for question in conversation.questions}


def test_another_seed_draws_others():
    assert draw(load("group"), seed=SEED) == draw(load("group"))
    assert draw(load("group"), seed=1) != draw(load("group"))
