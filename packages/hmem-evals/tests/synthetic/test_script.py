from hmem_evals.synthetic.script import domains, kinds, slots_of
from hmem_evals.synthetic.vocabulary import vocabularies

SOURCES = ("cast", "num", "ago", "same")
GENERAL = {"O", "when"}


def test_there_are_kinds_for_a_whole_life():
    assert len(kinds()) >= 40
    assert sum(len(values) for values in vocabularies().values()) >= 1000


def test_every_kind_draws_from_vocabularies_that_exist_and_has_all_its_parts():
    for kind in kinds().values():
        sources = {source.partition(":")[0] for source in kind.slots.values()}
        assert sources <= {*SOURCES, *vocabularies()}, kind.name
        assert kind.echoes, kind.name
        assert kind.anchors or kind.updates, kind.name
        assert kind.templates, kind.name
        assert kind.domain in domains(), kind.name
        assert set(kind.needs.split(",")) - {""} <= set(kinds()), kind.name


def test_every_slot_of_a_wording_is_a_slot_of_its_kind():
    for kind in kinds().values():
        known = {
            *kind.slots,
            *GENERAL,
            *(f"^{slot}" for need in filter(None, kind.needs.split(",")) for slot in kinds()[need].slots),
        }
        wordings = [wording for beat in kind.beats.values() for wording in beat.wordings]
        wordings += [caption for captions in kind.captions.values() for caption in captions]
        for wording in (*wordings, *kind.anchors, *kind.echoes):
            assert slots_of(wording) <= known, (kind.name, wording)


def test_questions_and_lists_stand_on_beats_that_are_told():
    for kind in kinds().values():
        beats = {
            *kind.beats,
            *(f"^{label}" for need in filter(None, kind.needs.split(",")) for label in kinds()[need].beats),
        }
        assert all(set(asked.labels) <= beats for asked in kind.templates), kind.name
        assert all(fact.label in kind.beats for fact in kind.facts), kind.name


def test_every_domain_has_small_talk_and_advice():
    for name, bank in domains().items():
        if name != "general":
            assert {"feel", "muse", "ask", "cap", "request", "tip"} <= set(bank), name


def test_every_question_can_name_the_person_it_asks_about():
    for kind in kinds().values():
        for asked in kind.templates:
            assert any(slots_of(wording) & {"P", "Ps", "Pme"} for wording in asked.wordings), (kind.name, asked)
