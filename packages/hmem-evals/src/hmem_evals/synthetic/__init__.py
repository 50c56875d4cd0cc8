"""Simulated lives: conversations over months, with questions and gold turns, generated from a seed."""

from typing import Final, Literal

from hmem_evals.conversations import Conversation
from hmem_evals.synthetic.asking import Asker
from hmem_evals.synthetic.consult import Consult
from hmem_evals.synthetic.people import people
from hmem_evals.synthetic.talk import Talk
from hmem_evals.synthetic.vocabulary import Bags, Dice
from hmem_evals.synthetic.world import World

__all__ = ["generate"]

_PHANTOMS: Final = 1
_PHANTOMS_ALONE: Final = 3


def generate(seed: int, *, sessions: int = 25, kind: Literal["friends", "assistant"] = "friends") -> Conversation:
    """Generate a conversation between two friends, or between a user and an assistant.

    A seed gives the same conversation on every platform. Times are UTC.
    """
    name = f"lives-{kind}-{seed}"
    dice = Dice(name)
    bags = Bags(dice)
    pair = people(dice, bags)
    is_assistant = kind == "assistant"
    world = World(dice, bags, pair, pair[:1] if is_assistant else pair)
    session_windows = world.session_windows(
        sessions, (1, 3) if is_assistant else (3, 4), (1, 9) if is_assistant else (3, 15)
    )
    happenings = [happening for session_window in session_windows for happening in session_window.happenings]
    if is_assistant:
        consult = Consult(dice, bags)
        messages, extra_drafts = consult.write_messages(session_windows), consult.drafts
    else:
        messages, extra_drafts = Talk(dice, bags, pair).write_messages(session_windows), []
    phantoms = (
        world.phantoms(session_windows[-1].time, sessions * (_PHANTOMS_ALONE if is_assistant else _PHANTOMS))
        if session_windows
        else []
    )
    texts = {message["message_id"]: message["text"] for message in messages}
    questions = Asker(dice, happenings, texts, is_assistant=is_assistant).questions(
        name, sessions, phantoms, extra_drafts
    )
    return Conversation(name, tuple(messages), questions)
