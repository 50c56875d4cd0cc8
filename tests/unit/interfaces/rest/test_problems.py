"""Each named error is one problem."""

import json

import pytest

from hmem import errors
from hmem.errors import HmemError
from hmem.interfaces.rest import problems


@pytest.mark.parametrize("kind", list(problems.error_classes()), ids=lambda kind: kind.__name__)
def test_each_error_has_a_type_a_title_and_a_status(kind: type[HmemError]) -> None:
    status, body = problems.problem(kind("what is wrong - what mends it"))
    said = json.loads(body)
    assert 400 <= status < 600
    assert said["status"] == status
    assert said["type"] == problems.type_of(kind.__name__)
    assert said["title"]
    assert said["detail"] == "what is wrong - what mends it"
    assert type(problems.error_named(kind.__name__, "x")) is kind


def test_types_never_change() -> None:
    assert problems.type_of("UnknownId") == "urn:hmem:error:unknown-id"
    assert len({problems.type_of(kind.__name__) for kind in problems.error_classes()}) == len(
        list(problems.error_classes())
    )


def test_a_name_that_is_none_is_a_fault() -> None:
    assert isinstance(problems.error_named("Nothing", "x"), errors.ServerFault)
    assert isinstance(problems.error_named("annotations", "x"), errors.ServerFault)


def test_what_may_be_tried_again_says_when() -> None:
    assert problems.headers_of(errors.TooManyRequests("x"), 429) == {"Retry-After": "1"}
    assert problems.headers_of(errors.KeyRefused("x"), 401)["WWW-Authenticate"].startswith("Bearer")
    assert problems.headers_of(errors.RequestTooLarge("x"), 413) == {"Connection": "close"}
