from hmem.language.english.inflection import root


def test_all_forms_of_a_verb_have_one_root() -> None:
    assert len({root(form) for form in ("go", "goes", "went", "gone", "going")}) == 1
    assert len({root(form) for form in ("paint", "paints", "painted", "painting")}) == 1


def test_different_verbs_have_different_roots() -> None:
    assert root("bought") != root("brought")


def test_a_regular_form_has_the_root_of_an_irregular_verb() -> None:
    assert root("making") == root("made") == root("make")
    assert root("flying") == root("flew") == root("fly")
    assert root("rid") != root("riding")
