"""Import side effects that warm up a process before it forks others: it has added a conversation to a memory.

A process spends most of its first second on expressions, weights and schema models. Threads do not survive a fork: so
this runs no search, which would start those of the vector index, and analyses texts in one thread.
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
