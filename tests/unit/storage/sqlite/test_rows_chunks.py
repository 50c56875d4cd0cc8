from contextlib import closing
from pathlib import Path

import pytest

from hmem.errors import NumberTooLarge
from hmem.storage import open_storage
from hmem.storage.base import Chunk, FormationProgress


@pytest.mark.parametrize("number", [-1, 1 << 40, (1 << 40) + 7])
def test_a_chunk_number_without_room_is_refused_and_lies_in_no_other_part(tmp_path: Path, number: int) -> None:
    with closing(open_storage(str(tmp_path / "memory.hmem"), create=True, busy_seconds=1.0)) as storage:
        kept = [Chunk("a", 7, b"one"), Chunk("b", 7, b"two")]
        first = storage.form(kept, FormationProgress(0, 0, 0), 1)
        assert first is not None
        with pytest.raises(NumberTooLarge, match=f"part 'a' has no room for chunk {number}"):
            storage.form([Chunk("a", 8, b"three"), Chunk("a", number, b"four")], first, 2)
        assert storage.chunks() == kept
        assert storage.state().progress == first
        assert storage.chunks(since=first.step, also=[("a", 7), ("a", number)]) == kept[:1]
