from dataclasses import fields, replace

import pytest

from hmem.derived.note_states import ReconcileOptions
from hmem.formation.config import INACTIVE, FormationConfig


def test_nothing_is_nothing_and_everything_is_something() -> None:
    assert not INACTIVE.forms_any
    assert FormationConfig().forms_any


@pytest.mark.parametrize(
    "name", [each.name for each in fields(FormationConfig) if each.type is bool and each.name != "echo"]
)
def test_each_mechanism_by_itself_is_something(name: str) -> None:
    assert replace(INACTIVE, **{name: True}).forms_any  # type: ignore[arg-type]


def test_reconciling_by_itself_is_something() -> None:
    assert replace(INACTIVE, reconciling=ReconcileOptions()).forms_any


def test_the_scribe_is_told_what_to_write() -> None:
    told = FormationConfig(summaries=False, summary_tokens=50, profile_mentions=9).text_options
    assert (told.summaries, told.profiles, told.summary_tokens, told.salient) == (False, True, 50, 9)
