import pytest
from tests.formation import example, former

from hmem import Memory
from hmem.errors import StorageFull


@pytest.fixture
def unformed() -> Memory:
    memory = Memory(":memory:", recipe="flat")
    memory.add(example(30))
    return memory


def test_forming_tells_how_many_and_leaves_none_behind(unformed: Memory) -> None:
    late = former(unformed)
    assert late.behind() == 30
    assert late.form() == 30
    assert (late.behind(), late.form()) == (0, 0)


def test_forming_stops_at_its_limit_and_goes_on_from_there(unformed: Memory) -> None:
    late = former(unformed)
    assert late.form(limit=12) == 12
    assert late.behind() == 18
    told: list[tuple[int, int]] = []
    assert late.form(progress=lambda done, total: told.append((done, total))) == 18
    assert told[-1] == (18, 18)


def test_nothing_is_formed_by_a_recipe_without_formation(unformed: Memory) -> None:
    assert unformed.stats().unformed == 0
    assert unformed.notes() == ()


def test_keeping_up_notes_a_problem_instead_of_raising_it(unformed: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    late = former(unformed)

    def full(*_: object, **__: object) -> None:
        raise StorageFull("no space left - free some")

    with monkeypatch.context() as patch:
        patch.setattr(type(unformed.corpus.storage), "form", full)
        late.keep_up()
        assert late.problem == "no space left - free some"
        with pytest.raises(StorageFull):
            late.form()
    late.keep_up()
    assert late.problem is None
    assert late.behind() == 0
