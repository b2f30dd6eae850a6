"""`ifbench data`: data sets from the files of known sources."""

from __future__ import annotations

import argparse
import sys

from ifbench.benchmarks.records import save_records
from ifbench.benchmarks.scimif.sources import from_source
from ifbench.cli import EXIT_OK


def run(options: argparse.Namespace) -> int:
    """Carry out one action on data."""
    assert options.action == "from_source", "the parser knows one action"
    settings = {
        "seed": options.seed,
        "per_sample": options.per_sample,
        "limit": options.limit,
        "max_characters": options.max_characters,
    }
    chosen = {name: value for name, value in settings.items() if value is not None}
    samples = from_source(options.source, options.file, **chosen)
    count = save_records(samples, options.output)
    print(f"{count} samples in {options.output}", file=sys.stderr)
    print(f"next: ifbench plan candidates=[smollm2] judge=smollm2 benchmark.data={options.output}")
    return EXIT_OK
