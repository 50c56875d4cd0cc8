"""Matrix products of a spaCy pipeline by numpy.

On a processor, thinc multiplies with BLIS, whose build knows few processors: numpy's BLAS is about three times as fast,
and products are half of a parse. The trees are the same. It is imported with the pipeline only, as thinc is.
"""

from typing import Any

import numpy as np
from thinc.api import NumpyOps  # pyright: ignore[reportUnknownVariableType]


class _Ops(NumpyOps):  # pyright: ignore[reportUntypedBaseClass] - thinc has no types
    def gemm(self, x: Any, y: Any, out: Any = None, trans1: bool = False, trans2: bool = False) -> Any:  # noqa: FBT001, FBT002 - as thinc calls it
        return np.matmul(x.T if trans1 else x, y.T if trans2 else y, out=out)


def use_numpy(pipeline: Any) -> None:
    """Let numpy multiply for all models of a pipeline that thinc runs on a processor."""
    ops = _Ops()
    for _, component in pipeline.pipeline:
        for node in component.model.walk() if hasattr(component, "model") else ():
            if type(node.ops) is NumpyOps:
                node.ops = ops
