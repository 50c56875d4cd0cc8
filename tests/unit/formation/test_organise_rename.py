"""Names of the layers after what they came from was forgotten."""

import numpy as np
from tests.formation import derived

from hmem import Memory
from hmem.derived.text_writer import TextWriter, TextWriterOptions
from hmem.derived.trees.layers import LayersOptions, LayersPlacement
from hmem.derived.trees.placement import Leaf
from hmem.formation.organise import rename_outdated
from hmem.language.analyst import Labels, analyst


def test_a_name_outlives_no_event_that_had_it(memory: Memory) -> None:
    memory.add("I adopted a zebrafish in spring.", speaker="Ana")
    memory.add("I painted the old fence green.", speaker="Ana")
    kept, rules = derived(memory), analyst("rules")
    text_writer = TextWriter(memory.corpus, kept, rules, TextWriterOptions())
    with memory.corpus.reading():
        tree = kept.trees["layers"]
        first, second = (kept.events.of_turn(seq)[0].number for seq in (1, 2))
        tree.take(first)
        tree.take(second)
        vector = np.ones(256, np.float32) / 16
        place = LayersPlacement(LayersOptions(), memory.corpus.embedder.calibration)
        for event in (first, second):
            place.insert(
                tree, Leaf(event, memory.list()[0].at, vector, Labels("Quillon", "Quillon pond", "quillon fin"), "Ana")
            )
        nodes = tree.path(second)
        assert nodes == tree.path(first)
        tree.take_touched()
        tree.take(first)
        rename_outdated(kept, text_writer, rules, "layers", 4)
        labels = [tree.label(node) for node in nodes[1:]]
        assert len(labels) == 3
        assert "quillon" not in str(labels).lower()
        assert all(labels[:2])
        # A trace is named from what is in it.
        assert not labels[2]
        # Named as an event is that stays, they are let alone.
        tree.take_touched()
        tree.touched.add(nodes[1])
        rename_outdated(kept, text_writer, rules, "layers", 4)
        assert tree.label(nodes[1]) == labels[0]


def test_the_label_that_a_trace_once_had_goes_with_an_event(memory: Memory) -> None:
    for text in ("I adopted a zebrafish.", "I adopted another zebrafish."):
        memory.add(text, speaker="Ana")
    kept, rules = derived(memory), analyst("rules")
    text_writer = TextWriter(memory.corpus, kept, rules, TextWriterOptions())
    with memory.corpus.reading():
        tree = kept.trees["layers"]
        first = kept.events.of_turn(1)[0].number
        trace = tree.path(first)[-1]
        tree.rename(trace, "zebrafish, spring")
        tree.take_touched()
        tree.take(first)
        rename_outdated(kept, text_writer, rules, "layers", 4)
        assert trace in tree
        assert not tree.label(trace)
