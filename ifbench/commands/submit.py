"""`ifbench submit`: a command as a RayJob, written out or handed to a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ifbench.benchmarks.datasets import open_dataset
from ifbench.cli import EXIT_OK, say
from ifbench.config import RunConfig, load_points
from ifbench.config.shipping import own_files
from ifbench.engines.build import check_options
from ifbench.errors import ConfigError
from ifbench.kubernetes.kubectl import ENDED, Cluster
from ifbench.kubernetes.overlays import Manifest, as_yaml, rayjob_of
from ifbench.kubernetes.rayjob import (
    check_image,
    check_name,
    check_namespace,
    default_name,
    entrypoint,
    image_of,
    settings_of,
    written,
)
from ifbench.runs import check_rules, graded, of_point

EXAMPLE_IMAGE = "registry.example.com/"
EXAMPLE_BUCKET = "s3://example-bucket/"


def run(options: argparse.Namespace) -> int:
    """Check the configuration, write the RayJob, and render or apply it."""
    job = rayjob_of(options.overlay)
    for text in options.overrides:  # Else what the overlay sets beside it would be blamed.
        if text.partition("=")[0] == "execution" and text != "execution=ray":
            raise ConfigError(f"{_OWN_CLUSTER}: leave out `{text}`")
    overrides = [*settings_of(job), *options.overrides]
    sweep = ["-m"] if options.multirun else []
    configs = checked(overrides, options.config_dir, is_sweep=options.multirun)
    conf = own_files(options.config_dir)
    if options.image:
        check_image(options.image)
    if options.namespace:
        check_namespace(options.namespace)
    name = check_name(options.name or default_name(options.overlay, [*sweep, *options.overrides]))
    manifests = written(
        job,
        entrypoint([*sweep, *overrides], has_conf=bool(conf)),
        name=name,
        image=options.image,
        namespace=options.namespace,
        conf=conf,
    )
    examples = _examples(options.image or image_of(job), configs[0])
    _say_data(configs)
    if options.apply:
        if examples:
            raise ConfigError("; ".join(examples))
        return _apply(manifests, name, options)
    for words in examples:
        say(f"ifbench: not ready to be applied: {words}")
    _say_keys(configs)
    _write(as_yaml(manifests), options.output)
    return EXIT_OK


def checked(
    overrides: Sequence[str], config_dir: Path | None, *, is_sweep: bool = False
) -> list[RunConfig]:
    """The configuration of each point, as far as it can be checked from here; opens no store.

    A data file is read where it comes with ifbench; another's path is the pods'.
    """
    points = load_points(overrides, is_sweep=is_sweep, config_dir=config_dir)
    for point in points:
        with of_point(point.name):
            _check(point.config)
    return [point.config for point in points]


def _check(config: RunConfig) -> None:
    check_options(config.models)
    check_rules(config)
    graded(config)
    if config.benchmark.data.startswith("builtin:"):
        open_dataset(config.benchmark)
    if config.execution.name != "ray" or config.execution.address is None:
        raise ConfigError(f"{_OWN_CLUSTER}: leave out what sets `execution` or its `address`")


_OWN_CLUSTER = "a RayJob runs on its own cluster"


def _examples(image: str, config: RunConfig) -> list[str]:
    """What the shipped manifests leave to the user, and the user has left."""
    found = []
    if image.startswith(EXAMPLE_IMAGE):
        found.append(f"the image is an example ({image}); give yours with --image")
    if config.store.uri.startswith(EXAMPLE_BUCKET):
        found.append(f"the store is an example ({config.store.uri}); give yours with store.uri=")
    return found


def _say_keys(configs: Sequence[RunConfig]) -> None:
    models = (model for config in configs for model in config.models)
    names = sorted({model.api_key_env for model in models if model.api_key_env})
    if names:
        say(f"ifbench: the secret `ifbench-keys` must hold {', '.join(names)}")


def _say_data(configs: Sequence[RunConfig]) -> None:
    """A data file stays here: only the configuration is sent along."""
    named = dict.fromkeys(config.benchmark.data for config in configs)
    for data in (one for one in named if not one.startswith(("builtin:", "hub:"))):
        where = "" if Path(data).is_absolute() else "; better by its whole path"
        say(f"ifbench: {data} is not sent along: pods must find it there{where}")


def _apply(manifests: Sequence[Manifest], name: str, options: argparse.Namespace) -> int:
    namespace = manifests[-1]["metadata"]["namespace"]
    given = {"--context": options.context, "--kubeconfig": options.kubeconfig}
    cluster = Cluster(namespace, [word for key, v in given.items() if v for word in (key, str(v))])
    state = cluster.state(name)
    if state and state not in ENDED:
        print(f"{name} is there already ({state}); it is left to go on.")
    else:
        if state:  # KubeRay does not start an ended one again.
            cluster.delete(name)
        print(cluster.apply(as_yaml(manifests)).strip())
    print(f"See it: kubectl --namespace {namespace} get rayjob {name} --watch")
    return EXIT_OK


def _write(text: str, path: Path | None) -> None:
    if path is None:
        print(text, end="")
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
