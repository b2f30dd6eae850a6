"""What object stores do differently: a put may fail for a while, and errors speak in codes.

A put that failed in passing (a broken connection, a 500 or 503, a throttle) is tried again under
the same name, so it can never leave two objects. What no wait would mend is an error at once.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pyarrow as pa

T = TypeVar("T")

PATIENCE_S = 60.0
"""How long a put is tried again. Answers in flight wait so long; no new ones are asked for."""
_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 5.0

_KEYS = (
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN where there is one) "
    "to keys that may list, read, put and delete there"
)
_REGION = "name the bucket's own region in the URI: ?region=…"
_LASTING = {
    "NO_SUCH_BUCKET": "make the bucket, or name another in store.uri",
    "ACCESS_DENIED": _KEYS,
    "INVALID_ACCESS_KEY_ID": _KEYS,
    "SIGNATURE_DOES_NOT_MATCH": _KEYS,
    "UNRECOGNIZED_CLIENT": _KEYS,
    "EXPIRED_TOKEN": _KEYS,
    "ExpiredToken": _KEYS,
    "PermanentRedirect": _REGION,
    "AuthorizationHeaderMalformed": _REGION,
    "HTTP status 301": _REGION,
}
"""What no wait mends, by what Arrow's message holds; and what to do."""
_GONE = ("RESOURCE_NOT_FOUND", "NO_SUCH_KEY", "NoSuchKey")
_PASSING = {
    "resolving region": f"see that the network is up, or {_REGION}",
    "NETWORK_CONNECTION": "see that the endpoint is up and that endpoint_override names it",
}


def advice(error: Exception) -> str:
    """What to do about an error of an object store; empty where only the error itself helps."""
    message = str(error)
    found = (words for mark, words in {**_LASTING, **_PASSING}.items() if mark in message)
    return next(found, "")


def told(error: Exception) -> str:
    """The error and what to do about it."""
    words = advice(error)
    return f"{error}; {words}" if words else str(error)


@contextmanager
def gone_is_not_found() -> Iterator[None]:
    """Let an object that went away between its opening and a read be a FileNotFoundError too."""
    try:
        yield
    except OSError as error:
        if any(mark in str(error) for mark in _GONE):
            raise FileNotFoundError(str(error)) from error
        raise


def is_passing(error: Exception) -> bool:
    """True when the same request may succeed a little later."""
    return isinstance(error, OSError) and not any(mark in str(error) for mark in _LASTING)


def patiently(act: Callable[[], T], patience_s: float) -> T:
    """Try again, with waits that grow, until it succeeds or `patience_s` is over.

    Raises the last error.
    """
    end = time.monotonic() + patience_s
    wait_s = _FIRST_WAIT_S
    while True:
        try:
            return act()
        except OSError as error:
            if not is_passing(error) or time.monotonic() + wait_s > end:
                raise
        time.sleep(wait_s * random.uniform(0.5, 1.0))  # noqa: S311 (spreads writers, no secret)
        wait_s = min(2 * wait_s, _LONGEST_WAIT_S)


def put(filesystem: Any, path: str, data: bytes | pa.Buffer) -> None:
    """Put one object; it is there in full on return, and not at all after an error."""
    sink = filesystem.open_output_stream(path)
    sink.write(data)
    sink.close()
