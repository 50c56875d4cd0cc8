"""Placements: the policies that put leaves into trees."""

from hmem.hierarchy.placement.base import Leaf as Leaf
from hmem.hierarchy.placement.base import Placement as Placement
