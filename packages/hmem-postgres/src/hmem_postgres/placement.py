"""Placement of new turns: their fates, numbers, speakers, sessions and blocks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from hmem.model.ids import to_id, to_key
from hmem.model.span import to_stored
from hmem.model.turn import Turn
from hmem.model.vector import pack
from hmem.storage.base import BLOCK_TURNS, GENERATION, AppendResult, Member, Vectors
from hmem.storage.capabilities import to_values
from hmem_postgres.packing import digest, message, pack_members, pack_turn
from hmem_postgres.transactions import BLOCK_TEXTS, MemoryRow, Rows, Statement, WriteTransaction

# More sessions than this are not remembered from one write to the next.
_MAX_SESSIONS: Final = 64
# Bytes of vectors in a part.
_PART_BYTES: Final = 1_100
# Turns whose texts are in a part.
_PART_TURNS: Final = 4
_MESSAGES: Final = f"""
    SELECT turn.message, speaker.name, item.text FROM hmem.turn AS turn
    JOIN hmem.speaker AS speaker ON speaker.memory = turn.memory AND speaker.number = turn.speaker
    JOIN hmem.block AS block ON block.memory = turn.memory AND block.number = turn.block
    CROSS JOIN LATERAL unnest(block.seqs, {BLOCK_TEXTS}) AS item(seq, text)
    WHERE turn.memory = %(memory)s AND turn.message = ANY(%(messages)s::bytea[]) AND item.seq = turn.seq"""
_SPEAKERS: Final = "SELECT digest, number, role FROM hmem.speaker WHERE memory = %s AND digest = ANY(%s::bytea[])"
# The last block of each session and user that has a living turn.
_BLOCKS: Final = """
    SELECT place::int, session.number, last.number, last.filled, last.speakers
    FROM unnest(%s::int[], %s::bytea[], %s::bytea[]) AS given(place, digest, owner)
    JOIN hmem.session AS session ON session.memory = %s AND session.digest = given.digest
    LEFT JOIN LATERAL (
        SELECT number, filled, speakers FROM hmem.block AS block
        WHERE block.memory = %s AND block.session = session.number AND block.turns > 0
        AND block.owner IS NOT DISTINCT FROM given.owner ORDER BY number DESC LIMIT 1
    ) AS last ON true"""
_ADD_SPEAKER: Final = "INSERT INTO hmem.speaker (memory, number, digest, name, role) VALUES (%s, %s, %s, %s, %s)"
_ADD_ROLE: Final = "UPDATE hmem.speaker SET role = %s WHERE memory = %s AND number = %s"
_ADD_SESSION: Final = "INSERT INTO hmem.session (memory, number, digest, name) VALUES (%s, %s, %s, %s)"
_ADD_BLOCK: Final = """
    INSERT INTO hmem.block (filled, turns, changed, said_first, said_last, speakers, seqs, memory, number, session,
        owner)
    VALUES (%s, %s, %s, %s, %s, %s::bigint[], %s::bigint[], %s, %s, %s, %s)"""
_GROW_BLOCK: Final = """
    UPDATE hmem.block SET filled = filled + %s, turns = turns + %s, changed = %s, said_first = least(said_first, %s),
        said_last = greatest(said_last, %s), speakers = %s::bigint[], seqs = seqs || %s::bigint[]
    WHERE memory = %s AND number = %s"""
_ADD_TEXTS: Final = """
    INSERT INTO hmem.text AS kept (memory, block, part, members, texts) VALUES (%s, %s, %s, %s, %s::bytea[])
    ON CONFLICT (memory, block, part) DO UPDATE
    SET members = kept.members || excluded.members, texts = kept.texts || excluded.texts"""
# Columns of a turn, with their types.
TURN_COLUMNS: Final = {
    "seq": "bigint", "key": "bytea", "block": "bigint", "speaker": "bigint", "role": "text", "message": "bytea",
    "agent": "bytea", "echoing": "boolean", "expires": "bigint", "metadata": "bytea",
}  # fmt: skip
ADD_VECTORS: Final = """
    INSERT INTO hmem.vector AS kept (memory, generation, block, part, seqs, codes)
    VALUES (%s, %s, %s, %s, %s::bigint[], %s) ON CONFLICT (memory, generation, block, part) DO UPDATE
    SET seqs = kept.seqs || excluded.seqs, codes = kept.codes || excluded.codes"""


def lookups(memory: str, turns: Sequence[Turn]) -> list[Statement]:
    """Return statements for what a memory has of these turns: messages, speakers, and last blocks of sessions."""
    messages = [digest(turn.message_id) for turn in turns if turn.message_id is not None]
    speakers = list({digest(turn.speaker) for turn in turns})
    homes = homes_of(turns)
    names = [digest(session) for session, _ in homes]
    owners = [None if user is None else digest(user) for _, user in homes]
    return [
        (_MESSAGES, {"memory": memory, "messages": messages}),
        (_SPEAKERS, (memory, speakers)),
        (_BLOCKS, (list(range(len(homes))), names, owners, memory, memory)),
    ]


def stored_keys(memory: str, turns: Sequence[Turn]) -> Statement:
    """Return a statement for those of the turns that are kept under their own ids."""
    keys = [to_key("turn", turn.id) for turn in turns]
    return "SELECT key FROM hmem.turn WHERE memory = %s AND key = ANY(%s::bytea[])", (memory, keys)


def homes_of(turns: Sequence[Turn]) -> list[tuple[str, str | None]]:
    """Return the sessions and users of turns, each pair once."""
    return list(dict.fromkeys((turn.session, turn.user) for turn in turns))


def judge(turns: Sequence[Turn], messages: Rows) -> tuple[list[AppendResult], list[int]]:
    """Return the fate of each turn, and the indices of new ones."""
    messages_by_key: dict[bytes, tuple[str, str, str]] = {}
    for key_bytes, speaker, data in messages:
        key, text = message(data)
        messages_by_key[bytes(key_bytes)] = (to_id("turn", key), speaker, text)
    results: list[AppendResult] = []
    fresh: list[int] = []
    for i, turn in enumerate(turns):
        name = None if turn.message_id is None else digest(turn.message_id)
        match = None if name is None else messages_by_key.get(name)
        if match is None:
            fresh.append(i)
            results.append(AppendResult("stored", turn.id))
            if name is not None:
                messages_by_key[name] = (turn.id, turn.speaker, turn.text)
        elif match[1:] == (turn.speaker, turn.text):
            results.append(AppendResult("duplicate", match[0]))
        else:
            error = f"message id {turn.message_id!r} is kept with another text - turns are never edited"
            results.append(AppendResult("rejected", None, error))
    return results, fresh


@dataclass(slots=True)
class _Block:
    """A block that takes new turns. ``count`` is the number that it had before, with those deleted since."""

    number: int
    session: int
    owner: bytes | None
    count: int
    speakers: set[int]
    is_stored: bool
    members: list[Member] = field(default_factory=list[Member])
    turns: list[Turn] = field(default_factory=list[Turn])
    positions: list[int] = field(default_factory=list[int])


class PlacementState(NamedTuple):
    """Speakers, and sessions and users with their last blocks, as of a change."""

    change: int
    speakers: Rows
    homes: list[tuple[str, str | None]]
    blocks: Rows

    def serves(self, turns: Sequence[Turn], row: MemoryRow, generation: int) -> bool:
        """Tell if this state and a memory's row are enough to keep turns: they have no new speaker or session."""
        speakers = {bytes(row[0]) for row in self.speakers}
        homes = {self.homes[int(row[0])] for row in self.blocks}
        return (
            self.change == row.change
            and int(row.settings.get(GENERATION, generation)) == generation
            and all(digest(turn.speaker) in speakers and (turn.session, turn.user) in homes for turn in turns)
        )


