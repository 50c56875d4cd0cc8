"""The rules over another spaCy pipeline: ``spacy:MODEL``, an installed English pipeline in Universal Dependencies.

The rules read the labels of Universal Dependencies version 2 (``nsubj``, ``obj``, ``obl``, ``Tense=Past``). Pipelines
with labels of another kind, such as ``en_core_web_sm``, are refused.
"""

from hmem.errors import UnknownName
from hmem.language.english.analyst import RulesAnalyst
from hmem.language.english.parser import parser


def load(variant: str) -> RulesAnalyst:
    """Return the analyst ``spacy:MODEL``; loads the pipeline.

    Raises:
        ExtraMissing: spaCy is not installed.
        UnknownName: no pipeline is named, it is not installed, or its labels are not those of Universal Dependencies.
    """
    if not variant:
        raise UnknownName("name an installed pipeline in Universal Dependencies - write `spacy:MODEL`")
    named = parser(variant)
    if not named.universal:
        raise UnknownName(f"the labels of {variant!r} are not those of Universal Dependencies - use `rules`")
    return RulesAnalyst(named)
