"""`ifbench answers`: answers from elsewhere into the store, ours into the release's form."""

from __future__ import annotations

import argparse
from pathlib import Path

from ifbench.benchmarks.datasets import open_dataset
from ifbench.cli import EXIT_OK, say
from ifbench.commands.evaluate import command_line
from ifbench.commands.report import find_run, scores_of
from ifbench.config import load_config
from ifbench.config.values import Benchmark
from ifbench.errors import ConfigError, StoreError
from ifbench.exchange import import_answers, release_lines
from ifbench.store import Manifest, Store, open_store
from ifbench.types import Sample


def run(options: argparse.Namespace) -> int:
    """Carry out one action on answers."""
    return _import(options) if options.action == "import" else _export(options)


def _import(options: argparse.Namespace) -> int:
    config = load_config(options.overrides, config_dir=options.config_dir)
    if len(config.candidates) != 1:
        raise ConfigError("answers are of one model: name it, as in `candidates=[NAME]`")
    dataset = open_dataset(config.benchmark)
    store = open_store(config.store.uri)
    try:
        done = import_answers(
            options.file,
            dataset.samples(),
            config.candidates[0],
            store.journal,
            attempts=config.attempts,
        )
    finally:
        store.close()
    say(
        f"{done.stored} answers stored, {done.already} were there already, "
        f"{done.empty} lines without an answer, {done.missing} samples not answered"
    )
    if done.others:
        say(
            f"{len(done.others)} of the file's answers differ from what the store has for the same "
            f"prompt, the first to sample {done.others[0]}: the store's stays, and is what is "
            "scored; to score the file's, name another store (store.uri=FOLDER)"
        )
    print(f"next: {command_line(options.overrides, options.config_dir)}")
    return EXIT_OK


def _export(options: argparse.Namespace) -> int:
    store = Store(options.store)
    manifest = find_run(store, options.run)
    scores = scores_of(store, manifest.run_id, whole=True)
    candidates = sorted({score.candidate for score in scores})
    chosen = options.candidate or candidates[0]
    if chosen not in candidates or (options.candidate is None and len(candidates) > 1):
        raise StoreError(f"name one of the run's candidates (--candidate): {', '.join(candidates)}")
    own = [score for score in scores if score.candidate == chosen]
    samples = {sample.id: sample for sample in _dataset_of(manifest)}
    files: dict[str, list[str]] = {}
    for name, line in release_lines(samples, own, store.journal):
        files.setdefault(name, []).append(line)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        for name, lines in files.items():
            (options.output / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{options.output}: cannot be written: {error.strerror}") from error
    count = sum(map(len, files.values()))
    left_out = sum(score.attempt == 0 for score in own) - count
    say(f"{count} answers in {options.output}, {left_out} left out (no answer)")
    return EXIT_OK


def _dataset_of(manifest: Manifest) -> list[Sample]:
    fields = manifest.config.get("benchmark") or {}
    try:
        config = Benchmark(
            name=fields["name"],
            data=fields["data"],
            limit=fields["limit"],
            ids=None if fields["ids"] is None else tuple(fields["ids"]),
            where={
                facet: tuple(wanted) if isinstance(wanted, list) else wanted
                for facet, wanted in (fields.get("where") or {}).items()
            },
            variant=fields["variant"],
        )
    except KeyError as error:
        raise StoreError(
            f"run {manifest.run_id}: its manifest lacks `config.benchmark.{error.args[0]}`"
        ) from error
    dataset = open_dataset(config)
    if dataset.sha256 != manifest.dataset_sha256:
        raise StoreError(
            f"{Path(fields['data'])} is no longer what run {manifest.run_id} asked; "
            "its answers are to other questions"
        )
    return list(dataset.samples())
