"""A chat without a schema: a short text that is derived from what was said before."""

from collections.abc import Iterator

from hmem.corpus.index.analyzer import stems
from hmem.language.english.sentences import split
from hmem_testing.fake_llm.asking import Asked, text_of


def talk(asked: Asked) -> str:
    """The earlier sentence that shares the most words with the last message; what a tool said comes first.

    Where none shares any, it says what it read, so that an example shows something.
    """
    last = asked.messages[-1]
    if last["role"] == "tool":
        return text_of(last).strip() or "Done."
    question = next((text_of(each) for each in reversed(asked.messages) if each["role"] == "user"), "").strip()
    wanted = set(stems(question))
    best, most = "", 0
    for sentence in _before(asked, question):
        shared = len(wanted & set(stems(sentence)))
        if shared >= max(most, 1):
            best, most = sentence, shared
    return best or (f"I read: {question}" if question else "I read nothing.")


def _before(asked: Asked, question: str) -> Iterator[str]:
    for message in asked.messages:
        text = text_of(message).strip()
        if text != question:
            yield from (
                part for part in (text[each.start : each.end] for each in split(text)) if not part.endswith("?")
            )
