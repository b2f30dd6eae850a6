"""Typed parameters out of a release's checklist query, by rule.

The release states no parameters: a record holds the type, a question whose "yes" means that the
constraint is met, and the facts. What a rule here reads is bound once, at load, for all models
alike. What none reads is `UnboundParams` with the reason; a model binds it once, later (purpose
*bind*). The release's own scorer has a model read them anew for each response.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from ifbench.benchmarks.binding import bind_params
from ifbench.benchmarks.videoif.aliases import canonical_id
from ifbench.benchmarks.videoif.constraint_types import RELEASE_ONLY
from ifbench.benchmarks.videoif.query_readers import (
    Range,
    after_phrase,
    are_even,
    listed,
    quoted,
    read_range,
    read_times,
)
from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Judged, Params
from ifbench.errors import DatasetError
from ifbench.parsing.embedded_json import json_values_in
from ifbench.parsing.languages import LANGUAGES
from ifbench.types import UnboundParams

Read: TypeAlias = Mapping[str, Any] | str
"""Parameters as plain JSON, or in words why there are none."""
Reader: TypeAlias = Callable[[str, str], Read]
"""From the query and the judge's context."""

MAX_QUERY = 5_000
"""Characters of a query that are read; none is longer."""


def read_params(constraint_id: str, query: str, context: str = "") -> Params | UnboundParams:
    """The typed parameters of a checklist item, or why no rule reads them.

    A judged type needs none: what a rule reads for it only lets a script see more.
    """
    known = canonical_id(constraint_id)
    if known is None:
        reason = f"`{constraint_id}` is no type of constraint"
        return UnboundParams(raw=query, reason=reason)
    reader = READERS.get(known)
    read: Read = reader(query[:MAX_QUERY], context[:MAX_QUERY]) if reader else {}
    if isinstance(read, str):
        return UnboundParams(raw=query, reason=read)
    try:
        return bind_params(known, read)
    except DatasetError as error:
        if isinstance(all_constraints()[known].method, Judged):
            return all_constraints()[known].params()
        return UnboundParams(raw=query, reason=str(error))


def _bounds(stated: Range) -> dict[str, int]:
    return {
        name: value
        for name, value in (("min", stated.min), ("max", stated.max))
        if value is not None
    }


def _says(query: str, pattern: str) -> bool:
    return re.search(pattern, query, re.IGNORECASE) is not None


# ── Layout ───────────────────────────────────────────────────────────────────────────

_NAME = re.compile(r"[A-Za-z_][\w-]{0,60}")
_KEYS = r"(?:top-level |required |following |exact )*(?:keys?|fields?|propert(?:y|ies))(?: named| called)?[:\s]+|(?:字段|键)[为是：:\s]*"


def _json(query: str, _: str) -> Read:
    params: dict[str, Any] = {}
    is_array, is_object = (
        _says(query, r"json (?:array|list)|json 数组"),
        _says(query, "json (?:object|对象)"),
    )
    if is_array != is_object:
        params["top_level"] = "array" if is_array else "object"
    if _says(query, r"(?:contain|include)s? (?:a|one) (?:valid )?json"):
        params["scope"] = "embedded"
    shape = next((v.value for v in json_values_in(query) if isinstance(v.value, dict)), None)
    if shape:
        params["skeleton"] = shape
    elif _says(query, r"\bkeys?\b|\bfields?\b|\bpropert(?:y|ies)\b|字段|键"):
        keys = [
            key for key in listed(_without_tail(after_phrase(query, _KEYS))) if _NAME.fullmatch(key)
        ]
        if not keys:
            return "the query speaks of keys, and no rule reads which"
        params["required_keys"] = keys
    if _says(
        query,
        r"no (?:other|extra|additional) (?:keys|fields)|only the (?:keys|fields)|exactly the (?:keys|fields)",
    ):
        params["extra_keys"] = False
    return params


