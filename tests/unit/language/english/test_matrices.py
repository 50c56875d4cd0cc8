"""Matrix products of a pipeline by numpy."""

from dataclasses import astuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from thinc.api import Linear, NumpyOps, Ops, chain

from hmem.language.english.matrices import use_numpy
from hmem.language.english.parser import Parser


def pipeline(model: Any) -> Any:
    """A pipeline of a component with a model and one without."""
    return SimpleNamespace(pipeline=[("tagger", SimpleNamespace(model=model)), ("rules", SimpleNamespace())])


def trees(parser: Parser, texts: list[str]) -> list[tuple[object, ...]]:
    return [astuple(token) for parsed in parser.parse(texts) for sentence in parsed.sentences for token in sentence]


def matrix(rows: int, columns: int, *, turned: bool, seed: int) -> np.ndarray[Any, Any]:
    values = np.random.default_rng(seed).normal(size=(columns, rows) if turned else (rows, columns))
    return values.astype("float32")


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_numpy_multiplies_as_thinc_does(left: bool, right: bool) -> None:
    model: Any = Linear(2, 2)
    before = model.ops
    use_numpy(pipeline(model))
    assert model.ops is not before
    x, y = matrix(5, 7, turned=left, seed=1), matrix(7, 3, turned=right, seed=2)
    product = before.gemm(x, y, trans1=left, trans2=right)
    np.testing.assert_allclose(model.ops.gemm(x, y, trans1=left, trans2=right), product, rtol=1e-4, atol=1e-5)
    out = np.empty((5, 3), "float32")
    assert model.ops.gemm(x, y, out=out, trans1=left, trans2=right) is out
    np.testing.assert_allclose(out, product, rtol=1e-4, atol=1e-5)


def test_all_layers_on_a_processor_are_changed_and_no_others() -> None:
    class Other(NumpyOps):
        """Operations of other hardware."""

    model: Any = chain(Linear(2, 2), Linear(2, 2))
    other: Ops = Other()
    first, second = model.layers
    second.ops = other
    use_numpy(pipeline(model))
    assert type(model.ops) is type(first.ops) is not NumpyOps
    assert second.ops is other


def test_the_trees_are_those_of_the_products_of_thinc(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Tom sold his car, because he moved to Oslo in May.", "my sis got 2 cats lol", "Did Anna call?"]
    changed: list[Any] = []

    def keep(pipeline: Any) -> None:
        changed.append(pipeline)

    with monkeypatch.context() as patched:
        patched.setattr("hmem.language.english.matrices.use_numpy", keep)
        by_thinc = trees(Parser(), texts)
    assert len(changed) == 1
    assert trees(Parser(), texts) == by_thinc
