"""SciMIF's group *selection* (Table 11): the answer is one of the options, or yes or no."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.parsing.option_words import Options
from ifbench.parsing.options import Mode, read_choice
from ifbench.parsing.text_forms import comparable
from ifbench.parsing.yes_no import read_yes_no


class ChooseFrom(Params):
    """Parameters of `choose_from`."""

    options: tuple[str, ...] = ()
    """Texts of the options."""
    labels: tuple[str, ...] = ()
    """Their labels, in the same order; in mode `label` A, B, C, … where none are given."""
    mode: Mode = "exact"
    allow_explanation: bool = False
    """Whether text may stand beside the choice; mode `contains` always allows it."""
    ignore_case: bool = True

    @model_validator(mode="after")
    def _options_can_be_told_apart(self) -> Self:
        both = self.options and self.labels
        if both and len(self.options) != len(self.labels):
            raise ValueError(f"{len(self.options)} options but {len(self.labels)} labels")
        if not self.options and (not self.labels or self.mode == "contains"):
            raise ValueError(f"mode `{self.mode}` needs `options`")
        if self.mode == "label" and not self.labels and len(self.options) > len(_LETTERS):
            raise ValueError(f"more than {len(_LETTERS)} options need `labels`")
        for names in (self.options, self.labels):
            forms = [comparable(name, ignore_case=self.ignore_case) for name in names]
            if len(set(forms)) < len(forms) or "" in forms:
                raise ValueError("options and labels must differ and not be blank")
        if max(len(self.options), len(self.labels)) < 2:
            raise ValueError("a choice needs two options at least")
        return self

    @property
    def choices(self) -> Options:
        """The options as the parser takes them."""
        labels = self.labels
        if self.mode == "label" and not labels:
            labels = tuple(_LETTERS[: len(self.options)])
        return Options(texts=self.options, labels=labels, ignore_case=self.ignore_case)


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Judge(Params):
    """Parameters of `judge`."""

    explanation: bool = False
    """Whether an explanation may follow; then the first word decides."""
    labels: tuple[str, str] = ("yes", "no")
    """The two answers, for other languages or words."""

    @model_validator(mode="after")
    def _labels_differ(self) -> Self:
        forms = {comparable(label) for label in self.labels} - {""}
        if len(forms) < 2:
            raise ValueError("`labels` must be two different words")
        return self


@scripted(
    "general:choose_from",
    group="selection",
    category="C3",
    params=ChooseFrom,
    example=Example(
        params={"options": ["metal", "semiconductor", "insulator"]},
        instruction="Answer with exactly one of: metal, semiconductor, insulator.",
        passing="Semiconductor.",
        failing="It is a semiconductor, or perhaps a metal.",
    ),
    version=5,
)
def choose_from(text: str, params: ChooseFrom) -> Check:
    """The answer selects and gives exactly one of the options."""
    options = params.choices
    choice = read_choice(text, options, params.mode, allow_explanation=params.allow_explanation)
    evidence = tuple(quote(text, mention.start, mention.end) for mention in choice.mentions)
    if choice.option is None:
        allowed = ", ".join(f"`{options.name(index)}`" for index in range(_count(options)))
        reason = f"{choice.problem}; the options are {allowed}"
        return failed(reason[:500], evidence=evidence)
    name = options.name(choice.option)
    return passed(f"the answer chooses `{name}`", evidence=evidence, extracted=name)


def _count(options: Options) -> int:
    return max(len(options.texts), len(options.labels))


@scripted(
    "general:judge",
    group="selection",
    category="C3",
    params=Judge,
    example=Example(
        params={},
        instruction="Answer only Yes or No.",
        passing="**No.**",
        failing="No, the reaction is endothermic.",
    ),
    version=4,
)
def judge(text: str, params: Judge) -> Check:
    """The answer is "Yes" or "No", without an explanation unless one is allowed."""
    answer = read_yes_no(text, params.labels, explanation=params.explanation)
    evidence = (quote(text, answer.start, answer.end),) if answer.end > answer.start else ()
    if answer.index is None:
        return failed(answer.problem, evidence=evidence)
    label = params.labels[answer.index]
    return passed(f"the answer is `{label}`", evidence=evidence, extracted=label)