class TurnPlacement:
    """New turns of one write, as they find their speakers, sessions and blocks."""

    def __init__(self, writing: WriteTransaction, memory: str, state: PlacementState) -> None:
        self._writing = writing
        self._memory = memory
        self._speakers = {bytes(name): (number, role) for name, number, role in state.speakers}
        self._sessions: dict[str, int] = {}
        self._last: dict[tuple[str, str | None], _Block] = {}
        for position, session, number, turn_count, speaker_numbers in state.blocks:
            home = state.homes[int(position)]
            self._sessions[home[0]] = session
            if number is not None:
                owner = None if home[1] is None else digest(home[1])
                self._last[home] = _Block(number, session, owner, turn_count, set(speaker_numbers), is_stored=False)
        self._touched: dict[int, _Block] = {}

    def next_state(self) -> PlacementState | None:
        """Return what the next turns of the same speakers and sessions will find, if nobody else adds any.

        None after many sessions at once, as in an import.
        """
        homes = list(self._last)
        if len(homes) > _MAX_SESSIONS:
            return None
        blocks = [
            (position, block.session, block.number, block.count + len(block.turns), sorted(block.speakers))
            for position, block in enumerate(self._last.values())
        ]
        speakers = [(name, number, role) for name, (number, role) in self._speakers.items()]
        return PlacementState(self._writing.head.change, speakers, homes, blocks)

    def add(self, turns: Sequence[Turn], words: Sequence[int], analysis: int) -> list[int]:
        """Place turns behind all others; return their numbers."""
        self._name_speakers(turns)
        first = self._writing.head.change + 1
        self._writing.head.change += len(turns)
        rows: list[tuple[Any, ...]] = []
        for offset, (turn, count) in enumerate(zip(turns, words, strict=True)):
            seq, (speaker, _) = first + offset, self._speakers[digest(turn.speaker)]
            block = self._block(turn)
            block.speakers.add(speaker)
            time = to_stored(turn.at)[0]
            block.members.append(Member(seq, block.number, block.session, speaker, count, time, analysis))
            block.turns.append(turn)
            block.positions.append(offset)
            rows.append(turn_row(turn, seq, block.number, speaker))
        self._writing.insert("turn", TURN_COLUMNS, rows)
        for block in self._touched.values():
            self._keep(block)
        return list(range(first, first + len(turns)))

    def add_vectors(self, vectors: Vectors, generation: int, seqs: Sequence[int]) -> None:
        """Keep the rows of the turns that were just placed, in their order."""
        codes = pack(vectors)
        for block in self._touched.values():
            block_codes = codes[block.positions].tobytes()
            numbers = [seqs[position] for position in block.positions]
            # All that come together are in one part.
            part = block.count * codes.shape[1] // _PART_BYTES
            self._writing.do(ADD_VECTORS, (self._memory, generation, block.number, part, numbers, block_codes))

    def _name_speakers(self, turns: Sequence[Turn]) -> None:
        roles: dict[str, str | None] = {}
        for turn in turns:
            roles[turn.speaker] = roles.get(turn.speaker) or turn.role
        for name, role in roles.items():
            key = digest(name)
            number, stored_role = self._speakers.get(key, (0, None))
            if not number:
                self._writing.head.speakers += 1
                number = self._writing.head.speakers
                self._writing.do(_ADD_SPEAKER, (self._memory, number, key, name, role))
            elif stored_role is None and role is not None:
                self._writing.do(_ADD_ROLE, (role, self._memory, number))
            self._speakers[key] = (number, stored_role or role)

    def _block(self, turn: Turn) -> _Block:
        home = (turn.session, turn.user)
        block = self._last.get(home)
        if block is None or block.count + len(block.turns) >= BLOCK_TURNS:
            head = self._writing.head
            head.blocks += 1
            owner = None if turn.user is None else digest(turn.user)
            block = _Block(head.blocks, self._session(turn.session), owner, 0, set(), is_stored=True)
            self._last[home] = block
        self._touched[block.number] = block
        return block

    def _session(self, name: str) -> int:
        number = self._sessions.get(name)
        if number is None:
            self._writing.head.sessions += 1
            number = self._sessions[name] = self._writing.head.sessions
            self._writing.do(_ADD_SESSION, (self._memory, number, digest(name), name))
        return number

    def _keep(self, block: _Block) -> None:
        times = [member.said for member in block.members]
        count = len(block.turns)
        values = (
            count, count, block.members[-1].seq, min(times), max(times), sorted(block.speakers),
            [member.seq for member in block.members], self._memory, block.number,
        )  # fmt: skip
        if block.is_stored:
            self._writing.do(_ADD_BLOCK, (*values, block.session, block.owner))
        else:
            self._writing.do(_GROW_BLOCK, values)
        texts = [pack_turn(turn) for turn in block.turns]
        part = block.count // _PART_TURNS
        self._writing.do(_ADD_TEXTS, (self._memory, block.number, part, pack_members(block.members), texts))


def turn_row(turn: Turn, seq: int, block: int, speaker: int) -> tuple[Any, ...]:
    """Return the values of ``TURN_COLUMNS``."""
    _, _, _, _, _, role, _, _, agent, message_id, metadata, expires, echoes = to_values(turn)
    return (
        seq, to_key("turn", turn.id), block, speaker, role, None if message_id is None else digest(message_id),
        None if agent is None else digest(agent), echoes is not None, expires,
        None if metadata is None else metadata.encode(),
    )  # fmt: skip
