"""What an endpoint means by refusing: its status and words as a typed failure.

Only the endpoint's own message, code and type are read, never the rest of the body: some
servers send the request back in it, and a prompt may speak of safety or of context lengths.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ifbench.types import Failure, FailureKind

MAX_MESSAGE = 300
RETRIED_STATUSES = frozenset({408, 409, 425, 429})  # And all from 500.

_CONTEXT_OVERFLOW = re.compile(
    r"context_length|context length|context window|context[ _]size"
    r"|maximum context|maximum (?:input|prompt|sequence) length"
    r"|too many (?:input |prompt )?tokens|(?:prompt|input|conversation|messages?) (?:is|are) too long"
    r"|exceeds? the (?:maximum|max|limit)[^.]{0,30}tokens|longer than the (?:model|maximum)"
    r"|reduce the length of the (?:messages|prompt|input)|max_new_tokens.{0,4} must be <=",
    re.IGNORECASE,
)
# The prompt fits, the room asked for its reply does not: the config's fault, not the model's.
_TOO_MUCH_OUTPUT = re.compile(r"max_(?:completion_|new_)?tokens\W{0,3} is too large", re.IGNORECASE)
_CONTENT_POLICY = re.compile(
    r"content[ _-]?(?:policy|management|filter|moderation)|ResponsibleAIPolicy|\bsafety\b"
    r"|usage polic(?:y|ies)|data_inspection_failed|inappropriate content|content exists risk"
    r"|prohibited[_ ]content|input was flagged|flagged as|不安全或敏感",
    re.IGNORECASE,
)
# "Exceeded your current quota" alone is no sign: some endpoints say it of a minute's quota.
_OUT_OF_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|fund)|credit balance|out of credit"
    r"|(?:credit|balance|fund)s? (?:\w+ ){0,3}(?:exhausted|depleted|used up|too low)"
    r"|exhausted (?:\w+ ){0,3}(?:credit|balance|fund)|billing_hard_limit|payment required",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A typed failure, and what may be done about it."""

    failure: Failure
    retry: bool = False
    overloaded: bool = False
    hopeless: bool = False
    """True when no request to this endpoint under this key can succeed."""


def read_refusal(status: int, words: str) -> Refusal:
    """Type a refusal by its status and the endpoint's words (see `refusal_words`)."""
    message = f"HTTP {status}: {shortened(words)}" if words else f"HTTP {status}"

    def failed(kind: FailureKind, **more: bool) -> Refusal:
        return Refusal(failure=Failure(kind=kind, message=message), **more)

    if status == 402 or (status in {403, 429} and _OUT_OF_CREDIT.search(words)):
        return failed(FailureKind.REJECTED, hopeless=True)
    if status >= 500 or status in RETRIED_STATUSES:
        return failed(FailureKind.TRANSPORT, retry=True, overloaded=status == 429)
    if status in {400, 403, 422} and _CONTENT_POLICY.search(words):
        return failed(FailureKind.CONTENT_FILTER)
    if status in {400, 413, 422} and overflows_context(words):
        return failed(FailureKind.CONTEXT_OVERFLOW)
    return failed(FailureKind.REJECTED, hopeless=status == 401)


def overflows_context(words: str) -> bool:
    """True when the prompt itself does not fit into the model's context."""
    return bool(_CONTEXT_OVERFLOW.search(words)) and not _TOO_MUCH_OUTPUT.search(words)


def shortened(text: str) -> str:
    """One line of at most `MAX_MESSAGE` characters."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_MESSAGE else line[: MAX_MESSAGE - 1] + "…"


# ── The endpoint's words ─────────────────────────────────────────────────────────────


def refusal_words(body: bytes) -> str:
    """Message, code and type out of an error's body, in the shapes that are about."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return body[:4000].decode("utf-8", errors="replace")
    return error_words(data)


def error_words(data: Any) -> str:  # JSON from an endpoint can be anything.
    """The words of a parsed error: `{"error": …}`, `{"detail": …}`, a list of these, a text."""
    match data:
        case str():
            return data
        case [first, *_]:  # Google's gateway wraps the error in a list.
            return error_words(first)
        case {"error": {} | str() as error}:
            return _parts(error) if isinstance(error, Mapping) else error
        case {"detail": [*details]}:  # FastAPI; `input` would hold the request.
            return "; ".join(_validation(detail) for detail in details)
        case {"detail": detail}:
            return error_words(detail)
        case {}:
            return _parts(data)
    return ""


def _parts(error: Mapping[str, Any]) -> str:
    message = error.get("message")
    extra = [error.get(name) for name in ("code", "type", "status", "param")]
    named = [text for text in extra if isinstance(text, str) and text]
    words = message if isinstance(message, str) else ""
    return f"{words} ({', '.join(named)})" if named else words


def _validation(detail: Any) -> str:
    if not isinstance(detail, Mapping):
        return str(detail)
    place = detail.get("loc")
    where = ".".join(map(str, place)) if isinstance(place, Sequence) else ""
    return f"{where}: {detail.get('msg', '')} ({detail.get('type', '')})"
