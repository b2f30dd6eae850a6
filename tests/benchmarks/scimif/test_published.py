"""The paper's printed figures: complete, consistent with each other, found under our names."""

from __future__ import annotations

from statistics import fmean

import pytest

from ifbench.benchmarks.scimif.published import printed, tables
from ifbench.benchmarks.scimif.taxonomy import DISCIPLINES, DOMAINS, GROUPS
from ifbench.config import available_models
from ifbench.metrics import METRICS, Figure, macro_mean

MODELS = tuple(tables()["table_3"])


def test_eleven_models_in_each_main_table():
    assert len(MODELS) == 11
    assert tuple(tables()["table_4"]) == tuple(tables()["table_13"]) == MODELS


@pytest.mark.parametrize("model", MODELS)
def test_overall_is_the_mean_isr_of_the_five_disciplines(model):
    rows = printed("discipline", model)
    assert tuple(rows) == DISCIPLINES
    assert all(set(cells) == set(METRICS) for cells in rows.values())
    figures = [
        Figure(value=cells["ISR"], low=None, high=None, complete=1, total=1)
        for cells in rows.values()
    ]
    assert macro_mean(figures).value == pytest.approx(fmean(f.value for f in figures))
    assert macro_mean(figures).value == pytest.approx(
        printed("overall", model)["overall"]["ISR"], abs=0.0051
    )


@pytest.mark.parametrize("model", MODELS)
def test_every_group_and_domain_has_a_figure(model):
    assert set(printed("group", model)) == set(GROUPS)
    assert set(printed("domain", model)) == {*DOMAINS, "scientific"}


def test_our_names_are_the_papers():
    assert {model.casefold() for model in MODELS} <= set(available_models())
    assert printed("overall", "gpt-5.2") == {"overall": {"ISR": 65.67}}
    assert printed("discipline+modality", "gemini-3.1-pro-preview")["geography, text"] == {
        "DRFR": 87.92
    }
    assert printed("source", "gpt-5.2")["LLM4Mat-Bench"] == {"DRFR": 63.92}


def test_table_14_is_found_under_our_names_too():
    assert printed("association", "gpt-5.2")["all"] == {
        "phi": 0.1178,
        "jaccard": 0.3585,
        "p": 3.21e-9,
    }
    assert printed("association", "claude-sonnet-4.6")["all"]["phi"] == 0.2069  # printed 4-6 there
    assert printed("association", "qwen3.5-27b") == {}


def test_what_is_not_printed_is_empty():
    assert printed("overall", "nobody") == {}
    assert printed("constraint", "gpt-5.2") == {}
    assert printed("source", "grok-4-fast") == {}
