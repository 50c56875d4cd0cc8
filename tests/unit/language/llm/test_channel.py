"""The way to a model: connections that are shared, closed, and opened again."""

import gc
import os
import sys
import threading

import pytest
from tests.unit.language.llm.conftest import ServedBy

from hmem.language.llm.model import load
from hmem_testing.fake_llm import StandIn


def test_it_is_used_from_many_threads_at_once(model: ServedBy, standin: StandIn) -> None:
    served, said = model(), []
    threads = [
        threading.Thread(target=lambda: said.append(served.feedback("a", "b", "No, that's wrong."))) for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == ["reject"] * 12
    assert len(standin.calls) == 12


def test_it_opens_again_after_it_was_closed(model: ServedBy) -> None:
    served = model()
    for _ in range(2):
        assert served.feedback("a", "b", "No, that's wrong.") == "reject"
        served.close()
    served.close()


def test_what_nobody_holds_any_more_closes_itself(standin: StandIn) -> None:
    served = load("openai", f"test@{standin.url}").model
    served.feedback("a", "b", "c")
    del served
    gc.collect()  # A connection left open would be a warning, which is an error here.


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_it_can_be_used_in_a_process_that_was_forked(model: ServedBy, standin: StandIn) -> None:
    served = model()
    served.feedback("a", "b", "c")
    child = os.fork()
    if child == 0:
        os._exit(0 if served.feedback("a", "b", "No, that's wrong.") == "reject" else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert served.feedback("a", "b", "No, that's wrong.") == "reject"
