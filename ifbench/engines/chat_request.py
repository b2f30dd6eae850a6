"""A prompt as the body of a chat request, and what endpoints disagree on.

Parts keep their order. Text goes out as it stands but for lone surrogates, which UTF-8 cannot
hold and most servers refuse: each becomes U+FFFD (a pair of them becomes its character).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from ifbench.engines.engine import Blob, ViewLoader
from ifbench.types import Failure, FailureKind, Part, Prompt, Text, View

Content: TypeAlias = str | Sequence[Mapping[str, Any]]
"""What stands in a message: a text, or parts in the protocol's own form."""


def load_content(prompt: Prompt, load: ViewLoader) -> Content | Failure:
    """The user's message. Reads media, so it may take long; one view that fails fails it all."""
    if all(isinstance(part, Text) for part in prompt.parts):
        return "".join(part.text for part in prompt.parts if isinstance(part, Text))
    content: list[Mapping[str, Any]] = []
    for part in prompt.parts:
        sent = _load_part(part, load)
        if isinstance(sent, Failure):
            return sent
        content += sent
    return content


def has_views(prompt: Prompt) -> bool:
    """True when building the message has to load media."""
    return any(isinstance(part, View) for part in prompt.parts)


def _load_part(part: Part, load: ViewLoader) -> Sequence[Mapping[str, Any]] | Failure:
    if isinstance(part, Text):
        return [{"type": "text", "text": part.text}]
    loaded = load(part)
    if isinstance(loaded, Failure):
        return loaded
    sent: list[Mapping[str, Any]] = []
    for blob in loaded if isinstance(loaded, Sequence) else (loaded,):
        media_part = _media_part(blob)
        if isinstance(media_part, Failure):
            return media_part
        sent.append(media_part)
    return sent


def _media_part(blob: Blob) -> Mapping[str, Any] | Failure:
    kind, _, form = blob.mime.partition("/")
    if kind == "text":  # Subtitles, and the times of frames.
        return {"type": "text", "text": blob.data.decode("utf-8", errors="replace")}
    coded = base64.b64encode(blob.data).decode("ascii")
    match kind:
        case "image" | "video":
            name = f"{kind}_url"
            return {"type": name, name: {"url": f"data:{blob.mime};base64,{coded}"}}
        case "audio":
            form = _AUDIO_FORMATS.get(form, form)
            return {"type": "input_audio", "input_audio": {"data": coded, "format": form}}
    return Failure(kind=FailureKind.MEDIA, message=f"no chat part carries {blob.mime!r}")


_AUDIO_FORMATS = {"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav", "x-flac": "flac"}


# ── What endpoints disagree on ───────────────────────────────────────────────────────

TokenField: TypeAlias = Literal["max_tokens", "max_completion_tokens"]
Structure: TypeAlias = Literal["json_schema", "json_object", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one endpoint wants to be told two things."""

    token_field: TokenField = "max_tokens"
    structure: Structure = "json_schema"
    """How a structured reply is asked for; each endpoint knows one of the three."""


_OTHER_FIELD: Mapping[TokenField, TokenField] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_WEAKER: Mapping[Structure, Structure] = {"json_schema": "json_object", "json_object": "none"}
# A field that is refused, not a value that is too large: then the other field may be ignored,
# and the limit with it.
_FIELD_REFUSED = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|extra (?:inputs|fields)"
    r"|extra_forbidden|not permitted|not allowed|deprecated|instead",
    re.IGNORECASE,
)
_STRUCTURE_REFUSED = re.compile(
    r"response_format|json[ _-]?schema|json[ _-]?object|json mode|structured[ _-]?output"
    r"|guided[ _]|grammar",
    re.IGNORECASE,
)


def next_dialect(used: Dialect, prompt: Prompt, words: str) -> Dialect | None:
    """The dialect to try after an endpoint refused with `words`; `None` if they name none of ours.

    What the user set in `extra_body` is never changed.
    """
    if (
        sends_token_field(prompt)
        and re.search(rf"\b{used.token_field}\b", words)
        and _FIELD_REFUSED.search(words)
    ):
        return replace(used, token_field=_OTHER_FIELD[used.token_field])
    weaker = _WEAKER.get(used.structure)
    if weaker and sends_structure(prompt) and _STRUCTURE_REFUSED.search(words):
        return replace(used, structure=weaker)
    return None


def sends_token_field(prompt: Prompt) -> bool:
    """True when the limit on tokens is ours to name."""
    sampling = prompt.sampling
    return sampling.max_tokens is not None and not sampling.extra_body.keys() & _OTHER_FIELD.keys()


def sends_structure(prompt: Prompt) -> bool:
    """True when the form of the reply is ours to ask for."""
    return prompt.reply_schema is not None and "response_format" not in prompt.sampling.extra_body


def chat_body(prompt: Prompt, content: Content, dialect: Dialect) -> Mapping[str, Any]:
    """The request's body; fields of `extra_body` win over ours."""
    sampling = prompt.sampling
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    wanted = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        dialect.token_field: sampling.max_tokens if sends_token_field(prompt) else None,
        "response_format": _response_format(prompt, dialect.structure),
    }
    return {
        "model": prompt.model.model,
        "messages": [*system, {"role": "user", "content": content}],
        **{name: value for name, value in wanted.items() if value is not None},
        **sampling.extra_body,
    }


def _response_format(prompt: Prompt, structure: Structure) -> Mapping[str, Any] | None:
    if prompt.reply_schema is None or structure == "none":
        return None
    if structure == "json_object":
        return {"type": "json_object"}
    schema = {"name": "reply", "strict": True, "schema": prompt.reply_schema}
    return {"type": "json_schema", "json_schema": schema}


def encode_body(body: Mapping[str, Any]) -> bytes:
    """The body's bytes: JSON in UTF-8, with lone surrogates replaced."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return encodable(text).encode()


def encodable(text: str) -> str:
    """The text with surrogates joined where they are pairs, else replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
