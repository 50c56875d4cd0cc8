"""Sentence segmentation, under its earlier name."""

from hmem.language.sentences import LONGEST, pieces, split

__all__ = ["LONGEST", "pieces", "split"]
