from hypothesis import given, strategies

from hmem_evals.synthetic.dice import Dice


def test_choices_are_the_same_on_every_platform():
    dice = Dice("lives")
    assert [dice.between(1, 100) for _ in range(5)] == [55, 47, 25, 86, 37]


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
