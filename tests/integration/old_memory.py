"""Makes `memory-ecb443f.sql`: a small memory as the code of commit ecb443f formed it, by patterns instead of a parser.

    git worktree add ../old ecb443f
    pip install --no-deps --target ../old/installed ../old
    PYTHONPATH=../old/installed python tests/integration/old_memory.py > tests/integration/memory-ecb443f.sql

It was run once. The result is never edited: every later release must open it.
"""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hmem import Memory

# Session, day, and its turns: who, what, and what a picture shows.
TALK: Final = (
    ("winter", "2025-02-03T19:00:00+01:00", (
        ("Ines", "Hi Paul! I finally moved to Lisbon last week."),
        ("Paul", "Congratulations! How is the new flat?"),
        ("Ines", "Small but bright. I live in Alfama now, on the third floor.", "a narrow street with blue tiles"),
        ("Paul", "Lovely. I am still in Ghent, and I work as a baker at Molen 12."),
        ("Ines", "I work as a nurse at the Santa Marta hospital. My shifts begin at six."),
        ("Paul", "That is early. Do you still have the cat?"),
        ("Ines", "Yes, Figo came with me. He is allergic to fish, can you believe it?"),
        ("Paul", "Haha, poor Figo!"),
    )),
    ("market", "2025-03-09T10:30:00+01:00", (
        ("Paul", "I adopted a puppy named Waffle yesterday.", "a brown puppy asleep in a bread basket"),
        ("Ines", "So cute! How old is she?"),
        ("Paul", "Ten weeks. She chewed my left shoe on the first evening."),
        ("Ines", "My sister Clara is going to visit me in April. She lives in Porto."),
        ("Paul", "Does Clara still play the cello?"),
        ("Ines", "She does, she plays in the city orchestra. I love cello music."),
        ("Paul", "I don't like classical music much, but I would come to a concert."),
        ("Ines", "Then come on 12 April! The concert starts at eight."),
        ("Paul", "Deal, I booked a flight for the eleventh."),
    )),
    ("concert", "2025-04-14T21:15:00+02:00", (
        ("Paul", "Thank you for the weekend! The concert was wonderful."),
        ("Ines", "I'm so glad you came. Clara liked you.", "three friends in front of a concert hall"),
        ("Paul", "We talked about Lyon all evening. She was born there, like my mother."),
        ("Ines", "I am learning to sail, by the way. My teacher is called Duarte."),
        ("Paul", "On the Tagus? That sounds cold."),
        ("Ines", "Every Saturday morning. I bought a blue raincoat for it."),
        ("Paul", "I ran the Ghent half marathon in two hours on Sunday."),
        ("Ines", "Well done!"),
    )),
    ("news", "2025-05-20T18:05:00+02:00", (
        ("Ines", "Big news: I got a new job! I work as a midwife at Cruz Verde now."),
        ("Paul", "That is what you always wanted. When did you start?"),
        ("Ines", "On 5 May. I don't work at Santa Marta any more."),
        ("Paul", "I quit the bakery too. I am opening my own shop in July."),
        ("Ines", "What will it be called?"),
        ("Paul", "Waffle and Rye. My phone number there will be 09 555 01 23."),
        ("Ines", "I am engaged to Duarte, the sailing teacher!", "a ring on a hand over the water"),
        ("Paul", "What? Congratulations, both of you!"),
        ("Ines", "The wedding is on 6 September in Sintra."),
    )),
    ("summer", "2025-06-22T09:40:00+02:00", (
        ("Paul", "The oven arrived on Friday. It weighs 900 kilos."),
        ("Ines", "I broke my wrist last Tuesday, so no sailing for six weeks."),
        ("Paul", "Oh no, does it hurt?"),
        ("Ines", "Not any more. Clara cooks for me, she is vegetarian now."),
        ("Paul", "I prefer tea to coffee these days, the doctor told me to."),
        ("Ines", "Figo sleeps on my cast all day.", "a grey cat on a plaster cast"),
    )),
)  # fmt: skip


def fill(memory: Memory) -> None:
    """Add the talk with recalls in between, change what was formed by hand, and write all texts."""
    for session, day, turns in TALK:
        for minute, (speaker, text, *caption) in enumerate(turns):
            at = day.replace(":00+", f":{minute:02d}+")
            memory.add(text, speaker=speaker, session=session, at=at, caption=caption[0] if caption else None)
        memory.consolidate(at=day)
    found = memory.search("Where does Ines work?", k=3)
    memory.feedback(found.evidence[0], "approve", by="Ines")
    job = next(note for note in memory.notes(subject="Paul") if note.value == "baker")
    memory.correct(job.id, "Paul works as a pastry chef.", by="Paul", why="bread is made by the others")
    shoe = next(event for event in memory.events() if "shoe" in event.text)
    memory.retract(shoe.id, by="Paul", why="it was the neighbour's dog")
    memory.edit.persona("Ines", traits=["likes short answers"], by="Ines")
    memory.consolidate(at="2025-06-23T09:00:00+02:00")


def main() -> None:
    """Print the memory as SQL."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "old.hmem"
        with Memory(path) as memory:
            fill(memory)
        with closing(sqlite3.connect(path)) as connection:
            pragmas = [
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
            ]
            lines = ["-- A memory as the code of commit ecb443f made it: see old_memory.py. It is never edited."]
            lines += [f"PRAGMA application_id = {pragmas[0]};", f"PRAGMA user_version = {pragmas[1]};"]
            sys.stdout.write("\n".join([*lines, *connection.iterdump()]) + "\n")


if __name__ == "__main__":
    main()
