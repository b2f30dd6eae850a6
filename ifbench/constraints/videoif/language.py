"""Four types on language: which one, whose voice, which tense, which characters (Table 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Self, TypeAlias

import regex
from pydantic import AfterValidator, Field, model_validator

from ifbench.constraints.constraint import Check, Example, Params, failed, passed, quote, scripted
from ifbench.constraints.videoif.judging import judged_type
from ifbench.parsing.flaws import counted, excerpt, listed
from ifbench.parsing.languages import language_code, verify_language
from ifbench.parsing.patterns import check_pattern
from ifbench.parsing.quoted_passages import quoted_passages
from ifbench.parsing.sentences import sentences_in

# ── Which language ───────────────────────────────────────────────────────────────────


def _code(name: str) -> str:
    code = language_code(name)
    if code is None:
        raise ValueError(f"`{name}` is no language that can be verified")
    return code


class LanguageParams(Params):
    """The language of the answer, or the two of a bilingual one."""

    languages: tuple[Annotated[str, AfterValidator(_code)], ...] = Field(min_length=1, max_length=2)
    """Names or codes: `Spanish`, `es`, `zh-hans`."""
    allow_terms: tuple[str, ...] = ()
    """Words of another language that the instruction itself asks for, such as names."""


@scripted(
    "videoif:response_language",
    group="language",
    params=LanguageParams,
    category="response_language",
    example=Example(
        params={"languages": ["Spanish"]},
        instruction="Answer entirely in Spanish.",
        passing="El hombre abre la puerta y sale de la casa.",
        failing="Here you are: el hombre opens the door and leaves the house.",
    ),
)
def response_language(text: str, params: LanguageParams) -> Check:
    """The answer is in the asked language, or in both of a pair."""
    reading = verify_language(text, params.languages, params.allow_terms)
    found = {"shares": dict(reading.shares), "is_sure": reading.is_sure}
    if reading.is_in:
        return passed(reading.reason, found=found)
    start = text.find(reading.passage) if reading.passage else -1
    evidence = (quote(text, start, start + len(reading.passage)),) if start >= 0 else ()
    return failed(reading.reason, evidence=evidence, found=found)


# ── Whose voice ──────────────────────────────────────────────────────────────────────

_FIRST = re.compile(
    r"(?<![\w'])(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Uu]s|[Oo]ur|[Oo]urs|[Oo]urselves)(?![\w])"
    r"|我|咱|私|僕|俺"
)
_THIRD = re.compile(
    r"(?<![\w'])(?:he|him|his|she|her|hers|the (?:man|woman|person|speaker|narrator))(?![\w])|他|她",
    re.IGNORECASE,
)


class Perspective(Params):
    """Who is to speak."""

    entity: str = ""
    """The one who speaks as "I" ("the woman in red"); empty for any."""
    language: str = ""


def _seen_pronouns(text: str, params: Perspective) -> Mapping[str, Any]:
    del params
    outside = text
    for passage in reversed(quoted_passages(text)):  # What others say is theirs.
        outside = outside[: passage.start] + outside[passage.end :]
    first = sum(1 for _ in _FIRST.finditer(outside))
    third = sum(1 for _ in _THIRD.finditer(outside))
    return {
        "seen": f"outside quotation marks it holds {first} words of the first person and {third} "
        "of the third."
    }


first_person_perspective = judged_type(
    "first_person_perspective",
    group="language",
    description="The answer is told in the first person, not by an outside narrator.",
    rubric=(
        "first person. The whole answer is told as 'I' or 'we' by the one whom the instruction "
        "names (or by any, where it names none). A narrator who speaks of that person as he, she "
        "or by name breaks it. What stands in quotation marks is others' speech and does not count."
    ),
    params=Perspective,
    prepare=_seen_pronouns,
    example=Example(
        params={"entity": "the woman in red"},
        instruction="Answer from the point of view of the woman in red.",
        passing="I open the door and look for my keys.",
        failing="The woman in red opens the door and looks for her keys.",
    ),
)

# ── Which tense ──────────────────────────────────────────────────────────────────────


class TenseRule(Params):
    """One tense, and the sentences that it holds for."""

    which: str = "all"
    """`all`, `first`, `last`, `rest`, or in words."""
    tense: str = Field(min_length=1)


class TenseParams(Params):
    """The tenses that are asked for, where the item states them."""

    rules: tuple[TenseRule, ...] = ()


MAX_SENTENCES = 60


def _numbered_sentences(text: str, params: TenseParams) -> Mapping[str, Any]:
    sentences = sentences_in(text)
    shown = " ".join(
        f"[{number}] {excerpt(sentence, 120)}"
        for number, sentence in enumerate(sentences[:MAX_SENTENCES], start=1)
    )
    rules = "; ".join(f"{rule.which}: {rule.tense}" for rule in params.rules)
    asked = f" Asked for: {rules}." if rules else ""
    return {"seen": f"it has {counted(len(sentences), 'sentence')}: {shown}{asked}"}


temporal_tense_constraint = judged_type(
    "temporal_tense_constraint",
    group="language",
    description="Sentences are in stated grammatical tenses.",
    rubric=(
        "tense. Go through the answer sentence by sentence; the main verbs of each are in the tense "
        "that is asked for it (all, the first, the rest …). Passages in quotation marks keep their "
        "own tense. One sentence in another tense breaks it."
    ),
    params=TenseParams,
    prepare=_numbered_sentences,
    example=Example(
        params={
            "rules": [
                {"which": "first", "tense": "past"},
                {"which": "rest", "tense": "past perfect"},
            ]
        },
        instruction="Use the past tense in the first sentence and the past perfect in the rest.",
        passing="The lamp went on. Somebody had opened the door.",
        failing="The lamp went on. Somebody opened the door.",
    ),
)

# ── Which characters ─────────────────────────────────────────────────────────────────

Case: TypeAlias = Literal["upper", "lower", "title"]
CharacterClass: TypeAlias = Literal["digits", "letters", "alphanumeric", "ascii", "no_digits"]


class TextType(Params):
    """Which text, and of which type it is; without a type that a script knows the judge decides."""

    target: Literal["all", "quoted"] = "quoted"
    """`quoted`: what stands in quotation marks (speech, text on screen). `all`: the answer."""
    case: Case | None = None
    script: str | None = None
    """A script by its Unicode name: `Latin`, `Han`, `Cyrillic`."""
    characters: CharacterClass | None = None
    pattern: Annotated[str, AfterValidator(check_pattern)] | None = None
    """A regular expression for each target, whole."""
    required: bool = False
    """With `quoted`: whether an answer without a quotation breaks it. Without, the judge decides."""

    @model_validator(mode="after")
    def _script_is_known(self) -> Self:
        if self.script is not None:
            try:
                regex.compile(rf"\p{{Script={self.script}}}")
            except regex.error as error:
                raise ValueError(f"`{self.script}` is no script of Unicode") from error
        return self

    @property
    def is_of_script(self) -> bool:
        """Whether a script can decide it."""
        return bool(self.case or self.script or self.characters or self.pattern)


def _type_settled(text: str, params: TextType) -> Check | None:
    """By script where the type is one of characters; what is not quoted cannot be told apart."""
    if not params.is_of_script:
        return None
    targets = list(_targets(text, params))
    if not targets:
        if params.required:
            return failed("nothing in the answer stands in quotation marks")
        return None
    wrong = [(start, end) for start, end in targets if not _is_of_type(text[start:end], params)]
    if wrong:
        return failed(
            f"not of the asked type: {listed([text[slice(*place)] for place in wrong])}",
            evidence=tuple(quote(text, *place) for place in wrong[:8]),
            found={"targets": len(targets), "wrong": len(wrong)},
        )
    return passed(
        f"{counted(len(targets), 'passage')} of the asked type", found={"targets": len(targets)}
    )


def _targets(text: str, params: TextType) -> Iterator[tuple[int, int]]:
    if params.target == "all":
        yield len(text) - len(text.lstrip()), len(text.rstrip())
        return
    for passage in quoted_passages(text):
        yield passage.start, passage.end


def _is_of_type(words: str, params: TextType) -> bool:
    return all(
        (
            params.case is None or _is_of_case(words, params.case),
            params.script is None or _is_of_script(words, params.script),
            params.characters is None or _is_of_class(words, params.characters),
            params.pattern is None or _matches(words.strip(), params.pattern),
        )
    )


def _matches(words: str, pattern: str) -> bool:
    return len(words) <= 10_000 and re.fullmatch(pattern, words, re.ASCII) is not None


def _is_of_case(words: str, case: Case) -> bool:
    """Letters without case (Chinese, digits) are of every case."""
    match case:
        case "upper":
            return not any(c != c.upper() and c != "ß" for c in words)
        case "lower":
            return all(c == c.lower() for c in words)
        case "title":
            starts: Sequence[str] = re.findall(r"(?<![^\W\d_])(?<!['’])[^\W\d_]", words)
            return all(c in {c.upper(), c.title()} for c in starts)


def _is_of_script(words: str, script: str) -> bool:
    letters = [c for c in words if c.isalpha()]
    own = regex.compile(rf"\p{{Script={script}}}")
    return all(own.match(letter) for letter in letters)


def _is_of_class(words: str, characters: CharacterClass) -> bool:
    kept = "".join(words.split())
    match characters:
        case "digits":
            return kept.isascii() and kept.isdigit()
        case "letters":
            return kept.isalpha()
        case "alphanumeric":
            return kept.isalnum()
        case "ascii":
            return kept.isascii()
        case "no_digits":
            return not any(map(str.isdigit, kept))


text_type_restriction = judged_type(
    "text_type_restriction",
    group="language",
    description="Text, quotations or symbols are of a stated type: case, script, characters, style.",
    rubric=(
        "type of text. The text that the instruction means (quoted speech, text on screen, symbols, "
        "or all) is of the asked type: upper case, one script, digits only, a style, a pattern. "
        "One passage of another type breaks it."
    ),
    params=TextType,
    settle=_type_settled,
    example=Example(
        params={"target": "quoted", "case": "upper"},
        instruction="Write any quoted on-screen text entirely in upper case.",
        passing='The sign reads "NO ENTRY".',
        failing='The sign reads "No entry".',
    ),
)