def _without_tail(words: str) -> str:
    """A list without the clause behind it: "a and b, and nothing else", "a, b with no prose"."""
    return re.split(
        r",?\s+(?:and|with) no(?:thing|t|\s)|\s+(?:without|only|in that order|where|each|that|for|as|at)\b",
        words,
        maxsplit=1,
        flags=re.IGNORECASE,
    )[0]


_COLUMNS = (
    r"(?:columns?|headers?)(?: named| called| titled| are| is)?[:\s]+(?=[\"'“`\[])"
    r"|(?:columns?|headers?):\s*|\bwith (?:the )?(?:columns|headers) (?:named |called )?"
)


def _table(query: str, _: str) -> Read:
    params: dict[str, Any] = {}
    is_markdown, is_csv = _says(query, "markdown"), _says(query, r"\bcsv\b")
    if is_markdown != is_csv:
        params["format"] = "markdown" if is_markdown else "csv"
    columns = read_range(query, r"columns?|列")
    if columns is not None and columns.min == columns.max:
        params["columns_count"] = columns.min
    rows = read_range(query, r"(?:data )?rows?|行")
    if rows is not None and rows.min == rows.max:
        params["rows"] = rows.min
    elif rows is not None and rows.min is not None and rows.max is None:
        params["min_rows"] = rows.min
    names = after_phrase(query, _COLUMNS)
    if names and (header := listed(_without_tail(names))) and (quoted(names) or are_even(header)):
        params["columns"] = list(header)
        if params.get("columns_count", len(header)) != len(header):
            return "the number of columns and their names contradict each other"
    if _says(query, r"(?:contain|include)s? (?:a|one) (?:markdown )?table"):
        params["scope"] = "embedded"
    return params


_ITEMS = r"(?:list )?(?:items?|points?|bullets?|entries|entry|steps?)|要点|条目|项|点|条"


def _markers(query: str) -> dict[str, str]:
    is_bullet = _says(query, r"\bbullet|项目符号|无序")
    is_numbered = _says(query, r"\bnumber(?:ed|ing)\b|\bordered list|有序|编号")
    if is_bullet == is_numbered:
        return {}
    return {"markers": "bullet" if is_bullet else "numbered"}


def _list(query: str, _: str) -> Read:
    params: dict[str, Any] = dict(_markers(query))
    stated = read_range(query, _ITEMS)
    if stated is not None and stated.min:
        params["min_items"] = stated.min
    elif stated is not None and stated.max == 1:
        params["min_items"] = 1
    if _says(query, r"(?:contain|include)s? (?:a|an) (?:ordered|numbered|bullet)"):
        params["scope"] = "embedded"
    return params


def _item_count(query: str, _: str) -> Read:
    stated = read_range(query, _ITEMS)
    if stated is None:
        return "no rule reads one number of items in the query"
    nested = {"nested": "top_level"} if _says(query, r"top-level|顶层|一级") else {}
    return {**_bounds(stated), **_markers(query), **nested}


def _paragraphs(query: str, _: str) -> Read:
    stated = read_range(query, r"paragraphs?(?:-like)?(?: blocks?)?|blocks?|个?自然段|段落?|段文字")
    if stated is None:
        return "no rule reads one number of paragraphs in the query"
    separator = re.search(
        r"(?:separated|divided|parted) (?:by|with) [\"'`“]?(?P<mark>\*\*\*|\* \* \*|---|===)", query
    )
    return {**_bounds(stated), **({"separator": separator["mark"]} if separator else {})}


def _title(query: str, _: str) -> Read:
    params: dict[str, Any] = {}
    styles = {
        "wrapped": r"<<|double angle|wrapped in|enclosed in|surrounded by",
        "heading": r"\bheading\b|# ",
        "bold": r"\bbold(?:ed)?\b|加粗",
        "label": r"[\"'“`]title:|labell?ed [\"'“`]?title",
    }
    found = [style for style, pattern in styles.items() if _says(query, pattern)]
    if len(found) > 1:
        return f"the query names several styles of title: {', '.join(found)}"
    if found:
        params["style"] = found[0]
    if found == ["wrapped"] and "<<" not in query and not _says(query, "double angle"):
        marks = re.search(r"(?:in|by) (?:square|(?P<book>book title)) (?:brackets|marks)", query)
        if marks is None:
            return "no rule reads the marks around the title"
        params["open"], params["close"] = ("《", "》") if marks["book"] else ("[", "]")
    if _says(query, r"\b(?:at|to) the end\b|\blast line\b|末尾|最后"):
        params["placement"] = "last"
    elif not _says(
        query, r"\bbefore\b|\bbegin|\bstart|\bfirst\b|\btop\b|\bopens?\b|开头|之前|最前"
    ):
        params["placement"] = "anywhere"
    words = read_range(query, r"words?")
    if words is not None and words.max is not None:
        params["max_words"] = words.max
    return params


