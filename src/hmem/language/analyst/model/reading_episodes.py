"""An episode as data, and what is believed of what a model says of it."""

from collections.abc import Sequence
from typing import Any, Final

from hmem.language.analyst.base import Passage
from hmem.language.analyst.model.believing import believed
from hmem.language.analyst.model.schemas import ReadEpisode, SaidTurn
from hmem.language.analyst.reading import TurnExtraction
from hmem.language.english.analyst import RulesAnalyst
from hmem.model.turn import Turn

# Turns before the wanted ones that are sent, and characters of one turn and of the persona.
_BEFORE: Final = 6
_LONGEST: Final = 12_000
_PERSONA: Final = 2_000


def episode_data(passage: Passage, persona: str) -> dict[str, Any]:
    """What a model is shown of a passage."""
    first = max(0, passage.start - _BEFORE)
    before = passage.turns[first : passage.start]
    return {
        "persona": persona[:_PERSONA],
        "speakers": list(passage.speakers),
        "before": [_turn(turn, number) for number, turn in enumerate(before, 1 - len(before))],
        "turns": [_turn(turn, number) for number, turn in enumerate(passage.wanted, 1)],
    }


def _turn(turn: Turn, number: int) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "n": number,
        "speaker": turn.speaker,
        "said": turn.at.isoformat(timespec="minutes"),
        "weekday": f"{turn.at:%A}",
        "text": turn.text[:_LONGEST],
    }
    if turn.caption:
        shown["picture"] = turn.caption[:_LONGEST]
    if turn.role:
        shown["role"] = turn.role
    return shown


def missing_turns(passage: Passage, said: ReadEpisode) -> str | None:
    """Which turns were left out, in words for the model; None when none was."""
    missing = sorted(set(range(1, len(passage.wanted) + 1)) - {turn.n for turn in said.turns})
    if not missing:
        return None
    return f"there is no entry for the turns with n {', '.join(map(str, missing))}; each turn needs one"


def readings(passage: Passage, said: ReadEpisode, made_by: str) -> list[TurnExtraction]:
    """A reading of each wanted turn; by the rules, and saying so, of one that the model left out.

    So is one of which nothing that the model stated, or claimed, is to be believed: who made it say so must not take
    away what the turn does say.
    """
    by_number = {turn.n: turn for turn in reversed(said.turns)}
    rules: Sequence[TurnExtraction] = ()
    found: list[TurnExtraction] = []
    for place in range(len(passage.wanted)):
        turn = by_number.get(place + 1)
        reading = believed(passage, place, turn, made_by) if turn else None
        if turn is None or reading is None or _all_refused(turn, reading):
            rules = rules or readings_by_rules(passage)
            reading = rules[place]
        found.append(reading)
    return found


def _all_refused(turn: SaidTurn, reading: TurnExtraction) -> bool:
    """Whether nothing is left of the statements, or of the claims, that a model made."""
    return bool(turn.statements and not reading.statements) or bool(turn.claims and not reading.claims)


def readings_by_rules(passage: Passage) -> list[TurnExtraction]:
    """What the rules find in each wanted turn of a passage."""
    rules = RulesAnalyst()
    passages = [passage]
    statements = rules.events(passages)
    claims = rules.claims(passages, statements)[0]
    extractions = rules.entities(passages)[0]
    curations = rules.curate(passages)
    worth = rules.importance(passages, [""], curations)[0]
    return [
        TurnExtraction(
            rules.made_by,
            curations[0][place],
            tuple(statements[0][place]),
            tuple(claims[place]),
            extractions[place],
            tuple(rules.labels(statements[0][place], [turn.speaker] * len(statements[0][place]))),
            worth[place],
        )
        for place, turn in enumerate(passage.wanted)
    ]
