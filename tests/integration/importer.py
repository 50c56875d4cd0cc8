"""An import to be killed: adds the batches of one long conversation and says when each was acknowledged.

The indices are flushed and saved often, so that a kill meets them at work.
"""

from multiprocessing.connection import Connection

from hmem import Memory
from hmem.corpus import corpus

BATCHES = 20
BATCH_TURNS = 6
SESSION_TURNS = 8


def message(number: int) -> dict[str, str]:
    """The turn of a number, the same in every run."""
    session_window = number // SESSION_TURNS
    return {
        "text": f"We spoke of item{number} and of topic{number % 50}, and it was remarkable.",
        "speaker": f"person{number % 3}",
        "session": f"session{session_window % 20}",
        "at": f"2025-03-{1 + session_window % 28:02}T19:02:00Z",
        "message_id": f"m{number}",
    }


def batch(number: int) -> range:
    """The numbers of its turns."""
    return range(number * BATCH_TURNS, (number + 1) * BATCH_TURNS)


def run(acknowledge: Connection, path: str) -> None:
    """Import everything; what was imported before is a duplicate. Sends each batch's number and count of new turns."""
    # Not a stand-in for anything: the same code, brought to its rarer paths sooner.
    corpus.ALONE_TURNS = 0
    corpus.SAVE_TURNS = 21
    with Memory(path) as memory:
        for number in range(BATCHES):
            receipts = memory.add([message(turn) for turn in batch(number)])
            acknowledge.send((number, sum(receipt.fate == "stored" for receipt in receipts)))
