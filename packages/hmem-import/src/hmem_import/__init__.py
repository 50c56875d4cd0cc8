"""Formats of other programs' conversations and memories, read into messages for ``Memory.add``: `hmem import`.

Each is a module with ``looks_like`` and ``messages``. Message ids are made from the export's own, so that a second
import keeps nothing twice.
"""
