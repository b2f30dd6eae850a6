"""The keeper of all budgets: answers what workers report. One for a cluster, or for a process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ifbench.engines.budget import IDLE_BEAT_S, TTL_S, Budget, Grant, Report, lowest
from ifbench.engines.purse import Purse, PurseGrant, PurseReport
from ifbench.keys import canonical_json
from ifbench.types import Limits, ModelConfig

AWAY_S = 2 * IDLE_BEAT_S
"""A keeper that has heard nobody for so long was away itself: its process stood still, or its node
was cut off. Nobody is taken for dead because of that time."""
BudgetId: TypeAlias = tuple[str | None, ...]
ClientId: TypeAlias = tuple[str | None, ...]


def client_of(model: ModelConfig) -> ClientId:
    """What opens a client: the points of a sweep may set one model's name in two ways."""
    options = canonical_json(model.options) if model.options else ""
    return (
        model.name,
        model.engine,
        model.model,
        model.revision,
        model.base_url,
        model.api_key_env,
        options,
    )


def budget_of(model: ModelConfig) -> BudgetId:
    """A budget is one model id at one endpoint under one key: that is how quotas are granted."""
    return (model.engine, model.base_url, model.api_key_env, model.model)


def limits_of(models: Iterable[ModelConfig]) -> dict[BudgetId, Limits]:
    """The limits of each budget: the lower one where two models of a budget disagree."""
    limits: dict[BudgetId, Limits] = {}
    for model in models:
        budget = budget_of(model)
        limits[budget] = lowest(limits.get(budget, model.limits), model.limits)
    return limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """All that one worker reports at once. The same request may come twice."""

    worker: str
    serial: int
    """Counts a worker's requests; one that is sent again keeps its number."""
    reports: Mapping[BudgetId, Report]
    purse: PurseReport | None = None
    """Of the run's money, where it has a cap."""
    is_last: bool = False
    """The worker ends; what it held is free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is granted."""

    grants: Mapping[BudgetId, Grant] = field(default_factory=dict)
    purse: PurseGrant | None = None

    def later(self, seconds: float) -> Reply:
        """The same, told so much later: moments are counted from when they are heard."""
        grants = {name: grant.later(seconds) for name, grant in self.grants.items()}
        return replace(self, grants=grants)


@dataclass(slots=True)
class Budgets:
    """Budgets by id, made as they are asked for."""

    now: float
    rebuilt: bool = False
    _budgets: dict[BudgetId, Budget] = field(default_factory=dict)
    _replies: dict[str, tuple[int, Reply, float]] = field(default_factory=dict)
    """The last one to each worker, with its request's number and its moment."""
    _purses: dict[str, Purse] = field(default_factory=dict)
    _heard_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._heard_at = self.now

    def __call__(self, request: Request, now: float) -> Reply:
        """Answer a worker. A request that comes again gets the reply that it got.

        Its bookings stay where they were: used so much later than they were counted, they would
        come on top of what others have booked since.
        """
        self._hear(now)
        serial, reply, at = self._replies.get(request.worker, (-1, Reply(), now))
        if serial == request.serial:
            reply = reply.later(now - at)
        else:
            reply = Reply(
                grants={
                    name: self._budget(name).report(request.worker, report, now)
                    for name, report in request.reports.items()
                },
                purse=self._spend(request, now),
            )
            self._replies[request.worker] = (request.serial, reply, now)
        if request.is_last:
            self._replies.pop(request.worker, None)
            if request.purse is not None:
                self._purse(request.purse.run).drop(request.worker)
            for name in request.reports:
                self._budget(name).drop(request.worker)
        return reply

    def leave(self, run: str, now: float) -> bool:
        """A run is over. True while another one still needs the budgets."""
        self._purses.pop(run, None)
        for budget in self._budgets.values():
            budget.drop_run(run)
        return any(budget.is_used(now) for budget in self._budgets.values())

    def _hear(self, now: float) -> None:
        away_s, self._heard_at = now - self._heard_at, now
        if away_s > AWAY_S:
            for budget in self._budgets.values():
                budget.excuse(away_s)
            for purse in self._purses.values():
                purse.excuse(away_s)

    def _spend(self, request: Request, now: float) -> PurseGrant | None:
        purse = request.purse
        return None if purse is None else self._purse(purse.run).report(request.worker, purse, now)

    def _purse(self, run: str) -> Purse:
        if run not in self._purses:
            until = self.now + TTL_S if self.rebuilt else self.now
            self._purses[run] = Purse(learning_until=until)
        return self._purses[run]

    def _budget(self, name: BudgetId) -> Budget:
        if name not in self._budgets:
            # A keeper that was rebuilt cannot tell whether a budget had workers before.
            self._budgets[name] = Budget(self.now, rebuilt=self.rebuilt)
        return self._budgets[name]


def build_budgets(now: float, rebuilt: bool) -> Budgets:  # noqa: FBT001 (called by a host)
    """A keeper; `rebuilt` where an earlier one has died with its books."""
    return Budgets(now, rebuilt)
