"""An episode as data."""

from dataclasses import replace

from tests.unit.language.analyst.model.conftest import passage

from hmem.language.analyst import Passage
from hmem.language.analyst.model.reading_episodes import episode_data, missing_turns, readings_by_rules
from hmem.language.analyst.model.schemas import ReadEpisode


def test_turns_before_are_numbered_up_to_nought_and_wanted_ones_from_one() -> None:
    data = episode_data(passage(start=2), "a vet")
    assert [turn["n"] for turn in data["before"]] == [-1, 0]
    assert [turn["n"] for turn in data["turns"]] == [1, 2]
    assert (data["persona"], data["speakers"]) == ("a vet", ["Maria", "Ben"])


def test_a_picture_and_a_role_are_shown_where_there_are_any() -> None:
    plain = passage()
    turn = replace(plain.turns[0], caption="a dog", role="user")
    (shown,) = episode_data(Passage((turn,), 0, ("Maria",)), "")["turns"]
    assert (shown["picture"], shown["role"]) == ("a dog", "user")
    assert "picture" not in episode_data(plain, "")["turns"][0]


def test_a_long_paste_is_cut() -> None:
    turn = replace(passage().turns[0], text="word " * 100_000)
    assert len(episode_data(Passage((turn,)), "")["turns"][0]["text"]) == 12_000


def test_turns_that_were_left_out_are_named() -> None:
    said = ReadEpisode.model_validate({"turns": [{"n": 2}, {"n": 9}]})
    assert missing_turns(passage(), said) == "there is no entry for the turns with n 1, 3, 4; each turn needs one"


def test_the_rules_give_a_whole_reading() -> None:
    reading = readings_by_rules(passage())[1]
    assert reading.made_by.startswith("rules/")
    assert reading.statements
    assert reading.extraction
    assert len(reading.labels) == len(reading.statements)
