"""A chat completion's body as a try: the answer byte for byte, or the failure that it is.

Read by hand from the JSON: validating each field of a known form costs more than the request.
Servers differ, so every field is checked where it is used, and a form that holds no reply at
all is a transport failure like a broken connection.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ifbench.engines.chat_refusal import error_words, read_refusal, shortened
from ifbench.engines.chat_request import encodable
from ifbench.engines.engine import Try, failed_response
from ifbench.types import Failure, FailureKind, Prompt, Response, Stop, Usage

_STOPS: Mapping[str, Stop] = {
    "stop": Stop.STOP,
    "eos": Stop.STOP,
    "end_turn": Stop.STOP,
    "stop_sequence": Stop.STOP,
    "length": Stop.LENGTH,
    "max_tokens": Stop.LENGTH,
    "model_length": Stop.LENGTH,
    "content_filter": Stop.FILTER,
}
_BROKEN_OFF = frozenset({"error", "abort"})  # The server gave up in the middle.


def read_reply(prompt: Prompt, body: bytes) -> Try:
    """Read the body of a 200."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        return _unreadable(prompt, f"the body is not JSON: {error}")
    match data:
        case {"choices": [{"message": {} as message} as choice, *_]}:
            return _read_choice(prompt, data, choice, message)
        case {"error": error} if error:  # Some gateways send 200 with an error inside.
            return _read_inner_error(prompt, error)
    return _unreadable(prompt, "the body holds no message")


def _unreadable(prompt: Prompt, message: str) -> Try:
    response = failed_response(prompt, FailureKind.TRANSPORT, shortened(message))
    return Try(response=response, retry=True)


def _read_inner_error(prompt: Prompt, error: Any) -> Try:
    code = error.get("code") if isinstance(error, Mapping) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 502
    refusal = read_refusal(status, error_words({"error": error}))
    return Try(
        response=failed_response(prompt, refusal.failure.kind, refusal.failure.message),
        retry=refusal.retry,
        overloaded=refusal.overloaded,
        hopeless=refusal.hopeless,
    )


def _read_choice(
    prompt: Prompt, data: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any]
) -> Try:
    finish = _text(choice.get("finish_reason"))
    if finish in _BROKEN_OFF:
        return _unreadable(prompt, f"the server broke off (finish_reason {finish!r})")
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        return _unreadable(prompt, f"the reply's content is a {_kind_of(content)}, not a text")
    text, thought = _contents(content)
    stop = _STOPS.get(finish, Stop.OTHER)
    failure = _failure(message, text, stop)
    response = Response(
        key="",
        purpose=prompt.purpose,
        model=prompt.model.model,
        text="" if failure else text,
        reasoning=thought or _reasoning(message),
        stop=stop,
        usage=read_usage(data.get("usage")),
        returned_model=_text(data.get("model")),
        fingerprint=_text(data.get("system_fingerprint")),
        failure=failure,
    )
    return Try(response=response)


def _kind_of(value: Any) -> str:
    match value:
        case bool():
            return "truth value"
        case int() | float():
            return "number"
        case _:
            return "JSON object"


def _failure(message: Mapping[str, Any], text: str, stop: Stop) -> Failure | None:
    refusal = _text(message.get("refusal"))
    if refusal:
        return Failure(kind=FailureKind.REFUSAL, message=shortened(refusal))
    if stop is Stop.FILTER:
        return Failure(kind=FailureKind.CONTENT_FILTER, message="the reply was filtered")
    if text:
        return None
    if stop is Stop.LENGTH:
        words = "max_tokens was used up before the answer began"
    elif message.get("tool_calls"):
        words = "the reply holds tool calls and no text"
    else:
        words = "the reply holds no text"
    return Failure(kind=FailureKind.EMPTY, message=words)


def _contents(content: Any) -> tuple[str, str]:
    """Text and thinking of a message's content: a text, or parts of several types."""
    if not isinstance(content, list):
        return _text(content), ""
    text: list[str] = []
    thought: list[str] = []
    for part in content:
        match part:
            case str():
                text.append(part)
            case {"type": "thinking" | "reasoning"}:
                inner = part.get("thinking", part.get("text"))
                thought.append(_contents(inner)[0])
            case {"text": str(words)}:
                text.append(words)
    return encodable("".join(text)), encodable("".join(thought))


def _reasoning(message: Mapping[str, Any]) -> str:
    return _text(message.get("reasoning_content")) or _text(message.get("reasoning"))


def _text(value: Any) -> str:
    return encodable(value) if isinstance(value, str) else ""


def read_usage(usage: Any) -> Usage:
    """Token counts, 0 where they are missing or no counts."""
    if not isinstance(usage, Mapping):
        return Usage()
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        reasoning_tokens=_detail(usage, "completion_tokens_details", "reasoning_tokens"),
        cached_tokens=_detail(usage, "prompt_tokens_details", "cached_tokens"),
    )


def _detail(usage: Mapping[str, Any], group: str, name: str) -> int:
    details = usage.get(group)
    return _count(details.get(name)) if isinstance(details, Mapping) else 0


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value < 2**62 else 0
