"""Rates as arithmetic on moments: buckets that fill, and a pace that recovers after a refusal.

Nothing here waits or reads a clock; the limiter asks how long to wait and says what it took.
"""

from __future__ import annotations

import math
from collections import deque


class Buckets:
    """Two token buckets, each holding `BURST_S` of its rate (at least 1); `None` is no limit.

    Endpoints often allow a burst of a second. We use a part of it: requests that set out evenly
    arrive in bunches, and the rest is for those.
    """

    BURST_S = 0.25

    def __init__(
        self, *, requests_per_s: float | None, tokens_per_s: float | None, now: float
    ) -> None:
        self._rates = (requests_per_s, tokens_per_s)
        self._full = [max(1.0, self.BURST_S * (rate or 0.0)) for rate in self._rates]
        self._levels = list(self._full)
        self._filled_at = now

    def wait_s(self, tokens: int, now: float) -> float:
        """Seconds until both hold enough. What is larger than a bucket waits for a full one."""
        self._fill(now)
        missing_s = 0.0
        for index, amount in enumerate((1, tokens)):
            rate = self._rates[index]
            if rate is not None:
                enough = min(amount, self._full[index])
                missing_s = max(missing_s, (enough - self._levels[index]) / rate)
        wait = max(0.0, self._filled_at - now) + missing_s
        return wait if wait > 1e-9 else 0.0  # Rounding must not put a waiter to sleep for nothing.

    def take(self, tokens: int, now: float) -> None:
        """Take a request; a level may fall below nothing."""
        self._fill(now)
        self._levels[0] -= 1
        self._levels[1] -= tokens

    def correct(self, tokens: int) -> None:
        """Give back tokens that were taken and not used (take more where negative)."""
        self._levels[1] += tokens

    def empty_until(self, moment: float) -> None:
        """Hold nothing before `moment`, so that a pause does not end in a burst."""
        self._levels = [min(level, 0.0) for level in self._levels]
        self._filled_at = max(self._filled_at, moment)

    def _fill(self, now: float) -> None:
        seconds = now - self._filled_at
        if seconds <= 0:
            return
        self._filled_at = now
        for index, rate in enumerate(self._rates):
            if rate is not None:
                grown = self._levels[index] + seconds * rate
                self._levels[index] = min(self._full[index], grown)


class Pace:
    """How fast requests may follow each other after a pause; unlimited before the first one.

    The rate at which the endpoint refused us is cut to `CUT`. Traffic starts at an eighth of
    that, doubles each second until it is reached, then probes upwards by a twentieth a second.
    """

    CUT = 0.7
    START = 1 / 8
    GROWTH = 1.05
    LATE_S = 0.05  # How far a late wake-up may be made good.

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=4096)
        self._target_per_s = math.inf
        self._paused_until = -math.inf
        self._cut_again_at = -math.inf
        self._next_at = -math.inf

    def wait_s(self, now: float) -> float:
        """Seconds until the next request may go."""
        return max(0.0, self._next_at - now)

    def admit(self, now: float) -> None:
        """A request goes out."""
        self._recent.append(now)
        if self._target_per_s < math.inf:
            self._next_at = max(self._next_at, now - self.LATE_S) + 1 / self._per_s(now)

    def pause(self, seconds: float, now: float) -> None:
        """Stop for `seconds`. Refusals within one second, or during a pause, are one event."""
        if now >= max(self._paused_until, self._cut_again_at):
            seen = sum(moment > now - 1 for moment in self._recent)
            self._target_per_s = self.CUT * max(1, seen)
        self._cut_again_at = max(self._cut_again_at, now + 1)
        self._paused_until = max(self._paused_until, now + seconds)
        self._next_at = max(self._next_at, self._paused_until)

    def _per_s(self, now: float) -> float:
        """The rate at this moment; never less than one a second below the target."""
        age = max(0.0, now - self._paused_until)
        ramp_s = math.log2(1 / self.START)
        if age >= ramp_s:
            return self._target_per_s * math.pow(self.GROWTH, age - ramp_s)
        slow = self._target_per_s * self.START * math.pow(2, age)
        return max(slow, min(1.0, self._target_per_s))
