"""What the steps do about the tasks of an instruction: are they attempted, and where.

The effects of `stages.coverage` and `stages.spans`, as `stages.rows` has those of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ifbench.constraints.constraint import Check, failed, undecided
from ifbench.constraints.running import CheckCall
from ifbench.engines.engine import Ask
from ifbench.stages.binding import local_task
from ifbench.stages.coverage import ask_coverage, read_coverage, settled_coverage, task_verdict
from ifbench.stages.reasking import reask
from ifbench.stages.roles import CheckAll, Roles
from ifbench.stages.spans import Passage, ask_spans, read_spans
from ifbench.types import Cause, ModelConfig, Prompt, Response, Verdict, WorkItem


async def cover(item: WorkItem, response: Response, ask: Ask, roles: Roles) -> tuple[Verdict, ...]:
    """The verdict on each task: whether the answer attempts it."""
    tasks = range(len(item.sample.tasks))
    checks = dict(settled_coverage(item, response))
    asked: dict[int, tuple[str, ...]] = {}
    if tasks and not checks:
        if roles.judge is None:
            missing = undecided(Cause.NO_JUDGE, "no judge is configured (judge=NAME)")
            checks = dict.fromkeys(tasks, missing)
        else:
            checks, asked = await _ask_coverage(item, response, ask, roles.judge, roles)
    return tuple(
        task_verdict(
            item,
            task,
            checks[task],
            judge=roles.judge,
            rules=roles.rules,
            asked=asked.get(task, ()),
        )
        for task in tasks
    )


async def _ask_coverage(
    item: WorkItem, response: Response, ask: Ask, judge_model: ModelConfig, roles: Roles
) -> tuple[dict[int, Check], dict[int, tuple[str, ...]]]:
    def prompts(open_items: Sequence[int], attempt: int, *, larger: bool) -> Mapping[int, Prompt]:
        prompt = ask_coverage(item, response, judge_model, attempt=attempt, larger=larger)
        assert prompt is not None, "there is an answer, and there are tasks"
        return dict.fromkeys(open_items, prompt)

    def read(replies: Mapping[int, Response]) -> Mapping[int, Check]:
        return {task: read_coverage(item, response, reply)[task] for task, reply in replies.items()}

    return await reask(prompts, read, ask, range(len(item.sample.tasks)), roles.attempts)


async def run_local(
    item: WorkItem,
    response: Response,
    calls: Mapping[int, CheckCall],
    ask: Ask,
    check: CheckAll,
    roles: Roles,
) -> tuple[dict[int, Check], dict[int, tuple[str, ...]]]:
    """Scripts of constraints that hold for one task only, run on that task's passage."""
    tasks = {
        index: task
        for index in calls
        if (task := local_task(item.sample, item.sample.checklist[index])) is not None
    }
    if not tasks:
        return {}, {}
    if roles.extractor is None:
        missing = undecided(Cause.NO_EXTRACTOR, "no extractor is configured (extractor=NAME)")
        return dict.fromkeys(tasks, missing), {}
    found, keys = await _find_passages(item, response, sorted({*tasks.values()}), ask, roles)
    checks: dict[int, Check] = {}
    runs: dict[int, CheckCall] = {}
    for index, task in tasks.items():
        passage = found[task]
        if isinstance(passage, Check):
            checks[index] = passage
        elif not passage.text:
            checks[index] = failed(f"the answer has no passage for task {task + 1}")
        else:
            runs[index] = calls[index]._replace(text=passage.text)
    ran = await check(tuple(runs.values())) if runs else ()
    for index, one in zip(runs, ran, strict=True):
        place = found[tasks[index]]
        assert isinstance(place, Passage), "only passages are run"
        checks[index] = place.placed(one) if one is not None else _NOT_FOUND
    return checks, {index: keys.get(task, ()) for index, task in tasks.items()}


_NOT_FOUND = undecided(Cause.EXTRACTOR, "no rule finds in the passage what the script needs")


async def _find_passages(
    item: WorkItem, response: Response, tasks: Sequence[int], ask: Ask, roles: Roles
) -> tuple[Mapping[int, Passage | Check], Mapping[int, tuple[str, ...]]]:
    """The passage of each task, and the keys of the prompts behind it."""
    extractor = roles.extractor
    assert extractor is not None, "the caller has seen that there is one"

    def prompts(open_items: Sequence[int], attempt: int, *, larger: bool) -> Mapping[int, Prompt]:
        prompt = ask_spans(
            item,
            response,
            extractor,
            tasks=open_items,
            attempt=attempt,
            larger=larger,
            listed_quotes=roles.listed_quotes,
        )
        return dict.fromkeys(open_items, prompt)

    def read(replies: Mapping[int, Response]) -> Mapping[int, Passage | Check]:
        return {task: read_spans(response, reply, (task,))[task] for task, reply in replies.items()}

    return await reask(prompts, read, ask, tasks, roles.attempts)
