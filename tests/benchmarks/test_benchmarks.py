from __future__ import annotations

import pytest

from ifbench.benchmarks import BENCHMARKS, get_benchmark
from ifbench.errors import ConfigError
from ifbench.metrics import METRICS, VIDEO_METRICS


def test_an_unknown_benchmark_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match=r"did you mean `scimif`.*known: scimif"):
        get_benchmark("sciimf")


@pytest.mark.parametrize("benchmark", BENCHMARKS.values(), ids=list(BENCHMARKS))
def test_metrics_and_headline_exist(benchmark):
    assert benchmark.headline in benchmark.metrics
    assert set(benchmark.metrics) <= {*METRICS, *VIDEO_METRICS}


def test_scimif_has_the_papers_order_of_disciplines():
    scimif = get_benchmark("scimif")
    by_discipline = scimif.breakdowns[0]
    assert by_discipline.facet == scimif.headline_over == "discipline"
    assert by_discipline.order == ("chemistry", "geography", "biology", "material", "physics")
    assert scimif.domains == ("general", *by_discipline.order)
    assert len(scimif.groups) == 10


def test_videoif_has_the_papers_order_of_templates():
    videoif = get_benchmark("videoif")
    assert videoif.metrics == ("TCSR", "TISR", "TPR", "ATP")
    assert videoif.breakdowns[0].order == ("single", "multi", "selection", "nested")
    assert videoif.headline_over == ""
