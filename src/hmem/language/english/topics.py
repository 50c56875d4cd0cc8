"""Topics: cues for the start of an episode (HiMem, event surprise)."""

import re
from typing import Final

from hmem.language.analyst.base import Cues, Passage
from hmem.language.english.curation import telling
from hmem.language.english.word_lists import words
from hmem.language.english.wording import READ, WordedSentence, sentences, stem, turn_stems
from hmem.language.regex import regex

# Strength of a phrase as a topic shift: an announcement, a turn from the last topic, news or a plan, an opening of a
# talk, which asks for any topic.
_WEIGHTS: Final = {"plain": 1.0, "turn": 0.75, "news": 0.5, "opening": 0.25}

# Factor for the second half of a turn, which announces the next topic rather than the turn's own.
_LATE: Final = 0.8

# Lower-cased text only: to ignore case costs several times as much.
_SHIFT: Final = regex(
    r"""
    \b(?:
    (?P<plain>
        by\ the\ (?:way|by)\b | btw\b
      | o(?:n|ff)\ (?:a\ (?:\w+\ )?(?:different|separate|lighter|side)|another|that)\ (?:note|topic)\b
      | (?:chang(?:e|ing)|switch(?:ing)?|shift(?:ing)?)\ (?:of\ |the\ )?(?:subject|topic|gears)\b
      | (?:new|different|another)\ (?:topic|subject)\b | (?:totally|completely)\ unrelated\b | off[ -]topic\b
      | (?:forget|scratch|cancel|disregard)\ (?:about\ )?(?:that|this|it|what\ i\ (?:just\ )?said)\b
      | never\ ?mind\b
      | before\ i\ forget\b | (?:almost|nearly)\ forgot\b | in\ other\ news\b | moving\ on\b
      | on\ second\ thought
      | let's\ (?:talk\ about|switch|move\ on|change)\b
      | i(?:'ve|\ have)?(?:\ got)?\ (?:a\ (?:different|new)|another)\ (?:question|thing|topic)\b
    )
  | (?P<turn>
        anyways?(?=[,\s]+\w) | oh,?\ (?:and|also)\b | speaking\ of\b | that\ reminds\ me\b | guess\ what\b
      | (?:one|another)\ (?:more|last|other)\ thing\b | actually,\ (?:can|could|let|i|what|wait)\b
      | (?:wait|hold\ on),\ \w
      | as\ for\ me\b | meanwhile\b | you\ won't\ believe\b | (?:some\ )?(?:big|great|exciting)\ news\b
      | long\ time\ no\b
      | i(?:'ve)?\ (?:wanted|have|need|been\ meaning)\ to\ (?:tell|ask|let)\ you\b | since\ (?:we|our)\ last\b
    )
  | (?P<news>
        yesterday\b | recently\b | lately\b | finally\b | the\ other\ (?:day|night)\b
      | last\ (?:night|week|weekend|month|spring|summer|fall|autumn|winter|year|(?:mon|tue|wed|thu|fri|sat|sun)\w*)\b
      | (?:this|next|coming|upcoming)\ (?:week|weekend|month|summer|winter)\b
      | (?:a|one|two|three|few|couple\ of)\ (?:days?|weeks?|weekends?|months?)\ ago\b
      | (?:i|we)(?:'ve|\ have)?\ just\b
      | (?:i'm|i\ am|we're|we\ are)\ (?:also|now|actually|thinking|planning|considering|curious|interested)\b
      | i(?:'ve|\ have)\ (?:also|actually)?\ ?been\ (?:thinking|considering|planning|wanting|meaning|trying|looking)\b
    )
  | (?P<opening>
        (?<![\s\S])(?:hi|hey|hello|hiya|heya|yo|good\ (?:morning|afternoon|evening))\b
      | what(?:'s|\ is|\ has|\ have)\ (?:been\ )?(?:new|up|going\ on|happening)\b
      | (?:any|some)thing\ (?:new|exciting|interesting|fun)\b
    ))
    """,
    re.VERBOSE,
)

