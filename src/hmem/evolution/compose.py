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
from hmem.derived.changes import answered
from hmem.derived.chunks import decode, turn_of
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import EVENT_TREES, NAMED_TREES, DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.trees.nodes import ROOT
from hmem.errors import BudgetSpent, EmbedderError, ModelPending, ModelUnavailable, StorageError
from hmem.evolution.analyse import ModelWorker, Progress
from hmem.evolution.packing import TextKey, WriteItem, complete, in_order, portions, tokens_of, work_of
from hmem.language.analyst import Excerpt
from hmem.language.analyst.cached_model import (
    AnswerKind,
    CachedModelAnalyst,
    digest,
)
from hmem.language.analyst.language_model import ToName, ToPortray, ToProfile, ToSummarise, WorkerModel, WriteResult
from hmem.language.containment import Fault, contained
from hmem.storage.model_queue import ERASED, PAIRED, READ_FROM, READINGS, KeptAnswer

# Most lines that are shown for a text: the most important ones.
MOST_LINES: Final = 24
# With fewer leaves the rules' summary says everything.
LEAST_LEAVES: Final = 3
# Number of places that are looked at with the memory locked.
_AT_ONCE: Final = 32
# Least token limit of a text, which otherwise has no more tokens than its lines.
_LEAST_TOKENS: Final = 24
# Number of times that an item that a model left out is requested again.
_AGAIN: Final = 2
# Errors of a request that no item in it is to blame for.
_OF_NO_ITEM: Final = (BudgetSpent, ModelUnavailable, StorageError, EmbedderError)
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
        erased = settings.get(ERASED)
        last = int(settings.get(READINGS, "0"))
        items = self._gather(int(settings.get(READ_FROM, "0")))
        known = self._answers([item.digest for item in items])
        lacking = [item for item in {item.digest: item for item in items}.values() if item.digest not in known]
        # The same text may go to several places.
        first = {item.digest: item.place for item in lacking if item.place is not None}
        writing = {each.place: first[each.digest] for each in items if each.place and each.digest in first}
        made, applied = 0, set[TextKey | None]()
        for some in portions(in_order(lacking, writing), model.room):
            if self._worker.halted(progress, limit):
                break
            answers, above = self._ask(model, some, progress, limit)
            if not self._keep(answers, erased):
                return made
            known |= {each.digest: each.content for each in answers}
            made += sum(each.content is not None for each in answers)
            if above:
                applied.update(each.place for each in self._apply_answered(some, known))
                made += self._keep_above(above, dict(self._texts(some, known)), erased)
        self._apply_answered([item for item in items if item.place not in applied], known)
        if all(item.digest in known for item in items):
            self._looked_at(last, erased)
        return made

    def _keep(self, answers: Sequence[KeptAnswer], erased: str | None) -> bool:
        """Keep answers, unless something was forgotten meanwhile; tell if they were kept."""
        with self._corpus.reading():
            return self._corpus.model_queue.keep_answers(answers, erased)

    def _apply_answered(self, items: Sequence[WriteItem], known: Mapping[bytes, bytes | None]) -> list[WriteItem]:
        """Write the texts of the places that have an answer; return their items."""
        answered = [item for item in items if item.place is not None and known.get(item.digest) is not None]
        self._apply(answered)
        return answered

    # Summaries of summaries that the same call wrote.

    @staticmethod
    def _texts(items: Sequence[WriteItem], known: Mapping[bytes, bytes | None]) -> Iterator[tuple[TextKey, str]]:
        """Yield the summaries that were written, by their places."""
        for item in items:
            content = known.get(item.digest)
            if item.place is not None and item.place[0] == "summary" and content is not None:
                yield item.place, decode(content)

    def _keep_above(
        self, above: Sequence[tuple[WriteItem, KeptAnswer]], texts: dict[TextKey, str], erased: str | None
    ) -> int:
        """Keep summaries of summaries by the digest that they have now that those are written.

        Return their number. One whose sources have changed otherwise is left, and requested again.
        """
        made = 0
        for item, answer in above:
            told = {line: texts[place] for place, line in item.awaits if place in texts}
            expected = tuple(replace(line, text=told.get(line, line.text)) for line in item.made_from)
            if item.place is None or len(told) < len(item.awaits):
                continue
            with self._corpus.reading():
                self._derived.catch_up()
                fresh = next(self._item(item.place), None)
            if fresh is None or fresh.made_from != expected:
                continue
            if not self._keep([answer._replace(digest=fresh.digest)], erased):
                return made
            self._apply([item])
            texts |= self._texts([item], {item.digest: answer.content})
            made += 1
        return made

    def _beneath(self, place: TextKey) -> Iterator[TextKey]:
        """Yield the summaries that a summary is made from, in the order of the lines that quote them."""
        _, name, number = place
        for child in self._text_writer.summarised_below(name, number):
            yield "summary", name, child

    def _looked_at(self, last: int, erased: str | None) -> None:
        """Store that all texts of extractions up to a number were requested, unless something was forgotten."""
        with self._corpus.reading():
            storage = self._corpus.storage
            settings = storage.state().settings
            if int(settings.get(PAIRED, "0")) < last and settings.get(ERASED) == erased:
                storage.put_settings({PAIRED: str(last)})

    def _answers(self, digests: Sequence[bytes]) -> dict[bytes, bytes | None]:
        with self._corpus.reading():
            return {each.digest: each.content for each in self._corpus.model_queue.answers(digests)}

    # Missing texts.

    def _gather(self, since: int) -> list[WriteItem]:
        """Gather the items of all texts to be written that involve a turn after a number.

        Texts about earlier turns alone stay as the rules wrote them.
        """
        with self._corpus.reading():
            self._derived.catch_up()
            places = [place for place in self._places() if since == 0 or self._newest(place) > since]
        items: list[WriteItem] = []
        for start in range(0, len(places), _AT_ONCE):
            with self._corpus.reading():
                self._derived.catch_up()
                items += [item for place in places[start : start + _AT_ONCE] for item in self._item(place)]
        return items

    def _places(self) -> Iterator[TextKey]:
        derived, options = self._derived, self._text_writer.options
        for name, tree in derived.trees.items():
            texts = derived.written[name]
            for level in range(1, tree.level(ROOT) + 1):
                for node in tree.nodes(level):
                    if options.summaries and tree.size(node) >= LEAST_LEAVES and _by_rules(texts.summaries.of(node)):
                        yield "summary", name, node
                    if (
                        name in NAMED_TREES
                        and node != ROOT
                        and not tree.label(node)
                        and _by_rules(texts.names.of(node))
                    ):
                        yield "name", name, node
        for entity in derived.graph.entities() if options.profiles else ():
            named = derived.graph.mentions(entity)
            if named and self._text_writer.salient(entity) and _by_rules(derived.profiles.of(entity)):
                yield "profile", "", entity
        for person in derived.personas.people() if options.persona else ():
            if _by_rules(derived.personas.of(person)):
                yield "persona", person.owner, person.number

    def _newest(self, place: TextKey) -> int:
        """Return the number of the last turn that a place's text is about."""
        kind, name, number = place
        if kind in ("summary", "name"):
            newest = max(self._derived.trees[name].under(number), default=0)
            return turn_of(newest) if name in EVENT_TREES else newest
        if kind == "profile":
            return max(self._derived.graph.mentions(number), default=0)
        kept = self._derived.personas.of(ScopedPerson(name, number))
        return 0 if kept is None else turn_of(max(kept.notes, default=0))

    def _item(self, place: TextKey) -> Iterator[WriteItem]:
        """Yield the item of a place; none if it is gone or if the rules fail on its sources."""
        made = contained(lambda: list(self._made_from(place)))
        yield from () if isinstance(made, Fault) else made

    def _made_from(self, place: TextKey) -> Iterator[WriteItem]:
        kind, name, number = place
        text_writer, options = self._text_writer, self._text_writer.options
        if kind in ("summary", "name") and number not in self._derived.trees[name]:
            return
        if kind == "summary":
            lines, tokens = text_writer.lines_below(name, number), options.summary_tokens
            if lines:
                shown, children = _telling(lines), list(self._beneath(place))
                asked = ToSummarise(shown, _room_for(shown, tokens))
                below = tuple(zip(children, lines[len(lines) - len(children) :], strict=True))
                yield WriteItem(digest("summary", lines, tokens), asked, place, tuple(lines), below)
        elif kind == "name":
            lines = tuple(text_writer.lines_named(name, number))
            names = tuple(speaker.name for speaker in self._corpus.speakers)
            if lines:
                asked = ToName(lines, names, self._siblings(name, number))
                yield WriteItem(digest("name", [line.text for line in lines]), asked, place)
        elif kind == "profile":
            subject, tokens = text_writer.subject(number), options.profile_tokens
            if subject.lines:
                shown = type(subject)(subject.name, subject.type, _telling(subject.lines))
                asked = ToProfile(shown, _room_for(shown.lines, tokens))
                yield WriteItem(digest("profile", subject, tokens), asked, place)
        else:
            person, claims = text_writer.persona_claims(ScopedPerson(name, number))
            tokens = options.profile_tokens
            if claims:
                asked = ToPortray(person, tuple(claims[-MOST_LINES:]), tokens)
                yield WriteItem(digest("persona", person, claims, tokens), asked, place)

    def _siblings(self, name: str, node: int) -> tuple[str, ...]:
        """Return the names of the other children of a node's parent."""
        tree, names = self._derived.trees[name], self._derived.written[name].names
        parent = tree.parent(node)
        others = [] if parent is None else [int(each) for each in tree.children(parent) if int(each) != node]
        called = (kept.text for each in others if (kept := names.of(each)) is not None)
        return tuple(each for each in called if each)[:MOST_LINES]

    # Asking, and writing from the answers.

    def _ask(
        self, model: WorkerModel, items: Sequence[WriteItem], progress: Progress, limit: int | None
    ) -> tuple[list[KeptAnswer], list[tuple[WriteItem, KeptAnswer]]]:
        """Request some items in one call; those that could not be requested get no answer.

        Answers to items that await others, whose digests are not known yet, are returned separately.

        If an answer is unusable, the request is halved to find the item that spoils it, which is left to the rules.
        Items that the answer leaves out are requested again separately.
        """
        answers, above = list[KeptAnswer](), list[tuple[WriteItem, KeptAnswer]]()
        groups = deque([(sorted(items, key=lambda item: _KINDS.index(type(item.asked))), 0)])
        while groups and not self._worker.halted(progress, limit):
            group, again = groups.popleft()
            group = complete(group)
            if not group:
                continue
            try:
                said = contained(partial(self._asked, model, group), raising=_OF_NO_ITEM)
            except BudgetSpent as error:
                progress.ended("spent", 0, str(error))
                continue
            except ModelPending as error:
                progress.ended("pending", 0, str(error))
                continue
            except ModelUnavailable as error:
                if not self._worker.pause(progress, error):
                    break
                groups.appendleft((group, again))
                continue
            if isinstance(said, Fault):
                progress.ended("failed", 0, str(said), _NEVER)
                half = len(group) // 2
                if half and progress.in_a_row < _IN_A_ROW:
                    groups += [(group[:half], again), (group[half:], again)]
                else:
                    answers += [_unanswered(item, model.made_by) for item in group if not item.awaits]
            else:
                progress.ended("read", 0)
                told = list(zip(group, said, strict=True))
                above += _written_above(told)
                told = [(item, each) for item, each in told if not item.awaits]
                lacking = [item for item, each in told if each.content is None]
                if 0 < len(lacking) < len(told) and again < _AGAIN:
                    groups.append((lacking, again + 1))
                    told = [(item, each) for item, each in told if each.content is not None]
                answers += [each for _, each in told]
        return answers, above

    def _asked(self, model: WorkerModel, items: Sequence[WriteItem]) -> list[KeptAnswer]:
        """Return the model's answers to some items, in the order of their kinds."""
        written = model.write(work_of([[each for each in items if type(each.asked) is kind] for kind in _KINDS]))
        return [
            answered(item.digest, _kind(item), written.made_by, value)
            for item, value in zip(items, _values(written), strict=True)
        ]

    def _apply(self, items: Sequence[WriteItem]) -> None:
        """Write the texts of some places again, from their answers."""
        for start in range(0, len(items), _AT_ONCE):
            with self._corpus.reading():
                self._derived.catch_up()
                for item in items[start : start + _AT_ONCE]:
                    if item.place is not None:
                        self._write(item.place)
                self._derived.store(self._derived.at.watermark)

    def _write(self, place: TextKey) -> None:
        kind, name, number = place
        derived, text_writer = self._derived, self._text_writer
        if kind == "persona":
            if derived.personas.of(person := ScopedPerson(name, number)) is not None:
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
        above = tree.parent(number)
        while above is not None and self._text_writer.summarised_below(name, above):
            if _by_rules(summaries.of(above)):
                summaries.outdate(above)
            above = tree.parent(above)


