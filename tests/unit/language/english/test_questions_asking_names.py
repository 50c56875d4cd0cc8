from hmem.language.english.questions import named_in


def test_names_are_as_they_are_written_without_a_possessive() -> None:
    assert named_in("What did Ana's cat do in New York?", ("Ana", "Ben")) == ("Ana", "New York")


def test_people_are_found_without_their_capital() -> None:
    assert named_in("what did ana say?", ("Ana",)) == ("ana",)
    assert named_in("what is banana bread?", ("Ana",)) == ()


def test_what_stands_in_quotes_is_a_name() -> None:
    assert "nothing is impossible" in named_in('When did Ana read "nothing is impossible"?', ("Ana",))
    assert "Page Turners" in named_in("When did Ana join 'Page Turners'?", ("Ana",))


def test_the_first_person_is_the_user_and_the_second_the_assistant() -> None:
    assert named_in("What did you say of my garden?", ("Nadia", "Assistant")) == ("Assistant", "Nadia")
    assert named_in("What did you say of my garden?", ()) == ()


def test_a_page_of_names_is_cut_short() -> None:
    assert len(named_in(" ".join(f"at Xy{chr(97 + i)}ville," for i in range(26)), ())) <= 12
