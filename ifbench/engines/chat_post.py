"""POSTing to one path of an endpoint, through the official client and its aiohttp transport.

The client works out anew for each call what is the same for all of them: options, headers, the URL,
and a request of which it makes copies. That costs more than sending does (`benchmarks/client_cpu.py`).
So the client builds and sends the first request; later ones are that request with another body, over
the same transport, with its connections, proxies and certificates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

PATH = "/chat/completions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back over HTTP, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ChatPost:
    """Sends bodies to the chat completions of one endpoint. Nothing is retried, nothing validated."""

    def __init__(self, *, base_url: str, api_key: str, connect_s: float, trust_env: bool) -> None:
        """`trust_env`: proxies of the environment are used. Only connecting has a time limit."""
        timeout = httpx2.Timeout(None, connect=connect_s)
        self._http = _KeepingClient(trust_env=trust_env)
        self._sdk = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=api_key,
            max_retries=0,
            timeout=timeout,
            http_client=self._http,
        )
        self._is_redirected = False

    async def __call__(self, body: bytes) -> Answer:
        """One request. Raises what the client, its transport or aiohttp raise where none came back."""
        if self._http.first is None or self._is_redirected:
            return await self._by_client(body)
        answer = await self._http.send_again(body)
        if answer is not None:
            return answer
        self._is_redirected = True  # The client knows how to follow.
        return await self._by_client(body)

    async def aclose(self) -> None:
        await self._sdk.close()

    async def _by_client(self, body: bytes) -> Answer:
        try:
            response = await self._sdk.post(
                PATH,
                cast_to=httpx2.Response,
                content=body,
                options={"headers": {"Content-Type": "application/json"}},
            )
        except openai.APIStatusError as error:
            response = error.response
        return Answer(status=response.status_code, headers=response.headers, body=response.content)


_FINDS_TRANSPORT = "_transport_for_url"
"""The method of a client that knows which proxy is whose; httpx has no public name for it."""


class _KeepingClient(openai.DefaultAioHttpClient):
    """The client's own HTTP client, which keeps the first request that it is to send."""

    first: httpx2.Request | None = None
    """`None` also where its transport for a request cannot be had: then the client sends them all."""

    def build_request(self, *words: Any, **named: Any) -> httpx2.Request:
        request = super().build_request(*words, **named)
        find = getattr(self, _FINDS_TRANSPORT, None)
        if self.first is None and find is not None:
            self.first, self._transport_for_it = request, find(request.url)
            self._later_headers = request.headers.copy()
            self._later_headers.pop("content-length", None)
        return request

    async def send_again(self, body: bytes) -> Answer | None:
        """The answer to the first request with this body; `None` where it leads elsewhere."""
        first = self.first
        assert first is not None, "the client builds the first request"
        request = httpx2.Request(
            first.method,
            first.url,
            headers=self._later_headers,
            content=body,
            extensions=first.extensions,
        )
        response = await self._transport_for_it.handle_async_request(request)
        try:
            if response.has_redirect_location:
                return None
            return Answer(
                status=response.status_code,
                headers=response.headers,
                body=await _read(response),
            )
        finally:
            await response.aclose()


async def _read(response: httpx2.Response) -> bytes:
    if "content-encoding" in response.headers:
        return await response.aread()
    # What `aread` does with a body as it stands, in a third of the time.
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    return b"".join([part async for part in response.stream])
