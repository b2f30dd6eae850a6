"""A number between bounds, as five of the format types ask for it."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import Params


class Bounds(Params):
    """Inclusive bounds, one at least; an exact number is both."""

    min: int | None = Field(default=None, ge=0)
    max: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _some_number_can_meet_them(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("one of `min` and `max` must be set")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}: no answer could pass")
        return self

    def admits(self, count: int) -> bool:
        """Whether a number lies between the bounds."""
        return not (
            (self.min is not None and count < self.min)
            or (self.max is not None and count > self.max)
        )

    @property
    def words(self) -> str:
        """The bounds for a reason: `exactly 3`, `at most 60`, `80 to 120`."""
        if self.min == self.max:
            return f"exactly {self.min}"
        if self.min is None:
            return f"at most {self.max}"
        return f"at least {self.min}" if self.max is None else f"{self.min} to {self.max}"
