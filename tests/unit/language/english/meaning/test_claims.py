"""Claims of turns."""

from datetime import UTC, datetime

import pytest

from hmem.language.analyst import Claim, Passage, analyst
from hmem.model.span import OPEN
from hmem.model.turn import Turn

SAID = datetime(2024, 3, 14, tzinfo=UTC)


def read(*texts: str, role: str | None = None) -> list[Claim]:
    """Return the claims of the last of some turns of Maria's."""
    rules = analyst("rules")
    turns = tuple(
        Turn(id=f"t{n}", speaker="Maria", text=text, at=SAID, session="s", role=role) for n, text in enumerate(texts)
    )
    passage = Passage(turns, len(turns) - 1, ("Maria", "Tom"))
    return rules.claims([passage], rules.events([passage]))[0][0]


def short(*texts: str) -> set[tuple[str, str, str, bool]]:
    return {(claim.subject, claim.slot, claim.value, claim.positive) for claim in read(*texts)}


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("I live in Porto.", "home", "Porto"),
        ("I'm allergic to peanuts.", "allergy", "peanuts"),
        ("I play the guitar.", "plays", "guitar"),
        ("I love hiking.", "likes", "hiking"),
        ("My phone number is 555-0142.", "phone number", "555-0142"),
        ("I want to learn Spanish.", "goal", "learn Spanish"),
        ("I drive a Honda.", "owns", "Honda"),
        ("I am a cartographer.", "job", "cartographer"),
        ("I'm dating Alex.", "partner", "Alex"),
        ("I'm single.", "partner", "single"),
        ("I'm based in Munich.", "home", "Munich"),
        ("We live in a small flat in Leeds.", "home", "Leeds"),
        ("I pay 1150 dollars a month for rent.", "rent", "1150 dollars"),
        ("My dentist appointment got moved to Monday.", "dentist appointment", "Monday"),
        ("My GitHub handle is priya-codes.", "github handle", "priya-codes"),
        ("New phone number: 07700 900987, bin the old one.", "phone number", "07700 900987"),
        ("My new boss is Anneke.", "relation", "Anneke"),
        ("I traded the Panda for a Yaris.", "owns", "Yaris"),
        ("My shift starts at seven.", "shift start at", "seven"),
    ],
)
def test_common_relations_have_names(text: str, slot: str, value: str) -> None:
    assert ("Maria", slot, value, True) in short(text)


def test_another_relation_is_claimed_under_its_verb() -> None:
    [claim] = read("I painted the kitchen blue.")
    assert claim.subject == "Maria"
    assert claim.slot.startswith("paint")
    assert claim.value.startswith("kitchen") or claim.value.startswith("the kitchen")


def test_what_is_said_of_a_relative_is_about_the_relative() -> None:
    found = short("My sister Lucy works at Siemens.")
    assert any(subject == "Lucy" and value == "Siemens" for subject, _, value, _ in found)
    found = short("My cousin Rufus moved to Lisbon in March.")
    assert {("Rufus", "home", "Lisbon", True), ("Maria", "relation", "Rufus", True)} <= found
    found = short("My friend Rufus moved to Lisbon in March.")
    assert {("Rufus", "home", "Lisbon", True), ("Maria", "friend", "friend Rufus", True)} <= found


@pytest.mark.parametrize(
    "text",
    [
        "Do you live in Porto?",
        "If I win, I will move to Rome.",
        "I might sell the car.",
        "Thanks so much, that sounds great!",
        "Have a nice day!",
    ],
)
def test_questions_conditions_guesses_and_courtesies_claim_nothing(text: str) -> None:
    assert read(text) == []


def test_what_others_say_is_not_claimed_as_a_fact() -> None:
    assert {slot for _, slot, _, _ in short("Tom says that Anna has a cat.")} <= {"said"}


def test_what_ended_is_not_so() -> None:
    assert ("Maria", "home", "Madrid", False) in short("I used to live in Madrid.")
    assert all(not positive for _, slot, _, positive in short("I sold my car.") if slot.startswith("ended"))


def test_what_will_end_has_not_ended() -> None:
    assert not any(slot.startswith("ended") for _, slot, _, _ in short("I will sell my car next month."))


def test_a_home_holds_from_when_it_was_moved_to() -> None:
    [home] = [claim for claim in read("I moved to Lisbon last month.") if claim.slot == "home"]
    assert home.value == "Lisbon"
    assert home.valid is not None
    assert (home.valid.start, home.valid.end) == (datetime(2024, 2, 1, tzinfo=UTC), OPEN)


def test_an_assistant_claims_nothing_of_itself() -> None:
    assert read("I live in the cloud.", role="assistant") == []


