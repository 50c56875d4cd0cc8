"""The embedder that all peers of one run share: token vectors from files, or hmem's encoder in a process of its own."""

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hmem.language.tokens import package_folder
from hmem_evals.peers.catalogue import MINILM
from hmem_evals.peers.process import PeerProcess

TOKENS: Final = "wordllama"
ENCODER: Final = "minilm"
EMBEDDERS: Final = (ENCODER, TOKENS)

_ENCODER_DIMENSION: Final = 384
# Files of the token vectors in their package.
_FILES: Final = {
    "weights": "weights/l2_supercat_256.safetensors",
    "tokenizer": "tokenizers/l2_supercat_tokenizer_config.json",
}


@dataclass(slots=True)
class Vectors:
    """Embedder of a run: its description for the workers, and the vectors of a model, each computed once."""

    name: str
    description: Mapping[str, Any]
    model: PeerProcess | None = None
    texts: int = 0
    milliseconds: float = 0.0
    _cache: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the model's vectors of some texts; those it gave before are not computed again."""
        new = list(dict.fromkeys(text for text in texts if text not in self._cache))
        if new and self.model is not None:
            reply = self.model.ask("embed", texts=new)
            self._cache |= dict(zip(new, reply["result"], strict=True))
            self.texts += len(new)
            self.milliseconds += reply["cpu_ms"]
        return [self._cache[text] for text in texts]

    @property
    def summary(self) -> dict[str, Any]:
        """Name of the embedder, and for a model its versions and the processor time of a text."""
        if self.model is None:
            return {"name": self.name}
        versions = self.model.ask("about", packages=list(MINILM.packages))["result"]["versions"]
        per_text = round(self.milliseconds / self.texts, 2) if self.texts else None
        return {"name": self.name, "versions": versions, "cpu_ms_per_text": per_text}


@contextmanager
def vectors_of(name: str, work: Path) -> Generator[Vectors]:
    """Yield the embedder of a run; the encoder's process works in the folder ``work``.

    Raises:
        HmemError: the process fails.
    """
    if name == TOKENS:
        yield Vectors(name, {"name": name, **{kind: str(package_folder() / file) for kind, file in _FILES.items()}})
        return
    with PeerProcess(MINILM, Path(sys.executable), work) as model:
        model.ask("open", folder=str(work / MINILM.name))
        yield Vectors(name, {"name": name, "dimension": _ENCODER_DIMENSION}, model)
