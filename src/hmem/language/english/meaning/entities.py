"""Entities and relations of turns, read from their trees (H-Mem, tree and graph: formation, step 3).

Entities are proper names, close people and things by whose they are ("Ann's sister"), and the noun phrases that a
relation ties. The speaker of a turn is an entity only where a relation involves them. A caption is what a picture
shows: its names count less, and it relates nothing. An assistant's "I" is nobody's.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from hmem.language.analyst.base import Extraction, Naming, Passage, Tie
from hmem.language.english.gazetteer import given_names
from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.meaning.lists import FEMALE_KIN, MALE_KIN
from hmem.language.english.meaning.mentions import EntityMention, SentenceMentions
from hmem.language.english.meaning.name_lists import variants_of
from hmem.language.english.meaning.names import Name, names
from hmem.language.english.meaning.reference import (
    FIRST,
    GROUP,
    ROLES,
    SECOND,
    THIRD,
    Candidate,
    Sex,
    Speech,
    hearer_of,
    refers,
    resolve,
    windows,
)
from hmem.language.english.meaning.relations import relations
from hmem.language.english.parser import Parser, is_inner, parser
from hmem.language.english.tree import Parse, Sentence, Token
from hmem.model.entity import EntityType
from hmem.model.turn import Turn

# Most entities of a turn: a pasted book must not swamp the graph.
MOST: Final = 48
_KEPT: Final = 48
_THINGS: Final = frozenset({"it", "its", "itself"})

# Salience of a name: as a topic, as a role or phrase, in an address, on a picture.
_TALKED_ABOUT: Final = 1.0
_PHRASED: Final = 0.6
_PICTURED: Final = 0.5
_CALLED_OUT: Final = 0.3


def entities(passage: Passage, pipeline: Parser | None = None) -> list[Extraction]:
    """Return the entities and relations of each wanted turn of a passage."""
    pipeline = pipeline or parser()
    parses = pipeline.parse([turn.text for turn in passage.turns])
    captions = pipeline.parse([turn.caption or "" for turn in passage.wanted])
    speakers = tuple(dict.fromkeys((*passage.speakers, *(turn.speaker for turn in passage.turns))))
    people = people_of(speakers)
    found: list[Extraction] = []
    for window, caption in zip(windows(passage), captions, strict=True):
        speech: Speech | None = None
        kinds: dict[str, EntityType] = {}
        noted: dict[str, EntityMention] = {}
        extraction = Extraction()
        # Who was named before counts only if the turn has a pronoun for them.
        referring = refers(parses[window[-1]])
        for place in window:
            turn = passage.turns[place]
            hearer = hearer_of(turn.speaker, speakers)
            speech = Speech(turn.speaker, hearer) if speech is None else speech.said_by(turn.speaker, hearer)
            reader = _Turn(turn, parses[place], speech, people, kinds, noted)
            extraction = reader.read(wanted=place == window[-1], noting=referring)
        pictured = _pictured(passage.turns[window[-1]], caption, people)
        found.append(replace(extraction, namings=(*extraction.namings, *pictured)[:MOST]))
    return found


def people_of(speakers: Collection[str]) -> frozenset[str]:
    """Return the lower-cased words of the speakers' names."""
    return frozenset(chain.from_iterable(speaker.lower().split() for speaker in speakers)) - ROLES - {"the", "of"}