def test_an_order_that_lasts_is_an_instruction() -> None:
    [claim] = read("Please call me Max.")
    assert (claim.slot, claim.kind, claim.value) == ("instruction", "preference", "call me Max")


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("I'm 180 cm tall.", "age"),
        ("We're only five engineers.", "job"),
        ("My phone bill is 22 pounds.", "phone number"),
        ("My dentist appointment got moved to Monday.", "home"),
        ("We ate good food.", "diet"),
        ("We played games together.", "plays"),
        ("I've been working on a routine for my living room.", "employer"),
        ("I have been engaging with a group on LinkedIn.", "partner"),
        ("Explain it like I'm 12.", "age"),
        ("I will read to them when I have kids.", "child"),
        ("I have a stuffed dog.", "pet"),
        ("I love the idea.", "likes"),
    ],
)
def test_what_only_looks_like_a_common_relation_has_no_name(text: str, slot: str) -> None:
    assert slot not in {found for _, found, _, _ in short(text)}


@pytest.mark.parametrize(
    "text",
    [
        "From now on, always answer in metric.",
        "From now on always give prices in euros.",
        "One thing though: never call me Wally.",
        "My English is ok but write to me in Spanish.",
    ],
)
def test_an_order_for_later_answers_is_an_instruction(text: str) -> None:
    assert "instruction" in {claim.slot for claim in read(text)}


@pytest.mark.parametrize(
    "text", ["Write a list of restaurants near me.", "I'm going to keep going and never quit.", "Never give up!"]
)
def test_a_single_task_or_cheer_is_no_instruction(text: str) -> None:
    assert "instruction" not in {claim.slot for claim in read(text)}


def test_a_value_keeps_the_name_that_it_is_called_by() -> None:
    assert ("Maria", "employer", "startup called Plinth", True) in short("I work at a startup called Plinth.")


def test_what_is_denied_beside_a_value_is_denied_and_does_not_end() -> None:
    assert short("We use pnpm here, not npm.") == {("Maria", "uses", "pnpm", True), ("Maria", "uses", "npm", False)}


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("We pay by card, not by direct debit.", "pay by", "direct debit"),
        ("My car is blue, not red.", "car", "red"),
        ("I live in Lisbon, not Porto.", "home", "Porto"),
    ],
)
def test_a_contrast_denies_the_other_value_of_its_slot(text: str, slot: str, value: str) -> None:
    assert ("Maria", slot, value, False) in short(text)
    assert "ended" not in {claim.slot for claim in read(text)}


def test_a_correction_ends_what_it_takes_back() -> None:
    assert ("Maria", "ended", "Monday", False) in short("Sorry, the exam is on Friday, not Monday.")


def test_who_never_stopped_does_it_still() -> None:
    [claim] = read("I haven't stopped drinking coffee.")
    assert (claim.slot, claim.value, claim.positive) == ("drink", "coffee", True)


def test_the_time_of_an_end_is_no_part_of_what_ended() -> None:
    assert short("I quit smoking three months ago.") == {("Maria", "ended", "smoking", False)}


def test_who_wants_to_stop_has_that_as_a_goal() -> None:
    assert ("Maria", "goal", "stop eating chocolate", True) in short("I want to stop eating chocolate.")


@pytest.mark.parametrize(
    ("text", "subject", "slot", "value"),
    [
        ("Grafana runs on port 3000.", "Grafana", "run on", "port 3000"),
        ("Grafana uses version 9.1.", "Grafana", "use", "version 9.1"),
        ("Redis is at 10.0.0.5.", "Redis", "be at", "10.0.0.5"),
        ("We run the database on port 5433.", "Maria", "database run on", "port 5433"),
        ("The budget for the fair is 900 euros.", "Maria", "fair budget", "900 euros"),
        ("The port of the database is 5433.", "Maria", "database port", "5433"),
        ("Nora's address is 4 Hill Street.", "Nora", "address", "4 Hill Street"),
        ("My sister's phone number is 555-0100.", "Maria's sister", "phone number", "555-0100"),
        ("Our linter, Biome, complains.", "Maria", "linter", "Biome"),
        ("My brother, who is called Emil, lives in Rome.", "Maria", "sibling", "brother Emil"),
        ("My dog Rex is old.", "Maria", "pet", "dog Rex"),
    ],
)
def test_an_attribute_is_of_who_or_what_has_it(text: str, subject: str, slot: str, value: str) -> None:
    found = [claim for claim in read(text) if (claim.subject, claim.slot, claim.value) == (subject, slot, value)]
    assert [claim.kind for claim in found] == ["profile"]


@pytest.mark.parametrize("text", ["Nora arrives at 7:30.", "Nora reads on Mondays.", "Nora ran on track 3."])
def test_what_is_no_label_is_no_attribute(text: str) -> None:
    assert "profile" not in {claim.kind for claim in read(text)}


def test_an_age_to_come_holds_from_then_on() -> None:
    [claim] = [each for each in read("My grandmother turns 90 in June.") if each.slot == "age"]
    assert claim.valid is not None
    assert (claim.valid.start.month, claim.valid.end) == (6, OPEN)
