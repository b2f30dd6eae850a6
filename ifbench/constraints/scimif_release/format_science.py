"""The release's rules on scene labels and on the type of a predicted property."""

from __future__ import annotations

import re

from ifbench.constraints.constraint import Check, Example, failed, passed
from ifbench.constraints.scimif_release.objects import last_object, texts_in
from ifbench.constraints.scimif_release.option_sets import bracketed_sets
from ifbench.constraints.scimif_release.rule import ReleaseParams, scripted_rule, skipped


@scripted_rule(
    "scene_option",
    decides=("geography:scene_option_constraint",),
    group="format",
    reads_text=True,
    example=Example(
        params={"question": "Give platform as one of [driving_surface, walkway], as JSON."},
        instruction="Give platform as one of [driving_surface, walkway], as JSON.",
        passing='{"platform": "walkway", "view": "walkway"}',
        failing='{"platform": "driving surface"}',
    ),
)
def scene_option(text: str, params: ReleaseParams) -> Check:
    """Every string value of the answer's JSON object is one of the labels, all sets together.

    The labels come from bracketed lists, `"a" | "b"` lines or a CHOICE LIST of the question (and
    of the parameter); letter by letter, so that `driving surface` is not `driving_surface`.
    """
    labels = bracketed_sets(params.question) + bracketed_sets(params.text)
    if not labels:
        return skipped("no set of labels was found")
    value = last_object(text)
    if value is None:
        return failed("there is no JSON object")
    wrong = [words for words in texts_in(value) if words not in labels]
    found = {"labels": list(labels[:60])}
    if wrong:
        return failed(f"{wrong[0][:80]!r} is none of the labels", found=found)
    return passed("every text of the object is one of the labels", found=found)


_DISCRETE = re.compile(r"\b(?:yes|no|true|false|high|low|medium|direct|indirect)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{2}")
_DECIMAL = re.compile(r"[0-9]\.[0-9]")
_KIND = re.compile(
    r"\b(discrete|categorical|classification|continuous|numeric\w*|regression)\b", re.IGNORECASE
)


@scripted_rule(
    "property_prediction",
    decides=("material:property_type",),
    group="format",
    reads_text=True,
    example=Example(
        params={"raw": "continuous"},
        instruction="Predict the band gap as a number.",
        passing="I cannot tell from 1 structure.",
        failing="It is wide.",
    ),
)
def property_prediction(text: str, params: ReleaseParams) -> Check:
    """A continuous property: any number stands in the answer. A discrete one: a word such as yes,
    no or high does, or any word while no decimal does.
    """
    kind = next((m for words in (params.text, params.question) if (m := _KIND.search(words))), None)
    if kind is None:
        return skipped("nothing says whether the property is discrete or continuous")
    if kind[1].lower() in {"discrete", "categorical", "classification"}:
        if _DISCRETE.search(text) or (_WORD.search(text) and not _DECIMAL.search(text)):
            return passed("a word stands in the answer")
        return failed("a decimal stands in the answer and no word such as yes, no or high")
    return (
        passed("a number stands in the answer")
        if re.search("[0-9]", text)
        else failed("there is no number")
    )