class _Turn:
    def __init__(
        self,
        turn: Turn,
        parsed: Parse,
        speech: Speech,
        people: frozenset[str],
        kinds: dict[str, EntityType],
        noted: dict[str, EntityMention],
    ) -> None:
        self._turn = turn
        self._parse = parsed
        self._speech = speech
        self._people = people
        self._kinds = kinds
        self._noted = noted
        self._silent = turn.role in ("system", "tool")

    def read(self, *, wanted: bool, noting: bool) -> Extraction:
        """Return the extraction of the turn; of a turn that is only context, what it names is noted."""
        namings: dict[tuple[int, int], Naming] = {}
        ties: list[Tie] = []
        for sentence in self._parse.sentences:
            self._speech.sentence += 1
            found = [self._consistent(name) for name in names(sentence, self._people)]
            mentions = SentenceMentions(sentence, found, self._meant)
            if wanted and not self._silent and not is_inner(self._turn.text, sentence.start):
                ties += self._ties(mentions, clauses(sentence), found)
            if noting:
                self._note(mentions)
            if not wanted:
                continue
            for naming in self._namings(sentence, mentions, found, ties):
                namings.setdefault((naming.start, naming.end), naming)
        kept = sorted(_apart(namings.values()), key=lambda naming: (naming.start, naming.end))
        return Extraction(tuple(kept[:MOST]), tuple(dict.fromkeys(ties))[:MOST])

    def _consistent(self, name: Name) -> Name:
        """Return a name with the kind that it was given before, where nothing tells its own."""
        key = name.text.casefold()
        if name.type == "other" or (name.type == "person" and not name.described and self._kinds.get(key) == "animal"):
            return replace(name, type=self._kinds.get(key, name.type))
        self._kinds[key] = name.type
        return name

    def _ties(self, mentions: SentenceMentions, parts: Sequence[Clause], found: Sequence[Name]) -> list[Tie]:
        made = relations(mentions, parts, found, self._turn.speaker, self._speech.hearer)
        if self._turn.role != "assistant":
            return made
        # An assistant's actions are nobody's; its statements about the user are kept.
        return [tie for tie in made if self._turn.speaker not in (tie.source, tie.target)]

    def _meant(self, mentions: SentenceMentions, token: Token) -> EntityMention | None:
        """Return who a pronoun means: of the same sentence before it, else of those before; None if it is open."""
        word = token.lower
        if word in FIRST | GROUP:
            return EntityMention(self._turn.speaker, "person", pronoun=True)
        if word in SECOND:
            hearer = self._speech.hearer
            return EntityMention(hearer, "person", pronoun=True, hearer=True) if hearer is not None else None
        if word not in THIRD or word in _THINGS:
            return None
        here = [one for each in mentions.sentence.tokens[: token.index] for one in self._candidates(mentions, each)]
        number = self._speech.sentence
        agreeing = [each for each in here if resolve(Speech("", None, [each], number), token)]
        speech = Speech("", None, agreeing, number) if agreeing else self._speech
        meant = resolve(speech, token)
        # "She" is neither who speaks nor who is spoken to.
        if meant is None or meant in (self._turn.speaker, self._speech.hearer):
            return None
        return self._noted.get(meant)

    def _candidates(self, mentions: SentenceMentions, token: Token) -> Iterator[Candidate]:
        """Yield what a later pronoun can mean by a noun of a sentence."""
        if token.upos not in ("NOUN", "PROPN") or token.relation in ("compound", "flat", "vocative"):
            return
        mention, name = mentions.of(token), mentions.name(token)
        if mention is None or mention.pronoun or (name is not None and name.called):
            return
        self._noted[mention.surface] = replace(mention, start=-1, end=-1)
        person = mention.type in ("person", "animal")
        above = mentions.sentence.head(token) if token.relation == "conj" else token
        subject = above is not None and above.relation.startswith("nsubj")
        # A name with an "s" is not several people; a family is.
        plural = mention.plural if mention.role else False
        plural = plural or mention.role == "family"
        number = self._speech.sentence
        yield Candidate(mention.surface, _sex(mention, mentions, token), person, plural, subject, number)
        if mention.type == "animal":
            yield Candidate(mention.surface, "", person=False, plural=plural, subject=subject, sentence=number)

    def _note(self, mentions: SentenceMentions) -> None:
        """Note the entities of a sentence as what a later pronoun can mean."""
        found = [each for token in mentions.sentence for each in self._candidates(mentions, token)]
        self._speech.candidates.extend(dict.fromkeys(found))
        del self._speech.candidates[:-_KEPT]

    def _namings(
        self, sentence: Sentence, mentions: SentenceMentions, found: Sequence[Name], ties: Sequence[Tie]
    ) -> Iterator[Naming]:
        for name in found:
            mention = mentions.of(name.head)
            also = mention.also if mention is not None and mention.surface == name.text else ()
            salience = _CALLED_OUT if name.called else _TALKED_ABOUT
            variants = variants_of(name.text) if name.type == "person" else ()
            yield Naming(name.text, name.type, name.start, name.end, salience, also, variants)
        tied = {each for tie in ties for each in (tie.source, tie.target)}
        for token in sentence:
            mention = mentions.of(token) if token.upos == "NOUN" else None
            if mention is None or mention.start < 0 or any(name.text == mention.surface for name in found):
                continue
            if mention.surface in tied or (mention.named and mention.role):
                yield Naming(mention.surface, mention.type, mention.start, mention.end, _PHRASED)


def _apart(namings: Collection[Naming]) -> Iterator[Naming]:
    """Yield the namings without those inside a longer one."""
    for naming in namings:
        if not any(
            other is not naming and other.start <= naming.start and naming.end <= other.end for other in namings
        ):
            yield naming


def _sex(mention: EntityMention, mentions: SentenceMentions, token: Token) -> Sex:
    words = [mention.role, *(surface.rpartition(" ")[2] for surface in mention.also)]
    name = mentions.name(token)
    words += [noun.lower for noun in name.described] if name is not None else []
    if any(word in FEMALE_KIN for word in words):
        return "female"
    return "male" if any(word in MALE_KIN for word in words) else ""


def _pictured(turn: Turn, caption: Parse, people: frozenset[str]) -> Iterator[Naming]:
    """Yield the names of a caption, which stands behind the text and a space."""
    offset = len(turn.content) - len(turn.caption or "")
    for sentence in caption.sentences:
        for name in names(sentence, people):
            if any(letter.isupper() for letter in name.text) or name.text.lower() in given_names():
                yield Naming(name.text, name.type, name.start + offset, name.end + offset, _PICTURED)
