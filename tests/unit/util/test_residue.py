"""Words in bytes."""

from hypothesis import given
from hypothesis import strategies as st

from hmem.util.residue import ByteScanner, words_in


def found(data: bytes, *words: str, least: int = 3) -> list[tuple[int, str]]:
    return sorted((at, word) for at, word, _ in ByteScanner(words).find(data, least))


def test_words_are_runs_of_letters_and_digits_in_lower_case() -> None:
    assert words_in("I've 2 Müllers_and 4711, ok?") == {"müllers", "and", "4711"}


def test_a_word_is_found_whatever_its_case_and_inside_of_others() -> None:
    assert found(b"xxCoCoa co\0COCO", "coco") == [(2, "coco"), (11, "coco")]
    assert found("ein MÜLLER, der müller".encode(), "Müller") == [(4, "müller"), (17, "müller")]
    assert found(b"abc", "abcd") == []
    assert found(b"", "abc") == []
    assert found(b"a cat", "cat", least=6) == []
    assert found(b"anything") == []


@given(st.binary(max_size=300), st.lists(st.text(alphabet="abcxyz", min_size=3, max_size=9), max_size=5))
def test_it_finds_what_a_plain_search_finds(data: bytes, words: list[str]) -> None:
    data = data + b"".join(word.upper().encode() for word in words)
    plain = {(at, word) for word in words for at in range(len(data)) if data.lower().startswith(word.encode(), at)}
    assert set(found(data, *words)) == plain


def test_a_word_at_the_border_of_pieces_is_found_once() -> None:
    for shift in range(-9, 3):
        at = (1 << 22) + shift
        data = bytes(at) + b"Quillon" + bytes(20)
        assert found(data, "quillon", "llo") == [(at, "quillon"), (at + 3, "llo")]
