"""Import side effects that warm up a process before it forks others: it has read a turn, and loaded what that takes."""

import os

from hmem import Memory

os.environ["TOKENIZERS_PARALLELISM"] = "false"
with Memory(":memory:") as memory:
    memory.add("I am Ben, and I noticed a hedgehog in the garden today.", speaker="Ben")
    # Long enough to be asked for its language, which unpacks a model into a file.
    memory.add("train mountain letter marble garden pillow music window river stone paper candle", speaker="Ben")
    memory.consolidate()
del os.environ["TOKENIZERS_PARALLELISM"]
