"""Constraints that misbehave, for the sandbox's tests: its child process imports this module."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import time
from collections.abc import Mapping

from ifbench.constraints.constraint import (
    Check,
    Constraint,
    Example,
    NoParams,
    Params,
    extracted,
    failed,
    passed,
    scripted,
)

_EXAMPLE = Example(params={}, instruction="", passing="a", failing="b")


class Letter(Params):
    letter: str = "a"


class Odd:
    """Not a built-in value."""


@scripted("planted:begins", group="planted", params=Letter, example=_EXAMPLE)
def begins(text: str, params: Letter) -> Check:
    """Begins with a letter."""
    return passed(found={"length": len(text)}) if text.startswith(params.letter) else failed("no")


@scripted("planted:loop", group="planted", params=NoParams, example=_EXAMPLE)
def loop(text: str, params: NoParams) -> Check:
    """Never ends, in Python."""
    while True:
        pass


@scripted("planted:pattern", group="planted", params=NoParams, example=_EXAMPLE)
def pattern(text: str, params: NoParams) -> Check:
    """Backtracks without end, in C: no Python signal handler would run."""
    return passed() if re.match(r"(a+)+$", "a" * 60 + "b") else failed("no")


@scripted("planted:sleep", group="planted", params=NoParams, example=_EXAMPLE)
def sleep(text: str, params: NoParams) -> Check:
    """Waits without working."""
    time.sleep(3600)
    return passed()


@scripted("planted:pause", group="planted", params=NoParams, example=_EXAMPLE)
def pause(text: str, params: NoParams) -> Check:
    """Waits for a moment."""
    time.sleep(0.3)
    return passed()


@scripted("planted:eat", group="planted", params=NoParams, example=_EXAMPLE)
def eat(text: str, params: NoParams) -> Check:
    """Takes all the memory that it can get."""
    held = []
    while True:
        held.append(bytearray(16 * 1024 * 1024))


_HELD: list[bytearray] = []


@scripted("planted:keep", group="planted", params=NoParams, example=_EXAMPLE)
def keep(text: str, params: NoParams) -> Check:
    """Takes 160 MB and keeps them, as a cache of long answers does."""
    _HELD.append(bytearray(160 * 1024 * 1024))
    return passed()


@scripted("planted:tower", group="planted", params=NoParams, example=_EXAMPLE)
def tower(text: str, params: NoParams) -> Check:
    """Asks for one object that is far too large."""
    return passed(found={"length": len("a" * 10**12)})


@scripted("planted:crash", group="planted", params=NoParams, example=_EXAMPLE)
def crash(text: str, params: NoParams) -> Check:
    """Reads where nothing is, so that the system ends the process."""
    ctypes.string_at(0)
    return passed()


@scripted("planted:killed", group="planted", params=NoParams, example=_EXAMPLE)
def killed(text: str, params: NoParams) -> Check:
    """Is killed, as by the kernel when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)
    return passed()


@scripted("planted:deaf", group="planted", params=NoParams, example=_EXAMPLE)
def deaf(text: str, params: NoParams) -> Check:
    """Closes what its process tells results by."""
    os.closerange(3, 20)
    return passed()


@scripted("planted:exit", group="planted", params=NoParams, example=_EXAMPLE)
def leave(text: str, params: NoParams) -> Check:
    """Ends its process in good order."""
    os._exit(3)


@scripted("planted:bug", group="planted", params=NoParams, example=_EXAMPLE)
def bug(text: str, params: NoParams) -> Check:
    """Raises."""
    raise ZeroDivisionError("planted")


@scripted("planted:odd", group="planted", params=NoParams, example=_EXAMPLE)
def odd(text: str, params: NoParams) -> Check:
    """Finds something that is no plain value."""
    return passed(found={"value": Odd()})


@scripted("planted:chatty", group="planted", params=NoParams, example=_EXAMPLE)
def chatty(text: str, params: NoParams) -> Check:
    """Prints, and reads its input."""
    print("x" * 10_000)
    os.write(1, b"not a frame")
    sys.stderr.write("noise")
    return passed(found={"read": os.read(0, 10).decode()})


@scripted("planted:process", group="planted", params=NoParams, example=_EXAMPLE)
def process(text: str, params: NoParams) -> Check:
    """Tells the number of the process that runs it."""
    return passed(str(os.getpid()))


def _after_colon(text: str, params: Letter) -> tuple[str, ...] | None:
    return (text.partition(":")[2],) if ":" in text else None


@extracted(
    "planted:quoted",
    group="planted",
    params=Letter,
    locate=_after_colon,
    template="none",
    example=_EXAMPLE,
)
def quoted(quotations: tuple[str, ...], params: Letter) -> Check:
    """Each quotation begins with a letter."""
    return passed() if all(q.startswith(params.letter) for q in quotations) else failed("no")


def constraints() -> Mapping[str, Constraint]:
    """What this module plants."""
    return {value.id: value for value in globals().values() if isinstance(value, Constraint)}


def broken_catalogue() -> Mapping[str, Constraint]:
    """Cannot be loaded."""
    raise RuntimeError("no constraints today")
