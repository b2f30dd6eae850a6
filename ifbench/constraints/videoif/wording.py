"""Four types on wording: keywords, labels, and how much is said (Table 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ifbench.constraints.constraint import (
    Check,
    Example,
    Params,
    extracted,
    failed,
    passed,
    quote,
    scripted,
)
from ifbench.constraints.videoif.bounds import Bounds
from ifbench.parsing.flaws import listed
from ifbench.parsing.keywords import keyword_count, keyword_places
from ifbench.parsing.lengths import Unit, count_length
from ifbench.parsing.text_forms import bare, comparable
from ifbench.types import Evidence

Word = Annotated[str, Field(min_length=1, pattern=r"\S")]


class KeywordParams(Params):
    """Words or phrases, and how they are looked for."""

    keywords: tuple[Word, ...] = Field(min_length=1)
    whole_word: bool = True
    """`story` does not stand in "history"; Chinese, Japanese and Thai words need no boundary."""
    ignore_case: bool = True
    inflections: bool = False
    """Regular English forms count too: plural, past, participle, comparison."""

    def places(self, text: str, keyword: str) -> tuple[tuple[int, int], ...]:
        """Where a keyword stands in a text."""
        return keyword_places(
            text,
            keyword,
            whole_word=self.whole_word,
            ignore_case=self.ignore_case,
            inflections=self.inflections,
        )

    def count(self, text: str, keyword: str) -> int:
        """How often a reader sees a keyword."""
        return keyword_count(
            text,
            keyword,
            whole_word=self.whole_word,
            ignore_case=self.ignore_case,
            inflections=self.inflections,
        )


class RequiredKeywords(KeywordParams):
    """Which of the keywords have to stand in the answer, and how often."""

    match: Literal["all", "any"] = "all"
    min_count: int = Field(default=1, ge=1)
    """Of each keyword that has to stand there."""
    max_count: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _some_number_can_meet_them(self) -> Self:
        if self.max_count is not None and self.max_count < self.min_count:
            raise ValueError("max_count is below min_count: no answer could pass")
        return self


@scripted(
    "videoif:required_keyword_inclusion",
    group="wording",
    params=RequiredKeywords,
    category="required_keyword_inclusion",
    example=Example(
        params={"keywords": ["lamp"], "min_count": 2, "max_count": 2},
        instruction="The summary must include the word lamp exactly two times.",
        passing="The **lamp** goes on; later the lamp goes off.",
        failing="The lamp goes on; later the lamps go off.",
    ),
)
def required_keyword_inclusion(text: str, params: RequiredKeywords) -> Check:
    """The answer includes the asked words or phrases, as often as asked."""
    counts = {keyword: params.count(text, keyword) for keyword in params.keywords}
    met = {
        keyword: count >= params.min_count
        and (params.max_count is None or count <= params.max_count)
        for keyword, count in counts.items()
    }
    evidence = tuple(
        quote(text, *place)
        for keyword in params.keywords[:8]
        for place in _inside(text, params.places(text, keyword)[:3])
    )
    found = {"counts": dict(list(counts.items())[:50])}
    if all(met.values()) if params.match == "all" else any(met.values()):
        return passed(_counts(counts), evidence=evidence, found=found)
    wrong = {keyword: counts[keyword] for keyword, is_met in met.items() if not is_met}
    asked = _asked(params.min_count, params.max_count)
    each = "each " if params.match == "all" and len(counts) > 1 else ""
    reason = f"{_counts(wrong)}; {each}{asked} is asked for"
    return failed(reason[:800], evidence=evidence, found=found)


def _counts(counts: dict[str, int]) -> str:
    shown = ", ".join(
        f"“{word[:60]}” stands {number} times" for word, number in list(counts.items())[:8]
    )
    return shown + (f" and {len(counts) - 8} more keywords" if len(counts) > 8 else "")


def _asked(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}"
    return f"at least {low}" if high is None else f"{low} to {high}"


def _inside(text: str, places: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    """Places that can be quoted; those of a text outside NFC may lie beyond its end."""
    return (place for place in places if place[1] <= len(text))


@scripted(
    "videoif:forbidden_keyword_exclusion",
    group="wording",
    params=KeywordParams,
    category="forbidden_keyword_exclusion",
    example=Example(
        params={"keywords": ["she", "he", "it", "they", "we"]},
        instruction="Do not mention she, he, it, they, or we.",
        passing="The shepherd opens the item.",
        failing="Then _he_ opens the item.",
    ),
)
def forbidden_keyword_exclusion(text: str, params: KeywordParams) -> Check:
    """The answer holds none of the banned words or phrases."""
    raw = {keyword: params.places(text, keyword) for keyword in params.keywords}
    hits = [keyword for keyword in params.keywords if raw[keyword] or params.count(text, keyword)]
    if not hits:
        return passed("none of the banned words stands in the answer")
    evidence: tuple[Evidence, ...] = tuple(
        quote(text, *place) for keyword in hits[:8] for place in _inside(text, raw[keyword][:3])
    )
    return failed(f"banned words stand in it: {listed(hits)}", evidence=evidence)


# ── Labels ───────────────────────────────────────────────────────────────────────────

_PRONOUNS = frozenset(
    [
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "we",
        "us",
        "our",
        "ours",
        "ourselves",
        "you",
        "your",
        "yours",
        "he",
        "him",
        "his",
        "himself",
        "she",
        "her",
        "hers",
        "herself",
        "it",
        "its",
        "itself",
        "they",
        "them",
        "their",
        "theirs",
        "themselves",
        "who",
        "whom",
        "whose",
        "this",
        "that",
        "these",
        "those",
        "one",
        "someone",
        "somebody",
        "everyone",
        "everybody",
        "nobody",
        "我",
        "你",
        "他",
        "她",
        "它",
        "我们",
        "你们",
        "他们",
        "她们",
        "它们",
        "某人",
    ]
)


class LabelSet(Params):
    """The only names by which entities may be called."""

    labels: tuple[Word, ...] = Field(min_length=1)
    entity: str = ""
    """Which entities are meant ("people", "speakers"); all of them where it is empty."""
    ignore_case: bool = True
    allow_pronouns: bool = True
    """A pronoun names no label; it stands for one."""


@extracted(
    "videoif:entity_label_set_restriction",
    group="wording",
    params=LabelSet,
    category="entity_label_set_restriction",
    locate=lambda _text, _params: None,
    template="entity_labels",
    example=Example(
        params={"labels": ["Anna", "John"], "entity": "people"},
        instruction="Refer to all people only by these names: [Anna, John].",
        passing="Anna",
        failing="the tall woman",
    ),
)
def entity_label_set_restriction(quotations: tuple[str, ...], params: LabelSet) -> Check:
    """Entities are called by labels of the given set alone; the extractor lists what they are called."""
    known = {comparable(label, ignore_case=params.ignore_case) for label in params.labels}
    named = tuple(dict.fromkeys(bare(bare(mention).rstrip(" :：,，;")) for mention in quotations))
    counted_in = [
        name for name in named if name and not (params.allow_pronouns and _is_pronoun(name))
    ]
    foreign = [name for name in counted_in if not _is_label(name, known, params)]
    found = {"named": list(named[:50])}
    if foreign:
        return failed(
            f"called otherwise than by the labels: {listed(foreign)}",
            extracted=foreign[0],
            found=found,
        )
    if not counted_in:
        return passed("the answer names no entity", found=found)
    return passed(f"every entity is called by a label: {listed(counted_in)}", found=found)


def _is_label(name: str, known: set[str], params: LabelSet) -> bool:
    """A label, with an article before it or a possessive behind it."""
    form = comparable(name, ignore_case=params.ignore_case)
    if form in known:
        return True
    for article in ("the ", "The ", "a ", "A ", "an ", "An "):
        form = form.removeprefix(article)
    return form in known or form.removesuffix("'s") in known or form.rstrip("'") in known


def _is_pronoun(name: str) -> bool:
    return comparable(name) in _PRONOUNS


# ── Length ───────────────────────────────────────────────────────────────────────────


class LengthParams(Bounds):
    """How long the answer is, and in which unit."""

    unit: Unit = "word"
    """`zh_length`: each Chinese character one, each word or number of another script one."""
    cjk: Literal["char", "run"] = "char"
    """With `word`: whether each ideograph is a word, or a run of them."""
    count_punctuation: bool = True
    """With `character` and `zh_length`: whether marks count."""


@scripted(
    "videoif:response_length_constraint",
    group="wording",
    params=LengthParams,
    category="response_length_constraint",
    example=Example(
        params={"min": 4, "max": 6},
        instruction="Answer in 4 to 6 words.",
        passing="- The lamp doesn't go on.",
        failing="It does.",
    ),
)
def response_length_constraint(text: str, params: LengthParams) -> Check:
    """The answer is as long as asked, counted over what a reader sees."""
    count = count_length(
        text, params.unit, cjk=params.cjk, count_punctuation=params.count_punctuation
    )
    name = {"zh_length": "Chinese length unit"}.get(params.unit, params.unit)
    reason = f"{count} {name}{'' if count == 1 else 's'}"
    found = {"count": count, "unit": params.unit}
    if params.admits(count):
        return passed(reason, found=found)
    return failed(f"{reason}; asked for {params.words}", found=found)
