"""Sessions of two friends: greeting, small talk, happenings, reactions, farewell."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from hmem_evals.synthetic.people import Person
from hmem_evals.synthetic.script import Beat, domains, slots_of
from hmem_evals.synthetic.vocabulary import Bags, Dice, fill_sentences, fill_slots, with_article
from hmem_evals.synthetic.world import Happening, Sitting

_GENERAL: Final = "general"
_POSSESSIVE: Final = re.compile(r"\b(my|our|me|I)\b")
_NOISE: Final = re.compile(r"\{%(\w+)(/a)?\}")
_NAMES_IT: Final = 0.5
_ANCHORS: Final = 0.75
_TELLS: Final = 0.45
_IDLE_PHOTOS: Final = 0.2


class Voice:
    """Sayings drawn from the banks; one repeats only after all others of its use."""

    def __init__(self, dice: Dice, bags: Bags) -> None:
        self._dice, self._bags = dice, bags
        self._banks = domains()
        self._left: dict[str, list[str]] = {}

    def draw_phrase(self, domain: str, use: str) -> str:
        """Draw a saying of a domain."""
        key = f"{domain}/{use}"
        remaining = self._left.get(key)
        if not remaining:
            remaining = self._left[key] = self._dice.shuffled(self._banks[domain][use])
        return _NOISE.sub(self._noise, self._dice.spin(remaining.pop()))

    def maybe(self, probability: float, domain: str, use: str) -> str:
        """Draw a saying with a probability, else return an empty text."""
        return self.draw_phrase(domain, use) if self._dice.chance(probability) else ""

    def _noise(self, match: re.Match[str]) -> str:
        word = self._dice.spin(self._bags.draw(match[1])[0])
        return with_article(word) if match[2] else word


class Talk:
    """Writer of sessions of two friends, as messages. The speakers alternate strictly."""

    def __init__(self, dice: Dice, bags: Bags, pair: Sequence[Person]) -> None:
        self._dice, self._bags, self._pair = dice, bags, pair
        self._voice = Voice(dice, bags)
        self._messages: list[dict[str, Any]] = []
        self._session_window = Sitting(0, datetime.min.replace(tzinfo=UTC), [])
        self._number = 0
        self._last: Person | None = None

    def write_messages(self, session_windows: Sequence[Sitting]) -> list[dict[str, Any]]:
        """Return the messages of all sessions, and record in each happening the turns that state it."""
        for session_window in session_windows:
            self._session_window, self._number, self._last = session_window, 0, None
            self._greet()
            for index, happening in enumerate(session_window.happenings):
                self._write_happening(happening, follows=index > 0)
                self._linger(happening)
            self._say_goodbye()
        return self._messages

    def _say(self, person: Person, *sentences: str, caption: str | None = None) -> str:
        self._number += 1
        name = f"D{self._session_window.number}:{self._number}"
        listener = self._listener_of(person)
        text = fill_sentences(
            " ".join(sentence for sentence in sentences if sentence), {"O": listener.name, "P": person.name}
        )
        self._messages.append(
            {
                "text": text,
                "speaker": person.name,
                "at": self._session_window.time,
                "session": f"session_{self._session_window.number}",
                "caption": caption,
                "message_id": name,
            }
        )
        self._last = person
        return name

    def _listener_of(self, person: Person) -> Person:
        return self._pair[self._pair[0] is person]

    def _greet(self) -> None:
        happenings = self._session_window.happenings
        first = happenings[0].teller if happenings and self._dice.chance(0.5) else self._dice.pick(self._pair)
        self._say(first, self._voice.draw_phrase(_GENERAL, "greet"), self._voice.maybe(0.4, _GENERAL, "smalltalk"))
        self._say(
            self._listener_of(first),
            self._voice.draw_phrase(_GENERAL, "reply"),
            self._voice.maybe(0.5, _GENERAL, "smalltalk"),
            self._voice.maybe(0.6, _GENERAL, "news"),
        )

    def _say_goodbye(self) -> None:
        person = self._listener_of(self._last or self._pair[0])
        self._say(person, self._voice.draw_phrase(_GENERAL, "thanks"), self._voice.draw_phrase(_GENERAL, "leave"))
        self._say(self._listener_of(person), self._voice.draw_phrase(_GENERAL, "bye"))
        if self._dice.chance(0.4):
            self._say(person, self._voice.draw_phrase(_GENERAL, "bye"))

    def _write_happening(self, happening: Happening, *, follows: bool) -> None:
        opening = ""
        if self._last is happening.teller:
            self._say(
                happening.listener, self._voice.draw_phrase(_GENERAL, "react" if follows else "reply"), self._turnover()
            )
        elif follows:
            opening = self._voice.draw_phrase(_GENERAL, "switch")
        for index, beat in enumerate(happening.beats):
            person = happening.teller if beat.label[0] == "T" else happening.listener
            if self._last is person:
                self._say(self._listener_of(person), self._response(happening, self._listener_of(person)))
            self._beat(happening, beat, person, opening if index == 0 else "")

    def _turnover(self) -> str:
        return self._voice.draw_phrase(_GENERAL, "turnover")

    def _reaction(self, happening: Happening) -> str:
        general, with_name = ("sad", "sadto") if happening.kind.sad else ("react", "reactto")
        if self._dice.chance(0.35):
            return self._voice.draw_phrase(_GENERAL, general)
        echo = self._echo(happening)
        return self._with_phrase(self._voice.draw_phrase(_GENERAL, with_name), "echo", echo, happening)

    def _echo(self, happening: Happening) -> str:
        """Return the listener's name for the subject, without a possessive of the teller."""
        anchors = [fill_slots(self._anchor(happening, "L0")[0], happening.values) for _ in range(3)]
        fitting = [anchor for anchor in anchors if not _POSSESSIVE.search(anchor)]
        return fitting[0] if fitting and self._dice.chance(_NAMES_IT) else self._dice.pick(happening.kind.echoes)

    def _anchor(self, happening: Happening, label: str) -> tuple[str, frozenset[str]]:
        """Return a name for the subject in a turn, and its slots: seldom one that answers about another beat."""
        kind = happening.kind
        answers = frozenset[str]().union(
            *(slots_of(template.answer) for template in kind.templates if label not in template.labels)
        )
        general = [echo for echo in kind.echoes if "your" not in echo]
        discreet = [anchor for anchor in kind.anchors if not slots_of(anchor) & answers]
        if self._dice.chance(_TELLS):
            discreet = kind.anchors
        anchor = self._dice.pick(discreet or general)
        return anchor, slots_of(anchor)

    def _with_phrase(self, template: str, slot: str, phrase: str, happening: Happening) -> str:
        """Return a template with a phrase about the happening in its slot; the listener's name is filled in later."""
        return fill_sentences(template, {**happening.values, slot: self._dice.spin(phrase), "O": "{O}"})

    def _response(self, happening: Happening, person: Person) -> str:
        """Return a turn for the other speaker, needed to keep them alternating."""
        if person is happening.listener:
            return f"{self._reaction(happening)} {self._voice.maybe(0.6, happening.kind.domain, 'muse')}"
        return f"{self._voice.draw_phrase(_GENERAL, 'thanks')} {self._voice.draw_phrase(happening.kind.domain, 'muse')}"

    def _beat(self, happening: Happening, beat: Beat, person: Person, opening: str) -> None:
        dice, domain = self._dice, happening.kind.domain
        values = {**happening.values, "O": self._listener_of(person).name}
        words = fill_sentences(dice.spin(dice.pick(beat.wordings)), values)
        if beat.label[0] == "L":
            self._say(person, self._reaction(happening), self._voice.maybe(0.45, domain, "muse"), words)
            return
        caption = self._caption(happening, beat)
        photo = self._voice.draw_phrase(_GENERAL, "photo") if caption and dice.chance(0.6) else ""
        if beat.label[0] == "R":
            before, after = self._voice.maybe(0.6, _GENERAL, "agree"), self._voice.maybe(0.4, domain, "muse")
        else:
            before, after = self._framing(happening, beat, opening)
        happening.turns[beat.label] = self._say(person, before, words, after, photo, caption=caption)

    def _framing(self, happening: Happening, beat: Beat, opening: str) -> tuple[str, str]:
        """Return the teller's words before and after a statement: thanks, its subject, a feeling."""
        dice, domain = self._dice, happening.kind.domain
        before = opening or self._voice.maybe(0.15 if beat.label == "T1" else 0.4, _GENERAL, "thanks")
        after = self._voice.maybe(0.8, domain, "feel")
        if not dice.chance(0.9 if beat.label == "T1" and happening.kind.facts else _ANCHORS):
            return before, f"{after} {self._voice.maybe(0.6, domain, 'muse')}"
        anchor = dice.pick([echo for echo in happening.kind.echoes if "your" not in echo])
        if beat.label != "T1" or dice.chance(0.2):
            anchor, happening.mentioned[beat.label] = self._anchor(happening, beat.label)
        after = f"{after} {self._voice.maybe(0.35, domain, 'muse')}"
        if beat.label != "T1" and dice.chance(0.5):
            opening = self._with_phrase(self._voice.draw_phrase(_GENERAL, "ahead"), "anchor", anchor, happening)
            return f"{before} {opening}", after
        subject = self._with_phrase(self._voice.draw_phrase(_GENERAL, "anchor"), "anchor", anchor, happening)
        return before, f"{subject} {after}"

    def _caption(self, happening: Happening, beat: Beat) -> str | None:
        captions = happening.kind.captions.get(beat.label)
        if not captions or not (happening.kind.needs_caption(beat.label) or self._dice.chance(0.8)):
            return self._voice.draw_phrase(happening.kind.domain, "cap") if self._dice.chance(_IDLE_PHOTOS) else None
        return fill_slots(self._dice.spin(self._dice.pick(captions)), happening.values)

    def _linger(self, happening: Happening) -> None:
        """Write some turns that stay with the subject and state nothing."""
        domain = happening.kind.domain
        person = self._listener_of(self._last or happening.teller)
        for step in range(self._dice.weighted((0, 1, 2, 3, 4), (3, 3, 3, 2, 1))):
            if step == 0 and person is happening.listener:
                sentences = [self._reaction(happening), self._voice.maybe(0.85, domain, "muse")]
            else:
                asks = self._voice.maybe(0.35, domain, "ask")
                sentences = [self._voice.maybe(0.6, _GENERAL, "agree"), self._voice.draw_phrase(domain, "muse"), asks]
            caption = self._voice.draw_phrase(domain, "cap") if self._dice.chance(_IDLE_PHOTOS) else None
            self._say(person, *sentences, caption=caption)
            person = self._listener_of(person)
