import pytest

from hmem import Memory
from hmem.model.renamed import TERMS, RenamedName, current_setting, current_term
from hmem.retrieval.scoring.ranker import ranker


def test_a_name_of_today_and_an_unknown_one_stay_as_they_are() -> None:
    assert [current_term(name) for name in ("flat", "speaker", "magic")] == ["flat", "speaker", "magic"]
    assert [current_setting(name) for name in ("flat.exhaustive", "magic")] == ["flat.exhaustive", "magic"]


@pytest.mark.parametrize(("old", "now"), TERMS.items())
def test_an_earlier_name_of_a_term_is_told_with_the_present_one(old: str, now: str) -> None:
    with pytest.warns(RenamedName, match=f"the score term '{old}' is called '{now}' now"):
        assert current_term(old) == now
    assert now not in TERMS


def test_the_ranker_has_features_by_their_present_names_alone() -> None:
    assert TERMS.keys().isdisjoint(ranker().question)
    assert "pseudo_relevance" in ranker().question


def test_a_term_of_why_is_found_by_its_earlier_name() -> None:
    with Memory(":memory:") as memory:
        memory.add(["Ana adopted a dog called Biscuit", "The weather is nice", "Biscuit likes Ana"])
        terms = memory.search("What is the dog of Ana called?")[0].why.terms
        with pytest.warns(RenamedName, match="'echo' is called 'pseudo_relevance'") as told:
            assert terms["echo"] == terms["pseudo_relevance"]
        assert told[0].filename == __file__
        with pytest.raises(KeyError):
            terms["magic"]
        assert "magic" not in terms
