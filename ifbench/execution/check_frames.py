"""What goes between a sandbox and the process that runs its checks.

A frame is a length and a marshalled pair of a kind and a body of built-in values. Marshal
knows no classes, so that nothing is ever built or run on one side that the other chose, as a
pickle would allow; both sides are one interpreter, so they agree on its format.
"""

from __future__ import annotations

import marshal
import struct
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from ifbench.constraints.constraint import Check
from ifbench.constraints.running import CheckCall
from ifbench.types import Cause, Evidence, Outcome

CALLS: Final = "calls"
READY: Final = "ready"
BROKEN: Final = "broken"
"""The constraints could not be imported; the body says why."""
RECEIVED: Final = "received"
"""The calls are there, the first of them begins."""
RESULTS: Final = "results"
"""Of calls that have ended since the last frame, in order."""
MEMORY: Final = "memory"
"""The same; the last of them ran into its memory bound, and the process is to be replaced."""

LENGTH = struct.Struct("<Q")
"""Of a frame's length, and of the place of the call in work (`check_process`)."""

Frame: TypeAlias = tuple[str, Any]


def pack(kind: str, body: Any) -> bytes:
    """One frame. Raises `ValueError` when the body holds more than built-in values."""
    data = marshal.dumps((kind, body))
    return LENGTH.pack(len(data)) + data


def unpack(buffer: bytearray) -> list[Frame]:
    """Take all frames off the buffer that are there in full."""
    frames: list[Frame] = []
    end = 0
    while len(buffer) - end >= LENGTH.size:
        (size,) = LENGTH.unpack_from(buffer, end)
        start = end + LENGTH.size
        if len(buffer) < start + size:
            break
        end = start + size
        frames.append(load_frame(buffer[start:end]))
    del buffer[:end]
    return frames


def load_frame(data: bytes | bytearray) -> Frame:
    """A frame without its length."""
    frame: Frame = marshal.loads(data)  # noqa: S302  # our own child's, and only values
    return frame


EncodedCall: TypeAlias = tuple[Any, ...]


def encode_call(call: CheckCall) -> EncodedCall:
    """A call as built-in values. Raises `ValueError` where its parameters have no JSON text."""
    return (call.constraint_id, call.params_json, call.text, call.quotations)


EncodedCheck: TypeAlias = tuple[Any, ...] | None


def encode_check(check: Check | None) -> EncodedCheck:
    """A check as built-in values; `None` where the extractor is to be asked."""
    if check is None:
        return None
    outcome, reason, evidence, extracted, found, requirements, cause = check
    return (
        _plain(outcome),
        reason,
        tuple(map(tuple, evidence)) if evidence else (),
        extracted,
        dict(found) if found else None,
        requirements,
        None if cause is None else _plain(cause),
    )


def decode_check(values: EncodedCheck) -> Check | None:
    """What `encode_check` made values of."""
    if values is None:
        return None
    outcome, reason, evidence, extracted, found, requirements, cause = values
    if evidence:
        # What `Evidence._make(place)` does, in half the time.
        evidence = tuple([_new(Evidence, place) for place in evidence])
    if cause is not None:
        cause = Cause(cause)
    fields = (_OUTCOMES[outcome], reason, evidence, extracted, found or {}, requirements, cause)
    return _new(Check, fields)


_new = tuple.__new__
_OUTCOMES: Mapping[str, Outcome] = {outcome.value: outcome for outcome in Outcome}
_plain = str.__str__
"""The text of a `StrEnum` without its class, in a third of the time that `.value` takes."""
