"""Notes: what a turn claims, and what it does not."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyst.base import Claim, Passage, Statement
from hmem.language.english.events import events
from hmem.language.english.notes import claims
from hmem.model.span import OPEN, Span
from hmem.model.turn import Turn

AT = datetime(2024, 5, 15, 10, tzinfo=UTC)


def turn(text: str, speaker: str = "Maria", number: int = 0) -> Turn:
    return Turn(f"t{number}", speaker, text, AT, "s")


def claimed(text: str, before: str = "", speaker: str = "Maria") -> list[Claim]:
    """What Maria claims, to John."""
    context = [turn(before, "John", 1)] if before else []
    passage = Passage((*context, turn(text, speaker)), len(context), (speaker, "John"))
    return claims(passage, events(passage))[0]


# Text, and the claim's subject, slot, value, and whether it is so.
CLAIMED = [
    ("I adopted a puppy named Coco.", "Maria", "pet", "a puppy named Coco", True),
    ("I have two cats, Miso and Tofu.", "Maria", "pet", "two cats, Miso and Tofu", True),
    ("My dog Rex ate my homework.", "Maria", "pet", "dog Rex", True),
    ("I used to have a parrot.", "Maria", "pet", "a parrot", False),
    ("We adopted two kittens last month.", "Maria", "pet", "two kittens", True),
    ("I took my turtles to the beach.", "Maria", "pet", "turtles", True),
    ("I work as a nurse at Mercy Hospital.", "Maria", "job", "nurse", True),
    ("I'm a paper conservator at the archive.", "Maria", "job", "paper conservator", True),
    ("I'm not a lawyer.", "Maria", "job", "lawyer", False),
    ("I quit my job at the bank yesterday.", "Maria", "job", "job at the bank", False),
    ("I lost my job last week.", "Maria", "job", "job", False),
    ("I work for Globex.", "Maria", "employer", "Globex", True),
    ("I work at the city museum.", "Maria", "employer", "the city museum", True),
    ("I live in Porto, on the fourth floor.", "Maria", "home", "Porto", True),
    ("I moved to Lisbon in March 2021.", "Maria", "home", "Lisbon", True),
    ("I've lived in Lisbon since 2019.", "Maria", "home", "Lisbon", True),
    ("I was born in Porto.", "Maria", "birthplace", "Porto", True),
    ("I grew up in Malta.", "Maria", "hometown", "Malta", True),
    ("I'm from Chile originally.", "Maria", "hometown", "Chile", True),
    ("I'm married.", "Maria", "partner", "married", True),
    ("I'm not married.", "Maria", "partner", "married", False),
    ("I got engaged to Paul!", "Maria", "partner", "engaged", True),
    ("My husband Paul snores.", "Maria", "partner", "husband Paul", True),
    ("I broke up with Paul last week.", "Maria", "partner", "Paul", False),
    ("My daughter Mia was born in 2020.", "Maria", "child", "daughter Mia", True),
    ("My son started school.", "Maria", "child", "son", True),
    ("I have three kids.", "Maria", "child", "three kids", True),
    ("I have a brother in Perth.", "Maria", "sibling", "a brother", True),
    ("My sister Anna paints.", "Maria", "sibling", "sister Anna", True),
    ("My best friend Clara paints.", "Maria", "friend", "Clara", True),
    ("I met Clara at the market yesterday.", "Maria", "friend", "Clara", True),
    ("My boss Greta shouts.", "Maria", "relation", "Greta", True),
    ("I'm 34 years old.", "Maria", "age", "34", True),
    ("I turned forty last week.", "Maria", "age", "forty", True),
    ("My birthday is 3 June.", "Maria", "birthday", "3 June", True),
    ("I'm vegan.", "Maria", "diet", "vegan", True),
    ("I'm allergic to peanuts and shellfish.", "Maria", "allergy", "peanuts and shellfish", True),
    ("I have asthma.", "Maria", "health", "asthma", True),
    ("I was diagnosed with diabetes in 2010.", "Maria", "health", "diabetes", True),
    ("I love hiking and swimming.", "Maria", "likes", "hiking and swimming", True),
    ("I really enjoy old films because they calm me.", "Maria", "likes", "old films", True),
    ("I don't like horror films.", "Maria", "likes", "horror films", False),
    ("I hate mushrooms.", "Maria", "likes", "mushrooms", False),
    ("I can't stand cilantro.", "Maria", "likes", "cilantro", False),
    ("I'm a big fan of jazz.", "Maria", "likes", "jazz", True),
    ("I prefer tea to coffee.", "Maria", "likes", "tea to coffee", True),
    ("My favourite colour is green.", "Maria", "favourite colour", "green", True),
    ("My favorite band is Blue Harbour.", "Maria", "favourite band", "Blue Harbour", True),
    ("Lasagne is one of my favourite dishes.", "Maria", "favourite dish", "Lasagne", True),
    ("I'm afraid of heights.", "Maria", "fear", "heights", True),
    ("I started pottery two years ago.", "Maria", "hobby", "pottery", True),
    ("I collect stamps.", "Maria", "hobby", "stamps", True),
    ("I play the guitar.", "Maria", "plays", "guitar", True),
    ("I've been playing the cello since 2016.", "Maria", "plays", "cello", True),
    ("I bought a new camera last week.", "Maria", "owns", "camera", True),
    ("I sold my car.", "Maria", "owns", "car", False),
    ("I'm planning to visit Kyoto next spring.", "Maria", "plan", "visit Kyoto", True),
    ("I signed up for a pottery class.", "Maria", "plan", "a pottery class", True),
    ("I want to become a pilot.", "Maria", "goal", "become a pilot", True),
    ("I graduated from Leeds University in 2015.", "Maria", "studies", "Leeds University", True),
    ("I'm learning Japanese.", "Maria", "language", "Japanese", True),
    ("I speak Portuguese and French.", "Maria", "language", "Portuguese and French", True),
    ("I gave up sugar in January.", "Maria", "habit", "sugar", False),
    ("I volunteer at the animal shelter.", "Maria", "habit", "the animal shelter", True),
    ("I joined a choir in 2022.", "Maria", "membership", "a choir", True),
    ("I believe in ghosts.", "Maria", "belief", "ghosts", True),
    ("I went to Norway last summer.", "Maria", "trip", "Norway", True),
    ('I\'m reading "The Salt Ledger".', "Maria", "reading", '"The Salt Ledger"', True),
    ("I won a chess tournament on Friday.", "Maria", "event", "a chess tournament", True),
    ("My sister Anna lives in Dublin.", "Anna", "home", "Dublin", True),
    ("My brother plays chess.", "Maria's brother", "plays", "chess", True),
    ("My boss Greta moved to Oslo.", "Greta", "home", "Oslo", True),
    ("I have two dogs and a parrot.", "Maria", "pet", "two dogs and a parrot", True),
    ("I named her Luna.", "Maria", "pet", "Luna", True),
    ("My cousin Pia lives in Graz.", "Pia", "home", "Graz", True),
    ("Declan is my brother-in-law.", "Maria", "relation", "Declan", True),
    ("The choir's conductor is called Ruth.", "Ruth", "role", "choir's conductor", True),
    ("Ruth Adler, from Basel, leads the altos.", "Ruth Adler", "hometown", "Basel", True),
    ("My older sister Ines, in Cork, paints.", "Ines", "home", "Cork", True),
    ("I'm an aunt!", "Maria", "family", "an aunt", True),
    ("I'm left-handed.", "Maria", "trait", "left-handed", True),
    ("I work nights at the hospital.", "Maria", "employer", "the hospital", True),
    ("I run the print shop.", "Maria", "job", "the print shop", True),
    ("I teach piano.", "Maria", "job", "piano", True),
    ("I'm the head of the map room.", "Maria", "job", "head of the map room", True),
    ("I retired from teaching last year.", "Maria", "job", "teaching", False),
    ("I got promoted last week.", "Maria", "event", "promoted", True),
    ("I applied for a grant.", "Maria", "event", "for a grant", True),
    ("I come from Bergen.", "Maria", "hometown", "Bergen", True),
    ("I was raised in Bergen.", "Maria", "hometown", "Bergen", True),
    ("I proposed to Clara last night.", "Maria", "partner", "Clara", True),
    ("I asked Clara to marry me.", "Maria", "partner", "Clara", True),
    ("My guitar is out of tune.", "Maria", "owns", "guitar", True),
    ("I have got new glasses.", "Maria", "owns", "new glasses", True),
    ("I bought a red kayak and sold my bike.", "Maria", "owns", "red kayak", True),
    ("I bought a red kayak and sold my bike.", "Maria", "owns", "bike", False),
    ("I moved to Rome and adopted a cat.", "Maria", "pet", "a cat", True),
    ("Clara has sold the van.", "Clara", "owns", "van", False),
    ("Clara plays the cello and works at the library.", "Clara", "employer", "the library", True),
    ("My brother broke his leg.", "Maria's brother", "health", "his leg", True),
    ("I broke my ankle.", "Maria", "health", "Maria's ankle", True),
    ("I have a broken wrist.", "Maria", "health", "a broken wrist", True),
    ("I'm recovering from knee surgery.", "Maria", "health", "knee surgery", True),
    ("I'm on antibiotics.", "Maria", "habit", "antibiotics", True),
    ("I drink mint tea every morning.", "Maria", "habit", "mint tea", True),
    ("I don't eat meat.", "Maria", "habit", "meat", False),
    ("I wear glasses.", "Maria", "habit", "glasses", True),
    ("I listen to podcasts now.", "Maria", "habit", "podcasts", True),
    ("I run to loud techno.", "Maria", "habit", "loud techno", True),
    ("I swim every Tuesday.", "Maria", "habit", "swims every Tuesday", True),
    ("I always skip breakfast.", "Maria", "habit", "skips breakfast", True),
    ("We usually eat out on Fridays.", "Maria", "habit", "eats out on Fridays", True),
    ("I stopped eating meat two years ago.", "Maria", "habit", "eating meat", False),
    ("I switched from coffee to mint tea.", "Maria", "habit", "mint tea", True),
    ("I started using a standing desk.", "Maria", "habit", "using a standing desk", True),
    ("I've been seeing a therapist.", "Maria", "habit", "seeing a therapist", True),
    ("I've always loved trains.", "Maria", "likes", "trains", True),
    ("I'm not a fan of crowds.", "Maria", "likes", "crowds", False),
    ("Cooking brings me joy.", "Maria", "likes", "cooking", True),
    ("Painting helps me relax.", "Maria", "likes", "painting", True),
    ("I'm interested in beekeeping.", "Maria", "interest", "beekeeping", True),
    ("I'd love to learn Welsh.", "Maria", "goal", "learn Welsh", True),
    ("I can't wait to visit Kyoto.", "Maria", "plan", "visit Kyoto", True),
    ("I'm moving to Turin in August.", "Maria", "plan", "Turin", True),
    ("I have tickets to the opera.", "Maria", "plan", "tickets to the opera", True),
    ("I fly to Malta on Friday.", "Maria", "plan", "flies to Malta on Friday", True),
    ("I will cook for Pia on Sunday.", "Maria", "plan", "cook for Pia", True),
    ("My exam is on Thursday 20 June.", "Maria", "plan", "Maria's exam is on Thursday 20 June", True),
    ("I'm painting my kitchen.", "Maria", "project", "painting Maria's kitchen", True),
    ("I dyed my hair last week.", "Maria", "event", "dyed Maria's hair", True),
    ("We pulled off a tough win!", "Maria", "event", "pulled off a tough win", True),
    ("I planted tomatoes and beans.", "Maria", "event", "tomatoes and beans", True),
    ("I made pizza on Friday.", "Maria", "event", "pizza", True),
    ("I gave up on Glass Orchard.", "Maria", "event", "Glass Orchard", True),
    ("I read The Lamplighter's Accounts last week.", "Maria", "event", "Lamplighter's Accounts", True),
    ("After ten years as a vegetarian I ate a grilled fish.", "Maria", "event", "a grilled fish", True),
    ("I met the famous Olga yesterday.", "Maria", "friend", "Olga", True),
    ("I stayed at Casa das Flores for a week.", "Maria", "trip", "Casa das Flores", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "subject", "slot", "value", "positive"), CLAIMED)
def test_a_turn_claims(text: str, subject: str, slot: str, value: str, positive: bool) -> None:
    assert (subject, slot, value, positive) in [
        (one.subject, one.slot, one.value, one.positive) for one in claimed(text)
    ]


UNCLAIMED = [
    "Do you have a dog?",
    "Should I get a cat?",
    "If I had a dog, I would walk more.",
    "I wish I had a garden in Kent.",
    "Maybe I'm allergic to cats.",
    "I might move to Oslo.",
    "I would love a dog.",
    "Imagine I lived in Rome!",
    "My neighbour says I play the violin.",
    'Clara said "I have two dogs" and laughed.',
    "You have two dogs and a boat.",
    "I asked whether I am allergic to nuts.",
    "I love it!",
    "I love that you bake.",
    "I love your dog!",
    "I have a question about the tax form.",
    "I have a lot of respect for Clara.",
    "I'm going to bed.",
    "I'm a bit tired of the rain.",
    "I'm a fan.",
    "It makes me love the sea.",
    "The songs I love are in Greek.",
    "When I was ten, the roof fell in.",
    "Thanks, I love you all!",
    "Our kids are our future.",
    "I love, love, love.",
    "I'm like a sponge.",
    "We are like a family.",
    "Here is my horse painting.",
    "I haven't made a cake.",
    "Everyone I love was there.",
    "Everyone I love was there to help.",
    "I created a monster.",
    "I want to own two feet again.",
    "I was going to open a bar, but the bank refused.",
    "I get to the studio about 30 minutes early.",
    "I love visiting them.",
    "I took a break on Monday.",
    "I got it on Tuesday.",
    "I felt tired yesterday.",
    "Last week I thought about Rome.",
    "I will need a coat on Sunday.",
    "People think I own a castle.",
    "The dog that I love is old.",
    "The bells which I bought broke.",
    "The house I own is small.",
    "I'm planning on nothing anymore.",
    "I'm getting cold on Monday.",
    "Paris has a river and loves tourists.",
    "John has a boat and lives in Rome.",
]


@pytest.mark.parametrize("text", UNCLAIMED)
def test_nothing_is_claimed_by(text: str) -> None:
    assert [one.text for one in claimed(text)] == []


def test_a_bag_for_a_laptop_is_no_laptop() -> None:
    assert [(one.slot, one.value) for one in claimed("I bought a laptop bag.")] == [("event", "a laptop bag")]


WORDED = [
    ("I don't like horror films.", "Maria does not like horror films."),
    ("I'm not married.", "Maria is not married."),
    ("I used to have a parrot.", "Maria used to have a parrot."),
    ("I sold my car.", "Maria no longer has the car."),
    ("I moved to Lisbon.", "Maria lives in Lisbon."),
    ("My boss Greta shouts.", "Greta is Maria's boss."),
    ("My sister Anna lives in Dublin.", "Anna lives in Dublin."),
    ("I'm training for the Berlin marathon.", "Maria is training for the Berlin marathon."),
    ("I was diagnosed with diabetes.", "Maria was diagnosed with diabetes."),
]


@pytest.mark.parametrize(("text", "expected"), WORDED)
def test_a_claim_is_worded_as_a_sentence(text: str, expected: str) -> None:
    assert expected in [one.text for one in claimed(text)]


def to_assistant(text: str, speaker: str = "Maria") -> list[tuple[str, str]]:
    passage = Passage((turn(text, speaker),), 0, ("Maria", "assistant"))
    return [(one.slot, one.value) for one in claims(passage, events(passage))[0]]


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("From now on a light background with navy headings.", "instruction", "a light background with navy headings"),
        ("Answer briefly, please.", "instruction", "answer briefly"),
        ("Normal paragraphs, please.", "instruction", "normal paragraphs"),
        ("Call me Jo.", "name", "Jo"),
    ],
)
def test_an_assistant_is_told_how_to_answer(text: str, slot: str, value: str) -> None:
    assert to_assistant(text) == [(slot, value)]


def test_a_person_is_told_nothing_of_that_kind() -> None:
    assert claimed("Normal paragraphs, please.") == []


def test_an_assistant_claims_nothing_of_itself_but_what_it_will_do_on_a_day() -> None:
    assert to_assistant("I love jazz. I have switched to navy.", "assistant") == []
    assert to_assistant("I'll water the plants on Sunday.", "assistant") == [("plan", "water the plants")]


def test_what_is_dated_in_another_sentence_of_its_statement_is_not_dated() -> None:
    passage = Passage((turn("whatever"),), 0, ("Maria",))
    when = Span(datetime(2024, 5, 14, tzinfo=UTC), datetime(2024, 5, 15, tzinfo=UTC))
    text = "Maria moved to Rome. On Tuesday (14 May 2024) it rained on everybody in the whole town."
    assert [one.valid for one in claims(passage, [[Statement(text, when)]])[0]] == [None]


def test_a_state_holds_from_its_date_on() -> None:
    valid = claimed("I've lived in Lisbon since 2019.")[0].valid
    assert valid is not None
    assert (valid.start, valid.end) == (datetime(2019, 1, 1, tzinfo=UTC), OPEN)


def test_a_happening_holds_for_its_date() -> None:
    valid = claimed("I won a chess tournament yesterday.")[0].valid
    assert valid is not None
    assert (valid.start, valid.end) == (datetime(2024, 5, 14, tzinfo=UTC), datetime(2024, 5, 15, tzinfo=UTC))


def test_a_claim_names_the_statement_it_was_read_from() -> None:
    text = "The weather in Oslo is mild. I'm allergic to peanuts."
    passage = Passage((turn(text),), 0, ("Maria", "John"))
    statements = events(passage)
    claim = claims(passage, statements)[0][0]
    assert statements[0][claim.statement].text == "Maria is allergic to peanuts."


def test_the_same_claim_is_made_once() -> None:
    assert len(claimed("I'm allergic to peanuts. Yes, I am allergic to peanuts!")) == 1


def test_an_answer_claims_what_its_question_asks() -> None:
    assert [(one.slot, one.value) for one in claimed("In Ghent.", "Where do you live?")] == [("home", "Ghent")]


def test_claims_are_read_from_any_analysts_statements() -> None:
    passage = Passage((turn("whatever"),), 0, ("Maria",))
    found = claims(passage, [[Statement("Maria is allergic to peanuts.")]])
    assert [(one.subject, one.slot) for one in found[0]] == [("Maria", "allergy")]


def test_a_role_is_the_subject_under_its_own_name() -> None:
    claim = claimed("I'm allergic to peanuts.", speaker="user")[0]
    assert (claim.subject, claim.text) == ("user", "The user is allergic to peanuts.")


VOCABULARY = """
I my your don't am not have love like hate used to moved Rome dog dogs named Coco sister Anna favourite colour is green
quit job if wish . ! ? , \" § 2019 since yesterday no longer and but the a is was going to want become pilot \u2019
"""
TEXTS = st.one_of(st.text(max_size=150), st.lists(st.sampled_from(VOCABULARY.split()), max_size=30).map(" ".join))


@given(st.lists(st.tuples(st.sampled_from(["Maria", "user", "O'Neill (2)", "§"]), TEXTS), min_size=1, max_size=3))
def test_any_turns_give_claims_that_stand_by_themselves(rows: list[tuple[str, str]]) -> None:
    turns = tuple(turn(text, speaker, place) for place, (speaker, text) in enumerate(rows))
    passage = Passage(turns, 0, tuple(dict.fromkeys(one.speaker for one in turns)))
    statements = events(passage)
    found = claims(passage, statements)
    assert claims(passage, statements) == found
    for said, made in zip(statements, found, strict=True):
        assert all(one.subject and one.slot and one.value.strip() and one.text for one in made)
        assert all(0 <= one.statement < len(said) for one in made)


@given(st.lists(TEXTS, max_size=4))
def test_any_statement_can_be_read(texts: list[str]) -> None:
    passage = Passage((turn("x"),), 0, ("Maria",))
    claims(passage, [[Statement(f"Maria loves {text}. Maria {text}") for text in texts]])


@pytest.mark.parametrize(
    "unit", ["Maria loves ", "Maria's favourite ", "Maria is a ", "and ", "A b ", "Maria's sister "]
)
def test_no_statement_takes_more_than_linear_time(unit: str) -> None:
    """A quadratic rule would take minutes here."""
    passage = Passage((turn("x"),), 0, ("Maria",))
    assert len(claims(passage, [[Statement("Maria has " + unit * (30_000 // len(unit)))]])[0]) <= 8
