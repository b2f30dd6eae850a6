"""When to stop asking an endpoint: it is out, or it will have nothing from us.

Arithmetic on moments that are passed in. An outage is tried again after a while, by one asker; a
refused key or used-up credit is final for its run, as only a person can mend it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PROBE_AFTER_S = 30.0
"""An endpoint that is out is left alone for so long."""


@dataclass(slots=True, kw_only=True)
class Breaker:
    """The state of one endpoint under one key, over all who ask it."""

    failures_needed: int = 20
    outage_s: float = 20.0
    """An outage is so many failures in a row, over so many seconds. A restart is shorter, and
    calls that try again outlive it."""
    probe_after_s: float = PROBE_AFTER_S
    probe_s: float = 60.0
    """Time that one asker has to find out whether the endpoint is back."""
    _failures: int = 0
    _failing_since: float = 0.0
    _reason: str = ""
    _closed_until: float | None = None
    _prober: str | None = None
    _probed_until: float = 0.0
    _final: dict[str, str] = field(default_factory=dict)

    @property
    def is_probing(self) -> bool:
        """True while one asker tries whether an outage is over."""
        return self._prober is not None

    def answered(self) -> None:
        """The endpoint has answered a request, in whatever way: it is there."""
        self._failures = 0
        self._closed_until = self._prober = None

    def failed(self, count: int, words: str, now: float) -> None:
        """`count` requests in a row had no answer; `words` say what came instead."""
        if count <= 0:
            return
        if self._failures == 0:
            self._failing_since = now
        self._failures += count
        is_out = now - self._failing_since >= self.outage_s
        if is_out and self._failures >= self.failures_needed:
            if self._closed_until is None:  # Told once, so that it is counted as one.
                self._reason = (
                    f"not asked, as {self._failures} calls in a row had no answer; "
                    f"the last one: {words}"
                )
            self._closed_until = now + self.probe_after_s
            self._prober = None

    def give_up(self, run: str, words: str) -> None:
        """No request of this run can succeed."""
        self._final.setdefault(run, words)

    def forget(self, run: str) -> None:
        """The run is over."""
        self._final.pop(run, None)

    def reason(self, run: str) -> str:
        """Why nobody of a run may ask; empty where all may."""
        if run in self._final:
            return f"not asked, as an earlier call was refused: {self._final[run]}"
        return "" if self._closed_until is None else self._reason

    def may_probe(self, asker: str, run: str, now: float) -> bool:
        """True where this asker, and for a while no other, is to try once more."""
        if run in self._final or self._closed_until is None or now < self._closed_until:
            return False
        if self._prober not in {None, asker} and now < self._probed_until:
            return False
        if self._prober != asker or now >= self._probed_until:
            self._prober, self._probed_until = asker, now + self.probe_s
        return True
