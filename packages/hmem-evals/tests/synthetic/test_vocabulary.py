from hypothesis import given, strategies

from hmem_evals.synthetic.vocabulary import Bags, Dice, fill_sentences, fill_slots, vocabularies, with_article


def test_a_bag_gives_everything_once_before_it_repeats():
    bags = Bags(Dice("bags"))
    number = len(vocabularies()["places"])
    drawn = [bags.draw("places") for _ in range(2 * number)]
    assert len(set(drawn[:number])) == len(set(drawn[number:])) == number


def test_slots_are_filled_with_articles_and_values_that_hold_slots():
    assert (
        fill_slots("{thing/a} of {owner}", {"thing": "old {kind}", "kind": "drum", "owner": "Ada"})
        == "an old drum of Ada"
    )


def test_sentences_begun_by_a_slot_get_a_capital():
    assert fill_sentences("{when} I rested. {why}! ok", {"when": "last week", "why": "no reason"}) == (
        "Last week I rested. No reason! Ok"
    )


def test_articles_follow_the_sound():
    assert [with_article(word) for word in ("unicycle", "umbrella", "oboe", "harp")] == [
        "a unicycle",
        "an umbrella",
        "an oboe",
        "a harp",
    ]


def test_choices_are_the_same_on_every_platform():
    dice = Dice("lives")
    assert [dice.draw_integer(1, 100) for _ in range(5)] == [55, 47, 25, 86, 37]


@given(strategies.text(), strategies.lists(strategies.integers()))
def test_shuffling_keeps_every_item(seed, items):
    assert sorted(Dice(seed).shuffled(items)) == sorted(items)


@given(strategies.text())
def test_spinning_keeps_one_option_of_each_choice(seed):
    assert Dice(seed).spin("[one|two [big|small]] thing[s|]") in {
        f"{start} thing{end}" for start in ("one", "two big", "two small") for end in ("s", "")
    }


@given(strategies.text())
def test_what_has_no_weight_is_never_picked(seed):
    assert Dice(seed).weighted(("never", "always"), (0.0, 1.0)) == "always"
