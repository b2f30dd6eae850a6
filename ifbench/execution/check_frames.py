"""What goes between a sandbox and the process that runs its checks.

A frame is a length and a pickle of built-in values only. Neither side can load a class from
the other, so nothing that a model wrote is ever executed.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Mapping
from typing import Any, Final, NoReturn, TypeAlias

from ifbench.constraints.constraint import Check
from ifbench.constraints.running import CheckCall
from ifbench.types import Cause, Evidence, Outcome

CALLS: Final = "calls"
READY: Final = "ready"
BROKEN: Final = "broken"
"""The constraints could not be imported; the body says why."""
RECEIVED: Final = "received"
"""The calls are there, the first of them begins."""
RESULT: Final = "result"
MEMORY: Final = "memory"
"""A result after which the process is to be replaced: it ran into its memory bound."""

LENGTH = struct.Struct("<Q")

Frame: TypeAlias = tuple[str, Any]


def pack(kind: str, body: Any) -> bytes:
    """One frame. Raises `TypeError` when the body holds more than built-in values."""
    buffer = io.BytesIO()
    buffer.write(LENGTH.pack(0))
    _PlainPickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump((kind, body))
    size = buffer.tell() - LENGTH.size
    buffer.seek(0)
    buffer.write(LENGTH.pack(size))
    return buffer.getvalue()


def unpack(buffer: bytearray) -> Frame | None:
    """Take the first frame off the buffer; `None` while it is not there in full."""
    if len(buffer) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack_from(buffer)
    end = LENGTH.size + size
    if len(buffer) < end:
        return None
    frame = load_frame(bytes(buffer[LENGTH.size : end]))
    del buffer[:end]
    return frame


def load_frame(data: bytes) -> Frame:
    """A frame without its length."""
    frame: Frame = _PlainUnpickler(io.BytesIO(data)).load()
    return frame


class _PlainPickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> NoReturn:
        """Called for whatever is not a plain built-in value."""
        raise TypeError(f"a {type(value).__name__} cannot be sent between processes")


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        """Called for whatever would have to be imported."""
        raise pickle.UnpicklingError(f"{module}.{name} is not a plain value")


def encode_call(call: CheckCall) -> tuple[Any, ...]:
    """A call as built-in values."""
    return (call.constraint_id, call.params_json, call.text, call.quotations)


def encode_check(check: Check | None) -> tuple[Any, ...] | None:
    """A check as built-in values; `None` where the extractor is to be asked."""
    if check is None:
        return None
    return (
        check.outcome.value,
        check.reason,
        tuple((place.start, place.end, place.text) for place in check.evidence),
        check.extracted,
        dict(check.found),
        check.requirements,
        check.cause.value if check.cause else None,
    )


def decode_check(values: tuple[Any, ...] | None) -> Check | None:
    """What `encode_check` made values of."""
    if values is None:
        return None
    outcome, reason, evidence, extracted, found, requirements, cause = values
    return Check(
        outcome=_OUTCOMES[outcome],
        reason=reason,
        evidence=tuple(Evidence(start=start, end=end, text=text) for start, end, text in evidence),
        extracted=extracted,
        found=found,
        requirements=requirements,
        cause=_CAUSES[cause],
    )


_OUTCOMES: Mapping[str, Outcome] = {outcome.value: outcome for outcome in Outcome}
_CAUSES: Mapping[str | None, Cause | None] = {None: None, **{cause.value: cause for cause in Cause}}