# Cheap check before all of ``_SHIFT``: every phrase of it but greetings and "as for me" has one of these words.
_TOLD_BY: Final = words(
    """
    by btw note topic subject gears unrelated forget scratch cancel disregard mind nevermind forgot news moving second
    let question thing anyway anyways oh speaking reminds guess actually wait hold meanwhile believe long tell ask since
    what anything something
    yesterday recently lately finally other last this next coming upcoming ago just also now thinking planning
    considering curious interested been
    """
)
_GREETINGS: Final = ("h", "yo", "good")
_LETTERS: Final = regex(r"[a-z][a-z]*")

# Emotions that single a turn out, against those common in friendly talk.
_GRAVE: Final = """
    frustrate annoy annoyed angry anger furious outrage upset hate hated sick ridiculous unacceptable fed
    urgent urgently emergency asap immediately hurry quickly deadline
    died dead death dying passed funeral grief grieve mourn mourning loss lost cancer tumor hospital surgery divorce
    breakup fired layoff robbed stolen crash accident injury injured broke collapse miscarriage tragedy tragic
    devastate heartbroken heartbreaking cry cried tear sob miserable depressed depression lonely hopeless despair
    afraid scared scary terrified fear panic anxious anxiety worried nervous stress stressed overwhelm nightmare
    shock shocked betray ashamed embarrassed guilty regret allergic allergy poison dangerous danger threat attack
"""
_BRIGHT: Final = """
    thrilled ecstatic overjoyed elated euphoric excited stoked pumped hyped finally engaged married pregnant born
    won win winning promoted promotion accepted celebrate celebration dream surprise surprised unbelievable
    insane incredible magical unforgettable wow omg yay hooray
"""
_GRAVE_STEMS: Final = frozenset(stem(word) for word in _GRAVE.split())
_BRIGHT_STEMS: Final = frozenset(stem(word) for word in _BRIGHT.split())
_STEMS: Final = _GRAVE_STEMS | _BRIGHT_STEMS
_NEGATION: Final = "not never no cannot nobody nothing don didn doesn isn wasn won couldn wouldn"
_NEGATIONS: Final = frozenset(_NEGATION.split())

# Weight of each sign: further signs of one kind add less and less.
_GRAVE_SIGN: Final = 0.45
_BRIGHT_SIGN: Final = 0.15
_SHOUTED: Final = 0.2
_EXCLAIMED: Final = 0.05
_NEGATED: Final = 0.05
_SHOUTED_LETTERS: Final = 4


def cues(passage: Passage) -> list[Cues]:
    """Return the cues for the start of an episode in each wanted turn of a passage."""
    return [Cues(_shift(turn.text), _emotion(turn.text), telling(turn_stems(turn))) for turn in passage.wanted]


def _shift(text: str) -> float:
    """Return the strength of a topic shift in a text, 0 to 1."""
    strongest = 0.0
    read = text[:READ].lower().replace("\u2019", "'")
    if _TOLD_BY.isdisjoint(_LETTERS.findall(read)) and not read.startswith(_GREETINGS) and "as for me" not in read:
        return strongest
    for match in _SHIFT.finditer(read):
        early = match.start() * 2 <= len(read)
        strongest = max(strongest, _WEIGHTS[match.lastgroup or "opening"] * (1.0 if early else _LATE))
    return strongest


def _emotion(text: str) -> float:
    """Return the emotional salience of a text, 0 to 1: the probability that at least one sign is meant."""
    calm = 1.0
    for sentence in sentences(text):
        for sign in _signs(sentence):
            calm *= 1.0 - sign
    return 1.0 - calm


def _signs(sentence: WordedSentence) -> list[float]:
    signs: list[float] = []
    if not _STEMS.isdisjoint(sentence.roots):
        stems = frozenset(sentence.roots)
        signs += [_GRAVE_SIGN] * len(stems & _GRAVE_STEMS)
        signs += [_BRIGHT_SIGN] * len(stems & _BRIGHT_STEMS)
    if any(map(str.isupper, sentence.written)):
        shouted = sum(len(word) >= _SHOUTED_LETTERS and word.isupper() for word in sentence.written)
        signs += [_SHOUTED] * (0 < shouted <= len(frozenset(sentence.words)) // 2)
    if sentence.exclaimed:
        signs.append(_EXCLAIMED)
    if not _NEGATIONS.isdisjoint(sentence.words):
        signs.append(_NEGATED)
    return signs
