"""`ifbench evaluate` whose step kills its worker over certain samples.

`python poisoned.py STEP IDS TIMES FOLDER COMMAND …`. What kills a real worker, memory or a native
decoder, cannot be had on demand; here it is the step, with all else as it is in the product. The
process dies `TIMES` times, each noted as a file in the folder. A sample that is set apart is not
looked at, as a real step does not look at it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

BITES_AFTER_S = 0.3
"""A decoder takes a moment to fail: other rows are in hand by then."""


def die(notes: Path, times: int) -> None:
    """End this process at once, unless that has been done so many times."""
    if len(list(notes.iterdir())) < times:
        (notes / uuid.uuid4().hex).touch()
        os.kill(os.getpid(), signal.SIGKILL)


@asynccontextmanager
async def deadly(build, ids: str, times: int, folder: str, seat) -> AsyncIterator:
    async with build(seat) as work:

        async def poisoned(row):
            is_apart = row.response is not None and row.response.failure is not None
            if row.item.sample.id in ids.split(",") and not is_apart:
                await asyncio.sleep(BITES_AFTER_S)
                die(Path(folder), times)
            return await work(row)

        yield poisoned


def main() -> int:
    from ifbench import pipeline
    from ifbench.cli import main as ifbench

    step, ids, times, folder, *rest = sys.argv[1:]
    plain = pipeline.evaluation_steps

    def steps(*given):
        return tuple(
            replace(one, build=partial(deadly, one.build, ids, int(times), folder))
            if one.name == step
            else one
            for one in plain(*given)
        )

    pipeline.evaluation_steps = steps
    return ifbench(rest)


if __name__ == "__main__":
    sys.exit(main())
