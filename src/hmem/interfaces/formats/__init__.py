"""What other programs keep of conversations and memories, read into messages that ``Memory.add`` takes.

Each format is a module with ``looks_like`` and ``messages``. Every message has an id made of the export's own, so that
what was imported once is not kept twice.
"""
