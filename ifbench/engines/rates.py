"""Rates as arithmetic on moments: buckets that fill, and a pace that recovers after a refusal.

Nothing here waits or reads a clock; the limiter asks how long to wait and says what it took.
"""

from __future__ import annotations

import math
from collections import deque

MINUTE_S = 60.5
"""What we take for a minute. A full bucket and a minute's flow are together no more than a minute
grants, and requests that arrive up to a quarter of a second late still are not."""


def per_second(per_minute: float | None) -> float | None:
    """The rate at which a quota of so many a minute may be used."""
    return None if per_minute is None else per_minute / MINUTE_S


class Buckets:
    """Two token buckets, each holding `BURST_S` of its rate (at least 1); `None` is no limit.

    Endpoints often allow a burst of a second. We use a part of it: requests that set out evenly
    arrive in bunches, and the rest is for those.
    """

    BURST_S = 0.25

    def __init__(
        self, *, requests_per_s: float | None, tokens_per_s: float | None, now: float
    ) -> None:
        self._rates: tuple[float | None, float | None] = (None, None)
        self._full = [0.0, 0.0]
        self._levels = [0.0, 0.0]
        self._filled_at = now
        self.set_rates(requests_per_s, tokens_per_s, now)
        self._levels = list(self._full)

    @property
    def is_limited(self) -> bool:
        """True where there is a rate to be kept."""
        return self._rates != (None, None)

    def set_rates(
        self, requests_per_s: float | None, tokens_per_s: float | None, now: float
    ) -> None:
        """Go on at other rates. A limit that is new starts with an empty bucket."""
        self._fill(now)
        before, self._rates = self._rates, (requests_per_s, tokens_per_s)
        self._full = [max(1.0, self.BURST_S * (rate or 0.0)) for rate in self._rates]
        for index, was in enumerate(before):
            level = 0.0 if was is None else self._levels[index]
            self._levels[index] = min(level, self._full[index])

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

    def ahead_s(self, now: float) -> float:
        """How far ahead of now the budget is spent: until then it only fills what was taken."""
        self._fill(now)
        owed = [
            -level / rate for level, rate in zip(self._levels, self._rates, strict=True) if rate
        ]
        return max(0.0, *owed) if owed else 0.0

    def take(self, tokens: int, now: float) -> None:
        """Take a request; a level may fall below nothing."""
        self._fill(now)
        self._levels[0] -= 1
        self._levels[1] -= tokens

    def correct(self, tokens: int, requests: int = 0) -> None:
        """Give back what was taken and not used (take more where negative).

        A bucket never holds more than it would, had it not been taken: else what several give
        back in turn would add up to a burst.
        """
        for index, amount in enumerate((requests, tokens)):
            self._levels[index] = min(self._full[index], self._levels[index] + amount)

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
    that, doubles each second until it is reached, then adds a twentieth of it each second.
    """

    CUT = 0.7
    START = 1 / 8
    STEP = 0.05
    LATE_S = 0.05  # How far a late wake-up may be made good.

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=4096)
        self._target_per_s = math.inf
        self._paused_until = -math.inf
        self._cut_again_at = -math.inf
        self._next_at = -math.inf

    @property
    def is_slowed(self) -> bool:
        """True from the first refusal on."""
        return self._target_per_s < math.inf

    def paused_s(self, now: float) -> float:
        """Seconds until the pause is over."""
        return max(0.0, self._paused_until - now)

    def wait_s(self, now: float) -> float:
        """Seconds until the next request may go."""
        return max(0.0, self._next_at - now)

    def saw(self, count: int, now: float) -> None:
        """So many requests went out of late, without having been admitted here."""
        self._recent.extend([now] * min(count, 4096))

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
            return self._target_per_s * (1 + self.STEP * (age - ramp_s))
        slow = self._target_per_s * self.START * math.pow(2, age)
        return max(slow, min(1.0, self._target_per_s))
