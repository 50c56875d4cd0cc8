"""What a process has done that has remembered a conversation, for those that are forked from one that imports this.

A process spends most of its first second on expressions, weights and the model of its schema. Threads do not outlive
a fork: so it searches nothing, which would begin those that compare vectors, and texts are not shared out among many.
"""

import os

from hmem import Memory
from tests.formation import example

os.environ["TOKENIZERS_PARALLELISM"] = "false"
with Memory(":memory:") as memory:
    memory.add("I am Ben, and I noticed a hedgehog in the garden today.", speaker="Ben")
    memory.add(example(60))
    memory.consolidate()
del os.environ["TOKENIZERS_PARALLELISM"]
