"""All errors that hmem raises: one base, one tree, one file.

Each message is one line that says what is wrong and, after a dash, what mends it.
"""


class HmemError(Exception):
    """Base of all errors of hmem. ``exit_code`` is the exit code of the command line.

    ``retry_after`` is the number of seconds after which a server asked to try again, if it did.
    """

    exit_code = 1
    retry_after: float | None = None


# Input.


class InputError(HmemError):
    """Input that cannot be used; nothing was changed."""

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
    """A caller's message id that is already stored with another text. Turns are never edited."""


class UnknownId(InputError):
    """An id that this memory does not hold."""


class UnknownName(InputError):
    """A name that no embedder, recipe, mechanism or format has."""


# The memory's file.


class StorageError(HmemError):
    """The memory's file cannot be used."""

    exit_code = 3


class NotAMemory(StorageError):
    """The path holds something that is not a memory of hmem. It was not touched."""


class MemoryNotFound(StorageError):
    """No memory exists at the path, and the call may not create one."""


class KeyNeeded(StorageError):
    """The memory is encrypted, and no key was given. It was not touched."""


class WrongKey(StorageError):
    """The key is not that of the memory, or the memory is not encrypted. It was not touched."""


class KeyUnavailable(StorageError):
    """The key of a memory cannot be had: its file or command gives none, or it is empty."""


class MemoryBusy(StorageError):
    """Another process kept writing for longer than the busy timeout. Nothing was written."""

    exit_code = 4


class StorageUnavailable(StorageError):
    """The database cannot be reached, or ended the connection. Try again; what has a message id is kept once."""

    exit_code = 4


class MemoryClosed(StorageError):
    """The memory was closed before this call."""


class MemoryDamaged(StorageError):
    """The file is a memory but its contents are malformed."""


class ReadOnlyMemory(StorageError):
    """The memory can be read and not written: it was opened so, or its file may not be written. Nothing was written."""


class StorageFull(StorageError):
    """The disk, or the process's file-size limit, is full. The message says what is kept; the rest was rolled back."""

    exit_code = 5

    def but_kept(self, remains: str) -> "StorageFull":
        """Return this error for a call of several writes, of which so much is kept."""
        reason, _, _ = str(self).rpartition("; ")
        message = f"{reason or self}; {remains}"
        return StorageFull(message)


class NumberTooLarge(StorageError):
    """A number too large for an id or a key: a turn with too many events, a graph with too many relations."""


class SchemaTooNew(StorageError):
    """The memory was written by a newer hmem than this one. It was not touched."""


# The derived indices.


class IndexingError(HmemError):
    """A derived index cannot be used. The stored turns are unharmed; ``hmem rebuild`` restores the index."""

    exit_code = 6


class IndexDamaged(IndexingError):
    """An index folder is truncated, foreign or unreadable. It is rebuilt from the stored turns."""


class IndexWriteFailed(IndexingError):
    """A write to an index failed. The data is stored, and searchable all the same."""


# Embedders.


class EmbedderError(HmemError):
    """An embedder cannot be used."""

    exit_code = 7


class EmbedderMismatch(EmbedderError):
    """The memory's vectors come from another embedder than the one that it is opened with."""


class EmbedderUnavailable(EmbedderError):
    """The embedder's package, weights or endpoint are missing, or give no vectors now."""


# Rerankers.


class RerankerUnavailable(HmemError):
    """The reranker's model or endpoint is missing, or cannot rank."""

    exit_code = 9


# Language models.


class ModelError(HmemError):
    """A language model could not be used. The rules do its work, and it is asked again later."""

    exit_code = 10


class ModelUnavailable(ModelError):
    """The model's provider cannot be reached, is too slow, fails, asks to wait, or does not accept the key.

    ``retry_after`` is the number of seconds that it asked to wait, None if it did not say. ``lasting`` is True if
    somebody must mend something first, such as a key: an immediate retry would fail too.
    """

    def __init__(self, message: str, retry_after: float | None = None, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.lasting = lasting


class ModelPending(ModelUnavailable):
    """The model's answer is not there yet: the call waits to be written to a batch, or for its response."""


class ModelGarbled(ModelError):
    """A model's reply that cannot be used, even after a second request: no JSON, the wrong shape, a refusal."""


class BudgetSpent(ModelError):
    """The budget for models is spent: calls, tokens or money of a call, of a day or of a memory."""


# Formation.


class FormationDelayed(HmemError):
    """Turns could not be formed now. They are kept and searchable, and are formed another time."""

    exit_code = 12


# Installation.


class ExtraMissing(HmemError):
    """A package is missing that comes with an extra; the message says which."""

    exit_code = 8


# Server and client.


class InvalidRequest(InputError):
    """A request that is not of the form that its endpoint takes: a field, a header, an address, a type of content.

    ``errors`` say where it is not, and what is wrong there.
    """

    errors: "tuple[dict[str, str], ...]" = ()


class InvalidName(InputError):
    """A name that a memory on a server cannot have. No name leads out of the server's root."""


class MemoryExists(InputError):
    """A memory of this name exists already; names that differ in case only are the same."""


class RepeatConflict(InputError):
    """An Idempotency-Key that was used before for another request. Nothing was done."""


class ServerError(HmemError):
    """A server refused or failed a request."""

    exit_code = 11


class Unprotected(ServerError):
    """A server open to others without a key, or whose keys other users of the machine can read. It did not start."""


class KeyRefused(ServerError):
    """A request without a key, or with one that is unknown, expired or revoked."""


class NotAllowed(ServerError):
    """A valid key without the right to this memory or to this operation."""


class RequestTooLarge(ServerError):
    """A request whose body or head is larger than the server accepts. It was not read to its end."""


class RequestTooSlow(ServerError):
    """A request that did not arrive in time."""


class TooManyRequests(ServerError):
    """More requests by one key than the server accepts; try again after ``retry_after`` seconds."""

    retry_after = 1


class ServerUnavailable(ServerError):
    """A server that cannot be reached, is shutting down, or lost the process that did the work. Try again."""


class ServerFault(ServerError):
    """An unexpected failure of a server; its log has the details under the request's id."""
