"""The bundled tokenizer."""

import subprocess
import sys

from hmem.language.tokens import load_tokenizer, package_folder


def test_it_is_that_of_the_package() -> None:
    assert load_tokenizer() is load_tokenizer()
    assert load_tokenizer().get_vocab_size() == 32_000
    assert (package_folder() / "weights").is_dir()


def test_counting_loads_neither_weights_nor_numbers() -> None:
    code = "import sys; from hmem.language.tokens import count_tokens; count_tokens('x'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "safetensors", "hmem.language.embed"} & set(loaded)
