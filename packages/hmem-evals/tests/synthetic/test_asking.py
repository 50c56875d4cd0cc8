import pytest

from hmem_evals.synthetic.asking import Asker
from hmem_evals.synthetic.people import people
from hmem_evals.synthetic.talk import Talk
from hmem_evals.synthetic.vocabulary import Bags, Dice
from hmem_evals.synthetic.world import World


def told(seed, sessions=25):
    """What happened in the lives of two friends who told it all, and the questions on it."""
    dice = Dice(f"asking-{seed}")
    bags = Bags(dice)
    pair = people(dice, bags)
    world = World(dice, bags, pair, pair)
    session_windows = world.session_windows(sessions, (3, 4), (3, 15))
    messages = Talk(dice, bags, pair).write_messages(session_windows)
    happenings = [happening for session_window in session_windows for happening in session_window.happenings]
    texts = {message["message_id"]: message["text"] for message in messages}
    phantoms = world.phantoms(session_windows[-1].time, sessions)
    return happenings, messages, Asker(dice, happenings, texts, is_assistant=False).questions("x", sessions, phantoms)


@pytest.mark.parametrize("seed", range(3))
def test_an_adversarial_question_is_never_answered_by_a_turn_of_its_person(seed):
    happenings, messages, questions = told(seed)
    speakers = {message["message_id"]: message["speaker"] for message in messages}
    families = {
        (happening.teller.name, happening.kind.family, turn)
        for happening in happenings
        for turn in happening.turns.values()
    }
    answered = {question.text for question in questions if not question.unanswerable}
    for question in questions:
        if question.unanswerable:
            assert question.text not in answered
            for turn in question.evidence:
                assert turn in speakers
                assert any(turn == stated for _, _, stated in families)


def test_gold_turns_of_what_someone_told_are_that_persons_own():
    _, messages, questions = told(4)
    speakers = {message["message_id"]: message["speaker"] for message in messages}
    names = set(speakers.values())
    asked = [question for question in questions if question.category == "single-hop"]
    own = [
        question
        for question in asked
        if {speakers[turn] for turn in question.evidence} <= {name for name in names if name in question.text}
    ]
    assert len(own) == len(asked)


def test_lists_have_an_item_for_each_gold_turn():
    _, _, questions = told(5)
    lists = [question for question in questions if question.category == "multi-hop" and ", " in question.answer]
    assert lists
    assert all(len(question.evidence) >= 2 for question in lists)


def test_what_is_stated_again_is_gold_too():
    happenings, _, _ = told(6)
    assert any(happening.mentioned for happening in happenings)
    assert all(set(happening.mentioned) <= set(happening.turns) for happening in happenings)
