import numpy as np

from hmem.derived.personas import KeptPersona, Personas
from hmem.derived.speaker_names import ScopedPerson
from hmem.model.scope import COMMON


def test_a_persona_comes_back_from_its_chunk() -> None:
    vector = np.zeros(16, np.float32)
    vector[3] = 1
    personas = Personas()
    personas.replace(
        ScopedPerson(COMMON, 2),
        KeptPersona(4, "Maria loves dogs.", ("loves dogs",), vector, 1_700_000_000, (9, 10), 11, "rules/1"),
    )
    assert personas.changed == {2}
    loaded = Personas()
    loaded.load(2, personas.dump(2))
    kept = loaded.get(ScopedPerson(COMMON, 2))
    assert kept is not None
    assert (kept.version, kept.text, kept.traits, kept.timestamp) == (
        4,
        "Maria loves dogs.",
        ("loves dogs",),
        1_700_000_000,
    )
    assert (kept.notes, kept.newest_note, kept.made_by) == ((9, 10), 11, "rules/1")
    assert np.allclose(kept.vector, vector, atol=0.01)
    assert loaded.people() == [ScopedPerson(COMMON, 2)]


def test_a_persona_that_is_taken_away_is_gone() -> None:
    personas = Personas()
    personas.replace(ScopedPerson(COMMON, 2), KeptPersona(1, "x", (), np.ones(4, np.float32) / 2, 0))
    personas.replace(ScopedPerson(COMMON, 2), None)
    assert personas.get(ScopedPerson(COMMON, 2)) is None
    assert personas.dump(2) is None
    personas.load(2, None)
    assert personas.people() == []
