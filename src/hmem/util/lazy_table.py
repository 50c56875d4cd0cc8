"""Table of which a part is in a module that is imported only when it is needed."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TypeVar

Value = TypeVar("Value")


class LazyTable(Mapping[str, Value]):
    """Read-only table with further entries in a module: ``module`` is imported when one is looked up or all are listed.

    ``further`` tells by its name alone whether an entry may be one of the module's ``attribute``, a mapping.
    """

    def __init__(self, own: Mapping[str, Value], module: str, attribute: str, further: Callable[[str], bool]) -> None:
        self._own = own
        self._module = module
        self._attribute = attribute
        self._further = further

    def _of(self, name: str) -> Mapping[str, Value]:
        return self._loaded() if name not in self._own and self._further(name) else self._own

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
