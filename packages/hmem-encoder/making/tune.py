"""Tuning of the encoder's weights: ``python making/tune.py WEIGHTS OUT [--epochs 4]``.

WEIGHTS is ``model.safetensors`` of all-MiniLM-L6-v2, OUT the tuned file, which ``make_model.py --weights`` takes.
Learns from the talks of ``benchmarks/data/talks/train``, which were written for it: a question shall lie near the turns
that answer it, and a statement near the turn that it follows from, nearer than to any other turn of its talk and of
another one. Word vectors stay as they are, and so, as far as that allows, do the cosines between turns. Prints the
recall of the cosine alone on the talks of ``open``. Takes about twenty minutes of two cores.

Needs ``pip install torch safetensors tokenizers``, and hmem.
"""

import argparse
import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

ROOT: Final = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks.talks import Talk, english  # noqa: E402

PACKAGE: Final = Path(__file__).parents[1] / "src" / "hmem_encoder"
LAYERS: Final = 6
HEADS: Final = 12
DIMENSION: Final = 384
# Tokens of a text that are read while tuning; and talks that are compared at once.
TOKENS: Final = 96
TALKS: Final = 2
LEARNING_RATE: Final = 5e-5
# Share of the steps over which the learning rate rises; then it falls to 0.
WARM_UP: Final = 0.1
DECAY: Final = 0.01
DROPOUT: Final = 0.1
# Factor of a cosine in the loss, and weight of the squared change of cosines between turns.
SCALE: Final = 20.0
KEPT: Final = 20.0

Tokens = list[int]


class Encoder(nn.Module):
    """BERT of six layers with mean pooling."""

    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__()
        floats = {name: value for name, value in weights.items() if value.is_floating_point()}
        self.held = nn.ParameterDict({name.replace(".", "_"): value.float().clone() for name, value in floats.items()})
        for name, value in self.held.items():
            value.requires_grad_("_embeddings_" not in name)

    def weight(self, name: str) -> Tensor:
        return self.held[name.replace(".", "_")]

    def dense(self, inputs: Tensor, name: str) -> Tensor:
        return F.linear(inputs, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))

    def normalised(self, inputs: Tensor, name: str) -> Tensor:
        own = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return F.layer_norm(inputs, (DIMENSION,), *own, eps=1e-12)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return unit vectors of texts, from their token numbers and which of them are tokens."""
        texts, length = ids.shape
        hidden = F.embedding(ids, self.weight("embeddings.word_embeddings.weight"))
        hidden = hidden + self.weight("embeddings.position_embeddings.weight")[:length]
        hidden = hidden + self.weight("embeddings.token_type_embeddings.weight")[0]
        hidden = F.dropout(self.normalised(hidden, "embeddings.LayerNorm"), DROPOUT, self.training)
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            parts = [
                self.dense(hidden, f"{name}.attention.self.{part}").view(texts, length, HEADS, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            ]
            attended = F.scaled_dot_product_attention(*parts, attn_mask=mask[:, None, None, :])
            attended = self.dense(
                attended.transpose(1, 2).reshape(texts, length, DIMENSION), f"{name}.attention.output.dense"
            )
            middle = F.dropout(attended, DROPOUT, self.training) + hidden
            middle = self.normalised(middle, f"{name}.attention.output.LayerNorm")
            wide = F.gelu(self.dense(middle, f"{name}.intermediate.dense"))
            narrow = F.dropout(self.dense(wide, f"{name}.output.dense"), DROPOUT, self.training)
            hidden = self.normalised(narrow + middle, f"{name}.output.LayerNorm")
        weights = mask[..., None].float()
        return F.normalize((hidden * weights).sum(1) / weights.sum(1), dim=1)


def encoded(model: Encoder, texts: Sequence[Tokens], at_once: int = 64) -> Tensor:
    """Return the vectors of texts, those of like length together."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    rows: dict[int, Tensor] = {}
    for start in range(0, len(order), at_once):
        places = order[start : start + at_once]
        length = max(len(texts[place]) for place in places)
        ids = torch.tensor([texts[place] + [0] * (length - len(texts[place])) for place in places])
        lengths = torch.tensor([len(texts[place]) for place in places])
        rows |= zip(places, model(ids, torch.arange(length) < lengths[:, None]), strict=True)
    return torch.stack([rows[place] for place in range(len(texts))])


