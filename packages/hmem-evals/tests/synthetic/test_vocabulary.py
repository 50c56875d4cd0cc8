from hmem_evals.synthetic.dice import Dice
from hmem_evals.synthetic.vocabulary import Bags, filled, put, vocabularies, with_article


def test_a_bag_gives_everything_once_before_it_repeats():
    bags = Bags(Dice("bags"))
    number = len(vocabularies()["places"])
    drawn = [bags.draw("places") for _ in range(2 * number)]
    assert len(set(drawn[:number])) == len(set(drawn[number:])) == number


def test_slots_are_filled_with_articles_and_values_that_hold_slots():
    assert put("{thing/a} of {owner}", {"thing": "old {kind}", "kind": "drum", "owner": "Ada"}) == "an old drum of Ada"


def test_sentences_begun_by_a_slot_get_a_capital():
    assert filled("{when} I rested. {why}! ok", {"when": "last week", "why": "no reason"}) == (
        "Last week I rested. No reason! Ok"
    )


def test_articles_follow_the_sound():
    assert [with_article(word) for word in ("unicycle", "umbrella", "oboe", "harp")] == [
        "a unicycle",
        "an umbrella",
        "an oboe",
        "a harp",
    ]
