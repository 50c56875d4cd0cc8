"""Time of the heads: ``python making/time_heads.py``.

Prints the processor time that a turn takes, and what the heads add to the forward pass, for each sentence.
"""

import statistics
import time
from collections.abc import Callable
from typing import Final

from hmem_encoder import Encoder, heads

# A turn as people write them in long chats: three sentences, 34 tokens with the marks of the ends.
SENTENCES: Final = (
    "Hey Mel, so good to see you again!",
    "I went to a pottery class in Porto last Friday with Tomas.",
    "It was so relaxing, what about you?",
)
TIMES: Final = 200


def spans() -> list[tuple[int, int]]:
    found, start = [], 0
    for sentence in SENTENCES:
        found.append((start, start + len(sentence)))
        start += len(sentence) + 1
    return found


def milliseconds(run: Callable[[int], object]) -> float:
    """Return the median processor time of a call, each of a text that was not read before."""
    taken: list[float] = []
    for place in range(TIMES):
        start = time.process_time()
        run(place)
        taken.append((time.process_time() - start) * 1000)
    return statistics.median(taken)


def main() -> None:
    text, own = " ".join(SENTENCES), spans()
    # Marks at the end, others each time, so that no text was read before.
    texts = [f"{text} {chr(0x21 + place % 90)}{chr(0x21 + place // 90)}" for place in range(TIMES)]
    heads.judge([text], [own], ["user"], [True])
    alone = Encoder()
    alone.vectors([text])
    forward = milliseconds(lambda place: alone.vectors([texts[place]]))
    cold = milliseconds(lambda place: heads.judge([texts[place]], [own], ["user"], [True]))
    warm = milliseconds(lambda _: heads.judge([text], [own], ["user"], [True]))
    print(f"tokens of the text          {len(alone.hidden_states([text])[0][2]) + 2}")
    print(f"forward pass                {forward:.2f} ms")
    print(f"forward pass and heads      {cold:.2f} ms")
    print(f"heads after a forward pass  {warm:.2f} ms, {warm / len(SENTENCES):.2f} ms a sentence")


if __name__ == "__main__":
    main()
