"""Table of which a part is in a module that is imported only when it is needed."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar

Value = TypeVar("Value")


class LazyTable(Mapping[str, Value]):
    """Read-only table with further entries in a module's ``attribute``, a mapping.

    ``module`` is imported when a name is looked up that is not among the table's own, and when all are listed.
    """

    def __init__(self, own: Mapping[str, Value], module: str, attribute: str) -> None:
        self._own = own
        self._module = module
        self._attribute = attribute

    def _of(self, name: str) -> Mapping[str, Value]:
        return self._own if name in self._own else self._loaded()

    def _loaded(self) -> Mapping[str, Value]:
        return getattr(import_module(self._module), self._attribute)

    def __getitem__(self, name: str) -> Value:
        return self._of(name)[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._of(name)

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._loaded()

    def __len__(self) -> int:
        return len(self._own) + len(self._loaded())
