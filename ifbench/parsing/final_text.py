"""The text that is verified: what the model said to the user, its reasoning taken out.

Nothing else is changed, blanks least of all: a rule that ignores them says so itself.
Skipping this step halves published scores of reasoning models.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalText:
    """An answer without its reasoning, verbatim."""

    text: str
    """Empty where the reasoning never ended: then the answer never came."""
    reasoning: str = ""
    closed: bool = True
    """False when the text ends inside the reasoning."""


# `<reasoning>`, `<reason>` and `<analysis>` may also be elements of an XML answer.
_TAG = re.compile(
    r"(?<!`)(?:<(?P<close>/?)(?P<name>think|thinking|reasoning|reason|analysis)\s{0,3}>"
    r"|\[(?P<close_square>/?)(?P<square>THINK)\]|◁(?P<close_diamond>/?)(?P<diamond>think)▷)",
    re.IGNORECASE,
)
_AMBIGUOUS = frozenset({"reasoning", "reason", "analysis"})
_CHANNEL = re.compile(
    r"<\|channel\|>\s{0,3}(?P<name>\w{1,20})[^<]{0,80}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
)
_CHANNEL_END = re.compile(r"<\|(?:channel|start|end|return|call)\|>")
_END_TOKEN = re.compile(
    r"<\|(?:im_end|eot_id|eom_id|return|end|endoftext|end_of_text|end_of_turn)\|>|<end_of_turn>"
    r"|<｜end▁of▁sentence｜>"
)


@lru_cache(maxsize=128)  # Several stages ask, of the rows that are in work together.
def final_text(text: str | None, reasoning: str = "") -> FinalText:
    """Take the reasoning out of a reply; `reasoning` is what the endpoint gave apart.

    A block in tags goes. A closing tag alone (the template had opened it) takes all that is
    before it along. An opening tag alone leaves nothing: the answer never came. Of the channel
    format the final channel stays. End tokens that leaked into the text go. Tags right after a
    backtick are talk about tags, and `<reasoning>`, `<reason>` and `<analysis>` inside an
    answer that has begun as markup or as an object are its elements.
    """
    if not text:
        return FinalText(text="", reasoning=reasoning)
    text = text.removeprefix("\ufeff")  # A byte-order mark belongs to a file, not to its words.
    read = _read_channels(text) if "<|channel|>" in text else _read_tags(text)
    removed = "\n".join(part for part in (reasoning, read.reasoning) if part.strip())
    return FinalText(text=_without_end_tokens(read.text), reasoning=removed, closed=read.closed)


def _read_tags(text: str) -> FinalText:
    kept: list[str] = []
    removed: list[str] = []
    position, opened, element = 0, "", ""
    for tag in _TAG.finditer(text):
        kind = (tag["name"] or tag["square"] or tag["diamond"]).lower()
        closes = bool(tag["close"] or tag["close_square"] or tag["close_diamond"])
        if opened:
            if closes and kind == opened:
                removed.append(text[position : tag.start()])
                position, opened = tag.end(), ""
        elif element and closes and kind == element:
            element = ""
        elif kind in _AMBIGUOUS and _has_begun_as_markup(kept, text[position : tag.start()]):
            element = "" if closes else kind
        elif closes:
            removed += [*kept, text[position : tag.start()]]
            kept, position = [], tag.end()
        else:
            kept.append(text[position : tag.start()])
            position, opened = tag.end(), kind
    if opened:
        removed += [*kept, text[position:]]
        return FinalText(text="", reasoning="".join(removed), closed=False)
    return FinalText(text="".join((*kept, text[position:])), reasoning="".join(removed))


def _has_begun_as_markup(kept: list[str], piece: str) -> bool:
    start = next((part.lstrip()[:3] for part in (*kept, piece) if part and not part.isspace()), "")
    return start[:1] in {"<", "{", "["} or start == "```"


def _read_channels(text: str) -> FinalText:
    final: list[str] = []
    others: list[str] = []
    for channel in _CHANNEL.finditer(text):
        end = _CHANNEL_END.search(text, channel.end())
        body = text[channel.end() : end.start() if end else len(text)]
        (final if channel["name"].lower() == "final" else others).append(body)
    return FinalText(text="".join(final), reasoning="\n".join(others), closed=bool(final))


def _without_end_tokens(text: str) -> str:
    """Drops leaked tokens; `</s>` only at the end, for in HTML it closes struck-out text."""
    if "<|" in text or "<end_of" in text or "<｜" in text:
        text = _END_TOKEN.sub("", text)
    trimmed = text.rstrip()
    if trimmed.endswith("</s>") and "<s>" not in text:
        return trimmed.removesuffix("</s>")
    return text
