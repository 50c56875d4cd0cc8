"""Trees over turns and events, and the placement policies that fill them."""

from hmem.derived.trees.placement import Leaf as Leaf
from hmem.derived.trees.placement import Placement as Placement
