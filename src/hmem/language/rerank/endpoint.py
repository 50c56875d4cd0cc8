"""Reranking by an endpoint with the API of Cohere and Jina, or of text-embeddings-inference."""

import re
from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from hmem.errors import ModelUnavailable, RerankerUnavailable, UnknownName
from hmem.language.json_service import Service
from hmem.language.llm.endpoint import Endpoint, key_for
from hmem.language.llm.endpoint import endpoint as address_of
from hmem.language.rerank import Reranker

_NAME: Final = "endpoint"
_SHAPE: Final = "write `endpoint:MODEL@https://host/v1`, and `#tei` behind it for text-embeddings-inference"
_FORM: Final = re.compile(r"(?P<place>.+@https?://.+?)(?P<plain>#tei)?", re.DOTALL)
# Most texts of a call, and characters of a text.
_TEXTS: Final = 100
_LONGEST: Final = 8_000


class EndpointReranker(Reranker):
    """Reranker of an endpoint's model. ``plain`` selects text-embeddings-inference's API, which names no model."""

    def __init__(self, model_endpoint: Endpoint, *, plain: bool = False, timeout: float | None = None) -> None:
        self._endpoint = model_endpoint
        self._plain = plain
        self._service = Service(
            self.name, model_endpoint.base_url or "", lambda: key_for(model_endpoint), timeout=timeout
        )

    @property
    def name(self) -> str:
        return f"{_NAME}:{self._endpoint.model}@{self._endpoint.base_url}{'#tei' if self._plain else ''}"

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        scores = np.zeros(len(texts), np.float32)
        for start in range(0, len(texts), _TEXTS):
            batch = [text[:_LONGEST] or " " for text in texts[start : start + _TEXTS]]
            scores[start : start + len(batch)] = self._request_scores(question, batch)
        return scores

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        self._service.close()

    def _request_scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        body: dict[str, Any] = {"model": self._endpoint.model, "query": question, "documents": list(texts)}
        if self._plain:
            body = {"query": question, "texts": list(texts), "truncate": True}
        try:
            answer = self._service.post("/rerank", body)
        except ModelUnavailable as error:
            raise RerankerUnavailable(str(error)) from None
        try:
            items = cast("list[Any]", answer if self._plain else answer["results"])
            scores = {int(item["index"]): float(item["score" if self._plain else "relevance_score"]) for item in items}
            return np.array([scores[index] for index in range(len(texts))], np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise RerankerUnavailable(f"{self.name} does not score every text - check that it reranks") from error


def load(variant: str) -> EndpointReranker:
    """Return the reranker ``MODEL@BASE_URL`` or ``MODEL@BASE_URL#tei``. No request is made yet.

    Raises:
        UnknownName: the variant names no model, or no address.
    """
    form = _FORM.fullmatch(variant.strip())
    if form is None:
        raise UnknownName(f"{variant!r} names no reranker - {_SHAPE}")
    return EndpointReranker(address_of("openai", form["place"]), plain=form["plain"] is not None)
