"""What stands in profiles of labelled chats: `python benchmarks/profiles.py [--held-back] [--lines]`.

Each chat of ``benchmarks/data/chats`` is formed in a new memory, and the profile of each person is asked for as it is
after the last turn. ``memorable`` is the share of lines whose sentence is labelled as worth remembering, of lines whose
sentence has labels, and ``importance`` the mean of its labelled importance; ``chat`` is the mean of all memorable
sentences of these people. ``outdated`` lines are those that a later sentence ``changes``, by the labelled pairs: those
whose line is marked or whose later sentence is quoted too are ``told``. ``others`` counts lines of somebody else's
turns. ``--held-back`` opens the other half, for a final figure, and prints the commit; ``--lines`` prints the profiles.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.chats import Chat, Sentence, read_chats

from hmem import Memory, Profile, ProfileLine

COLUMNS: Final = ("lines", "typed", "labelled", "memorable", "importance", "chat", "outdated", "told", "others")


def sentences_of(chat: Chat, number: int, line: ProfileLine) -> list[tuple[int, int]]:
    """Return the places of the sentences of a turn that a line quotes."""
    turn = chat.turns[number - 1]
    return [
        (number, place)
        for place, sentence in enumerate(turn.sentences, 1)
        if sentence.text in line.text or line.text in sentence.text
    ]


def measure(chat: Chat, memory: Memory, profile: Profile, counted: Counter[str]) -> None:
    """Add what stands in a profile to the counts."""
    changed = {older: newer for older, newer, kind in chat.pairs if kind == "changes"}
    numbers = {turn.id: int(turn.message_id or 0) for turn in memory.list(limit=100_000)}
    quoted = {place for line in profile.lines for place in sentences_of(chat, numbers[line.turn_id or ""], line)}
    for line in profile.lines:
        number = numbers[line.turn_id or ""]
        counted["lines"] += 1
        counted["typed"] += line.value is not None
        counted["others"] += chat.turns[number - 1].speaker != profile.person
        places = sentences_of(chat, number, line)
        labelled = [sentence for sentence in map(chat.sentence, places) if sentence.labelled]
        if labelled:
            counted["labelled"] += 1
            counted["memorable"] += any(each.memorable for each in labelled)
            counted["importance"] += max(each.importance for each in labelled)
        older = [place for place in places if place in changed]
        counted["outdated"] += bool(older)
        marked = line.newer is not None or all(changed[place] in quoted for place in older)
        counted["told"] += bool(older) and marked


def table(rows: Mapping[str, Counter[str]]) -> Table:
    """Return the figures of each chat, and of all."""
    made = Table("chat", *COLUMNS)
    for name, row in rows.items():
        labelled, memorable = max(row["labelled"], 1), max(row["chat memorable"], 1)
        made.add_row(
            name, str(row["lines"]), str(row["typed"]), str(row["labelled"]), f"{row['memorable'] / labelled:.2f}",
            f"{row['importance'] / labelled:.2f}", f"{row['chat importance'] / memorable:.2f}", str(row["outdated"]),
            str(row["told"]), str(row["others"]),
        )  # fmt: skip
    return made


def memorable_of(chat: Chat, people: set[str]) -> list[Sentence]:
    """Return the memorable sentences of some people."""
    return [each for turn in chat.turns if turn.speaker in people for each in turn.sentences if each.memorable]


def main(arguments: list[str]) -> None:
    """Print the table."""
    rows: dict[str, Counter[str]] = {}
    for chat in read_chats("held" if "--held-back" in arguments else "open"):
        row = rows[chat.name] = Counter()
        people = {turn.speaker for turn in chat.turns if turn.role == "user"}
        with TemporaryDirectory() as folder, Memory(Path(folder) / "chat.hmem") as memory:
            memory.add(chat.messages())
            for person in sorted(people):
                profile = memory.profile(person)
                measure(chat, memory, profile, row)
                if "--lines" in arguments:
                    print(f"{chat.name}: {profile.text}\n")
        own = memorable_of(chat, people)
        row["chat memorable"], row["chat importance"] = len(own), sum(each.importance for each in own)
    rows["all"] = sum(rows.values(), Counter[str]())
    console = Console(width=120)
    if "--held-back" in arguments:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
        console.print(f"held back, at {commit.strip()}")
    console.print(table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
