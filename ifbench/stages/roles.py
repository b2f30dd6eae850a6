"""Who decides what scripts cannot, and how scripts are run: what every step is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ifbench.constraints.constraint import Check
from ifbench.constraints.running import CheckCall
from ifbench.stages.score import Graders
from ifbench.types import Grading, ModelConfig, Rules


class CheckAll(Protocol):
    """Runs scripts in isolation; `None` where an extractor must be asked."""

    async def __call__(self, calls: Sequence[CheckCall]) -> Sequence[Check | None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Who decides what scripts cannot, and how often an unreadable reply is asked again."""

    judge: ModelConfig | None = None
    extractor: ModelConfig | None = None
    grader: ModelConfig | None = None
    transcriber: ModelConfig | None = None
    """Writes subtitles from a video's sound, for candidates that do not hear."""
    attempts: int = 3
    rules: Rules = "paper"
    correctness: Grading = "none"
    listed_quotes: bool = False
    """Whether the extractor's schema lists what it may quote."""
    grader_media: bool = False
    """Whether the grader is shown a sample's media."""
    calls: Literal["sample", "item"] = "sample"
    """Whether a judge is asked about a list of items at once, or about each by itself."""

    @property
    def graders(self) -> Graders:
        return Graders(
            judge=self.judge.name if self.judge else "",
            extractor=self.extractor.name if self.extractor else "",
            grader=self.grader.name if self.grader else "",
            rules=self.rules,
            correctness=self.correctness,
        )
