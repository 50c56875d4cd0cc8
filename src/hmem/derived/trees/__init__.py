"""Placements: the policies that put leaves into trees."""

from hmem.derived.trees.placement import Leaf as Leaf
from hmem.derived.trees.placement import Placement as Placement
