"""Bounded re-asking: a reply that cannot be read is asked for again, a few times.

Each time is a prompt of its own (its attempt is part of its key), so a stored reply that was
unreadable is never paid for twice and a resumed run takes up where the last one stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from ifbench.constraints.constraint import Check
from ifbench.types import Cause, Outcome, Prompt, Response, Stop

T = TypeVar("T")

REASKED = frozenset({
    Cause.EXTRACTOR,
    Cause.JUDGE_UNREADABLE, Cause.JUDGE_TRUNCATED,
    Cause.GRADER_UNREADABLE, Cause.GRADER_TRUNCATED,
})  # fmt: skip
"""Causes that another try may mend. An outage is not one: `ask` has retried it already."""


class Prompts(Protocol):
    """The prompts for some items, for the `attempt`-th time, with a larger budget or not.

    Items that are asked about together share one prompt.
    """

    def __call__(
        self, open_items: Sequence[int], attempt: int, *, larger: bool
    ) -> Mapping[int, Prompt]: ...


async def reask(
    prompts: Prompts,
    read: Callable[[Mapping[int, Response]], Mapping[int, T | Check]],
    ask: Callable[[Prompt], Awaitable[Response]],
    indices: Sequence[int],
    attempts: int,
) -> tuple[dict[int, T | Check], dict[int, tuple[str, ...]]]:
    """What was read of each item in the end, and the keys of all prompts behind it."""
    results: dict[int, T | Check] = {}
    asked: dict[int, tuple[str, ...]] = {}
    open_items, larger = list(indices), False
    for attempt in range(attempts):
        wanted = prompts(open_items, attempt, larger=larger)
        replies = await _ask_each_once(wanted, ask)
        for index, reply in replies.items():
            asked[index] = (*asked.get(index, ()), reply.key)
        results |= read(replies)
        open_items = [i for i in open_items if i not in results or _may_be_mended(results[i])]
        larger = any(_is_cut_off(replies.get(index)) for index in open_items)
        if not open_items:
            break
    return results, asked


async def _ask_each_once(
    wanted: Mapping[int, Prompt], ask: Callable[[Prompt], Awaitable[Response]]
) -> dict[int, Response]:
    prompts = {id(prompt): prompt for prompt in wanted.values()}
    replies = dict(zip(prompts, await asyncio.gather(*map(ask, prompts.values())), strict=True))
    return {index: replies[id(prompt)] for index, prompt in wanted.items()}


def _may_be_mended(result: object) -> bool:
    return (
        isinstance(result, Check)
        and result.outcome is Outcome.UNDECIDED
        and result.cause in REASKED
    )


def _is_cut_off(reply: Response | None) -> bool:
    """Whether a reply has used up its budget, whoever gave it."""
    return reply is not None and reply.stop is Stop.LENGTH
