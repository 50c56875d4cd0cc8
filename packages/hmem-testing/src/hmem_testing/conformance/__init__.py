"""Conformance suite that every storage must pass, shipped for authors of backends.

Subclass ``StorageConformance`` in a test module, under a name that pytest collects, and say how to open::

    class TestMyStorage(StorageConformance):
        def open(self, location: str) -> Storage:
            return MyStorage(location)

The tests are plain methods with ``assert``. They take pytest's ``tmp_path`` and need hypothesis; hmem itself
imports neither. ``pytest.register_assert_rewrite("hmem_testing.conformance")`` makes their failures more detailed.
"""

from hmem_testing.conformance.blocks import BlockConformance
from hmem_testing.conformance.deletion import DeletionConformance
from hmem_testing.conformance.durability import DurabilityConformance
from hmem_testing.conformance.forgetting import ForgettingConformance
from hmem_testing.conformance.formation import FormationConformance
from hmem_testing.conformance.log import LogConformance
from hmem_testing.conformance.matching import MatchingConformance
from hmem_testing.conformance.messages import MessageConformance
from hmem_testing.conformance.model import ModelConformance
from hmem_testing.conformance.model_queue import ModelQueueConformance
from hmem_testing.conformance.reading import ReadingConformance
from hmem_testing.conformance.state import StateConformance
from hmem_testing.conformance.uses import UseConformance
from hmem_testing.conformance.values import ValueConformance
from hmem_testing.conformance.vectors import VectorConformance

__all__ = [
    "ChangeLogConformance",
    "DerivedStoreConformance",
    "ErasureConformance",
    "ModelQueueConformance",
    "StorageConformance",
    "TurnStoreConformance",
    "VectorStoreConformance",
]


class TurnStoreConformance(
    ValueConformance, MessageConformance, BlockConformance, ReadingConformance, MatchingConformance, UseConformance
):
    """The promises of ``hmem.storage.capabilities``."""


class VectorStoreConformance(VectorConformance):
    """The promises of ``hmem.storage.capabilities``."""


class DerivedStoreConformance(FormationConformance):
    """The promises of ``hmem.storage.capabilities``."""


class ChangeLogConformance(LogConformance):
    """The promises of ``hmem.storage.capabilities``."""


class ErasureConformance(DeletionConformance, ForgettingConformance):
    """The promises of ``hmem.storage.capabilities``."""


class StorageConformance(
    TurnStoreConformance,
    VectorStoreConformance,
    DerivedStoreConformance,
    ChangeLogConformance,
    ModelQueueConformance,
    ErasureConformance,
    StateConformance,
    DurabilityConformance,
    ModelConformance,
):
    """Tests of every promise of ``hmem.storage.base``.

    Override ``open``, and ``location`` if it is not a path below ``tmp_path``. Set ``durable`` to False for a storage
    that ends with its process, to skip the tests of closing and reopening. Tests of a capability that a storage lacks
    are skipped too.
    """
