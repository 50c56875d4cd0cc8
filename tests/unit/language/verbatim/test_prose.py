from hypothesis import given
from hypothesis import strategies as st

from hmem.language.verbatim.prose import LONGEST, prose


def test_code_is_blanked_and_the_rest_keeps_its_place() -> None:
    text = "I live in Porto.\n```python\ncity = 'Vienna'\n```\nSince 2016."
    read = prose(text)
    assert "Vienna" not in read.text
    assert read.text.index("Since 2016.") == text.index("Since 2016.")
    assert read.skip_reasons == ("code",)


def test_a_very_long_text_is_read_at_its_beginning() -> None:
    read = prose("word " * LONGEST)
    assert read.skip_reasons == ("length",)
    assert len(read.text.rstrip()) <= LONGEST
    assert len(read.text) == len("word " * LONGEST)


@given(st.text(max_size=300))
def test_as_many_characters_are_read_as_there_are(text: str) -> None:
    assert len(prose(text).text) == len(text)
