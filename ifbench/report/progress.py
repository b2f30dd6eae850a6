"""Live progress of a run: each step with rate and time left; calls, tokens, cost, failures.

On a terminal the block of lines redraws itself; elsewhere a line is printed every few
seconds, so that a log shows that the run is alive, and whether it works or waits.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self, TextIO, TypeAlias

from ifbench.types import Price

Counts: TypeAlias = Mapping[tuple[str, ...], float]
PLAIN_INTERVAL_S = 10.0
LIVE_INTERVAL_S = 0.5


@dataclass(kw_only=True)
class Progress:
    """Shows `counts()` until it is left; `total` is the number of rows planned."""

    counts: Callable[[], Counts]
    steps: Sequence[str]
    total: int
    prices: Mapping[str, Price]
    """By the model ids that stand in the counts."""
    out: TextIO = field(default_factory=lambda: sys.stderr)
    clock: Callable[[], float] = time.monotonic

    def __enter__(self) -> Self:
        self._started = self.clock()
        self._ended = threading.Event()
        show = self._live if self.out.isatty() else self._plain
        self._thread = threading.Thread(target=show, daemon=True, name="ifbench-progress")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(timeout=5)

    def lines(self) -> list[str]:
        """The block as it stands now."""
        counts = self.counts()
        elapsed = max(self.clock() - self._started, 1e-9)
        if not any(name[0] == "rows" for name in counts):
            return [f"after {duration(elapsed)}: starting the workers"]
        return [
            f"after {duration(elapsed)}",
            *(step_line(name, counts, self.total, elapsed) for name in self.steps),
            *call_lines(counts, self.prices),
        ]

    def _live(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        console = Console(file=self.out, highlight=False)
        with Live(console=console, transient=True, auto_refresh=False) as live:
            while not self._ended.wait(LIVE_INTERVAL_S):
                live.update(Text("\n".join(self.lines())), refresh=True)

    def _plain(self) -> None:
        while not self._ended.wait(PLAIN_INTERVAL_S):
            print(" | ".join(self.lines()), file=self.out, flush=True)


def step_line(name: str, counts: Counts, total: int, elapsed: float) -> str:
    """`generate 40/120  3.2/s  25 s left  16 in hand`."""
    done = counts.get(("rows", name, "out"), 0.0)
    held = counts.get(("rows", name, "in"), 0.0) - done
    rate = done / elapsed
    left = f"{duration((total - done) / rate)} left" if done and done < total else ""
    parts = [f"{name} {done:.0f}/{total}", f"{rate:.1f}/s", left, f"{held:.0f} in hand"]
    return "  ".join(part for part in parts if part)


def call_lines(counts: Counts, prices: Mapping[str, Price]) -> list[str]:
    """One line for each purpose and model that has been asked, or found in the store."""
    pairs = sorted({name[1:3] for name in counts if name[0] == "calls"})
    return [_call_line(purpose, model, counts, prices) for purpose, model in pairs]


def cost(counts: Counts, prices: Mapping[str, Price]) -> float:
    """US dollars for the tokens of the calls made, at the prices configured."""
    total = 0.0
    for name, amount in counts.items():
        if name[0] == "tokens" and (price := prices.get(name[2])) is not None:
            total += price.usd(amount, 0) if name[3] == "input" else price.usd(0, amount)
    return total


def _call_line(purpose: str, model: str, counts: Counts, prices: Mapping[str, Price]) -> str:
    def of(event: str) -> float:
        return counts.get(("calls", purpose, model, event), 0.0)

    tokens = {way: counts.get(("tokens", purpose, model, way), 0.0) for way in ("input", "output")}
    own = {
        name: amount for name, amount in counts.items() if name[:3] == ("tokens", purpose, model)
    }
    spent = cost(own, prices)
    failures = {
        name[3].removeprefix("failed:"): amount
        for name, amount in counts.items()
        if name[:3] == ("calls", purpose, model) and name[3].startswith("failed:") and amount
    }
    shown = [
        f"{purpose} {model}: {of('answered'):.0f} answered",
        f"{of('stored'):.0f} from the store" if of("stored") else "",
        f"{of('in_flight'):.0f} in flight" if of("in_flight") > 0 else "",
        f"{of('waiting'):.0f} waiting for budget" if of("waiting") > 0 else "",
        f"{of('backing_off'):.0f} backing off" if of("backing_off") > 0 else "",
        f"{of('retried'):.0f} retried" if of("retried") else "",
        *(f"{amount:.0f} failed ({kind})" for kind, amount in sorted(failures.items())),
        f"tokens {tokens['input']:,.0f} in, {tokens['output']:,.0f} out"
        if any(own.values())
        else "",
        f"${spent:,.4f}" if spent else "",
    ]
    return "  ".join(part for part in shown if part)


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 600:  # So that lines of every ten seconds differ.
        return f"{seconds // 60:.0f} min {int(seconds % 60)} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
