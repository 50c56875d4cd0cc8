from hmem.derived.trees.nodes import ROOT, Directory, Forest, plain, window_number


def filled() -> Forest:
    """Nodes 1 to 4 below the root: 1 and 3 of one week, 2 of the next; 1 and 4 have a name, which is the same."""
    forest = Forest()
    forest.grow(5)
    for node, start in ((1, 8), (2, 15), (3, 8), (4, 0)):
        forest.level[node] = 1
        forest.start[node], forest.end[node] = start, start and start + 7
        forest.attach(node, ROOT)
    forest.labels.update({1: "Pets", 4: "pets"})
    return forest


def found(directory: Directory) -> list[object]:
    return [
        directory.in_window(window_number(1, 8)),
        directory.in_window(window_number(1, 15)),
        directory.in_window(window_number(2, 8)),
        directory.named(ROOT, "PETS"),
    ]


def test_nodes_are_found_alike_whether_entered_one_by_one_or_all_at_once() -> None:
    at_once, one_by_one = Directory(filled()), Directory(filled())
    at_once.enter_all()
    for node in (3, 2, 4, 1):
        one_by_one.enter(node)
    assert found(at_once) == found(one_by_one) == [[1, 3], [2], [], 1]


def test_what_was_struck_is_not_found() -> None:
    directory = Directory(filled())
    directory.enter_all()
    directory.strike(1)
    directory.strike(2)
    assert found(directory) == [[3], [], [], 4]
    directory.strike_name(4)
    assert directory.named(ROOT, "pets") is None


def test_an_empty_forest_has_nothing_to_find() -> None:
    directory = Directory(Forest())
    directory.enter_all()
    assert found(directory) == [[], [], [], None]


def test_names_are_compared_without_case_and_spacing() -> None:
    assert plain("  Große\tFreude ") == plain("grosse freude")
