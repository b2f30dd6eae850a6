"""`ifbench data`: data sets from the files of known sources, and what is wrong with one."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict
from itertools import chain
from typing import assert_never

from ifbench.benchmarks.datasets import data_path
from ifbench.benchmarks.forms import form_of
from ifbench.benchmarks.records import save_records
from ifbench.benchmarks.scimif.sources import from_source
from ifbench.benchmarks.soundness import KINDS, Finding, findings
from ifbench.cli import EXIT_FINDINGS, EXIT_OK, say
from ifbench.errors import DatasetError
from ifbench.visible import visible


def run(options: argparse.Namespace) -> int:
    """Carry out one action on data."""
    match options.action:
        case "from_source":
            return _from_source(options)
        case "check":
            return _check(options)
        case other:
            assert_never(other)


def _from_source(options: argparse.Namespace) -> int:
    settings = {
        "seed": options.seed,
        "per_sample": options.per_sample,
        "limit": options.limit,
        "max_characters": options.max_characters,
    }
    chosen = {name: value for name, value in settings.items() if value is not None}
    samples = from_source(options.source, options.file, **chosen)
    first = next(samples, None)
    if first is None:  # What stands at the output stays.
        raise DatasetError(f"{options.file}: no record of it makes a sample")
    count = save_records(chain([first], samples), options.output)
    say(f"{count} samples in {options.output}")
    print(f"next: ifbench plan candidates=[smollm2] judge=smollm2 benchmark.data={options.output}")
    return EXIT_OK


def _check(options: argparse.Namespace) -> int:
    """List every quiet defect; what cannot be read at all is an error of its own."""
    path = data_path(options.file)
    found: list[Finding] = []
    count = 0
    form = form_of(path)
    for sample in form.load(path, check=False):
        count += 1
        found += findings(sample)
    places = form.places(path)
    for finding in found:
        place = places[finding.sample_id]
        if options.json:
            print(json.dumps({"place": place, **asdict(finding)}, ensure_ascii=False))
        else:
            words = f"{place}: {finding.sample_id}: {finding.kind}: {finding.message}"
            print(visible(words))
    _say_counts(count, found)
    return EXIT_FINDINGS if found else EXIT_OK


def _say_counts(count: int, found: list[Finding]) -> None:
    kinds = Counter(finding.kind for finding in found)
    affected = len({finding.sample_id for finding in found})
    say(f"{count:,} sample{'' if count == 1 else 's'}, {affected:,} with findings")
    for kind, words in KINDS.items():
        if kinds[kind]:
            say(f"  {kinds[kind]:,} {kind}: {words}")
