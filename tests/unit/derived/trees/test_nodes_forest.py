from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.trees.nodes import NONE, ROOT, Forest


def planted(parents: list[int]) -> Forest:
    """Nodes 1, 2, ..., each below one that was there before it."""
    forest = Forest()
    forest.grow(len(parents) + 1)
    for node, parent in enumerate(parents, 1):
        forest.level[node] = 100 - node
        forest.attach(node, parent % node)
    return forest


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=20),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 50)), max_size=80),
)
def test_leaves_come_and_go_in_any_order(parents: list[int], steps: list[tuple[int, int]]) -> None:
    forest, homes = planted(parents), dict[int, int]()
    for leaf, choice in steps:
        if leaf in homes:
            assert forest.take(leaf) == homes.pop(leaf)
        else:
            homes[leaf] = choice % (len(parents) + 1)
            forest.put(leaf, homes[leaf])
        assert forest.size[ROOT] == len(homes)
    assert forest.under(ROOT) == sorted(homes)
    assert forest.between(10, 40) == sorted((leaf, home) for leaf, home in homes.items() if 10 <= leaf < 40)
    for node in range(len(parents) + 1):
        assert forest.leaves(node) == sorted(leaf for leaf, home in homes.items() if home == node)
        below = [leaf for leaf, home in homes.items() if node in forest.up(home)]
        assert forest.under(node) == sorted(below)
        assert forest.size[node] == len(below)
    assert all(forest.home(leaf) == homes.get(leaf, NONE) for leaf in range(61))


@given(st.lists(st.integers(0, 50), min_size=2, max_size=20), st.data())
def test_a_node_that_hangs_elsewhere_takes_its_leaves_along(parents: list[int], data: st.DataObject) -> None:
    forest = planted(parents)
    for node in range(1, len(parents) + 1):
        forest.put(node, node)
    node = data.draw(st.integers(1, len(parents)))
    taken = forest.under(node)
    forest.detach(node)
    assert forest.size[ROOT] == len(parents) - len(taken)
    parent = data.draw(st.sampled_from([other for other in range(len(parents) + 1) if other not in taken]))
    forest.attach(node, parent)
    assert forest.parent[node] == parent
    assert node in forest.children(parent)
    assert forest.under(ROOT) == list(range(1, len(parents) + 1))
    assert set(taken) <= set(forest.under(parent))


def test_an_erased_node_is_no_more() -> None:
    forest = planted([0, 1])
    forest.labels[2] = "two"
    assert not forest.bare(1)
    assert forest.parted(1)
    forest.detach(2)
    forest.erase(2)
    assert 2 not in forest
    assert forest.bare(1)
    assert forest.nodes() == [0, 1]
    assert not forest.labels
