from hmem.derived.texts import KeptText, Texts


def test_a_text_comes_back_from_its_chunk() -> None:
    texts = Texts("profiles")
    texts.replace(5, KeptText("lasting", "recent", "rules/1"))
    loaded = Texts("profiles")
    loaded.load(5, texts.dump(5))
    assert loaded.get(5) == KeptText("lasting", "recent", "rules/1")
    assert len(loaded) == 1


def test_what_is_outdated_is_gone_until_it_is_written_again() -> None:
    texts = Texts("profiles")
    texts.replace(5, KeptText("x"))
    texts.changed.clear()
    texts.outdate(5)
    texts.outdate(6)
    assert texts.get(5) is None
    assert texts.dump(5) is None
    assert texts.changed == {5}
    texts.load(5, None)
    assert len(texts) == 0
