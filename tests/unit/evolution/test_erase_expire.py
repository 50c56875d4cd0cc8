"""Which turns are due."""

from datetime import UTC, datetime, timedelta

from hmem import Memory
from hmem.evolution.erase import expired_seqs, outlived_seqs, retained_days

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def test_a_turn_is_expired_from_its_moment_on(memory: Memory) -> None:
    for hours in (3, 1, 2):
        memory.add("Hello", at=NOW, ttl=timedelta(hours=hours))
    memory.add("Hello", at=NOW)
    storage = memory.corpus.storage
    assert expired_seqs(storage, NOW + timedelta(minutes=59)) == []
    assert expired_seqs(storage, NOW + timedelta(hours=2)) == [2, 3]
    assert expired_seqs(storage, NOW + timedelta(days=900)) == [1, 2, 3]


def test_a_turn_is_outlived_when_it_is_older_than_the_rule(memory: Memory) -> None:
    for days in (1, 10, 20):
        memory.add("Hello", at=NOW - timedelta(days=days))
    with memory.corpus.reading():
        assert outlived_seqs(memory.corpus, NOW, 9) == [2, 3]
        assert outlived_seqs(memory.corpus, NOW, 10) == [3]
        assert outlived_seqs(memory.corpus, NOW, None) == []
        assert outlived_seqs(memory.corpus, NOW, 999_999) == []
    assert retained_days(memory.corpus.storage) is None