class Labelled:
    """Tokens of a talk's turns and queries, and the places of the turns that each query wants."""

    def __init__(self, talk: Talk, tokenizer: Tokenizer) -> None:
        queries = (*talk.questions, *talk.cues)
        self.turns = [tokenizer.encode(f"{turn.speaker}: {turn.text}").ids for turn in talk.turns]
        self.queries = [tokenizer.encode(query.text).ids for query in queries]
        self.wanted = [[number - 1 for number in query.turns] for query in queries]
        self.relations = [query.relation for query in queries]


def loss_of(model: Encoder, talks: Sequence[tuple[Labelled, Tensor]]) -> Tensor:
    """Return the loss of some talks, each with the first vectors of its turns."""
    turns = encoded(model, [text for talk, _ in talks for text in talk.turns])
    scores = SCALE * encoded(model, [text for talk, _ in talks for text in talk.queries]) @ turns.T
    right, first, place = torch.zeros_like(scores, dtype=torch.bool), 0, 0
    for talk, _ in talks:
        for wanted in talk.wanted:
            right[place, [first + each for each in wanted]] = True
            place += 1
        first += len(talk.turns)
    # Each turn that is wanted, against all that are not.
    others = scores.masked_fill(right, -1e4).logsumexp(1, keepdim=True)
    missed = (F.softplus(others - scores) * right).sum() / right.sum()
    before = torch.cat([vectors for _, vectors in talks])
    return missed + KEPT * ((turns @ turns.T - before @ before.T) ** 2).mean()


def told(model: Encoder, talks: Sequence[Labelled], title: str) -> None:
    """Print the recall at ten of the cosine alone, for questions and for statements."""
    model.eval()
    found: dict[str, list[float]] = {}
    with torch.no_grad():
        for talk in talks:
            scores = encoded(model, talk.queries) @ encoded(model, talk.turns).T
            for row, wanted, relation in zip(scores, talk.wanted, talk.relations, strict=True):
                best = set(row.topk(10).indices.tolist())
                kind = "statements" if relation else "questions"
                found.setdefault(kind, []).append(len(best & set(wanted)) / len(set(wanted)))
    print(title, *(f"{kind} {sum(each) / len(each):.3f} of {len(each)}" for kind, each in found.items()), flush=True)
    model.train()


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("weights", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--epochs", type=int, default=4)
    chosen = arguments.parse_args()
    torch.manual_seed(0)
    random.seed(0)
    tokenizer = Tokenizer.from_file(str(PACKAGE / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    weights = load_file(chosen.weights)
    model, first = Encoder(weights), Encoder(weights).eval()
    held = [Labelled(talk, tokenizer) for talk in english("open")]
    told(model, held, "before:")
    with torch.no_grad():
        learned = [
            (talk, encoded(first, talk.turns)) for talk in (Labelled(each, tokenizer) for each in english("train"))
        ]
    optimiser = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], weight_decay=DECAY)
    steps, step = chosen.epochs * math.ceil(len(learned) / TALKS), 0
    for epoch in range(1, chosen.epochs + 1):
        random.shuffle(learned)
        for start in range(0, len(learned), TALKS):
            done = (step := step + 1) / steps
            for group in optimiser.param_groups:
                group["lr"] = LEARNING_RATE * min(1, done / WARM_UP) * max(0, 1 - done)
            optimiser.zero_grad()
            loss_of(model, learned[start : start + TALKS]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
        told(model, held, f"epoch {epoch}:")
    save_file(
        {
            name: (model.weight(name).detach() if value.is_floating_point() else value).contiguous()
            for name, value in weights.items()
        },
        chosen.out,
    )


if __name__ == "__main__":
    main()
