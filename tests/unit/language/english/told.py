"""What a turn claims, for tests."""

from datetime import UTC, datetime

from hmem.language.analyst import Claim, Passage, analyst
from hmem.model.turn import Turn


def claims(*texts: str) -> list[Claim]:
    """The claims of the last of some turns that Maria says one after the other."""
    rules, said = analyst("rules"), datetime(2024, 1, 10, tzinfo=UTC)
    turns = tuple(Turn(id=f"t{i}", speaker="Maria", text=text, at=said, session="s") for i, text in enumerate(texts))
    passage = Passage(turns, len(turns) - 1, ("Maria", "Tom"))
    return rules.claims([passage], rules.events([passage]))[0][0]


def short(*texts: str) -> list[tuple[str, str, bool]]:
    """Slot, value and whether it is so, of these claims."""
    return [(claim.slot, claim.value, claim.positive) for claim in claims(*texts)]
