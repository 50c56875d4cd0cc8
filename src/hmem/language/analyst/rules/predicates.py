"""What a subject and its verb claim: "Maria has …", "Maria's brother plays …", "Anna moved to …"."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.analyst.rules.belongings import NO_NAMES, POINTERS
from hmem.language.analyst.rules.claiming import SELF, Maker
from hmem.language.analyst.rules.gazetteer import given_names, is_common, known_names
from hmem.language.analyst.rules.occasions import occasion
from hmem.language.analyst.rules.relatives import KIN
from hmem.language.analyst.rules.slots import BY_VERB
from hmem.language.analyst.rules.sureness import unsure, within
from hmem.language.analyst.rules.values import is_meaningful, phrase, shortened, trimmed, without_determiner
from hmem.language.analyst.rules.verbs import is_past, third_person
from hmem.language.analyst.rules.vocabulary import Rule
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex

_ADVERBS: Final = (
    r"(?:(?:really|always|just|also|still|actually|recently|finally|usually|often|mostly|already|now|"
    r"totally|absolutely|currently|sometimes|especially|definitely|truly|even|kind of|kinda|once|first|"
    r"both|all|officially|only|personally|particularly|secretly|initially|lately|generally|normally|"
    r"barely|honestly|eventually|then|soon|regularly|mainly|typically|primarily|quickly|ended up)\s+)*"
)
_VERBAL: Final = (
    r"(?:(?P<aux>does|did|(?:has|have|had) been(?= [a-z]+ing\b)|has|had|have|is|was|are|were|used to|will|"
    rf"could|can|would|may|might|should)\s+)?{_ADVERBS}(?P<not>(?:not|never|no longer|cannot|rarely|"
    rf"hardly)\s+)?{_ADVERBS}(?P<verb>[a-z]+)(?:\s+|(?=[.,!;]|$))"
)
_PREDICATE: Final = regex(
    rf"(?<![\w'-])(?:{SELF}(?P<kin>'s\s+(?:[a-z-]+\s+){{0,2}}?(?P<who>{KIN}|nephew|cousin|kids|twins))?(?:,?\s+"
    rf"(?P<name>[A-Z][a-zà-ÿ]+)\b,?)?(?P<others> and others)?)\s+{_ADVERBS}{_VERBAL}"
)
_NAME: Final = regex(r"(?<![\w'-])(?P<name>[A-Z][a-zà-ÿ]{2,})(?= [A-Za-z])")
_NAMED: Final = regex(rf"(?P<name>[A-Z][a-zà-ÿ]{{2,}})(?P<family> [A-Z][a-zà-ÿ]{{2,}})? {_ADVERBS}{_VERBAL}")
# What stands before a name that is a subject.
_OPENING: Final = regex(
    r"(?:[,;] (?:and |but )?|[a-z] (?:and|but) | (?:because|that|since) "
    r"|^(?:On|Last|This|Yesterday|Today|Tonight|In|Two|Three|A)\b[A-Za-z0-9 ]{0,24},? )$"
)
# What of the sentence may go on about the same subject.
_OTHER: Final = regex(
    rf"[.;:!?()\"]|\b(?:which|who|that|because|since|when|where|while|if|as|although|so|he|she|it|they|there)\b"
    rf"|{SELF}(?!'s)"
)
_AND: Final = regex(rf"(?:,? and|,? but|,? then|,| -) (?:then |also |now |even )?{_ADVERBS}(?P<verb>[a-z]+)(?= )")
_AND_PRESENT: Final = words("has is loves likes works lives enjoys hates wants prefers owns hopes speaks collects")
_NO_COORDINATE: Final = words("used needed loved liked")

# What is not told of others than the speaker.
_OWN_SLOTS: Final = words("friend relation project reading interest instruction goal")
# What is told of someone whose name is known from nothing else.
_SURE_SLOTS: Final = words(
    """
    home employer job age allergy plays studies diet language hometown birthplace child expecting partner family pet
    """
)
_GENERAL: Final = words(
    """
    event group class team show meeting party trip game community project new project club place event this
    weekend book band idea business feet hands
    """
) | {"new project", "new group", "new class", "two feet", "two hands"}
_POSSIBLE: Final = frozenset({"will", "could", "can", "would", "may", "might", "should"})
_BEING: Final = frozenset({"is", "are", "was", "were"})
_AVERSE: Final = frozenset(
    {"hate", "hates", "hated", "dislike", "dislikes", "loathe", "loathes", "despises", "despise"}
)
_STATES: Final = frozenset({"pet", "job", "partner", "likes", "diet", "owns", "allergy", "fear", "health", "interest"})
_WAS: Final = frozenset({"was", "had"})
_FREE: Final = frozenset({"event", "plan", "goal", "belief", "project", "studies"})
_BEFORE_NOT: Final = regex(r"\b(?:is|was|has) \{n\}")
_BASES: Final = {"is": "be", "was": "be", "has": "have", "goes": "go", "does": "do", "studies": "study"}
_WORDS_OF_A_VALUE: Final = 9
_LIVELY: Final = regex(r"(?:this|these|some) (?!of\b)(?=[\w-]+ [\w-]|\w{4,}$)(?!(?:one|time|thing|is|was)\b)")
_POINTING_END: Final = regex(
    r"^\w+ing (?:it|them|him|her|that|this|these|those)\b"
    r"| (?:it|them|him|her|that|this|these|those|there|you|us|me|something|everything|one)$"
)
_VERB_FIRST: Final = regex(r"(?:to )?(?:[a-z]+)\b")
_NOUN_FIRST: Final = regex(r"(?:a|an|the|some|another|my|our|this|that|his|her|their|[a-z]+ing)\b")


@dataclass(frozen=True, slots=True)
class _Said:
    """A subject and a verb; whether it is denied; and whether it is said to be past ("used to")."""

    subject: str
    verb: str
    negated: bool = False
    used: bool = False
    certain: bool = True


def predicates(sentence: str, maker: Maker) -> Iterator[Claim]:
    """The claims of the speaker's verbs, and of those of the people that are the speaker's."""
    reader = _Reader(sentence, maker)
    for found in _PREDICATE.finditer(sentence):
        yield from reader.read(found, reader.subject(found), certain=True)


def of_others(sentence: str, maker: Maker, speakers: Collection[str]) -> Iterator[Claim]:
    """The claims of the verbs of people called by name, who are no speakers."""
    reader = _Reader(sentence, maker)
    read_to = 0
    for candidate in _NAME.finditer(sentence):
        name, start = candidate["name"], candidate.start()
        given, is_name = _person(name)
        if not is_name or start < read_to or any(name in speaker for speaker in speakers):
            continue
        if start and _OPENING.search(sentence, max(start - 40, 0), start) is None:
            continue
        found = _NAMED.match(sentence, start)
        if found is not None:
            read_to = found.end()
            yield from reader.read(found, name + (found["family"] or ""), certain=given)


@lru_cache(maxsize=4_096)
def _person(name: str) -> tuple[bool, bool]:
    """Whether a word is a given name, and whether it may be a name of somebody at all."""
    small = name.lower()
    if name in NO_NAMES or name in POINTERS or small.endswith("day"):
        return False, False
    given = small in given_names() and not is_common(small)
    return given, given or not (is_common(small) or small in known_names())


class _Reader:
    """Reads the verbs of one sentence."""

    def __init__(self, sentence: str, maker: Maker) -> None:
        self.sentence = sentence
        self.maker = maker

    def subject(self, found: re.Match[str]) -> str | None:
        """Whom the verb is about; None when that is unclear."""
        speaker = self.maker.speaker
        if found["kin"]:
            name = found["name"]
            return name if name and name not in NO_NAMES else f"{speaker}'s {found['who']}"
        return None if found["name"] else speaker

    def read(self, found: re.Match[str], subject: str | None, *, certain: bool) -> Iterator[Claim]:
        """The claim of a verb, and those of the verbs that go on about the same subject."""
        aux = found["aux"] or ""
        verb = found["verb"]
        place = found.start()
        past = aux in ("was", "had", "did", "used to") or (not aux and is_past(verb))
        if "anymore" in self.sentence and not found["not"]:
            return
        if subject is None or within(self.sentence, place) or unsure(self.sentence, place, past=past):
            return
        claim = self._claim(found, _Said(subject, verb, found["not"] is not None, aux == "used to", certain))
        if claim is not None:
            yield claim
        if not found["not"] and aux not in _POSSIBLE:
            yield from self._going_on(found.end(), subject, past=past, certain=certain)

    def _going_on(self, at: int, subject: str, *, past: bool, certain: bool) -> Iterator[Claim]:
        stop = _OTHER.search(self.sentence, at)
        for found in _AND.finditer(self.sentence, at, stop.start() if stop else len(self.sentence)):
            verb = found["verb"]
            fits = is_past(verb) and verb not in _NO_COORDINATE if past else verb in _AND_PRESENT
            if fits and (rules := BY_VERB.get(verb)):
                claim = self._fitting(found.end() + 1, rules, _Said(subject, verb, certain=certain))
                if claim is not None:
                    yield claim

    def _claim(self, found: re.Match[str], said: _Said) -> Claim | None:
        """The claim of a verb; or else of its auxiliary, when that is the verb: "is allergic", "has a dog"."""
        aux, verb = found["aux"] or "", found["verb"]
        rules = BY_VERB.get(f"{aux} {verb}") if aux else None
        if rules is None and aux in _POSSIBLE and not (found["not"] and verb in ("stand", "wait")):
            return self._on_occasion(found, said)
        claim = None
        later = rules if aux.endswith(" been") else None
        rules = (rules if later is None else None) or BY_VERB.get(verb)
        if rules and not _is_otherwise(verb, aux, negated=said.negated):
            heard = _Said(
                said.subject, "has" if aux == "has" and verb == "had" else verb, said.negated, said.used, said.certain
            )
            claim = self._fitting(found.end(), rules, heard)
        base = aux.partition(" ")[0]
        if claim is None and (rules := BY_VERB.get(base)) and not (base in ("was", "were") and verb == "going"):
            at = found.start("verb") if base == aux else found.start("aux") + len(base) + 1
            claim = self._fitting(at, rules, _Said(said.subject, base, said.negated, certain=said.certain))
        if claim is None and later:
            claim = self._fitting(found.end(), later, said)
        return claim or self._on_occasion(found, said)

    def _on_occasion(self, found: re.Match[str], said: _Said) -> Claim | None:
        """What is done on a day or again and again, whatever it is."""
        if said.negated or said.used or not said.certain:
            return None
        one = occasion(
            self.sentence,
            found["aux"] or "",
            found["verb"],
            found.start("verb"),
            found.end(),
            self.maker.happened,
            plural=bool(found.groupdict().get("others")),
        )
        if one is None:
            return None
        return self.maker.claim(one.rule.kind, said.subject, one.rule.slot, one.value, one.text, rule=one.rule)

    def _fitting(self, at: int, rules: Sequence[Rule], said: _Said) -> Claim | None:
        """The claim of the first rule that fits behind a verb."""
        for rule in rules:
            match = rule.value.match(self.sentence, at)
            if match is None:
                continue
            if not rule.text:
                return None
            if said.subject != self.maker.speaker and (
                rule.slot in _OWN_SLOTS or not (said.certain or rule.slot in _SURE_SLOTS)
            ):
                continue
            value = _value(self.sentence, rule, match)
            if value is None or (rule.slot == "age" and (said.verb == "was" or "hen " in self.sentence[:at])):
                continue
            return self._worded(rule, said, value, match[0])
        return None

    def _worded(self, rule: Rule, said: _Said, value: str, matched: str) -> Claim:
        past = said.used or (said.verb in _WAS and rule.slot in _STATES and "{s} was" not in rule.text)
        wait = said.verb == "wait"
        negated = said.negated and not wait
        text = (
            rule.text.replace("{verb}", _base(said.verb) if negated else third_person(said.verb))
            .replace("{m}", matched.strip())
            .replace("{to}", "to " if _is_verb(value) else "")
        )
        if past:
            text = _used_to(text)
        if rule.slot == "habit" and "been {verb}" in rule.text:
            value, text = f"{said.verb} {value}", text.replace(third_person(said.verb) + " ", "")
        text = text.replace("{n}", _denial(text) if negated else "").replace("{v}", value)
        positive = rule.positive and not negated and not past and said.verb not in _AVERSE
        return self.maker.claim(rule.kind, said.subject, rule.slot, value, f"{text}.", positive=positive, rule=rule)


def _base(verb: str) -> str:
    """A verb behind "does not"."""
    known = _BASES.get(verb)
    return known or (verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb)


def _is_verb(value: str) -> bool:
    return _VERB_FIRST.match(value) is not None and _NOUN_FIRST.match(value) is None


def _denial(text: str) -> str:
    """How a wording is denied: "is {n}" takes "not", a verb takes "does not"."""
    return "not " if _BEFORE_NOT.search(text) else "does not "


def _used_to(text: str) -> str:
    """A wording of what is so as one of what was: "{s} {n}has {v}" is "{s} used to have {v}"."""
    subject, _, rest = text.replace("{n}", "").partition(" ")
    verb, _, rest = rest.partition(" ")
    return f"{subject} used to {_BASES.get(verb) or (verb.removesuffix('s'))} {rest}"


def _value(sentence: str, rule: Rule, match: re.Match[str]) -> str | None:
    """The value that a rule matched, if it says something."""
    named = match.groupdict().get("v") if match.re.groupindex else None
    value = _indefinite(trimmed(named) if named else phrase(sentence, match.end()))
    if rule.bare:
        value = without_determiner(value)
    if without_determiner(value).lower() in _GENERAL or (
        rule.slot == "likes" and _is_cut(sentence, match.end(), value)
    ):
        return None
    if _POINTING_END.search(value):
        return None
    if rule.slot not in _FREE and not named:
        value = shortened(value, _WORDS_OF_A_VALUE)
    return value if is_meaningful(value) or (named and value) else None


def _indefinite(value: str) -> str:
    """A value that opens as in lively talk, "this great film", with an article instead."""
    found = _LIVELY.match(value)
    if found is None:
        return value
    rest = value[found.end() :]
    return rest if found[0] != "this " else f"{'an' if rest[:1].lower() in 'aeiou' else 'a'} {rest}"


def _is_cut(sentence: str, at: int, value: str) -> bool:
    """Whether a single word is left of what is liked: of "stories that end well" only "stories"."""
    return (
        bool(value)
        and " " not in value
        and sentence[at:].partition(value)[2].startswith((" that ", " who ", " where ", " to "))
    )


def _is_otherwise(verb: str, aux: str, *, negated: bool) -> bool:
    """Whether a verb behind its auxiliary is not what the rules for it take it for: "are like", "has not made"."""
    return (
        (verb == "like" and aux in _BEING)
        or (negated and aux in ("has", "have", "had") and is_past(verb))
        or (aux in ("was", "were") and verb == "going")
    )
