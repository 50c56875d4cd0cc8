import pytest

from hmem.language.english.questions import answer_type, asking


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who sang?", "person"),
        ("Whose birthday was it?", "person"),
        ("What is the name of her sister?", "person"),
        ("Which author has he read most?", "person"),
        ("Which composer's tunes does he play?", "person"),
        ("What is the name of the dog?", "thing"),
        ("Where did she sleep?", "place"),
        ("What city did they visit?", "place"),
        ("Which school did he go to?", "organization"),
        ("At which university did I study?", "organization"),
        ("When did she leave?", "time"),
        ("What year did he begin?", "time"),
        ("In which month's game did he score?", "time"),
        ("What is the birthday of her niece?", "time"),
        ("How long ago was it?", "time"),
        ("How many weeks ago did I call?", "time"),
        ("How long has she played?", "duration"),
        ("How many weeks did it take?", "duration"),
        ("What was her finishing time?", "duration"),
        ("How often does he run?", "frequency"),
        ("How many times a week does he run?", "frequency"),
        ("How many times has he run?", "count"),
        ("How much did it cost?", "count"),
        ("How old is she?", "count"),
        ("Did she go?", "yes_no"),
        ("Would she like tea or coffee?", "choice"),
        ("Which came first, the move or the wedding?", "choice"),
        ("Why did he stop?", "reason"),
        ("What made her stop?", "reason"),
        ("What is his reason for running?", "reason"),
        ("How did she feel?", "manner"),
        ("What did she do on Friday?", "activity"),
        ("What is he planning to do?", "activity"),
        ("What happened to the car?", "activity"),
        ("Which hobby did she take up?", "activity"),
        ("Which instrument does she play?", "thing"),
        ("What kind of time management technique does she use?", "thing"),
        ("Can you recommend a film?", "any"),
        ("Tell me more.", "any"),
    ],
)
def test_the_kind_of_answer_follows_what_asks_and_its_noun(question: str, kind: str) -> None:
    assert answer_type(asking(question)) == kind
