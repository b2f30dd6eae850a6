"""What an engine is: something that makes one try at one prompt. Retries are `retry.py`'s.

The seam to the media. Engines never open a file: they are built with a `ViewLoader`, a plain
function from a `View` to a `Blob` (several, in order, for the frames of a video), or to the
`Failure` (kind `MEDIA`) of a view that cannot be made. Media and engines do not import each other, so whoever wires them writes the bridge:

    def load(view: View) -> Loaded:
        try:
            return load_view(view)
        except MediaError as error:
            return Failure(kind=FailureKind.MEDIA, message=str(error))

A loader may decode and encode for tens of milliseconds, of a long video for minutes: engines call
it in a thread, so it must be safe to call from several at once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ifbench.types import Failure, FailureKind, Prompt, Response, View

Ask: TypeAlias = Callable[[Prompt], Awaitable[Response]]
"""The one effect: put a prompt to its model. Never raises for what happens to one call."""


class Blob(Protocol):
    """Bytes that are ready to be sent, and what they are (`image/jpeg`)."""

    @property
    def data(self) -> bytes: ...

    @property
    def mime(self) -> str: ...


Loaded: TypeAlias = Blob | Sequence[Blob] | Failure
"""What a view came to: one blob, several in the order in which they are sent, or none."""
ViewLoader: TypeAlias = Callable[[View], Loaded]


def no_media(view: View) -> Failure:
    """The loader of an engine that is built without media: every view fails."""
    return Failure(
        kind=FailureKind.MEDIA, message=f"no loader of media is set; cannot send {view.media.uri}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """What came of one try.

    The response's `key` and `tries` are the asker's to fill in: an engine leaves both at their
    start (`""` and 1).
    """

    response: Response
    retry: bool = False
    """True when the same request may fare better later."""
    retry_after_s: float | None = None
    """How long the endpoint asks us to wait; `None` where it does not say."""
    overloaded: bool = False
    """True when the endpoint asks for less traffic: everyone who uses its budget pauses."""
    waited_s: float = 0.0
    """Time before the request was sent in which the model's server was not up; it counts into no
    limit."""
    hopeless: bool = False
    """True when no request to this model can succeed: its key is refused, its credit used up."""


class Engine(Protocol):
    """Turns a prompt into a try. Only cancellation is raised; all else is in the response."""

    async def generate(self, prompt: Prompt) -> Try: ...

    async def aclose(self) -> None:
        """Free connections and children. Called once, in the loop that used the engine."""
        ...


def failed_response(prompt: Prompt, kind: FailureKind, message: str) -> Response:
    """A response that holds nothing but its failure."""
    return Response(
        key="",
        purpose=prompt.purpose,
        model=prompt.model.model,
        failure=Failure(kind=kind, message=message),
    )
