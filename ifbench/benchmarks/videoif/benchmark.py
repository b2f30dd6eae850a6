"""Video-IFBench as a value: four templates, 32 task types, 39 constraints on real video."""

from __future__ import annotations

from ifbench.benchmarks.benchmark import Benchmark, Breakdown
from ifbench.benchmarks.videoif.annotations import DURATION_ORDER, load_samples
from ifbench.benchmarks.videoif.constraint_types import CATEGORIES, KINDS, TYPES
from ifbench.benchmarks.videoif.published import (
    COUNT_BINS,
    DEPTH_BINS,
    printed,
    printed_small_judge,
)
from ifbench.benchmarks.videoif.taxonomy import DOMAIN, INSTRUCTION_TYPES

_TASKS = ("TPR", "ATP")
"""The share of tasks attempted, and of samples with all of them attempted."""

VIDEOIF = Benchmark(
    name=DOMAIN,
    title="Video-IFBench",
    load=load_samples,
    metrics=("TCSR", "TISR", "TPR", "ATP"),
    headline="TISR",  # Over all samples at once: Overall is a mean over samples (equation 1).
    item_metrics=("CSR",),  # Of single constraints no gate is asked (Figures 4 and 5b).
    breakdowns=(
        Breakdown(facet="instruction_type", title="By instruction type", order=INSTRUCTION_TYPES),
        Breakdown(
            name="task_count",
            facet="n_tasks",
            title="By number of tasks",
            bins=COUNT_BINS,
            where={"instruction_type": ("single", "multi")},
            metrics=_TASKS,
        ),
        Breakdown(
            name="constraint_count",
            facet="n_constraints",
            title="By number of constraints",
            bins=COUNT_BINS,
            where={"instruction_type": ("single",)},
            metrics=("TISR", "TCSR"),
        ),
        Breakdown(
            name="depth_bin",
            facet="depth",
            title="By depth of the conditions",
            bins=DEPTH_BINS,
            where={"instruction_type": ("nested",)},
            metrics=_TASKS,
        ),
        Breakdown(
            facet="n_branches",
            title="By number of branches",
            where={"instruction_type": ("selection",)},
            metrics=_TASKS,
        ),
        Breakdown(
            facet="branch_position",
            title="By place of the true branch",
            where={"instruction_type": ("selection",)},
            metrics=_TASKS,
        ),
        Breakdown(facet="kind", title="By kind of constraints", order=KINDS),
        Breakdown(
            name="hardest",
            facet="constraint",
            title="The hardest constraints",
            where={"instruction_type": ("single", "selection")},
            lowest=15,
        ),
    ),
    further=(
        Breakdown(facet="domain", title="By domain of the video"),
        Breakdown(facet="duration", title="By length of the video", order=DURATION_ORDER),
        Breakdown(facet="language", title="By language"),
    ),
    rules=("paper", "release"),
    is_graded=False,
    groups=CATEGORIES,
    kinds={kind: [row.id for row in TYPES.values() if row.kind == kind] for kind in KINDS},
    printed=printed,
    printed_by={"qwen3.5-35b-a3b-instruct": printed_small_judge},  # Table 4
)
