"""Expiry: which turns are to be forgotten by themselves, by a time of their own or by the memory's rule."""

from datetime import datetime, timedelta
from typing import Final

import numpy as np

from hmem.corpus import Corpus
from hmem.errors import InputError
from hmem.model.span import to_stored
from hmem.storage.base import Storage

# The setting that holds after how many days a turn is forgotten.
RETAIN: Final = "retain.days"

_MOST_DAYS: Final = 1_000_000


def expired_seqs(storage: Storage, now: datetime) -> list[int]:
    """The turns whose own time has come, by sequence number: they are recalled no more."""
    return sorted(seq for _, seq in storage.expiring(to_stored(now)[0]))


def outlived_seqs(corpus: Corpus, now: datetime, days: int | None) -> list[int]:
    """The turns that were said longer ago than the memory keeps turns. Call it inside ``corpus.reading()``."""
    if days is None:
        return []
    try:
        bound = to_stored(now - timedelta(days=days))[0]
    except OverflowError:
        return []
    columns = corpus.columns
    return np.sort(columns.seq[columns.alive & (columns.said < bound)]).tolist()


def retained_days(storage: Storage) -> int | None:
    """For how many days turns are kept; None when for good."""
    kept = storage.settings().get(RETAIN)
    return None if kept is None else int(kept)


def checked_days(days: int | None) -> int | None:
    """The same.

    Raises:
        InputError: it is no whole number from 1 on.
    """
    if days is not None and (isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= _MOST_DAYS):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"turns are kept for a whole number of days from 1, not {days!r} - give None for good")
    return days
