"""A unit of work carries all that a check needs, and nothing that cannot be sent."""

from __future__ import annotations

import pickle

import pytest
from pydantic import ValidationError

from ifbench.constraints import all_constraints
from ifbench.constraints.running import CheckCall, run_check
from ifbench.types import Outcome

JSON = "general:json_constraint"


def call(text: str, params: str = "{}", name: str = JSON) -> CheckCall:
    return CheckCall(constraint_id=name, params=params, text=text)


def test_scripted_constraint_is_decided_by_params_or_by_their_json() -> None:
    params = all_constraints()[JSON].params.model_validate({"required_keys": ["a"]})
    bound = CheckCall(constraint_id=JSON, params=params, text='{"b": 1}')
    told = call('{"b": 1}', bound.params_json)
    assert run_check(bound) == run_check(told)
    assert run_check(call('{"b": 1}')) != run_check(told)


def test_json_of_params_leaves_defaults_out_and_keeps_aliases() -> None:
    kind = all_constraints()[JSON].params
    for given in ({}, {"schema": {"type": "object"}}, {"length": 0}, {"extra_keys": True}):
        params = kind.model_validate(given)
        text = CheckCall(constraint_id=JSON, params=params, text="").params_json
        assert kind.model_validate_json(text) == params
    assert CheckCall(constraint_id=JSON, params=kind(), text="").params_json == "{}"


def test_call_can_be_sent_to_another_process() -> None:
    sent = call('{"a": 1}')
    assert pickle.loads(pickle.dumps(sent)) == sent


def test_empty_answer_fails() -> None:
    found = run_check(call(""))
    assert found is not None
    assert found.outcome is Outcome.FAIL


def test_unknown_constraint_and_wrong_params_are_errors_of_the_caller() -> None:
    with pytest.raises(KeyError):
        run_check(call("x", name="general:none"))
    with pytest.raises(ValidationError):
        run_check(call("x", '{"keys": []}'))


def test_judged_constraint_is_no_work_for_a_script() -> None:
    judged = next(c for c in all_constraints().values() if c.grader.startswith("judge"))
    with pytest.raises(TypeError, match="judge"):
        run_check(call("x", name=judged.id))
