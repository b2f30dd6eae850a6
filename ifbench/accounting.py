"""The books of a run: which trials came out, how they stand, and what was asked for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ifbench.keys import KeySet
from ifbench.stages.score import Graders, score
from ifbench.store import ResultsWriter
from ifbench.store.manifest import Calls, Counts, Ending
from ifbench.types import Cause, FailureKind, ModelConfig, Outcome, Price, Purpose, Trial, Verdict

Tallied = Mapping[tuple[str, ...], float]


@dataclass(kw_only=True)
class Book:
    """Enters finished trials into the results, and at the end those that never came out."""

    graders: Graders
    planned: int = 0
    answered: int = 0
    complete: int = 0
    undecided: Counter[str] = field(default_factory=Counter)
    failed_item: Verdict | None = None
    unreadable: str | None = None
    """The first sample whose picture or video cannot be shown, and why."""
    undecided_items: dict[str, Verdict] = field(default_factory=dict)
    """By cause, the first verdict that it left undecided."""
    _entered: KeySet = field(default_factory=KeySet)

    def enter(self, trial: Trial, results: ResultsWriter) -> None:
        """Write one trial's verdicts and score; one that was let go before is still missing."""
        if trial.score is None:
            return
        self._entered.add(_id(trial))
        self.planned += 1
        self.answered += trial.response is not None and trial.response.is_answered
        self.complete += not trial.score.is_owed
        self.undecided.update(cause.value for cause in trial.score.owed_causes)
        if self.failed_item is None:
            self.failed_item = _telling(trial.verdicts)
        if self.unreadable is None and Cause.MEDIA in trial.score.owed_causes:
            self.unreadable = _unreadable(trial)
        for verdict in trial.verdicts:
            if verdict.cause is not None:
                self.undecided_items.setdefault(verdict.cause.value, verdict)
        results.add(trial.score, trial.verdicts)

    def enter_missing(self, planned: Iterator[Trial], results: ResultsWriter) -> None:
        """Write what was planned and did not come out: undecided, cause *not run*."""
        for trial in planned:
            if _id(trial) not in self._entered:
                missing = score(trial.item, None, (), self.graders)
                self.enter(replace(trial, score=missing), results)

    def counts(self, before: Counts, calls: Sequence[Calls], preflight: Sequence[Calls]) -> Counts:
        """Trials as they stand now; calls over all invocations."""
        return replace(
            spent(before, calls, preflight),
            planned=self.planned,
            answered=self.answered,
            complete=self.complete,
            undecided=dict(self.undecided),
        )

    def ending(self, *, interrupted: bool, allowed: int) -> Ending:
        """How the run came out; `allowed` trials may be owed."""
        if interrupted:
            return "interrupted"
        return "complete" if self.planned - self.complete <= allowed else "owed"


def spent(before: Counts, calls: Sequence[Calls], preflight: Sequence[Calls]) -> Counts:
    """The counts with what one more invocation has asked for."""
    return replace(
        before, calls=_added(before.calls, calls), preflight=_added(before.preflight, preflight)
    )


def calls_of(tallied: Tallied, models: Sequence[ModelConfig]) -> tuple[Calls, ...]:
    """The calls of one invocation, by purpose and model."""
    prices = {model.name: model.price for model in models}
    pairs = sorted({(name[1], name[2]) for name in tallied if name[0] == "calls"})
    return tuple(_calls(purpose, model, tallied, prices.get(model)) for purpose, model in pairs)


def cost_usd(price: Price | None, input_tokens: float, output_tokens: float) -> float:
    """What tokens cost; 0 where no price is configured."""
    return 0.0 if price is None else price.usd(input_tokens, output_tokens)


def is_preflight(calls: Calls) -> bool:
    """True for the tiny calls before a run, which are counted apart."""
    return calls.purpose == Purpose.PREFLIGHT


def _calls(purpose: str, model: str, tallied: Tallied, price: Price | None) -> Calls:
    def of(kind: str, event: str) -> int:
        return round(tallied.get((kind, purpose, model, event), 0))

    failed = {
        name[3].removeprefix("failed:"): round(amount)
        for name, amount in tallied.items()
        if name[:3] == ("calls", purpose, model) and name[3].startswith("failed:") and amount
    }
    tokens = of("tokens", "input"), of("tokens", "output")
    return Calls(
        purpose=purpose,
        model=model,
        stored=of("calls", "stored"),
        answered=of("calls", "answered"),
        retried=of("calls", "retried"),
        failed=failed,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        cost_usd=cost_usd(price, *tokens),
    )


def _added(before: Sequence[Calls], now: Sequence[Calls]) -> tuple[Calls, ...]:
    """Sums over invocations. `stored` is of the last one: it counts answers, not calls."""
    sums = {(one.purpose, one.model): replace(one, stored=0) for one in before}
    for one in now:
        old = sums.get((one.purpose, one.model), Calls(purpose=one.purpose, model=one.model))
        sums[one.purpose, one.model] = replace(
            one,
            answered=old.answered + one.answered,
            retried=old.retried + one.retried,
            failed=dict(Counter(old.failed) + Counter(one.failed)),
            input_tokens=old.input_tokens + one.input_tokens,
            output_tokens=old.output_tokens + one.output_tokens,
            cost_usd=old.cost_usd + one.cost_usd,
        )
    return tuple(sums[pair] for pair in sorted(sums))


def _telling(verdicts: Sequence[Verdict]) -> Verdict | None:
    """A failed item that shows the most: with evidence if there is one."""
    failed = [v for v in verdicts if v.outcome is Outcome.FAIL and v.aspect == "constraint"]
    return next((v for v in failed if v.evidence), failed[0] if failed else None)


def _unreadable(trial: Trial) -> str:
    """The sample and what is wrong with its media, in the words of who tried to read them."""
    failure = trial.response.failure if trial.response is not None else None
    if failure is not None and failure.kind is FailureKind.MEDIA:
        words = failure.message
    else:  # The judge or the grader was to see it.
        words = next((v.reason for v in trial.verdicts if v.cause is Cause.MEDIA), "")
    name = f"sample {trial.item.sample.id}"
    return words if words.startswith(name) else f"{name}: {words}"


def _id(trial: Trial) -> str:
    item = trial.item
    return f"{item.attempt}\0{item.candidate.name}\0{item.sample.id}"
