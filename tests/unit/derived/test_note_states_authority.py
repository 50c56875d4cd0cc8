from datetime import UTC, datetime

import pytest

from hmem.derived.note_states import Authority, authority
from hmem.model.scope import scoped
from hmem.model.turn import Role, Turn

ALICE = scoped("", "Alice")


@pytest.mark.parametrize(
    ("speaker", "role", "rank"),
    [
        ("alice", None, Authority.OWN),
        (" Alice ", "user", Authority.OWN),
        ("Mallory", None, Authority.ANOTHER),
        ("Mallory", "tool", Authority.NOBODY),
        ("Alice", "tool", Authority.NOBODY),
        ("Assistant", None, Authority.NOBODY),
        ("page.md", "document", Authority.NOBODY),
    ],
)
def test_own_words_come_before_those_of_others_and_these_before_nobodys(
    speaker: str, role: Role | None, rank: Authority
) -> None:
    turn = Turn("turn_1", speaker, "Alice lives in Oslo.", datetime(2026, 1, 1, tzinfo=UTC), "s", role=role)
    assert authority(turn, ALICE) is rank
    assert authority(turn, scoped("somebody else", "Alice")) is not Authority.OWN
