"""Pictures of the graph and the evolution tree, written to files by matplotlib and networkx (extra ``hmem[plot]``)."""

import logging
from collections.abc import Mapping
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Final

from hmem.errors import ExtraMissing, UnknownName
from hmem.model.entity import KnowledgeGraph
from hmem.model.node import Branch

_NEED_TEX: Final = {"pgf"}


def check(path: Path) -> None:
    """Check that a picture can be written under a path.

    Raises:
        ExtraMissing: matplotlib or networkx is not installed.
        UnknownName: no kind of picture has the name's suffix.
    """
    # matplotlib warns when it first looks for fonts, which is of no use to the user.
    logger = logging.getLogger("matplotlib")
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.ERROR)
    try:
        import_module("networkx")
        from matplotlib.backend_bases import FigureCanvasBase  # noqa: PLC0415 - an extra
    except ImportError as error:
        needed = str(error.name).partition(".")[0]
        raise ExtraMissing(f"pictures need {needed} - run `pip install 'hmem[plot]'`") from error
    known = sorted(FigureCanvasBase.get_supported_filetypes().keys() - _NEED_TEX)
    if path.suffix.lower().removeprefix(".") not in known:
        raise UnknownName(f"no kind of picture is called {path.suffix!r} - use one of .{', .'.join(known)}")


def picture_graph(graph: KnowledgeGraph, path: Path) -> None:
    """Write a picture of entities, the relations between them and the overlaps of their names.

    Raises:
        ExtraMissing: matplotlib or networkx is not installed.
        UnknownName: no kind of picture has the path's suffix.
        OSError: the file cannot be written.
    """
    check(path)
    from hmem.interfaces.pictures.drawings import draw_graph  # noqa: PLC0415 - an extra

    draw_graph(graph).save(path)


def picture_evolution(tree: Branch, said: Mapping[str, datetime], path: Path) -> None:
    """Write a picture of the evolution tree over time; ``said`` is when each of its events was said, by id.

    Raises:
        ExtraMissing: matplotlib or networkx is not installed.
        UnknownName: no kind of picture has the path's suffix.
        OSError: the file cannot be written.
    """
    check(path)
    from hmem.interfaces.pictures.drawings import draw_evolution  # noqa: PLC0415 - an extra

    draw_evolution(tree, said).save(path)
