from hmem_evals.synthetic.people import Person, bare, first, third

ADA = Person("Ada", "f", {}, frozenset())


def test_what_someone_said_of_themselves_is_told_in_the_third_person():
    assert third("I'm fond of my cello and it suits me", ADA) == "she is fond of her cello and it suits her"


def test_a_question_for_a_name_reads_well_with_the_first_person():
    assert first("What does I collect?") == "What do I collect?"
    assert first("Yes; I plays the harp") == "Yes; I play the harp"


def test_verbs_go_back_to_the_first_person():
    assert bare({"way": "walk home", "way.1": "walks home", "plant.1": "x"})["way.1"] == "walk home"
