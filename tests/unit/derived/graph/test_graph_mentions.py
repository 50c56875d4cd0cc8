"""What turns name and tie, by turn."""

import json

from hmem.derived.graph.graph import Mention, Mentions, StatedRelation


def filled() -> Mentions:
    mentions = Mentions("mentions")
    mentions.put(1, [Mention(0, 4, 3), Mention(1, -1, 0, "Mel")], [StatedRelation(0, 1, "knows", 0.9)], 60)
    mentions.put(65, [Mention(0, 0, 3), Mention(1, 8, 7)], [StatedRelation(0, 1, "knows", 0.5)], 120)
    return mentions


def test_a_turn_gives_back_what_it_names() -> None:
    mentions = filled()
    assert mentions.places(1) == [Mention(0, 4, 3), Mention(1, -1, 0, "Mel")]
    assert mentions.entities(65) == [0, 1]
    assert mentions.entities(2) == []


def test_entities_know_their_turns_and_other_names() -> None:
    mentions = filled()
    assert mentions.turns(1) == [1, 65]
    assert mentions.surfaces(1) == {"Mel": 1}
    assert mentions.own_name_used(1)
    assert mentions.counts() == {0: 2, 1: 2}


def test_a_relation_has_one_key_and_all_its_evidence() -> None:
    mentions = filled()
    assert mentions.keys() == mentions.keys(1) == [(0, 1, "knows")]
    assert mentions.evidence((0, 1, "knows")) == [(1, 0.9, 60), (65, 0.5, 120)]


def test_only_chunks_that_changed_are_named() -> None:
    mentions = filled()
    assert mentions.changed == {0, 1}
    mentions.changed.clear()
    mentions.drop(65)
    assert mentions.changed == {1}
    assert mentions.dump(1) is None


def test_a_chunk_that_is_loaded_replaces_what_was_there() -> None:
    mentions, other = filled(), Mentions("mentions")
    other.put(2, [Mention(5, 0, 1)], [], 0)
    for number in (1, 0):
        other.load(number, json.loads(json.dumps(mentions.dump(number))))
    assert other.turns(5) == []
    assert other.turns(0) == [1, 65]
    assert [other.dump(number) for number in (0, 1)] == [mentions.dump(number) for number in (0, 1)]
    other.load(0, None)
    assert other.evidence((0, 1, "knows")) == [(65, 0.5, 120)]
