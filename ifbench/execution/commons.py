"""What the workers of one process share: opened by the first that asks, closed at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Any, Self, TypeVar, cast

T = TypeVar("T")


class Commons:
    """Resources by name, on one event loop. In one process a model's budget is one budget."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._opening: dict[str, asyncio.Future[Any]] = {}

    async def get(self, name: str, opener: Callable[[], AbstractAsyncContextManager[T]]) -> T:
        """The resource of that name; `opener` makes it where there is none yet."""
        if name not in self._opening:
            self._opening[name] = asyncio.ensure_future(self._stack.enter_async_context(opener()))
        return cast("T", await asyncio.shield(self._opening[name]))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()
