"""Which models' servers stand side by side on a number of GPUs, and in which order they come.

Servers are placed strictly in this order: one that does not fit waits until others are let go, and
all behind it wait too. Rows are asked in the same order, so that a row never holds a worker's
place for a server that waits for that very worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ifbench.errors import PrerequisiteError


def candidate_groups(
    candidates: Sequence[str],
    standing: Iterable[str],
    needs: Mapping[str, int],
    gpus: int,
) -> tuple[tuple[str, ...], ...]:
    """Candidates that are asked side by side, group after group.

    `standing` are servers that a run needs to its end (a judge's); `needs` holds the GPUs of each
    server, names without one need none and are asked at once. Raises `PrerequisiteError` where a
    server can never be placed.
    """
    standing = tuple(dict.fromkeys(standing))
    taken = sum(needs.get(name, 0) for name in standing)
    free = gpus - taken
    if free < 0:
        raise PrerequisiteError(
            f"the servers of {', '.join(standing)} take {taken} GPUs together; there are {gpus}"
        )
    waiting = [name for name in candidates if needs.get(name, 0) and name not in standing]
    first: list[str] = [name for name in candidates if name not in waiting]
    groups: list[list[str]] = [first]
    left = free
    for name in waiting:
        if needs[name] > free:
            raise PrerequisiteError(_no_room(name, needs[name], standing, taken, gpus))
        if needs[name] > left:
            groups.append([])
            left = free
        groups[-1].append(name)
        left -= needs[name]
    order = {name: place for place, name in enumerate(candidates)}
    return tuple(tuple(sorted(group, key=order.__getitem__)) for group in groups if group)


def _no_room(name: str, need: int, standing: Sequence[str], taken: int, gpus: int) -> str:
    if not taken:
        return f"the server of {name} takes {need} GPUs; there are {gpus}"
    others = ", ".join(standing)
    return (
        f"the server of {name} takes {need} GPUs; there are {gpus}, of which {others} keeps {taken} "
        "to the end. Ask the candidates first (`judge=null`), then give the command again with the "
        "judge: what is answered is not asked again, and its server is not started"
    )
