"""SciMIF: 2,527 samples of five sciences, 42 constraints in ten groups."""

from __future__ import annotations

from ifbench.benchmarks.benchmark import Benchmark, Breakdown
from ifbench.benchmarks.scimif.published import printed
from ifbench.benchmarks.scimif.release import load_samples
from ifbench.benchmarks.scimif.taxonomy import DISCIPLINES, DOMAINS, GROUPS, TASKS

SCIMIF = Benchmark(
    name="scimif",
    title="SciMIF",
    load=load_samples,
    metrics=("CSR", "ISR", "DRFR"),
    headline="ISR",
    headline_over="discipline",  # Overall in Table 3 is the mean ISR of the five disciplines.
    breakdowns=(
        Breakdown(facet="discipline", title="By discipline", order=DISCIPLINES),
        Breakdown(facet="task_type", title="By task type", order=tuple(TASKS)),
        Breakdown(
            facet="source",
            title="By source",
            order=tuple(dict.fromkeys(task.source for task in TASKS.values())),
        ),
        Breakdown(facet="modality", title="By modality", order=("text", "multimodal")),
        Breakdown(facet="n_constraints", title="By number of constraints"),
    ),
    rules=("paper", "release"),
    groups=GROUPS,
    domains=DOMAINS,
    printed=printed,
)
