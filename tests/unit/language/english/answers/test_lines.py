from hmem.language.english.answers.lines import lines_of


def test_a_turn_is_cut_into_sentences_and_its_caption() -> None:
    lines = lines_of("Wow, Maria! I bought a vase. Do you like it?", "a photo of a blue vase")
    assert [line.text for line in lines][-3:] == ["I bought a vase.", "Do you like it?", "a blue vase"]
    assert [line.asks for line in lines][-3:] == [False, True, False]
    assert lines[-1].caption


def test_a_line_knows_of_whom_it_speaks_and_whether_it_names_a_date() -> None:
    own, other = lines_of("I ran on Friday. You look great.", None)
    assert (own.first, own.second, own.dated) == (True, False, True)
    assert (other.first, other.second, other.dated) == (False, True, False)


def test_code_is_not_read() -> None:
    assert lines_of("```\nx = 1\n```", None) == ()
