import pytest

from hmem_english.dates.tense import direction


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("i will paint on X", 1),
        ("i 'm painting on X", 1),
        ("she 's flying home on X", 1),
        ("can we meet on X", 1),
        ("the play is on X", 1),
        ("i painted on X", -1),
        ("i was painting on X", -1),
        ("we won on X", -1),
        ("we won 't play on X", 1),
        ("i should have gone on X", -1),
        ("i couldn 't sleep on X", -1),
        ("i can 't wait for X", 1),
        ("we can 't on X", 0),
        ("it was planned for X", -1),
        ("on X we danced", -1),
        ("on X we 'll dance", 1),
        ("i will tell you what happened on X", -1),
        ("i danced . X", 0),
        ("X", 0),
        ("they 've picked a place for X", 0),
        ("she 's never looked well on X", 0),
        ("the shop is closed on X", 0),
        ("it is being done on X", 1),
        ("it was being done on X", -1),
        ("he 's getting married on X", 1),
        ("mum gets her hip done on X", 1),
        ("he got married on X", -1),
        ("my birthday 's X", 1),
        ("i 'm off X", 1),
        ("the same from X", 1),
    ],
)
def test_the_nearest_word_that_tells_decides(clause: str, expected: int) -> None:
    words = clause.split()
    assert direction(words, words.index("X") if "X" in words else len(words)) == expected
