"""The form of a line of Video-IFBench's annotations: one video with all its instructions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints

_Word = Annotated[str, StringConstraints(pattern=r"\S")]


class Form(BaseModel):
    """Types are not bent. Keys beyond those that the release's scorer reads are let be."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)


class ConstraintForm(Form):
    """One entry of `constraints`; its id is a type, which may stand twice."""

    constraint_id: _Word
    checklist_query: str | None = None
    judge_context: str | None = None


class TaskForm(Form):
    """One entry of `tasks`, which has been written under several keys."""

    name: _Word = Field(validation_alias=AliasChoices("task_name", "name", "task"))
    description: str | None = Field(
        default=None, validation_alias=AliasChoices("task_description", "description")
    )


class InstructionForm(Form):
    """One entry of `instructions`: what becomes a sample."""

    instruction_id: str | None = None
    instruction_key: str | None = None
    instruction_type: str
    instruction: _Word
    active_instruction: str | None = None
    constraints: list[ConstraintForm] | None = None
    tasks: list[TaskForm] | None = None
    language: str | None = None


class VideoForm(Form):
    """One line."""

    video_id: _Word
    video_path: _Word
    duration_sec: float | None = None
    instructions: list[InstructionForm]


def all_forms(video: VideoForm) -> Iterator[Form]:
    """A line and every part of it."""
    yield video
    for form in video.instructions:
        yield form
        yield from form.constraints or ()
        yield from form.tasks or ()
