"""The contract of an analyst, held against every installed one with odd texts."""

from datetime import UTC, datetime, timedelta

import pytest

from hmem.errors import ExtraMissing, UnknownName
from hmem.language.analyst import Analyst, Claim, Excerpt, Passage, Statement, Subject, analyst, analyst_names
from hmem.language.tokens import count_tokens
from hmem.model.turn import Turn

BEGIN = datetime(2025, 3, 1, 9, 30, tzinfo=UTC)
CODE = (
    "```python\nfor i in range(10):\n    print(f'{i=}', end=\"\\n\")\n```\nDoes this work? SELECT * FROM t WHERE a=1;"
)
ODD = {
    "empty": "",
    "blank": " \n\t ",
    "marks": "...!?…—()[]{}<>\"'“”",
    "emoji": "🎉🎉 😂 👩‍👩‍👧‍👦 🏳️‍🌈",
    "code": CODE,
    "long": ("I adopted a puppy named Coco last Friday, and she sleeps on the sofa. " * 1_200)[:76_000],
    "unbroken": "aGVsbG8" * 10_000,
    "opened": '("' * 5_000 + "I like it",
    "commas": "and so, " * 9_000,
    "chinese": "我上周五收养了一只小狗。她很喜欢在公园里跑步",
    "arabic": "تبنيت جروًا الأسبوع الماضي، واسمه كوكو. أحب المشي معه كل صباح.",
    "combining": "Zo\u0308e a\u0300 la plage\u200b \ufeff\u202e e\u0301te\u0301 \U0001d4d7\U0001d4f2",
    "plain": "Hi Maria! I moved to Lisbon in 2019 and I work as a nurse. Do you like pottery?",
}
SPEAKERS = ("Maria", "John", "Zoë", "user", "李华")


def turns() -> tuple[Turn, ...]:
    captions = ["a dog" if i % 4 == 0 else None for i in range(len(ODD))]
    return tuple(
        Turn(name, SPEAKERS[i % len(SPEAKERS)], text, BEGIN + timedelta(minutes=i), "s1", caption=captions[i])
        for i, (name, text) in enumerate(ODD.items())
    )


def passages() -> list[Passage]:
    told = turns()
    return [
        Passage(told, 0, SPEAKERS),
        Passage(told[:4], 2, SPEAKERS[:2]),
        Passage(told[:3], 3),
        *(Passage((turn,), 0, (turn.speaker,)) for turn in told),
    ]


def lines() -> tuple[Excerpt, ...]:
    return tuple(Excerpt(turn.content, turn.speaker, turn.at, 5.0) for turn in turns())


@pytest.fixture(params=analyst_names())
def reader(request: pytest.FixtureRequest) -> Analyst:
    try:
        return analyst(request.param)
    except (ExtraMissing, UnknownName) as error:
        pytest.skip(f"{request.param}: {error}")


def test_what_made_a_result_is_named_with_a_version(reader: Analyst) -> None:
    name, slash, version = reader.made_by.partition("/")
    assert name
    assert slash
    assert version


def test_each_wanted_turn_has_one_result_of_each_kind(reader: Analyst) -> None:
    given = passages()
    wanted = [len(passage.targets) for passage in given]
    events = reader.events(given)
    results = (
        reader.curate(given), reader.cues(given), events, reader.entities(given), reader.claims(given, events),
        reader.importance(given, [""] * len(given)),
    )  # fmt: skip
    for result in results:
        assert [len(of_passage) for of_passage in result] == wanted


def test_what_is_said_of_turns_is_within_its_bounds(reader: Analyst) -> None:
    given = passages()
    events = reader.events(given)
    assert all(0 <= cue.shift <= 1 and 0 <= cue.emotion <= 1 for found in reader.cues(given) for cue in found)
    assert all(
        1 <= worth <= 10 for found in reader.importance(given, ["Maria likes tea."] * len(given)) for worth in found
    )
    for passage, stated, extracted, claimed in zip(
        given, events, reader.entities(given), reader.claims(given, events), strict=True
    ):
        for turn, statements, extraction, claims in zip(passage.targets, stated, extracted, claimed, strict=True):
            assert all(statement.text.strip() for statement in statements)
            assert all(turn.content[naming.start : naming.end] == naming.surface for naming in extraction.namings)
            assert all(claim.subject and claim.slot and claim.text for claim in claims)
            assert all(0 <= claim.statement < len(statements) for claim in claims)


def test_nothing_to_read_gives_nothing(reader: Analyst) -> None:
    assert reader.curate([]) == reader.cues([]) == reader.events([]) == reader.entities([]) == []
    assert reader.claims([], []) == reader.importance([], []) == reader.labels([], []) == reader.name_topics([]) == []
    assert reader.summarise([], 10) == reader.profiles([], 10) == reader.personas([], [], 10) == []


def test_each_statement_has_a_domain_and_a_category(reader: Analyst) -> None:
    labels = reader.labels([Statement(text) for text in ODD.values()], ["Maria"] * len(ODD))
    assert len(labels) == len(ODD)
    assert all(label.domain and label.category for label in labels)


def test_a_group_is_named_by_what_sets_it_apart_or_not_at_all(reader: Analyst) -> None:
    pottery = ["The pottery class began.", "I like the pottery class.", "Our pottery class is full."]
    lake = ["We sat by the lake.", "The lake was cold.", "I swam in the lake."]
    groups = [pottery, lake, *([text] for text in ODD.values()), []]
    names = reader.name_topics(groups)
    assert len(names) == len(groups)
    assert ("pottery" in names[0], "lake" in names[1], names[-1]) == (True, True, "")


@pytest.mark.parametrize("tokens", [1, 12, 96])
def test_what_is_written_stays_within_its_bound_of_tokens(reader: Analyst, tokens: int) -> None:
    groups = [lines(), *((line,) for line in lines()), ()]
    assert all(count_tokens(text) <= tokens for text in reader.summarise(groups, tokens))
    profiles = reader.profiles([Subject("Maria", "person", group) for group in groups], tokens)
    assert all(max(count_tokens(made.persistent), count_tokens(made.recent)) <= tokens for made in profiles)
    claims = [Claim("preference", "Maria", "likes", text or "tea", f"Maria likes {text}") for text in ODD.values()]
    assert all(count_tokens(made.text) <= tokens for made in reader.personas(["Maria", "李华"], [claims, []], tokens))


def test_the_same_is_said_each_time(reader: Analyst) -> None:
    given = passages()
    events = reader.events(given)
    assert reader.events(given) == events
    assert reader.entities(given) == reader.entities(given)
    assert reader.claims(given, events) == reader.claims(given, events)
    assert reader.summarise([lines()], 60) == reader.summarise([lines()], 60)


def test_a_turn_is_read_alike_alone_and_in_a_batch(reader: Analyst) -> None:
    told = turns()
    whole = Passage(told, 0, SPEAKERS)
    alone = [Passage(told[max(i - 6, 0) : i + 1], min(i, 6), SPEAKERS) for i in range(len(told))]
    assert reader.curate([whole])[0] == [found[0] for found in reader.curate(alone)]
    assert reader.cues([whole])[0] == [found[0] for found in reader.cues(alone)]
    assert reader.events([whole])[0] == [found[0] for found in reader.events(alone)]
    assert reader.entities([whole])[0] == [found[0] for found in reader.entities(alone)]
