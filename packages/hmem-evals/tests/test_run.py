from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hmem.errors import ModelError, UnknownName
from hmem_evals import longmemeval
from hmem_evals.asking import gold_of
from hmem_evals.conversations import Conversation, Question
from hmem_evals.run import Options, Tally, answers_to, evaluate, open_handles, outcomes_of
from hmem_testing.fake_llm import ReplyRule, StandIn

REAL = Path("../shared/data/longmemeval-s-dev.json.gz")
AT = datetime(2023, 5, 8, tzinfo=UTC)
SUBJECTS = ("puppy", "violin", "bicycle", "lighthouse", "recipe", "marathon")


ANSWERED = "Who spent the day with the violin?"


def conversation(name="c"):
    """Six sittings about one subject each, two with a question, and two questions that nothing answers."""
    messages = tuple(
        {
            "text": text,
            "speaker": speaker,
            "at": AT + timedelta(days=day),
            "session": f"s{day}",
            "caption": None,
            "message_id": f"{day}:{number}",
        }
        for day, subject in enumerate(SUBJECTS)
        for number, (speaker, text) in enumerate(
            [("Ana", f"I spent the day with the {subject}."), ("Bruno", "Tell me more about it!")]
        )
    )
    questions = (
        Question(f"{name}:0", "When was Ana busy with a violin?", "9 May", "temporal", ("1:0",)),
        Question(f"{name}:1", "Where is the puppy and the marathon?", "", "single-hop", ("0:0", "5:0")),
        Question(f"{name}:2", "Who sold the yacht?", "", "adversarial", ("2:0",), unanswerable=True),
        Question(f"{name}:3", "Is Ana kind?", "yes", "open-domain", ("7:7",)),
    )
    return Conversation(name, messages, questions)


def test_evaluate_finds_the_evidence_of_an_easy_conversation():
    made = evaluate("made-up", [conversation()])
    assert made["recall"]["5"] == made["recall_all"]["10"] == made["mrr"] == made["budget"]["recall"] == 1
    assert made["session"]["recall_all"]["5"] == 1
    assert (made["questions"], made["left_out"]) == (4, {"unanswerable": 1, "without_evidence": 1})
    assert made["ingest"]["turns"] == 12
    assert made["ingest"]["rejected"] == 0
    assert (made["recipe"], made["embedder"], made["analyst"]) == ("fusion", "wordllama", "verbatim")
    assert made["disk"]["truth_bytes"] > 0
    assert made["disk"]["index_bytes"] > 0


def test_each_conversation_has_a_memory_of_its_own():
    made = evaluate("made-up", [conversation("a"), conversation("b")])
    assert made["ingest"]["turns"] == 24
    assert made["ingest"]["rejected"] == 0
    assert made["recall"]["5"] == 1


def test_progress_is_told_of_every_question():
    told = []
    evaluate("made-up", [conversation("a"), conversation("b")], progress=lambda done, total: told.append((done, total)))
    assert told == [(number, 8) for number in range(1, 9)]


def test_in_a_replay_a_question_sees_nothing_later_than_what_completes_its_evidence():
    options = Options("fusion", None, None, 100, 1_272, replay=True)
    outcomes = {outcome.question.id: outcome for outcome in outcomes_of(conversation(), options, Tally())}
    assert list(outcomes) == ["c:0", "c:2", "c:1", "c:3"]
    assert set(outcomes["c:0"].ranked_sessions) <= {"s0", "s1"}
    assert set(outcomes["c:2"].ranked_sessions) <= {"s0", "s1", "s2"}
    assert "5:0" in outcomes["c:1"].ranked


def test_a_replay_gives_figures_of_the_same_form():
    made, whole = evaluate("made-up", [conversation()], replay=True), evaluate("made-up", [conversation()])
    assert set(made) == set(whole)
    assert (made["replay"], whole["replay"]) == (True, False)
    assert (made["recall"]["5"], made["ingest"]["turns"]) == (1, 12)


def test_a_messages_that_is_rejected_is_counted_and_not_passed_over():
    base = conversation()
    empty = {**base.messages[0], "text": " ", "message_id": "9:9"}
    made = evaluate("made-up", [Conversation("c", (*base.messages, empty), base.questions)])
    assert (made["ingest"]["turns"], made["ingest"]["rejected"]) == (12, 1)


def test_settings_and_recipes_reach_the_memory():
    made = evaluate("made-up", [conversation()], recipe="flat", settings={"flat.weights.speaker": "0"})
    assert made["recipe"] == "flat"


def test_the_budget_and_the_depth_are_those_asked_for():
    made = evaluate("made-up", [conversation()], tokens=20, depth=1)
    assert made["budget"]["tokens"] == 20
    assert made["budget"]["tokens_used_mean"] <= 20
    assert made["recall"]["20"] <= 0.75


