"""Test data that several tests use."""

import random

WORDS = """
    garden river music coffee winter letter bicycle mountain kitchen train concert window pocket lantern harbour violin
    market pepper blanket camera museum orchard engine ladder marble velvet compass basket thunder pillow
"""


def chatter(count: int, *, seed: int = 0, sessions: int = 10) -> list[dict[str, str]]:
    """Return small talk of two people, as messages that match no test's query."""
    chance, words = random.Random(seed), WORDS.split()
    return [
        {
            "text": " ".join(chance.choices(words, k=chance.randint(4, 12))),
            "speaker": ("Anna", "Ben")[i % 2],
            "session": f"s{i * sessions // count}",
            "at": f"2025-01-{1 + i * 28 // count:02d}T10:00:00Z",
        }
        for i in range(count)
    ]