_KINDS: Final = (ToSummarise, ToName, ToProfile, ToPortray)
_NAMES: Final[tuple[AnswerKind, ...]] = ("summary", "name", "profile", "persona")
_NEVER: Final = 1_000_000
# Unusable answers in a row after which the model is to blame, not an item.
_IN_A_ROW: Final = 6


def _kind(item: WriteItem) -> AnswerKind:
    return _NAMES[_KINDS.index(type(item.asked))]


def _written_above(told: Sequence[tuple[WriteItem, KeptAnswer]]) -> list[tuple[WriteItem, KeptAnswer]]:
    """Return the answers to summaries whose awaited summaries the same call wrote."""
    there = {item.place for item, each in told if each.content is not None}
    return [
        (item, each)
        for item, each in told
        if item.awaits and item.place in there and there.issuperset(place for place, _ in item.awaits)
    ]


def _unanswered(item: WriteItem, made_by: str) -> KeptAnswer:
    return answered(item.digest, _kind(item), made_by, None)


def _values(written: WriteResult) -> Iterator[Any]:
    """Yield what was written, in the order of the kinds, as JSON values."""
    yield from written.summaries
    yield from written.topics
    for profile in written.profiles:
        yield None if profile is None else [profile.persistent, profile.recent]
    for persona in written.personas:
        yield None if persona is None else [persona.text, persona.traits]


def _by_rules(kept: Any) -> bool:
    """Tell if a text is missing, or was made by rules."""
    return kept is None or kept.made_by.startswith(_RULES)


def _telling(lines: Sequence[Excerpt]) -> tuple[Excerpt, ...]:
    """Return the most important lines, as many as are shown, in their order."""
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    best = sorted(range(len(lines)), key=lambda place: (-lines[place].importance, -place))[:MOST_LINES]
    return tuple(lines[place] for place in sorted(best))


def _room_for(lines: Sequence[Excerpt], tokens: int) -> int:
    """Return the token limit of a text that is made from these lines."""
    return min(tokens, max(tokens_of(lines), _LEAST_TOKENS))
