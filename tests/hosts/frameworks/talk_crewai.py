"""A crew of CrewAI with one agent and a memory; each message is a task."""

from typing import Any

from crewai import LLM, Agent, Crew, Task

from hmem_agents.crewai import HmemCrewMemory


def talk(memory: Any, url: str, session: str, said: list[str]) -> list[str]:
    llm = LLM(model="openai/any", base_url=url, api_key="any")
    remembering = HmemCrewMemory(memory, session=session, speaker="Maria")
    helper = Agent(role="Helper", goal="Help Maria", backstory="You help Maria.", llm=llm)
    replies: list[str] = []
    for each in said:
        task = Task(description=each, expected_output="An answer", agent=helper)
        replies.append(Crew(agents=[helper], tasks=[task], memory=remembering).kickoff().raw)
    return replies