# ── Values ───────────────────────────────────────────────────────────────────────────

_DATE_FORM = re.compile(
    r"(?<![A-Za-z])(?:YYYY[-/.]MM[-/.]DD|DD[-/.]MM[-/.]YYYY|MM[-/.]DD[-/.]YYYY|YYYY年MM月DD日"
    r"|YYYYMMDD|MMMM DD, YYYY|DD MMMM YYYY|YYYY-MM)(?![A-Za-z])"
)
_TIME_FORM = re.compile(
    r"(?<![A-Za-z:])(?:HH:MM:SS(?:\.mmm)?|H:MM:SS|MM:SS(?:\.mmm)?|M:SS|HH:MM)(?![A-Za-z:])"
)


def _value(query: str, _: str) -> Read:
    dates, times = (
        set(_DATE_FORM.findall(query)),
        set(_TIME_FORM.findall(query.replace("mm:ss", "MM:SS"))),
    )
    if len(dates) + len(times) > 1:
        return "the query names several forms"
    if dates:
        return {"kind": "date", "format": dates.pop(), "scope": "all"}
    if times:
        return {"kind": "time", "format": times.pop(), "scope": "all"}
    alone = _says(query, r"\bonly\b|\bsingle\b|\bjust\b|\bno (?:other|extra)|仅|只")
    if alone and _says(query, r"\b(?:integer|whole number|number in digits|arabic numeral)"):
        return {"kind": "integer"}
    if alone and _says(query, r"\bcapital letter|uppercase letter|option letter|大写字母"):
        return {"kind": "letter"}
    if alone and _says(query, r"\b(?:a |one )?single word\b|\bonly one word\b|\bone word only\b"):
        return {"kind": "word"}
    return "no rule reads the form of the value in the query"


def _closed_set(query: str, _: str) -> Read:
    rest = after_phrase(
        query,
        r"(?:exactly |only )?one (?:option |label |value |choice )?(?:of|from(?: among)?)(?: the)?"
        r"(?: following)?(?: (?:options?|labels?|values?|choices|set|words?))?[:：\s]+"
        r"|(?:options?|choices|set)(?: are| is|:)[:\s]*|\beither\s+|以下选项(?:之一)?[：:]\s*|之一[：:]\s*",
    )
    options = listed(rest) if rest else quoted(query)
    options = tuple(option for option in (_option(one) for one in options) if option)
    is_plain = bool(quoted(rest or query)) or "[" in rest or ":" in query or "：" in query
    if len(options) < 2 or not (is_plain or are_even(options)):
        return "no rule reads two options or more in the query"
    if len({option.casefold() for option in options}) < len(options):
        return "the options do not differ"
    with_more = _says(
        query, r"(?:with|followed by|plus) (?:a |an )?(?:brief |short )?(?:explanation|reason)"
    )
    return {"options": list(options), **({"allow_explanation": True} if with_more else {})}


def _option(words: str) -> str:
    """An option without the clause that a query hangs on the last one."""
    return re.sub(
        r"\s*(?:,|\(|with|without|and nothing|only|\bas\b)\s.*\Z", "", words, flags=re.IGNORECASE
    ).strip(" .?\"'")


