"""The pipeline as it is shipped."""

import spacy

import hmem_english


def test_the_pipeline_reads_in_universal_dependencies() -> None:
    [verb] = [word for word in hmem_english.load()("My sister sold her car.") if word.dep_ == "ROOT"]
    assert verb.text == "sold"
    assert verb.pos_ == "VERB"
    assert {("nsubj", "sister"), ("obj", "car")} <= {(child.dep_, child.text) for child in verb.children}
    assert "Tense=Past" in str(verb.morph)


def test_spacy_finds_the_pipeline_by_its_name() -> None:
    assert spacy.load("hmem_english").pipe_names == hmem_english.load().pipe_names


def test_lemmas_are_those_of_forms_that_have_another() -> None:
    lemmas = hmem_english.lemmas()
    assert (lemmas["verb"]["sold"], lemmas["noun"]["wives"], lemmas["verb"]["was"]) == ("sell", "wife", "be")
    assert "sell" not in lemmas["verb"]
