"""Names that stand in the lines of others only."""

from datetime import UTC, datetime

from hmem.language.analyst import Excerpt
from hmem.language.analyst.model.strangers import ForeignNames


def line(text: str, speaker: str | None = "Maria") -> Excerpt:
    return Excerpt(text, speaker, datetime(2025, 1, 1, tzinfo=UTC))


HERE = line("I went to see the old town of Lisbon with Ben Okafor on a Monday, and it was lovely.")
THERE = line("My sister, who is called Ana, has been a nurse for as long as I can think, in Porto.", "Ben")


def test_a_name_of_another_line_is_a_stranger_and_one_of_its_own_is_none() -> None:
    strangers = ForeignNames((HERE, THERE))
    assert strangers.within("Maria was in Lisbon with Okafor and Ana on Monday.", (HERE,)) == {"ana"}
    assert strangers.within("Maria was in Porto with ANA's friend Zoe.", (HERE, THERE)) == set()
    assert strangers.within("It tells of Porto, where Ana is.", (HERE,), "Porto") == {"ana"}


def test_those_who_speak_days_and_first_words_are_no_strangers() -> None:
    strangers = ForeignNames((HERE, THERE))
    assert strangers.within("Ana saw what Ben and Maria did, on a Monday.", (THERE,)) == set()


def test_where_every_noun_has_a_capital_there_is_none() -> None:
    german = line("Meine Schwester hat den Hund, die Katze und das Haus in Berlin verkauft.")
    assert ForeignNames((german, HERE)).within("Sie hat den Hund verkauft.", (HERE,)) == set()
