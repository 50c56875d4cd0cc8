"""What is kept of what a model said, over what the rules find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from hmem.language.analyst import (
    Claim,
    Cues,
    Curation,
    Excerpt,
    Extraction,
    Labels,
    Naming,
    Statement,
    Subject,
    analyst,
)
from hmem.language.analyst.base import Passage, TurnExtraction
from hmem.language.analyst.cached_model import (
    CachedModelAnalyst,
    ModelOutput,
    digest,
)
from hmem.model.ids import new_key, to_id
from hmem.model.span import Span
from hmem.model.turn import Turn

RULES = analyst("rules")
START = datetime(2025, 3, 14, 10, 0, tzinfo=UTC)
CLAIM = Claim("fact", "Maria", "home", "Lisbon", "Maria lives in Lisbon.")
LINES = (Excerpt("Maria lives in Lisbon.", "Maria", START), Excerpt("Tom moved to Porto.", "Tom", START))


@dataclass
class Shelf:
    """What is kept, in the process."""

    by_id: dict[str, TurnExtraction] = field(default_factory=dict[str, TurnExtraction])
    by_digest: dict[bytes, ModelOutput] = field(default_factory=dict[bytes, ModelOutput])
    active: bool = True

    def extractions(self, ids: Sequence[str]) -> Mapping[str, TurnExtraction]:
        return {each: self.by_id[each] for each in ids if each in self.by_id}

    def answers(self, digests: Sequence[bytes]) -> Mapping[bytes, ModelOutput]:
        return {each: self.by_digest[each] for each in digests if each in self.by_digest}


def turn(text: str, speaker: str = "Maria") -> Turn:
    return Turn(id=to_id("turn", new_key()), text=text, speaker=speaker, at=START, session="s1")


TURNS = (turn("I live in Lisbon"), turn("I moved to Porto", "Tom"), turn("My sister works at Siemens"))
PASSAGE = Passage(TURNS, 0, ("Maria", "Tom"))
READING = TurnExtraction(
    "m/1",
    Curation(memorable=True, reasons=("model",)),
    (Statement("Tom moved to Porto, in Portugal."),),
    (CLAIM,),
    Extraction((Naming("Porto", "location", 11, 16),)),
    (Labels("places", "homes", "Porto"),),
    9,
    Cues(1.0, 0.5, ("porto",)),
)


def overlay(shelf: Shelf) -> CachedModelAnalyst:
    return CachedModelAnalyst(RULES, shelf)


class TestTurns:
    def test_without_anything_kept_it_is_the_analyst_beneath(self) -> None:
        for shelf in (Shelf(), Shelf(active=False)):
            over = overlay(shelf)
            assert over.curate([PASSAGE]) == RULES.curate([PASSAGE])
            assert over.cues([PASSAGE]) == RULES.cues([PASSAGE])
            assert over.entities([PASSAGE]) == RULES.entities([PASSAGE])
            events = over.events([PASSAGE])
            assert events == RULES.events([PASSAGE])
            assert over.claims([PASSAGE], events) == RULES.claims([PASSAGE], events)
            assert over.importance([PASSAGE], [""]) == RULES.importance([PASSAGE], [""])
            assert over.labels_of([Statement("a")], [None]) == RULES.labels([Statement("a")], [""])
            assert (over.made_by, over.maker(TURNS[0])) == (RULES.made_by, RULES.made_by)

    def test_a_turn_that_was_read_is_as_it_was_read_and_the_others_as_the_rules_read_them(self) -> None:
        over = overlay(Shelf({TURNS[1].id: READING}))
        rules = RULES.events([PASSAGE])[0]
        assert over.events([PASSAGE]) == [[rules[0], list(READING.statements), rules[2]]]
        assert over.curate([PASSAGE])[0][1] == READING.curation
        assert over.claims([PASSAGE], over.events([PASSAGE]))[0][1] == [CLAIM]
        assert over.entities([PASSAGE])[0][1] == READING.extraction
        assert over.cues([PASSAGE])[0][1] == READING.cues
        assert over.importance([PASSAGE], [""])[0][1] == 9
        assert [over.maker(each) for each in TURNS] == [RULES.made_by, "m/1", RULES.made_by]

    def test_what_a_reading_does_not_say_is_left_to_the_rules(self) -> None:
        over = overlay(Shelf({TURNS[1].id: TurnExtraction("m/1", READING.curation)}))
        assert over.entities([PASSAGE]) == RULES.entities([PASSAGE])
        assert over.cues([PASSAGE]) == RULES.cues([PASSAGE])
        assert over.importance([PASSAGE], [""]) == RULES.importance([PASSAGE], [""])
        assert over.events([PASSAGE])[0][1] == []

    def test_labels_are_those_of_the_turns_own_statements(self) -> None:
        over = overlay(Shelf({TURNS[1].id: READING}))
        statement = READING.statements[0]
        assert over.labels_of([statement, statement], [TURNS[1], TURNS[0]]) == [
            READING.labels[0],
            *RULES.labels_of([statement], [TURNS[0]]),
        ]

    def test_only_the_wanted_turns_of_a_passage_are_looked_up(self) -> None:
        over = overlay(Shelf({TURNS[0].id: READING}))
        behind = Passage(TURNS, 1, PASSAGE.speakers)
        assert over.events([behind]) == RULES.events([behind])


class TestTexts:
    def test_an_answer_stands_in_the_place_of_what_the_rules_write(self) -> None:
        subject, other = Subject("Lisbon", "location", LINES), Subject("Porto", "location", LINES[1:])
        shelf = Shelf(
            by_digest={
                digest("summary", LINES, 40): ModelOutput("m/1", "two places"),
                digest("name", ("a", "b")): ModelOutput("m/1", "letters"),
                digest("profile", subject, 40): ModelOutput("m/1", ["a city", "sunny"]),
                digest("persona", "Maria", (CLAIM,), 40): ModelOutput("m/1", ["at home in Lisbon", ["calm"]]),
            }
        )
        over = overlay(shelf)
        assert over.attributed_summaries([LINES], 40) == [("two places", "m/1")]
        assert over.attributed_summaries([LINES], 41)[0].made_by == RULES.made_by
        assert over.summarise([LINES], 40) == ["two places"]
        assert over.attributed_names([("a", "b"), ("c", "d")])[0] == ("letters", "m/1")
        assert over.name_topics([("a", "b")]) == ["letters"]
        first, second = over.profiles([subject, other], 40)
        assert (first.persistent, first.recent, first.made_by) == ("a city", "sunny", "m/1")
        assert second.made_by == ""
        persona = over.personas(["Maria"], [[CLAIM]], 40)[0]
        assert (persona.text, persona.traits, persona.made_by) == ("at home in Lisbon", ("calm",), "m/1")

    def test_digests_tell_kinds_and_contents_apart(self) -> None:
        digests = [
            digest("summary", LINES, 40), digest("summary", LINES, 41), digest("summary", LINES[:1], 40),
            digest("name", ("a",)), digest("name", ("a", "b")), digest("profile", Subject("a", "other", LINES), 40),
            digest("persona", "a", (CLAIM,), 40), digest("persona", "b", (CLAIM,), 40),
        ]  # fmt: skip
        assert len(set(digests)) == len(digests)
        assert digest("summary", list(LINES), 40) == digests[0]


def test_the_digest_of_what_was_kept_stays_the_same() -> None:
    valid = replace(CLAIM, valid=Span(START, START.replace(year=2026)))
    lines = (Excerpt("Maria lives in Lisbon.", "Maria", START), Excerpt('Tom\'s "here".', None, START, 7.0))
    digests = [
        digest("summary", [*lines], 64), digest("name", ["a", "b"]),
        digest("profile", Subject("Maria", "person", lines), 64),
        digest("persona", "Maria", [valid], 64),
    ]  # fmt: skip
    assert [each.hex() for each in digests] == [
        "887d7fba3d53226fda5be64d34bb46b2",
        "56cc0610e22f862632721e0f022bc764",
        "43d05ed0e04a7845448cea951f0d6a68",
        "dfdefe41b611814952ccc288eb366068",
    ]