def _order(query: str, _: str) -> Read:
    keys = {
        "time": r"chronolog|by time(?:stamp)?|时间顺序|按时间",
        "alpha": r"alphabetic|字母顺序",
        "number": r"numeric(?:al)? order|(?:ascending|descending) order of (?:the )?number",
    }
    found = [key for key, pattern in keys.items() if _says(query, pattern)]
    if len(found) != 1:
        return {}
    is_reversed = _says(query, r"revers|descending|latest (?:to|first)|倒序|降序")
    return {"key": found[0], **({"direction": "descending"} if is_reversed else {})}


# ── Wording ──────────────────────────────────────────────────────────────────────────


def _required(query: str, _: str) -> Read:
    keywords = _keywords(query)
    if not keywords:
        return "no rule reads the keywords in the query"
    params: dict[str, Any] = {"keywords": list(keywords), **_matching(query)}
    if len(keywords) > 1 and _says(
        query, r"\b(?:either|any (?:one )?of|at least one(?: of)?)\b|任意|之一|至少一个"
    ):
        params["match"] = "any"
    times = read_times(query)
    if times is not None:
        if times.max == 0:
            return "the query wants a required keyword zero times"
        if times.min:
            params["min_count"] = times.min
        if times.max:
            params["max_count"] = times.max
    return params


def _forbidden(query: str, _: str) -> Read:
    keywords = _keywords(query) or _bare_list(query)
    if not keywords:
        return "no rule reads the banned words in the query"
    return {"keywords": list(keywords), **_matching(query)}


def _keywords(query: str) -> tuple[str, ...]:
    """Quoted words, a bracketed list, or one word right behind "the word"."""
    if names := quoted(query):
        return names
    if re.search(r"[\[【]", query):
        return listed(query)
    one = re.findall(
        r"\bthe (?:exact )?(?:key)?word:? ([A-Za-z][\w'-]{0,40})(?![\w'-])", query, re.IGNORECASE
    )
    named = tuple(dict.fromkeys(name for name in one if name.lower() not in _NO_WORDS))
    if named:
        return named
    several = after_phrase(
        query,
        r"\b(?:key)?(?:words|phrases|pronouns|terms):\s+|\bthe (?:following )?(?:key)?(?:words|phrases|pronouns|terms):?\s+(?!in\b|of\b|that\b)|(?:关键词|词语|单词|词)[：:]\s*",
    )
    words = listed(_without_tail(several)) if several else ()
    return words if are_even(words) or (words and "：" in query) else ()


_NO_WORDS = frozenset(
    [
        "count",
        "limit",
        "list",
        "in",
        "is",
        "are",
        "for",
        "that",
        "which",
        "and",
        "or",
        "of",
        "to",
        "must",
        "exactly",
    ]
)


def _bare_list(query: str) -> tuple[str, ...]:
    """Several single words and nothing behind them: "avoid mentioning she, he, it, or we"."""
    rest = after_phrase(
        query,
        r"\b(?:avoid|without|not|never|exclude|free of|refrain from)\s+(?:(?:any |the |using|use|mention(?:ing)?|"
        r"contain(?:ing)?|includ(?:e|ing)|words?|pronouns?|terms?|of)\s*)*:?\s*",
    )
    names = listed(rest) if "," in rest else ()
    is_of_words = all(re.fullmatch(r"[^\W\d_][\w'’-]{0,30}", name) for name in names)
    return names if len(names) > 2 and is_of_words else ()


def _matching(query: str) -> dict[str, bool]:
    params = {}
    if _says(query, r"case[- ]sensitive|exact case|区分大小写"):
        params["ignore_case"] = False
    if _says(
        query, r"inflect|any form|all forms|variants?\b|lexical family|word family|derivat|plural"
    ):
        params["inflections"] = True
    return params


_UNITS = (
    ("character", r"字符|(?<!chinese )characters?"),
    ("zh_length", r"chinese characters?|汉字|个字|字"),
    ("sentence", r"sentences?|句话|句子|句"),
    ("word", r"words?|单词|个词|词"),
)


