"""Composer: has a model write the texts that have only the rules' version or none.

Missing texts are gathered, requested in few calls, and kept by a digest of their sources; then the texts are written
again from the answers (``CachedModelAnalyst``). So no lock is held during a call, two workers that ask for the same do
no harm, and a text whose sources changed meanwhile is not overwritten: its digest differs.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import encode_answer
from hmem.derived.chunks import decode, turn_of
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import EVENT_TREES, NAMED_TREES, DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.trees.nodes import ROOT
from hmem.evolution.analyse import ModelWorker, Progress
from hmem.evolution.packing import TextKey, WriteItem, complete, in_order, portions, tokens_of, work_of
from hmem.language.analyst import Excerpt
from hmem.language.analyst.cached_model import AnswerKind, CachedModelAnalyst, digest
from hmem.language.analyst.language_model import ToName, ToPortray, ToProfile, ToSummarise, WorkerModel, WriteResult
from hmem.language.containment import Fault, contained
from hmem.storage.model_queue import ERASURES, PAIRED, READ_FROM, READINGS, KeptAnswer

# Most lines that are shown for a text: the most important ones.
MOST_LINES: Final = 24
# With fewer leaves the rules' summary says everything.
LEAST_LEAVES: Final = 3
# Number of texts that are prepared while the memory is locked.
_AT_ONCE: Final = 32
# Least token limit of a text, which otherwise has no more tokens than its lines.
_LEAST_TOKENS: Final = 24
# Number of times that an item that a model left out is requested again.
_RETRIES: Final = 2
# Authors whose texts the model is to replace.
_RULES: Final = ("rules", "verbatim")


class Composer:
    """Writer of one memory's missing texts by a model, in a run of a worker."""

    def __init__(
        self,
        corpus: Corpus,
        derived: DerivedState,
        text_writer: TextWriter,
        analyst: CachedModelAnalyst,
        worker: ModelWorker,
    ) -> None:
        self._corpus = corpus
        self._derived = derived
        self._text_writer = text_writer
        self._analyst = analyst
        self._worker = worker

    def run(self, model: WorkerModel, progress: Progress, limit: int | None = None) -> int:
        """Have all missing texts written, within a limit of calls; return the number of texts.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was written so far is kept.
        """
        with self._corpus.reading():
            settings = self._corpus.storage.state().settings
        erasure_mark = settings.get(ERASURES)
        last = int(settings.get(READINGS, "0"))
        items = self._gather(int(settings.get(READ_FROM, "0")))
        contents = self._answers([item.digest for item in items])
        unwritten = [item for item in {item.digest: item for item in items}.values() if item.digest not in contents]
        # The same text may be needed under several keys.
        first = {item.digest: item.key for item in unwritten if item.key is not None}
        writing = {item.key: first[item.digest] for item in items if item.key and item.digest in first}
        count, applied = 0, set[TextKey | None]()
        for portion in portions(in_order(unwritten, writing), model.room):
            if self._worker.halted(progress, limit):
                break
            answers, parents = self._ask(model, portion, progress, limit)
            if not self._store(answers, erasure_mark):
                return count
            contents |= {answer.digest: answer.content for answer in answers}
            count += sum(answer.content is not None for answer in answers)
            if parents:
                applied.update(item.key for item in self._apply_contents(portion, contents))
                count += self._store_parents(parents, dict(self._texts(portion, contents)), erasure_mark)
        self._apply_contents([item for item in items if item.key not in applied], contents)
        if all(item.digest in contents for item in items):
            self._mark_complete(last, erasure_mark)
        return count

    def _store(self, answers: Sequence[KeptAnswer], erasure_mark: str | None) -> bool:
        """Keep answers, unless something was forgotten meanwhile; tell if they were kept."""
        with self._corpus.reading():
            return self._corpus.model_queue.keep_answers(answers, erasure_mark)

    def _apply_contents(self, items: Sequence[WriteItem], contents: Mapping[bytes, bytes | None]) -> list[WriteItem]:
        """Write the texts that have an answer; return their items."""
        ready = [item for item in items if item.key is not None and contents.get(item.digest) is not None]
        self._apply(ready)
        return ready

    # Summaries of summaries that the same call wrote.

    @staticmethod
    def _texts(items: Sequence[WriteItem], contents: Mapping[bytes, bytes | None]) -> Iterator[tuple[TextKey, str]]:
        """Yield the summaries that were written, by their keys."""
        for item in items:
            content = contents.get(item.digest)
            if item.key is not None and item.key[0] == "summary" and content is not None:
                yield item.key, decode(content)

    def _store_parents(
        self, parents: Sequence[tuple[WriteItem, KeptAnswer]], texts: dict[TextKey, str], erasure_mark: str | None
    ) -> int:
        """Store summaries of summaries under the digests that they have now that the summaries below are written.

        Return their number. One whose sources have changed otherwise is left, and requested again.
        """
        count = 0
        for item, answer in parents:
            line_texts = {line: texts[key] for key, line in item.awaits if key in texts}
            source_lines = tuple(replace(line, text=line_texts.get(line, line.text)) for line in item.made_from)
            if item.key is None or len(line_texts) < len(item.awaits):
                continue
            with self._corpus.reading():
                self._derived.catch_up()
                fresh = next(self._item(item.key), None)
            if fresh is None or fresh.made_from != source_lines:
                continue
            if not self._store([answer._replace(digest=fresh.digest)], erasure_mark):
                return count
            self._apply([item])
            texts |= self._texts([item], {item.digest: answer.content})
            count += 1
        return count

    def _children(self, key: TextKey) -> Iterator[TextKey]:
        """Yield the summaries that a summary is made from, in the order of the lines that quote them."""
        _, name, number = key
        for child in self._text_writer.summarised_below(name, number):
            yield "summary", name, child

    def _mark_complete(self, last: int, erasure_mark: str | None) -> None:
        """Store that all texts of extractions up to a number were requested, unless something was forgotten."""
        with self._corpus.reading():
            storage = self._corpus.storage
            settings = storage.state().settings
            if int(settings.get(PAIRED, "0")) < last and settings.get(ERASURES) == erasure_mark:
                storage.put_settings({PAIRED: str(last)})

    def _answers(self, digests: Sequence[bytes]) -> dict[bytes, bytes | None]:
        with self._corpus.reading():
            return {answer.digest: answer.content for answer in self._corpus.model_queue.answers(digests)}

    # Missing texts.

    def _gather(self, since: int) -> list[WriteItem]:
        """Gather the items of all texts to be written that involve a turn after a number.

        Texts about earlier turns alone stay as the rules wrote them.
        """
        with self._corpus.reading():
            self._derived.catch_up()
            keys = [key for key in self._text_keys() if since == 0 or self._newest(key) > since]
        items: list[WriteItem] = []
        for start in range(0, len(keys), _AT_ONCE):
            with self._corpus.reading():
                self._derived.catch_up()
                items += [item for key in keys[start : start + _AT_ONCE] for item in self._item(key)]
        return items

    def _text_keys(self) -> Iterator[TextKey]:
        derived, options = self._derived, self._text_writer.options
        for name, tree in derived.trees.items():
            texts = derived.written[name]
            for level in range(1, tree.level(ROOT) + 1):
                for node in tree.nodes(level):
                    if options.summaries and tree.size(node) >= LEAST_LEAVES and _by_rules(texts.summaries.get(node)):
                        yield "summary", name, node
                    if (
                        name in NAMED_TREES
                        and node != ROOT
                        and _by_rules(texts.names.get(node))
                        and not derived.label_of(name, node)
                    ):
                        yield "name", name, node
        for entity in derived.graph.entities() if options.profiles else ():
            mentions = derived.graph.mentions(entity)
            if mentions and self._text_writer.salient(entity) and _by_rules(derived.profiles.get(entity)):
                yield "profile", "", entity
        for person in derived.personas.people() if options.persona else ():
            if _by_rules(derived.personas.get(person)):
                yield "persona", person.owner, person.number

    def _newest(self, key: TextKey) -> int:
        """Return the number of the last turn that a text is about."""
        kind, name, number = key
        if kind in ("summary", "name"):
            newest = max(self._derived.trees[name].leaves_below(number), default=0)
            return turn_of(newest) if name in EVENT_TREES else newest
        if kind == "profile":
            return max(self._derived.graph.mentions(number), default=0)
        persona = self._derived.personas.get(ScopedPerson(name, number))
        return 0 if persona is None else turn_of(max(persona.notes, default=0))

    def _item(self, key: TextKey) -> Iterator[WriteItem]:
        """Yield the item of a text; none if its node is gone or if the rules fail on its sources."""
        items = contained(lambda: list(self._build_items(key)))
        yield from () if isinstance(items, Fault) else items

    def _build_items(self, key: TextKey) -> Iterator[WriteItem]:
        kind, name, number = key
        text_writer, options = self._text_writer, self._text_writer.options
        if kind in ("summary", "name") and number not in self._derived.trees[name]:
            return
        if kind == "summary":
            lines, tokens = text_writer.lines_below(name, number), options.summary_tokens
            if lines:
                excerpts, children = _most_important(lines), list(self._children(key))
                request = ToSummarise(excerpts, _room_for(excerpts, tokens))
                quotes = tuple(zip(children, lines[len(lines) - len(children) :], strict=True))
                yield WriteItem(digest("summary", lines, tokens), request, key, tuple(lines), quotes)
        elif kind == "name":
            lines = tuple(text_writer.lines_named(name, number))
            names = tuple(speaker.name for speaker in self._corpus.speakers)
            if lines:
                request = ToName(lines, names, self._siblings(name, number))
                yield WriteItem(digest("name", [line.text for line in lines]), request, key)
        elif kind == "profile":
            subject, tokens = text_writer.subject(number), options.profile_tokens
            if subject.lines:
                excerpts = type(subject)(subject.name, subject.type, _most_important(subject.lines))
                request = ToProfile(excerpts, _room_for(excerpts.lines, tokens))
                yield WriteItem(digest("profile", subject, tokens), request, key)
        else:
            person, claims = text_writer.persona_claims(ScopedPerson(name, number))
            tokens = options.profile_tokens
            if claims:
                request = ToPortray(person, tuple(claims[-MOST_LINES:]), tokens)
                yield WriteItem(digest("persona", person, claims, tokens), request, key)

    def _siblings(self, name: str, node: int) -> tuple[str, ...]:
        """Return the names of the other children of a node's parent."""
        tree, names = self._derived.trees[name], self._derived.written[name].names
        parent = tree.parent(node)
        siblings = [] if parent is None else [int(child) for child in tree.children(parent) if int(child) != node]
        texts = (title.text for sibling in siblings if (title := names.get(sibling)) is not None)
        return tuple(text for text in texts if text)[:MOST_LINES]

    # Asking, and writing from the answers.

    def _ask(
        self, model: WorkerModel, items: Sequence[WriteItem], progress: Progress, limit: int | None
    ) -> tuple[list[KeptAnswer], list[tuple[WriteItem, KeptAnswer]]]:
        """Request some items in one call; those that could not be requested get no answer.

        Answers to items that await others, whose digests are not known yet, are returned separately.

        If an answer is unusable, the request is halved to find the item that spoils it, which is left to the rules.
        Items that the answer leaves out are requested again separately.
        """
        answers, parents = list[KeptAnswer](), list[tuple[WriteItem, KeptAnswer]]()
        groups = deque([(sorted(items, key=lambda item: _KINDS.index(type(item.request))), 0)])
        while groups and not self._worker.halted(progress, limit):
            group, retries = groups.popleft()
            group = complete(group)
            if not group:
                continue
            reply = self._worker.ask(partial(self._request, model, group), progress, limit)
            if reply is None:
                continue
            if isinstance(reply, Fault):
                progress.count_call("failed", 0, str(reply), _NEVER)
                half = len(group) // 2
                if half and progress.in_a_row < _IN_A_ROW:
                    groups += [(group[:half], retries), (group[half:], retries)]
                else:
                    answers += [_unanswered(item, model.made_by) for item in group if not item.awaits]
            else:
                progress.count_call("read", 0)
                pairs = list(zip(group, reply, strict=True))
                parents += _complete_parents(pairs)
                pairs = [(item, answer) for item, answer in pairs if not item.awaits]
                missing = [item for item, answer in pairs if answer.content is None]
                if 0 < len(missing) < len(pairs) and retries < _RETRIES:
                    groups.append((missing, retries + 1))
                    pairs = [(item, answer) for item, answer in pairs if answer.content is not None]
                answers += [answer for _, answer in pairs]
        return answers, parents

    def _request(self, model: WorkerModel, items: Sequence[WriteItem]) -> list[KeptAnswer]:
        """Return the model's answers to some items, in the order of their kinds."""
        output = model.write(work_of([[item for item in items if type(item.request) is kind] for kind in _KINDS]))
        return [
            encode_answer(item.digest, _kind(item), output.made_by, value)
            for item, value in zip(items, _values(output), strict=True)
        ]

    def _apply(self, items: Sequence[WriteItem]) -> None:
        """Write some texts again, from their answers."""
        for start in range(0, len(items), _AT_ONCE):
            with self._corpus.reading():
                self._derived.catch_up()
                for item in items[start : start + _AT_ONCE]:
                    if item.key is not None:
                        self._write(item.key)
                self._derived.store(self._derived.at.watermark)

    def _write(self, key: TextKey) -> None:
        kind, name, number = key
        derived, text_writer = self._derived, self._text_writer
        if kind == "persona":
            if derived.personas.get(person := ScopedPerson(name, number)) is not None:
                text_writer.renew(person)
        elif kind == "profile":
            if derived.graph.mentions(number):
                derived.profiles.outdate(number)
                text_writer.profile(number)
        elif number in derived.trees[name]:
            texts = derived.written[name]
            if kind == "summary":
                texts.summaries.outdate(number)
                text_writer.summary(name, number)
                self._outdate_above(name, number)
            else:
                texts.names.outdate(number)
                text_writer.name(name, number)

    def _outdate_above(self, name: str, number: int) -> None:
        """Outdate the rules' summaries that were written from a summary."""
        tree, summaries = self._derived.trees[name], self._derived.written[name].summaries
        ancestor = tree.parent(number)
        while ancestor is not None and self._text_writer.summarised_below(name, ancestor):
            if _by_rules(summaries.get(ancestor)):
                summaries.outdate(ancestor)
            ancestor = tree.parent(ancestor)


