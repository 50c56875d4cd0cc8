"""What holds of every library whose models run here: small objects stand in for the models."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hmem.errors import EmbedderUnavailable, ExtraMissing
from hmem.language.embed import embedder
from hmem.language.embed import fastembed as of_fastembed
from hmem.language.embed import sentence_transformers as of_sentence_transformers
from hmem.language.embed.fastembed import FastembedEmbedder
from hmem.language.embed.measured import MeasuredEmbedder
from hmem.language.embed.sentence_transformers import SentenceTransformersEmbedder
from hmem.util.caches import clear_caches


@dataclass
class Asked:
    """The bundled embedder in both libraries' forms; it keeps what it was asked, and as what."""

    prompts: dict[str, str] = field(default_factory=dict[str, str])
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def _made(self, texts: list[str], role: str) -> np.ndarray:
        self.asked += [(role, text) for text in texts]
        return embedder("wordllama").embed(texts) * 2

    def query_embed(self, query: list[str]) -> Iterator[np.ndarray]:
        return iter(self._made(query, "query"))

    def passage_embed(self, texts: list[str]) -> Iterator[np.ndarray]:
        return iter(self._made(texts, "passage"))

    def encode_query(self, inputs: list[str], *, prompt: str, **_: bool) -> np.ndarray:
        return self._made([prompt + text for text in inputs], "query")

    def encode_document(self, inputs: list[str], *, prompt: str, **_: bool) -> np.ndarray:
        return self._made([prompt + text for text in inputs], "passage")

    def encode(self, inputs: list[str], *, prompt: str, **_: bool) -> np.ndarray:
        return self._made([prompt + text for text in inputs], "any")


@dataclass(frozen=True)
class Library:
    """A library: its package and extra, what it makes models by, and ours."""

    module: Any
    package: str
    extra: str
    maker: str
    make: Callable[..., MeasuredEmbedder]

    def installed(self, monkeypatch: pytest.MonkeyPatch, make: Callable[..., Any] | None) -> None:
        module = None
        if make is not None:
            module = ModuleType(self.package)
            vars(module)[self.maker] = make
        monkeypatch.setitem(sys.modules, self.package, module)
        monkeypatch.setattr(self.module, "version", lambda _: "1")


