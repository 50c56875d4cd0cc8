"""What installed packages offer by entry points."""

import pytest

from hmem.errors import UnknownName
from hmem.language.embed.wordllama import WordLlama
from hmem.language.plugins import load_plugin, offers


def test_the_variant_behind_the_colon_is_handed_on() -> None:
    made = load_plugin("hmem.embedders", "embedder", "wordllama:64")
    assert isinstance(made, WordLlama)
    assert made.dimension == 64


def test_the_error_tells_what_there_is() -> None:
    with pytest.raises(UnknownName, match=r"no embedder is called 'nothing' - choose one of: .*wordllama"):
        load_plugin("hmem.embedders", "embedder", "nothing")


def test_names_are_sorted_and_a_group_that_nobody_offers_is_empty() -> None:
    assert offers("hmem.analysts") == sorted(offers("hmem.analysts"))
    assert "verbatim" in offers("hmem.analysts")
    assert offers("hmem.no-such-group") == []
