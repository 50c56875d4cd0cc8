"""Names of what somebody has: "my twins, Lena and Bo", "we run two clusters, Falcon and Osprey"."""

from datetime import UTC, datetime

import pytest

from hmem.language.analyst import Claim, Passage, analyst
from hmem.model.turn import Turn


def read(text: str) -> list[Claim]:
    """Return the claims of a turn of Maria's."""
    turn = Turn(id="t", speaker="Maria", text=text, at=datetime(2024, 3, 14, tzinfo=UTC), session="s", role="user")
    passage, rules = Passage((turn,), 0, ("Maria", "Tom")), analyst("rules")
    ((found,),) = rules.claims([passage], rules.events([passage]))
    return list(found)


def told(text: str) -> set[tuple[str, str, str]]:
    """Return slot, value and text of the claims about Maria that are attributes."""
    found = read(text)
    return {(each.slot, each.value, each.text) for each in found if each.subject == "Maria" and each.kind == "profile"}


@pytest.mark.parametrize(
    ("text", "slot", "value", "said"),
    [
        ("My twins, Anna and Max, swim.", "child", "twins Anna and Max", "Anna and Max are Maria's twins."),
        ("Our two cats, Ida and Puk, sleep.", "pet", "cats Ida and Puk", "Ida and Puk are Maria's cats."),
        ("We run two clusters, Thor and Odin.", "clusters", "Thor and Odin", "Thor and Odin are Maria's clusters."),
        ("I use a printer called Bluebird.", "printer", "Bluebird", "Bluebird is Maria's printer."),
        ("My study partners, Ed and Ida, left.", "relation", "Ed and Ida", "Ed and Ida are Maria's study partners."),
    ],
)
def test_names_beside_a_noun_are_those_of_what_somebody_has(text: str, slot: str, value: str, said: str) -> None:
    assert (slot, value, said) in told(text)


@pytest.mark.parametrize(
    "text",
    ["I met two singers, Anna and Max.", "I do not use a printer called Bluebird.", "My friends, Tom and Ida, left.",
     "I wonder if we run two clusters, Thor and Odin."],
)  # fmt: skip
def test_what_is_not_had_or_is_a_speaker_is_not_claimed(text: str) -> None:
    assert not [value for _, value, _ in told(text) if value in {"Anna and Max", "Bluebird", "Tom and Ida"}]


def test_what_several_do_is_not_what_the_first_does() -> None:
    assert "Anna" not in {each.subject for each in read("My twins, Anna and Max, swim.")}