def _length(query: str, _: str) -> Read:
    found = {}
    for unit, nouns in _UNITS:
        stated = read_range(query, nouns)
        if stated is not None:
            found[unit] = stated
    if not found:
        counted = re.search(
            r"\b(?:word count|number of words|length in words)\b", query, re.IGNORECASE
        )
        stated = read_range(query + " words", r"\s*(?:\?|\.)?\s*words") if counted else None
        found = {"word": stated} if stated else {}
    if len(found) != 1:
        return "no rule reads one length in the query"
    unit, stated = next(iter(found.items()))
    return {**_bounds(stated), "unit": unit}


def _labels(query: str, _: str) -> Read:
    rest = after_phrase(
        query,
        r"(?:labels?|names?|set|inventory|categories|terms)\b[^:\[\"'“]{0,40}(?=[:\[\"'“])[:\s]*",
    )
    labels = listed(rest) if rest else quoted(query)
    if not labels or (len(labels) == 1 and not quoted(query) and "[" not in query):
        return "no rule reads the labels in the query"
    return {"labels": list(labels)}


# ── Language ─────────────────────────────────────────────────────────────────────────


def _language(query: str, _: str) -> Read:
    if _says(
        query,
        r"\bnot (?:be |written )?in\b|\bother than\b|\brather than\b|\binstead of\b|\bsame language\b",
    ):
        return "the query names a language that is not the answer's alone"
    rest, found = query, list[str]()
    names = [(name, one.code) for one in LANGUAGES.values() for name in one.names]
    for name, code in sorted(names, key=lambda pair: len(pair[0]), reverse=True):
        boundary = rf"(?<![^\W_]){re.escape(name)}(?![^\W_])" if name.isascii() else re.escape(name)
        rest, count = re.subn(boundary, " ", rest, flags=re.IGNORECASE if not name.isascii() else 0)
        if count and code not in found:
            found.append(code)
    is_pair = _says(query, r"\bbilingual|\bboth\b|双语|\band\b")
    if not found or len(found) > 2 or (len(found) == 2 and not is_pair):
        return f"the query names {len(found)} languages that can be verified"
    return {"languages": found}


def _perspective(query: str, _: str) -> Read:
    entity = re.search(
        r"(?:perspective|point of view|viewpoint|voice) of (?P<who>[^?.,;\n]{2,80})",
        query,
        re.IGNORECASE,
    )
    return {"entity": entity["who"].strip()} if entity else {}


def _text_type(query: str, _: str) -> Read:
    """Only where one class of characters is named, for quoted text; else the judge decides."""
    cases = {
        "upper": r"upper-?\s?case|all caps|capital letters|大写",
        "lower": r"lower-?\s?case|小写",
    }
    found = [case for case, pattern in cases.items() if _says(query, pattern)]
    is_quoted = _says(query, r"\bquot|on-?screen text|引号|引用")
    is_excluding = _says(query, r"\bnot\b|\bexcept|\bunless|\bother than|不")
    if len(found) != 1 or not is_quoted or is_excluding:
        return {}
    return {"target": "quoted", "case": found[0]}


def _verbatim(query: str, context: str) -> Read:
    spoken = quoted(query) or quoted(context)
    if len(spoken) != 1:
        return "no rule reads one utterance in the query or its context"
    return {"expected_utterance": spoken[0]}


READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "videoif:structured_json_output": _json,
        "videoif:table_output": _table,
        "videoif:ordered_list_output": _list,
        "videoif:list_item_count_constraint": _item_count,
        "videoif:paragraph_count_constraint": _paragraphs,
        "videoif:title_requirement": _title,
        "videoif:normalized_value_format": _value,
        "videoif:closed_set_option_output": _closed_set,
        "videoif:output_ordering": _order,
        "videoif:required_keyword_inclusion": _required,
        "videoif:forbidden_keyword_exclusion": _forbidden,
        "videoif:response_length_constraint": _length,
        "videoif:entity_label_set_restriction": _labels,
        "videoif:response_language": _language,
        "videoif:first_person_perspective": _perspective,
        "videoif:text_type_restriction": _text_type,
        RELEASE_ONLY: _verbatim,
    }
)
"""By canonical id; a type without one needs no parameters."""
