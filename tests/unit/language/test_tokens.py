"""The bundled tokenizer."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from hmem.language.tokens import count_tokens, load_tokenizer, package_folder, tokens_of
from hmem.util.caches import clear_caches

# Words with marks, scripts and controls of all sorts, joined by one blank or several.
PIECES = st.sampled_from(
    [*" \n\ta<", "  ", "Ana", "naïve", "12", "3.5", "中文", "🦔", "\u0301", "\u2581", "<s>", "</s>", "<unk>", "x" * 80]
)


def test_it_is_that_of_the_package() -> None:
    assert load_tokenizer() is load_tokenizer()
    assert load_tokenizer().get_vocab_size() == 32_000
    assert (package_folder() / "weights").is_dir()


def test_counting_loads_neither_weights_nor_numbers() -> None:
    code = "import sys; from hmem.language.tokens import count_tokens; count_tokens('x'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "safetensors", "hmem.language.embed"} & set(loaded)


@given(st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join))
def test_a_text_has_the_tokens_of_the_tokenizer(text: str) -> None:
    encoded = load_tokenizer().encode(text, add_special_tokens=False)
    assert tokens_of(text) == encoded.ids
    assert count_tokens(text) == len(encoded.ids)


def test_tokens_are_counted_alike_after_caches_were_emptied() -> None:
    text = "Quillon eats plankton, and Nadia eats 12 figs."
    before = count_tokens(text)
    clear_caches()
    assert count_tokens(text) == before
