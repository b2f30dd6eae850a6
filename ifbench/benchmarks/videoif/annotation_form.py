"""The form of a line of Video-IFBench's annotations: one video with all its instructions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, model_validator

_Word = Annotated[str, StringConstraints(pattern=r"\S")]
_NAME_KEYS = ("task_name", "name", "task")


class Form(BaseModel):
    """Types are not bent. Keys beyond those that the release's scorer reads are let be."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)


class ConstraintForm(Form):
    """One entry of `constraints`; its id is a type, which may stand twice."""

    constraint_id: _Word
    checklist_query: str | None = None
    judge_context: str | None = None


class TaskForm(Form):
    """One entry of `tasks`, which has been written under several keys; the first that says
    something counts, as in the release's scorer.
    """

    @model_validator(mode="before")
    @classmethod
    def _without_empty_keys(cls, fields: Any) -> Any:
        """Without the spellings that are null or blank, where another one holds the name."""
        if not isinstance(fields, dict):
            return fields
        empty = {key for key in _NAME_KEYS if fields.get(key) is None or fields[key] == ""}
        is_named = any(key in fields and key not in empty for key in _NAME_KEYS)
        return {k: v for k, v in fields.items() if k not in empty} if is_named else fields

    name: _Word = Field(validation_alias=AliasChoices(*_NAME_KEYS))
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
    duration_sec: float | None = Field(default=None, ge=0)
    instructions: list[InstructionForm]


def all_forms(video: VideoForm) -> Iterator[Form]:
    """A line and every part of it."""
    yield video
    for form in video.instructions:
        yield form
        yield from form.constraints or ()
        yield from form.tasks or ()
