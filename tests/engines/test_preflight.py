"""One tiny call to each endpoint, and what its failure tells the user."""

from __future__ import annotations

import pytest

from engines.endpoint import FakeEndpoint, Fault, error_body
from engines.engine_factories import FakeTime, chat_engine, chat_model
from ifbench.engines.budgets import client_of
from ifbench.engines.preflight import preflight, probe, tiny_prompt
from ifbench.engines.scripted import ScriptedEngine
from ifbench.tally import Tally
from ifbench.types import Limits, Purpose, Sampling


@pytest.fixture
async def endpoint():
    async with FakeEndpoint() as running:
        yield running


async def problems_of(endpoint, *models, tally=None):
    models = models or (chat_model(endpoint.url, limits=Limits(timeout_s=0.5)),)
    engine = chat_engine(endpoint.url)
    found = await preflight(
        models,
        {client_of(model): engine for model in models},
        tally=tally,
        clockwork=FakeTime().clockwork,
    )
    await engine.aclose()
    return found


async def test_endpoint_that_answers_has_no_problem_and_costs_one_call(endpoint):
    tally = Tally()
    assert await problems_of(endpoint, tally=tally) == []
    assert endpoint.total == 1
    assert tally.snapshot()["calls", "preflight", "m", "answered"] == 1
    assert endpoint.requests[0]["max_tokens"] == 16


async def test_each_endpoint_and_model_id_is_called_once(endpoint):
    models = [
        chat_model(endpoint.url, name="plain"),
        chat_model(endpoint.url, name="thinking"),
        chat_model(endpoint.url, name="other", model="other"),
    ]
    assert await problems_of(endpoint, *models) == []
    assert sorted(body["model"] for body in endpoint.requests) == ["m", "other"]


@pytest.mark.parametrize(
    ("fault", "calls", "mend"),
    [
        (Fault(status=401, body=error_body("Incorrect API key")), 1, "api_key_env"),
        (Fault(status=403), 1, "api_key_env"),
        (Fault(status=404), 1, "model id 'm'"),
        (Fault(status=400, body=error_body("unknown field seeed")), 1, "sampling"),
        (Fault(status=429, body=error_body("x", "insufficient_quota")), 1, "credit"),
        (Fault(status=503), 3, "up"),
        (Fault(mode="drop"), 3, "base_url"),
        (Fault(mode="hang"), 3, "timeout_s"),
    ],
)
async def test_problem_says_what_is_wrong_and_how_to_mend_it(endpoint, fault, calls, mend):
    endpoint.behave(fault)
    (problem,) = await problems_of(endpoint)
    assert mend in problem.mend
    assert endpoint.total == calls
    assert str(problem).startswith("m: ")


async def test_key_variable_is_named(endpoint):
    endpoint.behave(Fault(status=401))
    (problem,) = await problems_of(endpoint, chat_model(endpoint.url, api_key_env="MY_KEY"))
    assert "MY_KEY" in problem.mend


@pytest.mark.parametrize(
    "message",
    [
        {"content": ""},
        {"content": None, "refusal": "I would rather not"},
        {"content": "cut", "finish_reason": "length"},
        {"content": "", "finish_reason": "length"},
    ],
)
async def test_empty_refused_or_cut_reply_is_fine(endpoint, message):
    endpoint.reply = lambda _: message
    assert await problems_of(endpoint) == []


async def test_outage_that_passes_is_fine(endpoint):
    endpoint.behave(Fault(status=503, times=2))
    assert await problems_of(endpoint) == []
    assert endpoint.total == 3


async def test_probe_shows_what_works_too():
    model = chat_model()
    (found,) = await probe([model], {client_of(model): ScriptedEngine(lambda _: "Hello!")})
    assert found.works
    assert (found.models, found.response.text, found.mend) == (("m",), "Hello!", "")


def test_tiny_call_is_no_candidate_of_the_run():
    assert tiny_prompt(chat_model()).purpose is Purpose.PREFLIGHT


def test_extra_body_keeps_the_configured_limit():
    extra = {"thinking": {"budget_tokens": 2048}}
    sampling = Sampling(max_tokens=4096, extra_body=extra, temperature=0)
    assert tiny_prompt(chat_model(sampling=sampling)).sampling == sampling
