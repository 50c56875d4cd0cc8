from tests.recall import sources

from hmem import Memory
from hmem.derived.chunks import number_in_turn
from hmem.model.evidence import Term, Why
from hmem.retrieval.evidence import evidence_of, paths, reason, turn_evidence
from hmem.retrieval.strategies.base import Hit

SAID = [
    {"text": "What did you do on Friday?", "speaker": "Tom", "session": "s1", "at": "2025-03-03T10:00Z"},
    {"text": "I adopted a puppy called Coco.", "speaker": "Maria", "session": "s1", "at": "2025-03-03T10:01Z"},
    {"text": "Coco ate my shoes yesterday.", "speaker": "Maria", "session": "s2", "at": "2025-03-09T10:00Z"},
]


def test_a_turn_is_evidence_with_all_that_it_says(memory: Memory) -> None:
    memory.add("look", speaker="Maria", caption="a dog", message_id="m1")
    (turn,) = memory.list()
    item = turn_evidence(turn, 0.5, Why(("x",), {"x": Term(0.5, 1.0)}))
    assert (item.id, item.kind, item.text, item.caption, item.message_id) == (turn.id, "turn", "look", "a dog", "m1")
    assert item.sources == (turn.id,)


def test_the_pieces_of_a_strategy_become_evidence(memory: Memory) -> None:
    memory.add(SAID)
    memory.consolidate()
    events = {event.sources[-1]: event for event in memory.events()}
    with sources(memory) as read:
        seqs = read.corpus.columns.seq.tolist()
        day = read.derived.trees["calendar"].node_of(seqs[1])
        assert day is not None
        hits = [
            Hit("event", number_in_turn(seqs[1], 0), 0.9, (seqs[1],)),
            Hit("summary", day, 0.8, (seqs[1],), "calendar"),
            Hit("episode", seqs[0], 0.7, (seqs[0], seqs[1])),
        ]
        items = evidence_of(read, hits, [reason("graph", hit) for hit in hits])
    assert [item.kind for item in items] == ["event", "summary", "episode"]
    turns = memory.list()
    assert items[0].id == events[turns[1].id].id
    assert items[0].sources == events[turns[1].id].sources
    assert items[2].id == memory.episodes()[0].id
    assert items[2].sources == (turns[0].id, turns[1].id)
    for item, hit in zip(items, hits, strict=True):
        assert item.score == hit.score == sum(term.contribution for term in item.why.terms.values())
        assert item.why.strategies == ("graph",)
    assert items[1].why.paths["calendar"][0] == "2025"


def test_a_piece_that_is_gone_is_left_out(memory: Memory) -> None:
    memory.add(SAID)
    memory.consolidate()
    with sources(memory) as read:
        seq = int(read.corpus.columns.seq[1])
        hits = [
            Hit("event", number_in_turn(seq, 60), 0.9, (seq,)), Hit("note", 1 << 40, 0.9, (seq,)),
            Hit("episode", 999, 0.5, (999,)), Hit("profile", 999, 0.5, ()),
        ]  # fmt: skip
        assert evidence_of(read, hits[2:], [reason("x", hit) for hit in hits[2:]]) == []
        assert evidence_of(read, hits[:2], [reason("x", hit) for hit in hits[:2]]) == []


def test_a_turn_has_paths_in_the_trees_that_hold_it(memory: Memory) -> None:
    memory.add(SAID)
    memory.consolidate()
    with sources(memory) as read:
        [found] = paths(read, [int(read.corpus.columns.seq[1])])
        assert found["calendar"] == ("2025", "2025-03", "2025-03-03")
        # Without a model nothing of the layers has a label.
        assert "layers" not in found
        assert paths(read, [10_000]) == [{}]
