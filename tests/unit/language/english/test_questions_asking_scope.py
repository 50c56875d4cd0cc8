import pytest

from hmem.language.english.questions import asking, scope_of


@pytest.mark.parametrize(
    ("question", "scope", "coverage"),
    [
        ("When did Ana adopt the dog?", "short", "local"),
        ("Who led the lab?", "short", "local"),
        ("What did Ana buy in Rome?", "short", "local"),
        ("What film has Ana recently seen?", "short", "local"),
        ("How long has Ana had her first two cats?", "short", "local"),
        ("What kind of lamps did Ana buy?", "short", "local"),
        ("How many guests came?", "short", "local"),
        ("What kind of person is Ana?", "long", "local"),
        ("Would Ana like the sea?", "long", "local"),
        ("What might Ana study?", "long", "local"),
        ("What does Ana do to relax?", "long", "local"),
        ("How often does Ana swim?", "long", "local"),
        ("How has Ana changed over the year?", "long", "global"),
        ("How many times has Ana swum?", "mixed", "global"),
        ("Which cities has Ana been to?", "mixed", "global"),
        ("Where has Ana camped?", "mixed", "global"),
        ("What has Ana painted?", "mixed", "global"),
        ("What pets does Ana have?", "mixed", "global"),
        ("Which of the songs did Ana sing?", "mixed", "global"),
        ("How much did Ana pay altogether?", "mixed", "global"),
        ("Which came first, the move or the wedding?", "mixed", "local"),
        ("Does Ana swim more than she did?", "mixed", "local"),
    ],
)
def test_scope_and_coverage_follow_what_is_gathered(question: str, scope: str, coverage: str) -> None:
    assert scope_of(asking(question)) == (scope, coverage)


def test_a_sum_within_a_time_counts_every_occurrence() -> None:
    asked = asking("How many films did I watch?")
    assert scope_of(asked) == ("short", "local")
    assert scope_of(asked, framed=True) == ("mixed", "global")
