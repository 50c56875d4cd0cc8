"""Configuration of formation: mechanisms and constants. A memory keeps these with itself."""

from dataclasses import dataclass, field, fields

from hmem.derived.note_states import ReconcileOptions
from hmem.derived.text_writer import TextWriterOptions
from hmem.derived.trees.evolution import EvolutionOptions
from hmem.derived.trees.layers import LayersOptions
from hmem.derived.trees.topic import TopicOptions
from hmem.formation.segment import SegmentOptions
from hmem.model.tier import TierOptions


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """Bounds of a turn that is kept.

    ``turn_characters`` is the number of characters that its texts may have together: text, caption, attachments,
    metadata as JSON, and names.
    """

    turn_characters: int = 2_000_000


@dataclass(frozen=True, slots=True)
class FormationConfig:
    """Mechanisms of formation, each of which can be switched off.

    With ``echo``, the parts of a turn that repeat recalled text are no evidence. Without ``curation`` every turn is
    memorable; without ``segmentation`` an episode is a session; without ``events`` each memorable turn is one
    statement, verbatim. ``context_turns`` is the number of turns before a turn that its analysis may use.
    ``summary_tokens`` bounds a summary, ``profile_tokens`` a persona and each part of a profile. An entity gets a
    profile when ``profile_mentions`` turns name it (people, organisations and places get one at once).
    """

    echo: bool = True
    curation: bool = True
    segmentation: bool = True
    events: bool = True
    calendar: bool = True
    topic: bool = True
    evolution: bool = True
    layers: bool = True
    graph: bool = True
    notes: bool = True
    summaries: bool = True
    profiles: bool = True
    persona: bool = True
    tiers: bool = True
    context_turns: int = 4
    summary_tokens: int = 96
    profile_tokens: int = 96
    profile_mentions: int = 5
    segment: SegmentOptions = field(default_factory=SegmentOptions)
    topics: TopicOptions = field(default_factory=TopicOptions)
    evolving: EvolutionOptions = field(default_factory=EvolutionOptions)
    layering: LayersOptions = field(default_factory=LayersOptions)
    tiering: TierOptions = field(default_factory=TierOptions)
    reconciling: ReconcileOptions = field(default_factory=ReconcileOptions)

    @property
    def text_options(self) -> TextWriterOptions:
        """Options of the texts that are written."""
        return TextWriterOptions(
            self.summaries, self.profiles, self.persona, self.summary_tokens, self.profile_tokens, self.profile_mentions
        )

    @property
    def forms_any(self) -> bool:
        """True if a mechanism forms something. ``echo`` does not count: it marks turns as they are kept."""
        switches = (getattr(self, field.name) for field in fields(self) if field.type is bool and field.name != "echo")
        return any(switches) or self.reconciling.reconcile


INACTIVE = FormationConfig(
    curation=False, segmentation=False, events=False, calendar=False, topic=False, evolution=False, layers=False,
    graph=False, notes=False, summaries=False, profiles=False, persona=False, tiers=False,
    reconciling=ReconcileOptions(reconcile=False),
)  # fmt: skip