@pytest.mark.parametrize(
    "wrong",
    [
        {"recipe": "magic"},
        {"settings": {"magic": "1"}},
        {"embedder": "magic"},
        {"analyst": "magic"},
        {"without": ["magic"]},
    ],
)
def test_what_does_not_exist_is_named(wrong):
    with pytest.raises(UnknownName):
        evaluate("made-up", [conversation()], **wrong)


def test_a_question_is_asked_when_the_last_message_was_said_unless_it_says_when():
    said = [message["at"] for message in conversation().messages]
    asked = conversation().questions[0]
    later = Question("later", asked.text, asked.answer, "x", asked.evidence, at=AT + timedelta(days=400))
    told = Conversation("c", conversation().messages, (asked, later))
    outcomes = outcomes_of(told, Options("flat", None, None, 100, 1_272, replay=False), Tally())
    assert [outcome.at for outcome in outcomes] == [max(said), later.at]


def test_a_question_counts_as_used_once_in_a_recipe_with_tiers(tmp_path):
    options = Options("orchestrated", None, None, 100, 1_272, replay=False)
    # One that is answered: what an abstention looked at is not used.
    told = replace(conversation(), questions=(Question("c:9", ANSWERED, "Ana", "single-hop", ("1:0",)),))
    asked = list(zip(told.questions, gold_of(told), strict=True))
    with open_handles(tmp_path / "m.hmem", options) as handles:
        handles.memory.add(conversation().messages)
        list(answers_to(handles, asked, AT, options))
        uses = handles.memory.corpus.storage.uses()
    # The search counts one, and the answer that cites the turn another.
    assert {use.uses for use in uses} <= {1, 2}
    assert max(use.uses for use in uses) == 2


def test_where_no_uses_are_counted_one_memory_is_asked(tmp_path):
    with open_handles(tmp_path / "m.hmem", Options("flat", None, None, 100, 1_272, replay=False)) as handles:
        assert handles.memory is handles.unused


def test_answers_are_measured():
    made = evaluate("made-up", [conversation()])
    assert made["answer"]["f1"] is not None
    assert made["ask_ms"]["p50"] > 0
    assert made["by_category"]["temporal"]["f1"] is not None


def test_the_shares_of_the_tiers_sum_to_one():
    tiers = evaluate("made-up", [conversation()], recipe="orchestrated")["tiers"]
    assert sum(tiers.values()) == pytest.approx(1, abs=1e-3)


@pytest.mark.data
@pytest.mark.skipif(not REAL.exists(), reason=f"needs {REAL}")
def test_a_question_of_the_real_file_is_evaluated_at_both_levels():
    real = longmemeval.load(REAL)[0]
    gold = real.questions[0].sessions
    near = [message for message in real.messages if message["session"] in {*gold, "s1", "s2", "s3"}]
    assert len({message["session"] for message in near}) > len(gold) > 0
    made = evaluate("longmemeval", [Conversation(real.id, tuple(near), real.questions)])
    assert made["session"]["recall_any"]["10"] is not None
    assert made["recall"]["20"] is not None
    assert made["notes"]["roles"] == ["assistant", "user"]


def test_a_model_reads_answers_and_judges_and_an_interrupted_run_goes_on(tmp_path):
    folder = tmp_path / "run"
    with StandIn() as server:
        model = f"openai:m@{server.url}"
        options = {"analyst": model, "judge": model, "repeats": 2, "folder": folder}

        def stop(asked, total):
            if asked == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            evaluate("made-up", [conversation()], progress=stop, **options)
        before = Counter(call.task for call in server.calls)
        made = evaluate("made-up", [conversation()], **options)
        after = Counter(call.task for call in server.calls)
    assert before["plan"] == 2
    assert after["plan"] == 4
    assert after["answer"] == made["model"]["stages"]["answer"]["calls"]
    assert after["read_turns"] == before["read_turns"] > 0
    assert after["read_turns"] + after["write_texts"] == made["model"]["stages"]["formation"]["calls"]
    assert (made["ingest"]["turns"], made["ingest"]["rejected"]) == (12, 0)
    assert made["model"]["repeats"] == 2
    assert 0 <= made["model"]["judged_accuracy"] <= 1
    assert made["by_category"]["adversarial"]["judged_accuracy"] in (0, 0.5, 1)
    assert made["model"]["spread"]["judged_accuracy"]["deviation"] == 0
    assert made["model"]["judging"] == "orchestrated"


def test_a_model_that_is_gone_stops_the_run_with_an_error_that_has_a_name():
    with StandIn([ReplyRule("unauthorized")]) as server, pytest.raises(ModelError):
        evaluate("made-up", [conversation()], analyst=f"openai:m@{server.url}")