LIBRARIES = [
    Library(of_fastembed, "fastembed", "fastembed", "TextEmbedding", FastembedEmbedder),
    Library(
        of_sentence_transformers, "sentence_transformers", "sentence-transformers", "SentenceTransformer",
        SentenceTransformersEmbedder,
    ),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_CACHE", str(tmp_path / "cache"))
    clear_caches()


@pytest.fixture(params=LIBRARIES, ids=lambda library: library.package)
def library(request: pytest.FixtureRequest) -> Library:
    return request.param


def test_rows_are_unit_vectors(library: Library) -> None:
    rows = library.make(Asked()).embed(["a puppy", ""])
    assert np.allclose(rows, embedder("wordllama").embed(["a puppy", ""]), atol=1e-5)


def test_without_the_package_the_extra_is_named(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.installed(monkeypatch, None)
    with pytest.raises(ExtraMissing, match=rf"hmem\[{library.extra}\]"):
        library.module.load("")


@pytest.mark.parametrize("error", [OSError("offline"), ValueError("unknown")])
def test_a_model_that_is_not_on_the_disk_is_never_fetched(
    library: Library, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    asked: list[object] = []

    def make(_: str, **options: object) -> Asked:
        asked.append(options)
        raise error

    library.installed(monkeypatch, make)
    with pytest.raises(EmbedderUnavailable, match="not on this disk - run "):
        library.module.load("some/model")
    assert asked == [{"local_files_only": True}]


def test_a_model_is_named_by_its_library_and_loaded_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    library.installed(monkeypatch, lambda *_, **__: Asked())
    chosen = library.module.load("some/model")
    assert chosen.name == f"{library.extra}:some/model"
    assert chosen.fingerprint.startswith(f"{library.extra}:")
    assert chosen.fingerprint == library.module.load("some/model").fingerprint


def test_a_model_that_tells_no_questions_from_passages_embeds_both_alike(library: Library) -> None:
    model = Asked()
    chosen = library.make(model, "some/model")
    assert not chosen.asks_otherwise
    (row,) = chosen.embed(["a puppy"])
    assert (chosen.embed_query(["a puppy"])[0] == row).all()
    assert [text for _, text in model.asked].count("a puppy") == 1
    assert {role for role, _ in model.asked} == {"passage"}


def test_what_a_card_asks_for_stands_before_questions_and_before_passages(library: Library) -> None:
    model = Asked()
    chosen = library.make(model, "intfloat/e5-small-v2")
    passage, again = chosen.embed(["a puppy"])[0], chosen.embed(["a puppy"])[0]
    query = chosen.embed_query(["a puppy"])[0]
    assert (passage == again).all()
    assert not np.allclose(passage, query)
    assert [each for each in model.asked if each[1].endswith(": a puppy")] == [
        ("passage", "passage: a puppy"),
        ("query", "query: a puppy"),
    ]
    assert all(text.startswith(f"{role}: ") for role, text in model.asked)
    assert not chosen.embed_query([""]).any()


def test_a_question_may_be_the_first_that_is_asked_and_the_model_is_proved_by_a_passage(library: Library) -> None:
    library.make(Asked(), "e5-small").fingerprint  # noqa: B018 - remembers
    model = Asked()
    library.make(model, "e5-small").embed_query(["a puppy"])
    assert [role for role, _ in model.asked] == ["passage", "query"]


def test_only_what_changes_what_is_kept_changes_the_fingerprint(library: Library) -> None:
    plain, asking, both = (
        library.make(Asked(), name).fingerprint.rpartition("/")[2] for name in ("mini", "bge-small-en-v1.5", "e5-small")
    )
    assert plain == asking
    assert plain != both
    assert "+" in both


# Of one library each.


def test_the_folder_of_fastembed_s_files_may_be_named_and_is_no_part_of_the_fingerprint(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    asked: list[object] = []

    def make(model: str, **options: object) -> Asked:
        asked.append((model, options))
        return Asked()

    LIBRARIES[0].installed(monkeypatch, make)
    chosen = of_fastembed.load(f"some/model@{tmp_path}")
    assert asked == [("some/model", {"local_files_only": True, "specific_model_path": str(tmp_path)})]
    assert chosen.name == f"fastembed:some/model@{tmp_path}"
    assert chosen.fingerprint.startswith("fastembed:some/model/256/")


def test_a_folders_place_is_no_part_of_the_fingerprint() -> None:
    here, there = (SentenceTransformersEmbedder(Asked(), folder) for folder in ("/a/mini", "/b/mini/"))
    assert here.fingerprint == there.fingerprint
    assert here.name != there.name


def test_a_model_of_other_weights_for_questions_is_asked_for_them_without_prefixes() -> None:
    model = Asked()
    chosen = FastembedEmbedder(model, "jinaai/jina-embeddings-v3")
    chosen.embed(["a puppy"])
    chosen.embed_query(["a puppy"])
    assert [each for each in model.asked if each[1] == "a puppy"] == [("passage", "a puppy"), ("query", "a puppy")]


def test_the_prompts_that_a_model_was_saved_with_come_before_those_of_its_name() -> None:
    model = Asked(prompts={"query": "Q: ", "document": "", "passage": "P: "})
    chosen = SentenceTransformersEmbedder(model, "e5-small")
    assert tuple(chosen.prefixes) == ("Q: ", "P: ")
    chosen.embed_query(["a puppy"])
    assert ("query", "Q: a puppy") in model.asked


def test_a_library_from_before_questions_were_told_apart_is_asked_all_the_same() -> None:

    class Older:
        def __init__(self) -> None:
            self.prompts: dict[str, str] = {}

        def encode(self, sentences: list[str], *, prompt: str, **_: bool) -> np.ndarray:
            return embedder("wordllama").embed(sentences)

    chosen = SentenceTransformersEmbedder(Older(), "e5-small")
    assert np.allclose(chosen.embed_query(["a puppy"]), embedder("wordllama").embed(["query: a puppy"]), atol=1e-5)
