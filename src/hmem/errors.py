"""Every error that hmem raises: one base, one tree, one file.

Each message is one line that says what is wrong and, after a dash, what mends it.
"""


class HmemError(Exception):
    """The base of all errors of hmem. ``exit_code`` is what the command line exits with."""

    exit_code = 1


# What a caller handed in.


class InputError(HmemError):
    """What was handed in cannot be used; nothing was changed."""

    exit_code = 2


class InvalidTurn(InputError):
    """A turn that cannot be kept: empty text, text that is not Unicode, a field of the wrong type."""


class InvalidTime(InputError):
    """A time that does not parse, or a time zone that does not exist."""


class InvalidQuery(InputError):
    """A question or a limit that cannot be used: not text, or k or a token budget below 1."""


class InvalidFile(InputError):
    """A file to import or to evaluate that cannot be read as its format."""


class MessageConflict(InputError):
    """A caller's message id that is already kept with another text. Turns are never edited."""


class UnknownId(InputError):
    """An id that this memory does not hold."""


class UnknownName(InputError):
    """A name of an embedder, recipe, mechanism or format that nothing answers to."""


# The memory's file.


class StorageError(HmemError):
    """The memory's file cannot be used."""

    exit_code = 3


class NotAMemory(StorageError):
    """The path holds something that is not a memory of hmem. It was not touched."""


class MemoryNotFound(StorageError):
    """There is no memory at the path, and it was not to be created."""


class MemoryBusy(StorageError):
    """Another process kept writing for longer than the busy timeout. Nothing was written."""

    exit_code = 4


class MemoryClosed(StorageError):
    """The memory was closed before this call."""


class MemoryDamaged(StorageError):
    """The file is a memory but its contents are malformed."""


class ReadOnlyMemory(StorageError):
    """The memory can be read and not written: it was opened so, or its file may not be written. Nothing was written."""


class StorageFull(StorageError):
    """The disk, or the process's file-size limit, is full. The write was rolled back whole."""

    exit_code = 5


class NumberTooLarge(StorageError):
    """A number that has no room in an id or a key: a turn with too many events, a graph with too many relations."""


class SchemaTooNew(StorageError):
    """The memory was written by a newer hmem than this one. It was not touched."""


# The derived indices.


class IndexingError(HmemError):
    """A derived index cannot be used. The truth is unharmed; ``hmem rebuild`` restores the index."""

    exit_code = 6


class IndexDamaged(IndexingError):
    """An index folder is truncated, foreign or unreadable. It is rebuilt from the truth."""


class IndexWriteFailed(IndexingError):
    """An index could not take what was written. What was written is kept, and searchable from the tail."""


# Embedders.


class EmbedderError(HmemError):
    """An embedder cannot be used."""

    exit_code = 7


class EmbedderMismatch(EmbedderError):
    """The memory's vectors come from another embedder than the one it is opened with."""


class EmbedderUnavailable(EmbedderError):
    """The embedder's package, weights or endpoint are not there, or do not give vectors now."""


# Rerankers.


class RerankerUnavailable(HmemError):
    """The reranker's model or endpoint is not there, or cannot rank."""

    exit_code = 9


# Language models.


class ModelError(HmemError):
    """A language model could not be of use. What it was asked for is done by the rules, and tried again later."""

    exit_code = 10


class ModelUnavailable(ModelError):
    """The model's provider cannot be reached, is too slow, fails, asks to wait, or does not accept the key.

    ``retry_after`` is how many seconds it asked to wait, None when it did not say. It is ``lasting`` when somebody has
    to mend something first, such as a key: to try again at once would be of no use.
    """

    def __init__(self, message: str, retry_after: float | None = None, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.lasting = lasting


class ModelGarbled(ModelError):
    """What the model said cannot be used, even after it was asked once more: no JSON, the wrong shape, a refusal."""


class BudgetSpent(ModelError):
    """The calls, tokens or money that may be spent on models in a call, on a day or on a memory are spent."""


# What is installed.


class ExtraMissing(HmemError):
    """Something needs a package that comes with an extra; the message says which."""

    exit_code = 8


# A server, and those who call it.


class InvalidRequest(InputError):
    """A request that is not of the form that its endpoint takes: a field, a header, an address, a type of content.

    ``errors`` say where it is not, and what is wrong there.
    """

    errors: "tuple[dict[str, str], ...]" = ()


class InvalidName(InputError):
    """A name that a memory of a server cannot have; it never leaves the server's root."""


class MemoryExists(InputError):
    """A memory of this name, or of one that differs in case only, is there already."""


class RepeatConflict(InputError):
    """An Idempotency-Key that came before with another request. Nothing was done."""


class ServerError(HmemError):
    """A server did not do what it was asked for."""

    exit_code = 11


class Unprotected(ServerError):
    """A server would be open to others without a key, or its keys to other users of the machine. It did not start."""


class KeyRefused(ServerError):
    """A request without a key, or with one that is unknown, expired or revoked."""


class NotAllowed(ServerError):
    """A key that is good, but not for this memory or not for doing this."""


class RequestTooLarge(ServerError):
    """A request whose body or head is larger than the server takes. It was not read to its end."""


class RequestTooSlow(ServerError):
    """A request that was not there in time."""


class TooManyRequests(ServerError):
    """More requests by one key than the server takes; there is room in ``retry_after`` seconds."""

    retry_after = 1


class ServerUnavailable(ServerError):
    """A server that cannot be reached, is going down, or lost the process that was at work. Try again."""


class ServerFault(ServerError):
    """A server that failed in a way that it has no name for; its log tells more under the request's id."""
