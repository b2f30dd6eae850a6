"""The servers that a run's own models need: which, on which GPUs, in which order, for how long.

A judge's server stands to the end of the run. A candidate's is let go once its last row is out,
and the next one in line is placed. Rows come group by group (`placement.py`).
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from ifbench.config import RunConfig
from ifbench.engines.vllm_command import (
    ENVIRONMENT,
    TOKEN_VARIABLE,
    serve_command,
    server_key,
    vllm_options,
)
from ifbench.errors import PrerequisiteError
from ifbench.execution.model_server import ServerSpec
from ifbench.execution.model_servers import Finder, LocalLauncher, ModelServers, local_gpus
from ifbench.execution.placement import candidate_groups
from ifbench.types import ModelConfig, Trial

STANDING = "the run"
"""Who holds the servers that are needed to the end."""


@dataclass(kw_only=True)
class Serving:
    """What a run knows of its servers; without any, one group and nobody to find."""

    groups: tuple[tuple[str, ...], ...]
    """The candidates' names, in the order in which they are asked."""
    later: frozenset[str] = frozenset()
    """Models whose servers wait for others to be let go."""
    finder: Finder | None = None
    _servers: ModelServers | None = None
    _keys: Mapping[str, str] = field(default_factory=dict)
    _left: Counter[str] = field(default_factory=Counter)

    def finished(self, trial: Trial) -> None:
        """A row is out; after a candidate's last one its server is let go."""
        name = trial.item.candidate.name
        if self._servers is None or name not in self._keys:
            return
        self._left[name] -= 1
        if not self._left[name]:
            self._servers.let_go(self._keys[name], name)


@contextmanager
def open_serving(config: RunConfig, owing: frozenset[str], trials: int) -> Iterator[Serving]:
    """Servers for the models of the run that will be asked, ended on leaving.

    `trials` are all of the run's. Raises `PrerequisiteError` where GPUs, Ray or the command are
    not there.
    """
    served = [model for model in config.models if model.engine == "vllm" and model.name in owing]
    names = tuple(model.name for model in config.candidates)
    if not served:
        yield Serving(groups=(names,))
        return
    specs = {model.name: server_spec(model) for model in served}
    needs = {spec.key: spec.gpus * spec.replicas for spec in specs.values()}
    standing = [specs[name].key for name in _judging(config) if name in specs]
    with _registry(config, specs) as (servers, gpus):
        groups = _groups(names, specs, standing, needs, gpus)
        servers.hold([spec for spec in specs.values() if spec.key in standing], STANDING)
        for name in (name for group in groups for name in group if name in specs):
            servers.hold([specs[name]], name)
        later = frozenset(
            name
            for group in groups[1:]
            for name in group
            if name in specs and specs[name].key not in standing
        )
        _tell([name for name in specs if name not in later])
        yield Serving(
            groups=groups,
            later=later,
            finder=servers.finder,
            _servers=servers,
            _keys={name: spec.key for name, spec in specs.items()},
            _left=Counter(dict.fromkeys(names, trials // len(names))),
        )


def server_spec(model: ModelConfig) -> ServerSpec:
    """What is to be started for a model of `engine: vllm`."""
    options = vllm_options(model)
    return ServerSpec(
        key=server_key(model),
        name=model.name,
        command=partial(serve_command, model.model, options),
        gpus=options.gpus,
        replicas=options.replicas,
        port=options.port,
        start_s=options.start_s,
        restarts=options.restarts,
        environment=ENVIRONMENT,
        token_variable=TOKEN_VARIABLE,
    )


def _judging(config: RunConfig) -> list[str]:
    """The models that are asked until the last row is out."""
    roles = (config.judge, config.extractor, config.grader, config.transcriber)
    return [model.name for model in roles if model is not None]


def _groups(
    names: Sequence[str],
    specs: Mapping[str, ServerSpec],
    standing: Sequence[str],
    needs: Mapping[str, int],
    gpus: int,
) -> tuple[tuple[str, ...], ...]:
    """Groups of names, from groups of servers: two candidates may share one."""
    unit = {name: specs[name].key if name in specs else name for name in names}
    titles = {spec.key: name for name, spec in reversed(list(specs.items()))}
    found = candidate_groups(
        [titles.get(one, one) for one in dict.fromkeys(unit.values())],
        [titles[key] for key in standing],
        {titles[key]: need for key, need in needs.items()},
        gpus,
    )
    return tuple(
        tuple(name for name in names if titles.get(unit[name], name) in group) for group in found
    )


@contextmanager
def _registry(
    config: RunConfig, specs: Mapping[str, ServerSpec]
) -> Iterator[tuple[ModelServers, int]]:
    """The registry of a run, and how many GPUs its servers may take."""
    wanted = config.execution.gpus
    if config.execution.name == "local":
        _check_commands(specs)
        gpus = local_gpus(wanted)
        with ModelServers(LocalLauncher(gpus)) as servers:
            yield servers, len(gpus)
        return
    from ifbench.execution.ray_data import RayOptions
    from ifbench.execution.ray_servers import RayLauncher, cluster_gpus

    options = RayOptions(address=config.execution.address, num_gpus=wanted)
    count = cluster_gpus(options, wanted, specs.values())
    with ModelServers(RayLauncher(options)) as servers:
        yield servers, count


def _check_commands(specs: Mapping[str, ServerSpec]) -> None:
    """Raise `PrerequisiteError` for a command that is not on this machine."""
    for name, spec in specs.items():
        program = spec.command("127.0.0.1", 0)[0]
        if shutil.which(program) is None:
            raise PrerequisiteError(
                f"model {name}: `{program}` is not found on this machine; install vLLM (in an "
                "environment of its own, if need be) and name it in `options.command`"
            )


def _tell(names: Sequence[str]) -> None:
    sys.stderr.write(
        f"ifbench: starting the servers of {', '.join(names)}; loading a model takes minutes\n"
    )
    sys.stderr.flush()
