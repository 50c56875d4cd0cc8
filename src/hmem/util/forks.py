"""Forks of this process, during which its locks are free: no child may inherit a lock that nobody in it releases.

The threads of a process do not survive a fork, but the locks that they hold do. So a fork waits for those locks, and
both processes go on with all of them free.
"""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Final, Protocol
from weakref import WeakSet


class ForkLock(Protocol):
    """An object that prepares for a fork of its process."""

    def before_fork(self) -> None:
        """Wait until no other thread is at work, and keep it so."""
        ...

    def after_fork(self) -> None:
        """Let threads work again, in the parent and in the child."""
        ...


# In the order in which threads take them: whoever waits for an inner lock may hold an outer one.
_outer: Final[WeakSet[ForkLock]] = WeakSet()
_inner: Final[WeakSet[ForkLock]] = WeakSet()
_ready: Final[list[ForkLock]] = []


def register_fork_lock(owner: ForkLock, *, outer: bool = False) -> None:
    """Prepare an object for every fork from now on, as long as it lives; ``outer`` ones before all others."""
    (_outer if outer else _inner).add(owner)


def call_in_child(renew: Callable[[], None]) -> Callable[[], None]:
    """Call this in the child of every fork from now on, to replace a lock that no fork needs to wait for."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=renew)
    return renew


def _before() -> None:
    for owner in (*_outer, *_inner):
        owner.before_fork()
        _ready.append(owner)


def _after() -> None:
    while _ready:
        _ready.pop().after_fork()


if hasattr(os, "register_at_fork"):
    # Handlers of a coming fork run in the reverse order of their registration. These modules register theirs on import,
    # and take locks that threads at work may wait for, so theirs must run after ours.
    for name in ("concurrent.futures.thread", "logging"):
        import_module(name)
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
