from datetime import date

import pytest
from hypothesis import given, strategies

from hmem_evals.synthetic.moments import MONTHS, format_day, moment
from hmem_evals.synthetic.vocabulary import Dice

TODAY = date(2023, 6, 9)


@given(strategies.integers(), strategies.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_every_moment_is_said_and_meant(seed, today):
    for style in ("recent", "long", "future"):
        told = moment(Dice(str(seed)), style, today)
        assert told.phrase
        assert told.answer
        assert not told.month or told.month.split()[0] in MONTHS


@given(strategies.integers())
def test_a_moment_of_the_last_days_lies_within_them(seed):
    told = moment(Dice(str(seed)), "recent", TODAY, days=1)
    assert told.answer in (format_day(TODAY), format_day(date(2023, 6, 8)))


@given(strategies.integers())
def test_a_long_past_lies_in_an_earlier_year(seed):
    assert moment(Dice(str(seed)), "long", TODAY).answer.split()[-1] < "2023"


@pytest.mark.parametrize(("said", "meant"), [("yesterday", "8 June 2023"), ("next month", "July 2023")])
def test_phrases_mean_the_dates_that_they_name(said, meant):
    found = {
        told.phrase: told.answer
        for seed in range(200)
        for style in ("recent", "future")
        for told in [moment(Dice(str(seed)), style, TODAY)]
    }
    assert found[said] == meant
