"""The personas: what is known of each speaker, as a text, traits and a vector (HMO)."""

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmem.hierarchy.part import Part
from hmem.model.vector import from_bytes, to_bytes


@dataclass(frozen=True, slots=True)
class KeptPersona:
    """The present version of a speaker's persona. ``at`` is in seconds since 1970; ``notes`` are its sources.

    ``version`` is how many notes about the speaker there were when the text came to be, so that it only grows.
    ``through`` is the number of the newest note about the speaker that it takes into account.
    """

    version: int
    text: str
    traits: tuple[str, ...]
    vector: NDArray[np.float32]
    at: int
    notes: tuple[int, ...] = ()
    through: int = -1
    made_by: str = "rules"


class Personas(Part):
    """The persona of each speaker, by the speaker's number. A chunk is one of them."""

    def __init__(self, name: str = "personas") -> None:
        super().__init__(name)
        self._of: dict[int, KeptPersona] = {}

    def of(self, speaker: int) -> KeptPersona | None:
        """A speaker's persona; None while nothing is known."""
        return self._of.get(speaker)

    def speakers(self) -> list[int]:
        """Those who have a persona, by number."""
        return sorted(self._of)

    def put(self, speaker: int, persona: KeptPersona | None) -> None:
        """Make this a speaker's persona; None takes it away."""
        if persona is None:
            self._of.pop(speaker, None)
        else:
            self._of[speaker] = persona
        self.changed.add(speaker)

    def load(self, number: int, content: Any | None) -> None:
        self._of.pop(number, None)
        if content is not None:
            version, text, traits, codes, scale, at, notes, through, by = content
            row = np.frombuffer(b64decode(codes), np.int8)[None, :]
            vector = from_bytes(row, np.array([scale], np.float32))[0]
            self._of[number] = KeptPersona(version, text, tuple(traits), vector, at, tuple(notes), through, by)

    def dump(self, number: int) -> Any | None:
        kept = self._of.get(number)
        if kept is None:
            return None
        codes, scales = to_bytes(kept.vector[None, :])
        vector = [b64encode(codes.tobytes()).decode(), float(scales[0])]
        return [kept.version, kept.text, kept.traits, *vector, kept.at, kept.notes, kept.through, kept.made_by]
