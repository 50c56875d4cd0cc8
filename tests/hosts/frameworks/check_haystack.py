"""What components and tools promise, without a model."""

from haystack.dataclasses import ChatMessage, ToolCall
from haystack.utils import Secret

from hmem import Memory
from hmem.errors import InvalidRequest
from hmem_agents.haystack import HmemMemoryRetriever, HmemMemoryStore, HmemMemoryWriter

with Memory(":memory:") as memory:
    store = HmemMemoryStore(memory, speaker="Maria", agent="Helper")
    writer, retriever = HmemMemoryWriter(store), HmemMemoryRetriever(store)
    said = [
        ChatMessage.from_system("Be brief"),
        ChatMessage.from_user("My puppy is called Coco", meta={"id": "m1"}),
        ChatMessage.from_assistant("A good name", tool_calls=[ToolCall("f", {})], meta={"id": "m2"}),
        ChatMessage.from_assistant(tool_calls=[ToolCall("f", {})]),
        ChatMessage.from_user("Hello", name="Ben", meta={"id": "m3"}),
    ]
    for _ in range(2):
        assert writer.run(said, user_id="maria", run_id="s1") == {"memories_written": 3}
    assert [(turn.speaker, turn.text, turn.user, turn.session) for turn in memory.list()] == [
        ("Maria", "My puppy is called Coco", "maria", "s1"),
        ("Helper", "A good name", "maria", "s1"),
        ("Ben", "Hello", "maria", "s1"),
    ]
    assert retriever.run("Which puppy?", user_id="ben") == {"memories": []}
    assert retriever.run("", user_id="maria") == {"memories": []}
    (recalled,) = retriever.run("Which puppy?", user_id="maria", filters={"speaker": "Maria"})["memories"]
    assert recalled.is_from("system")
    assert "Coco" in recalled.text
    assert "Ben" not in recalled.text
    found = store.search_memories(query="Who said hello?", top_k=2, filters={"speaker": "Ben"})
    assert [each.text[17:] for each in found] == ["Ben: Hello"]

    # What was recalled is not written back.
    assert writer.run([recalled, ChatMessage.from_user(recalled.text)]) == {"memories_written": 0}

    remember, recall = store.tools()
    assert remember.invoke(text="She lives in Porto", user_id="maria", run_id="s2") == "Remembered."
    assert "Porto" in recall.invoke(question="Where does she live?", user_id="maria")
    assert "Nothing" in recall.invoke(question="Where does she live?", user_id="ben")
    assert set(recall.parameters["properties"]) == {"question"}

    try:
        store.to_dict()
    except InvalidRequest:
        pass
    else:
        raise AssertionError("an open memory was saved")

remote = HmemMemoryStore("http://127.0.0.1:9/maria", key=Secret.from_env_var("HMEM_KEY", strict=False), tokens=99)
again = HmemMemoryStore.from_dict(remote.to_dict())
assert again.to_dict() == remote.to_dict()
for each in (remote, again):
    each.close()
