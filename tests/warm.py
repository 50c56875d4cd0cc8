"""What a process has done when it has remembered its first turn, for those that are forked from one that imports this.

A process spends most of its first second on expressions, weights and the model of its schema. It does not search: the
threads that compare vectors do not outlive a fork.
"""

from hmem import Memory

with Memory(":memory:") as memory:
    memory.add("We saw a hedgehog in the garden yesterday, Maria told me.", speaker="Ben", at="2025-03-01T10:00:00Z")
