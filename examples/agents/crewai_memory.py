"""A memory for CrewAI: what is said in one session is recalled in the next.

It asks the stand-in for a model, so it needs `pip install 'hmem[crewai]' hmem-testing`, and no network.
"""

from crewai import LLM, Agent, Crew, Task

from hmem import Memory
from hmem_agents.crewai import HmemCrewMemory
from hmem_testing.fake_llm import StandIn


def work(memory: Memory, url: str, said: str) -> None:
    llm = LLM(model="openai/any", base_url=url, api_key="any")
    helper = Agent(role="Helper", goal="Help Maria", backstory="You know Maria.", llm=llm)
    task = Task(description=said, expected_output="An answer", agent=helper)
    remembering = HmemCrewMemory(memory, speaker="Maria")
    Crew(agents=[helper], tasks=[task], memory=remembering).kickoff()


with Memory("maria.hmem") as memory, StandIn() as model:
    work(memory, model.url, "I adopted a puppy named Coco")
    work(memory, model.url, "Which puppy do I have?")
    assert len(model.calls) == 2
    assert "Maria: I adopted a puppy named Coco" in str(model.calls[1].request["messages"])
    assert [turn.speaker for turn in memory.list()] == ["Maria", "Helper", "Maria", "Helper"]

    remembering = HmemCrewMemory(memory)
    remembering.remember("The vet is in Rua Augusta", scope="/home/pets", categories=["places"])
    assert remembering.list_scopes("/home") == ["/home/pets"]
    assert "Rua Augusta" in remembering.recall("Where is the vet?", scope="/home")[0].record.content
