"""Which samples of a file a run is about."""

from __future__ import annotations

import re

import pytest

from ifbench.benchmarks.datasets import open_dataset
from ifbench.config.values import Benchmark
from ifbench.errors import DatasetError


def narrowed(**changes):
    return open_dataset(Benchmark(name="scimif", data="builtin:scimif_starter", **changes))


def facets(dataset, name):
    return {sample.facets[name] for sample in dataset.samples()}


def test_samples_are_taken_by_one_facet():
    dataset = narrowed(where={"modality": "multimodal"})
    assert all(sample.media for sample in dataset.samples())
    assert dataset.count == 23


def test_a_facet_may_have_one_of_several_values():
    dataset = narrowed(where={"discipline": ("physics", "biology")})
    assert facets(dataset, "discipline") == {"physics", "biology"}


def test_facets_narrow_together_and_with_the_limit():
    dataset = narrowed(where={"modality": "text", "n_constraints": 3}, limit=2)
    assert facets(dataset, "modality") == {"text"}
    assert facets(dataset, "n_constraints") == {"3"}
    assert dataset.count == 2


def test_only_what_is_taken_makes_the_hash():
    text, pictures = (narrowed(where={"modality": kind}) for kind in ("text", "multimodal"))
    assert len({text.sha256, pictures.sha256, narrowed().sha256}) == 3
    assert text.count + pictures.count == narrowed().count


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"where": {"modalty": "text"}}, "did you mean `modality`"),
        ({"where": {"colour": "red"}}, "unknown facet `colour`; known: benchmark, discipline"),
        ({"where": {"modality": "txt"}}, "no sample has `modality` = `txt`; found: multimodal, text"),
        ({"where": {"modality": ("text", "txt")}}, "`txt`"),
        ({"where": {"discipline": "physics", "task_type": "biology_sequence_qa"}}, "no sample is left"),
        ({"where": {"question": "x"}}, "…"),
    ],
)  # fmt: skip
def test_a_choice_that_finds_nothing_is_told(changes, words):
    with pytest.raises(DatasetError, match=re.escape(words)):
        narrowed(**changes)
