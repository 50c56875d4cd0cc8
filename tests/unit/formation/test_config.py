from dataclasses import replace

from hmem.formation.config import NOTHING, FormationConfig


def test_nothing_is_nothing_and_everything_is_something() -> None:
    assert not NOTHING.anything
    assert FormationConfig().anything
    assert replace(NOTHING, graph=True).anything


def test_the_scribe_is_told_what_to_write() -> None:
    told = FormationConfig(summaries=False, summary_tokens=50, profile_mentions=9).text_options
    assert (told.summaries, told.profiles, told.summary_tokens, told.salient) == (False, True, 50, 9)