_KINDS: Final = (ToSummarise, ToName, ToProfile, ToPortray)
_NAMES: Final[tuple[AnswerKind, ...]] = ("summary", "name", "profile", "persona")
_NEVER: Final = 1_000_000
# Unusable answers in a row after which the model is to blame, not an item.
_IN_A_ROW: Final = 6


def _kind(item: WriteItem) -> AnswerKind:
    return _NAMES[_KINDS.index(type(item.request))]


def _complete_parents(pairs: Sequence[tuple[WriteItem, KeptAnswer]]) -> list[tuple[WriteItem, KeptAnswer]]:
    """Return the answers to summaries whose awaited summaries the same call wrote."""
    keys = {item.key for item, answer in pairs if answer.content is not None}
    return [
        (item, answer)
        for item, answer in pairs
        if item.awaits and item.key in keys and keys.issuperset(key for key, _ in item.awaits)
    ]


def _unanswered(item: WriteItem, producer: str) -> KeptAnswer:
    return encode_answer(item.digest, _kind(item), producer, None)


def _values(output: WriteResult) -> Iterator[Any]:
    """Yield what was written, in the order of the kinds, as JSON values."""
    yield from output.summaries
    yield from output.topics
    for profile in output.profiles:
        yield None if profile is None else [profile.persistent, profile.recent]
    for persona in output.personas:
        yield None if persona is None else [persona.text, persona.traits]


def _by_rules(text: Any) -> bool:
    """Tell if a text is missing, or was made by rules."""
    return text is None or text.made_by.startswith(_RULES)


def _most_important(lines: Sequence[Excerpt]) -> tuple[Excerpt, ...]:
    """Return the most important lines, as many as are shown, in their order."""
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    best = sorted(range(len(lines)), key=lambda index: (-lines[index].importance, -index))[:MOST_LINES]
    return tuple(lines[index] for index in sorted(best))


def _room_for(lines: Sequence[Excerpt], tokens: int) -> int:
    """Return the token limit of a text that is made from these lines."""
    return min(tokens, max(tokens_of(lines), _LEAST_TOKENS))
