"""Trying again: when, how often and for how long. The only layer that retries.

Waits follow exponential back-off with full jitter (a uniform draw between 0 and the back-off),
so that calls which failed together do not come back together. What the endpoint asks for
(Retry-After) wins over the draw.
"""

from __future__ import annotations

import asyncio
import math
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime

from ifbench.engines.engine import Try
from ifbench.types import Limits, Response

BASE_S = 0.5
CAP_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Clockwork:
    """Time and chance, so that a test can own them."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random
    """Uniform in [0, 1)."""


def backoff_s(tries: int, draw: float) -> float:
    """Seconds before the next try, after `tries` tries; `draw` is uniform in [0, 1)."""
    return draw * min(CAP_S, BASE_S * 2.0 ** min(tries - 1, 30))


Wait = Callable[[Try, float], Awaitable[bool]]
"""Waits before the next try; False when there is to be none, as the run is to end."""


async def retried(
    make_try: Callable[[], Awaitable[Try]], limits: Limits, wait: Wait, clockwork: Clockwork
) -> Response:
    """Make tries until one settles the call or a limit is met; the last response is returned.

    A wait never goes past `limits.elapsed_s`: a longer Retry-After is cut to what is left, and
    the try after it is the last one.
    """
    began = clockwork.now()
    tries = 0
    while True:
        tried = await make_try()
        tries += 1
        began += tried.waited_s
        left = limits.elapsed_s - (clockwork.now() - began)
        if tried.retry and tries < limits.attempts and left > 0:
            asked = tried.retry_after_s
            delay = backoff_s(tries, clockwork.random()) if asked is None else asked
            if await wait(tried, min(delay, left)):
                continue
        return replace(tried.response, tries=tries)


# ── What the endpoint asks for ───────────────────────────────────────────────────────

_UNIT_S = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(us|µs|ms|s|m|h|d)")


def parse_retry_after(headers: Mapping[str, str], wall_clock: Callable[[], float]) -> float | None:
    """Seconds to wait by the headers (names in lower case, or a mapping blind to case).

    Read in this order: `retry-after-ms`, `retry-after` (seconds, a fraction, a date), then the
    `x-ratelimit-reset-…` spans of what is used up. `None` where nothing readable is said.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    if text is not None:
        return _seconds_or_date(text.strip(), wall_clock)
    spans = [
        parse_span(headers.get(f"x-ratelimit-reset-{what}", ""))
        for what in ("requests", "tokens")
        if _number(headers.get(f"x-ratelimit-remaining-{what}")) == 0
    ]
    return max((span for span in spans if span is not None), default=None)


def parse_span(text: str) -> float | None:
    """`1s`, `6m0s`, `20ms` in seconds; `None` for anything else."""
    compact = text.strip()
    found = list(_SPAN.finditer(compact))
    if not compact or "".join(match.group() for match in found) != compact:
        return None
    return sum(float(match[1]) * _UNIT_S[match[2]] for match in found)


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _seconds_or_date(text: str, wall_clock: Callable[[], float]) -> float | None:
    seconds = _number(text)
    if seconds is not None:
        return seconds
    span = parse_span(text)  # Some gateways write `30s` here.
    if span is not None:
        return span
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:  # RFC 9110 dates are in GMT, also where they say `-0000`.
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - wall_clock())
