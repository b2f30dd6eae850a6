"""The servers that the runs' own models need: which, on which GPUs, in which order, for how long.

A judge's server stands to the end. A candidate's is let go once its last row is out, of whichever
run, and the next one in line is placed. Rows come group by group (`placement.py`).
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

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

LaneId: TypeAlias = tuple[str, str]
"""A candidate's name, and the key of its server, if it has one of ours."""


def lane_of(model: ModelConfig) -> LaneId:
    """What keeps a candidate's rows apart from others': of one name, and of one server."""
    return (model.name, server_key(model) if model.engine == "vllm" else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What one run wants of servers."""

    config: RunConfig
    owing: frozenset[str]
    """Names of the models that it will ask."""
    trials: int

    @property
    def served(self) -> Iterator[ModelConfig]:
        """Its models that will be asked and that we serve ourselves."""
        return (m for m in self.config.models if m.engine == "vllm" and m.name in self.owing)

    @property
    def judging(self) -> Iterator[ModelConfig]:
        """The models that are asked until the last row is out."""
        config = self.config
        roles = (config.judge, config.extractor, config.grader, config.transcriber)
        return (model for model in roles if model is not None)


@dataclass(kw_only=True)
class Serving:
    """What the runs know of their servers; without any, one group and nobody to find."""

    groups: tuple[tuple[LaneId, ...], ...]
    """The candidates, in the order in which they are asked."""
    finder: Finder | None = None
    _later: frozenset[str] = frozenset()
    _servers: ModelServers | None = None
    _titles: Mapping[str, str] = field(default_factory=dict)
    _left: Counter[LaneId] = field(default_factory=Counter)

    def is_later(self, model: ModelConfig) -> bool:
        """True of a model whose server waits for others to be let go."""
        return lane_of(model)[1] in self._later

    def finished(self, trial: Trial) -> None:
        """A row is out; after a candidate's last one, of the last run, its server is let go."""
        if self._servers is None:
            return
        lane = lane_of(trial.item.candidate)
        if lane[1] not in self._titles:
            return
        self._left[lane] -= 1
        if not self._left[lane]:
            self._servers.let_go(lane[1], _holder(lane))


@contextmanager
def open_serving(wanted: Sequence[Wanted]) -> Iterator[Serving]:
    """Servers for the models of all runs that will be asked, ended on leaving.

    Raises `PrerequisiteError` where GPUs, Ray or the command are not there.
    """
    lanes = tuple(dict.fromkeys(lane_of(m) for one in wanted for m in one.config.candidates))
    served = {server_key(model): model for one in wanted for model in one.served}
    if not served:
        yield Serving(groups=(lanes,))
        return
    titles = _titles(wanted, served)
    specs = {key: server_spec(model) for key, model in served.items()}
    judges = (lane_of(model)[1] for one in wanted for model in one.judging)
    standing = [key for key in dict.fromkeys(judges) if key in specs]
    with _registry(wanted[0].config, specs) as (servers, gpus):
        groups = _groups(lanes, specs, standing, titles, gpus)
        servers.hold([specs[key] for key in standing], STANDING)
        for lane in (lane for group in groups for lane in group if lane[1] in specs):
            servers.hold([specs[lane[1]]], _holder(lane))
        waiting = {lane[1] for group in groups[1:] for lane in group if lane[1] in specs}
        later = frozenset(waiting.difference(standing))
        _tell([titles[key] for key in specs if key not in later])
        yield Serving(
            groups=groups,
            finder=servers.finder,
            _later=later,
            _servers=servers,
            _titles=titles,
            _left=_rows_of(wanted),
        )


def _rows_of(wanted: Sequence[Wanted]) -> Counter[LaneId]:
    """How many rows each candidate has, over all runs."""
    rows: Counter[LaneId] = Counter()
    for one in wanted:
        candidates = one.config.candidates
        rows.update({lane_of(model): one.trials // len(candidates) for model in candidates})
    return rows


def _holder(lane: LaneId) -> str:
    return " ".join(lane)


def _titles(wanted: Sequence[Wanted], served: Mapping[str, ModelConfig]) -> Mapping[str, str]:
    """What messages call each server: the model's name, or with the key where two have one name."""
    every = {lane_of(model) for one in wanted for model in one.config.models}
    lanes = Counter(name for name, _ in every)
    return {
        key: model.name if lanes[model.name] == 1 else f"{model.name} ({key[:6]})"
        for key, model in served.items()
    }


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


def _groups(
    lanes: Sequence[LaneId],
    specs: Mapping[str, ServerSpec],
    standing: Sequence[str],
    titles: Mapping[str, str],
    gpus: int,
) -> tuple[tuple[LaneId, ...], ...]:
    """Groups of candidates, from groups of servers: two candidates may share one."""
    unit = {lane: titles.get(lane[1], lane[0]) for lane in lanes}
    found = candidate_groups(
        list(dict.fromkeys(unit.values())),
        [titles[key] for key in standing],
        {titles[key]: spec.gpus * spec.replicas for key, spec in specs.items()},
        gpus,
    )
    return tuple(tuple(lane for lane in lanes if unit[lane] in group) for group in found)


@contextmanager
def _registry(
    config: RunConfig, specs: Mapping[str, ServerSpec]
) -> Iterator[tuple[ModelServers, int]]:
    """The registry of all runs, and how many GPUs its servers may take."""
    wanted = config.execution.gpus
    if config.execution.name == "local":
        _check_commands(specs)
        gpus = local_gpus(wanted)
        with ModelServers(LocalLauncher(gpus)) as servers:
            yield servers, len(gpus)
        return
    from ifbench.execution.ray_servers import RayLauncher, cluster_gpus
    from ifbench.execution.ray_start import RayOptions

    options = RayOptions(address=config.execution.address, num_gpus=wanted)
    count = cluster_gpus(options, wanted, specs.values())
    with ModelServers(RayLauncher(options)) as servers:
        yield servers, count


def _check_commands(specs: Mapping[str, ServerSpec]) -> None:
    """Raise `PrerequisiteError` for a command that is not on this machine."""
    for spec in specs.values():
        program = spec.command("127.0.0.1", 0)[0]
        if shutil.which(program) is None:
            raise PrerequisiteError(
                f"model {spec.name}: `{program}` is not found on this machine; install vLLM (in an "
                "environment of its own, if need be) and name it in `options.command`"
            )


def _tell(names: Sequence[str]) -> None:
    sys.stderr.write(
        f"ifbench: starting the servers of {', '.join(names)}; loading a model takes minutes\n"
    )
    sys.stderr.flush()
