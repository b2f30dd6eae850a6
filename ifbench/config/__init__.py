"""From `conf/` and a command line to one frozen `RunConfig`, or to a `ConfigError`.

`values` says what a run is, `folders` where the files are, `overrides` reads the command
line, `sweeps` makes several of one, `compose` lets Hydra put the files together, `roles` turns names into models, `layers`
remembers who said what, `secrets` keeps keys out, and `check` finds every mistake before
anything runs. Hydra, OmegaConf and pydantic are imported inside functions: importing this
package is cheap.
"""

from __future__ import annotations

from ifbench.config.folders import available_models
from ifbench.config.load import load_config
from ifbench.config.sweeps import Point, load_points
from ifbench.config.values import (
    Benchmark,
    Execution,
    Judging,
    RunConfig,
    StoreConfig,
    Workers,
    identity,
    resolved,
)

__all__ = [
    "Benchmark",
    "Execution",
    "Judging",
    "Point",
    "RunConfig",
    "StoreConfig",
    "Workers",
    "available_models",
    "identity",
    "load_config",
    "load_points",
    "resolved",
]
