"""Video-IFBench as a value: four templates, 32 task types, 39 constraints on real video."""

from __future__ import annotations

from ifbench.benchmarks.benchmark import Benchmark, Breakdown
from ifbench.benchmarks.videoif.annotations import DURATION_ORDER, load_samples
from ifbench.benchmarks.videoif.published import printed
from ifbench.benchmarks.videoif.taxonomy import DOMAIN, GROUPS, INSTRUCTION_TYPES

VIDEOIF = Benchmark(
    name=DOMAIN,
    title="Video-IFBench",
    load=load_samples,
    metrics=("TCSR", "TISR"),
    headline="TISR",  # Over all samples at once: Overall is a mean over samples (equation 1).
    breakdowns=(
        Breakdown(facet="instruction_type", title="By instruction type", order=INSTRUCTION_TYPES),
        Breakdown(facet="n_tasks", title="By number of tasks"),
        Breakdown(facet="n_constraints", title="By number of constraints"),
        Breakdown(facet="depth", title="By depth of conditions"),
        Breakdown(facet="n_branches", title="By number of branches"),
        Breakdown(facet="branch_position", title="By place of the true branch"),
        Breakdown(facet="domain", title="By domain of the video"),
        Breakdown(facet="duration", title="By length of the video", order=DURATION_ORDER),
        Breakdown(facet="language", title="By language"),
    ),
    rules=("paper", "release"),
    groups=GROUPS,
    domains=(DOMAIN,),
    printed=printed,
)
