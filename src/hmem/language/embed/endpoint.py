"""Embeddings from an endpoint that speaks OpenAI's protocol: OpenAI's own or any other server's."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import numpy as np

from hmem.errors import EmbedderUnavailable, ModelUnavailable, UnknownName
from hmem.language.embed.base import Role
from hmem.language.embed.measured import MeasuredEmbedder, Rows
from hmem.language.json_service import Service
from hmem.language.llm.endpoint import Endpoint, endpoint, key_for
from hmem.util.amounts import amount

_NAME: Final = "openai"
_OPENAI_URL: Final = "https://api.openai.com/v1"
_FORM: Final = re.compile(r"(?P<place>[^@#].*?)(?:#(?P<dimensions>[1-9]\d{0,4}))?", re.DOTALL)

# Most texts and characters of a call. A memory that changes its embedder embeds fewer at once, so each batch is one
# call, and its paid vectors are stored before the next.
_TEXTS: Final = 512
_CHARACTERS: Final = 200_000


class EndpointEmbedder(MeasuredEmbedder):
    """Embedder of an endpoint's model. ``dimensions`` is the length that the model shall cut its vectors to, if any."""

    def __init__(
        self, model_endpoint: Endpoint, dimensions: int | None = None, *, timeout: float | None = None
    ) -> None:
        super().__init__()
        self._endpoint = model_endpoint
        self._dimensions = dimensions
        self._service = Service(
            model_endpoint.name,
            model_endpoint.base_url or _OPENAI_URL,
            lambda: key_for(model_endpoint),
            timeout=timeout,
        )

    @property
    def name(self) -> str:
        address = f"@{self._endpoint.base_url}" if self._endpoint.base_url else ""
        return f"{self._endpoint.name}{address}{self._cut}"

    @property
    def version(self) -> str:
        return ""

    @property
    def model(self) -> str:
        return f"{self._endpoint.name}{self._cut}"

    @property
    def _cut(self) -> str:
        return f"#{self._dimensions}" if self._dimensions else ""

    def vectors(self, texts: Sequence[str], role: Role = "passage") -> Rows:  # noqa: ARG002 - the prefixes carry the role
        return np.concatenate([self._posted(batch) for batch in _batches(texts)])

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        self._service.close()

    def _posted(self, texts: Sequence[str]) -> Rows:
        body: dict[str, Any] = {"model": self._endpoint.model, "input": list(texts), "encoding_format": "float"}
        if self._dimensions:
            body["dimensions"] = self._dimensions
        try:
            answer = self._service.post("/embeddings", body)
        except ModelUnavailable as error:
            raise EmbedderUnavailable(str(error)) from None
        try:
            items = sorted(cast("list[Any]", answer["data"]), key=lambda item: item["index"])
            rows = np.array([item["embedding"] for item in items], np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise EmbedderUnavailable(f"{self._endpoint.name} gives no vectors - check that it embeds texts") from error
        if rows.ndim != 2 or len(rows) != len(texts):
            vectors_text = f"{amount(len(rows), 'vector')} for {amount(len(texts), 'text')}"
            raise EmbedderUnavailable(f"{self._endpoint.name} gave {vectors_text} - check that it embeds texts")
        return rows


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield texts in order, in batches as large as a call may be."""
    start, length = 0, 0
    for index, text in enumerate(texts):
        if index > start and (length + len(text) > _CHARACTERS or index - start == _TEXTS):
            yield texts[start:index]
            start, length = index, 0
        length += len(text)
    yield texts[start:]


def load(variant: str) -> EndpointEmbedder:
    """Return the embedder ``MODEL`` or ``MODEL@BASE_URL``, optionally with ``#DIMENSIONS``. No request is made yet.

    Raises:
        UnknownName: the variant names no model, or its address cannot be used.
        ExtraMissing: the client is not installed.
    """
    form = _FORM.fullmatch(variant.strip())
    if form is None:
        raise UnknownName("'openai' alone names no model - write `openai:MODEL` or `openai:MODEL@http://host:port/v1`")
    model_endpoint = endpoint(_NAME, form["place"])
    return EndpointEmbedder(model_endpoint, int(form["dimensions"]) if form["dimensions"] else None)
