from dataclasses import replace

from hmem.write.options import NOTHING, Writing


def test_nothing_is_nothing_and_everything_is_something() -> None:
    assert not NOTHING.anything
    assert Writing().anything
    assert replace(NOTHING, graph=True).anything


def test_the_scribe_is_told_what_to_write() -> None:
    told = Writing(summaries=False, summary_tokens=50, salient=9).scribing
    assert (told.summaries, told.profiles, told.summary_tokens, told.salient) == (False, True, 50, 9)
