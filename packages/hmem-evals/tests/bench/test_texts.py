from itertools import pairwise

import pytest

from hmem_evals.bench.texts import BLOCK_TURNS, SPEAKERS, block, blocks, questions


@pytest.fixture(scope="module")
def first():
    return block(0)


def test_a_block_is_the_same_every_time_and_another_seed_makes_another(first):
    assert block(0, 50) == first[:50]
    assert block(0, 50, seed=2) != first[:50]


def test_a_later_block_is_made_without_the_earlier_ones():
    *_, last = blocks(2 * BLOCK_TURNS + 30)
    assert last == block(2, 30)
    assert last[0]["message_id"] == str(2 * BLOCK_TURNS)


def test_blocks_hold_as_many_turns_as_asked_for_each_with_an_id_of_its_own():
    ids = [message["message_id"] for messages in blocks(BLOCK_TURNS + 5) for message in messages]
    assert ids == [str(number) for number in range(BLOCK_TURNS + 5)]


def test_turns_have_8_to_40_words_and_two_speakers(first):
    lengths = [len(message["text"].split()) for message in first]
    assert (min(lengths), max(lengths)) == (8, 40)
    assert {message["speaker"] for message in first} == set(SPEAKERS)


def test_sessions_have_20_to_40_turns_that_follow_each_other(first):
    runs = {}
    for place, message in enumerate(first):
        runs.setdefault(message["session"], []).append(place)
    assert all(places == list(range(places[0], places[-1] + 1)) for places in runs.values())
    *whole, _ = (len(places) for places in runs.values())
    assert min(whole) >= 20
    assert max(whole) <= 40


def test_times_rise(first):
    assert all(earlier["at"] < later["at"] for earlier, later in pairwise(first))


def test_new_words_keep_coming_and_grow_rarer(first):
    seen, sizes = set(), []
    for start in range(0, 10_000, 2_500):
        for message in first[start : start + 2_500]:
            seen.update(message["text"].lower().split())
        sizes.append(len(seen))
    growth = [later - earlier for earlier, later in pairwise([0, *sizes])]
    assert growth == sorted(growth, reverse=True)
    assert growth[-1] > 500


def test_questions_ask_for_words_of_turns_from_beginning_to_end(first):
    asked = questions(10_000, 20)
    assert len(set(asked)) == 20
    assert asked == questions(10_000, 20)
    text = " ".join(message["text"] for message in first)
    assert all(word in text for question in asked for word in question.rstrip("?").split()[5:])
    assert questions(1, 3) == questions(1, 3)
