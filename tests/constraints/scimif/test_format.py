"""Boxes, Markdown, HTML and XML: what passes, what fails, and the near misses between."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ifbench.constraints import all_constraints
from ifbench.constraints.constraint import Check, decide
from ifbench.types import Outcome


def check(name: str, text: str, **params: Any) -> Check:
    constraint = all_constraints()[f"general:{name}"]
    found = decide(constraint, text, constraint.params.model_validate(params))
    for place in found.evidence:
        quoted = text[place.start : place.end]
        assert quoted
        assert place.text == quoted or quoted.startswith(place.text.removesuffix("…"))
    return found


def verdict(name: str, text: str, params: dict[str, Any]) -> bool:
    found = check(name, text, **params)
    assert found.outcome is not Outcome.UNDECIDED
    assert found.reason
    return found.outcome is Outcome.PASS


def refused(name: str, params: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        all_constraints()[f"general:{name}"].params.model_validate(params)
    return str(caught.value)


# ── Boxes ────────────────────────────────────────────────────────────────────────────

TAGS = {"wrapper": ["<answer>", "</answer>"]}
LAST = {"last": True}

BOXES: list[tuple[str, dict[str, Any], bool]] = [
    (r"\boxed{4.5}", {}, True),
    (r"The mass is $\boxed{4.50\ \text{kg}}$.", {}, True),
    (r"\[\boxed{\frac{a}{b}}\]", {}, True),
    (r"\boxed{\{1, 2\}}", {}, True),
    (r"\boxed{a} or \boxed{b}", {}, True),
    (r"\boxed{a} and some words", {}, True),
    ("\\boxed{a}.\u200b", LAST, True),
    ("\\boxed{a}.\u200bb", LAST, False),
    (r"\boxed {4.5}", {}, True),
    (r"\boxed{\boxed{4}}", {}, True),
    ("\\boxed{\n4.5\n}", {}, True),
    ("4.5", {}, False),
    (r"\boxed", {}, False),
    (r"\boxed 4", {}, False),
    (r"boxed{4.5}", {}, False),
    (r"\boxed{}", {}, False),
    (r"\boxed{  }", {}, False),
    (r"\boxed{\ \quad~}", {}, False),
    (r"\boxed{\mathit{}\enspace\hspace{2em}}", {}, False),
    ("\\boxed{\u200b}", {}, False),
    (r"\boxed{\mathit{x}}", {}, True),
    (r"\boxed{\dotso}", {}, True),
    (r"put it into \boxed{}: 4.5", {}, False),
    (r"put it into \boxed{...}: 4.5", {}, False),
    (r"put it into $\boxed{\ldots}$: 4.5", {}, False),
    (r"\boxed{\text{ }}", {}, False),
    (r"\boxed{$ $}", {}, False),
    (r"\boxed{\text{a}}", {}, True),
    (r"\boxed{\{\}}", {}, True),
    (r"\boxed{.5}", {}, True),
    (r"\boxed{4.5", {}, False),
    (r"\boxed{\frac{a}{b}", {}, False),
    (r"\boxed{4.5\}", {}, False),
    (r"\fbox{4.5}", {}, False),
    ("[4.5]", {}, False),
    ("**4.5**", {}, False),
    (r"\fbox{4.5}", {"wrapper": r"\fbox{}"}, True),
    (r"\boxed{4.5}", {"wrapper": r"\fbox{}"}, False),
    ("so <answer>4.5</answer>", TAGS, True),
    ("<answer></answer>", TAGS, False),
    ("<answer>4.5", TAGS, False),
    ("4.5</answer>", TAGS, False),
    ("<Answer>4.5</Answer>", TAGS, False),
    ("【4.5】", {"wrapper": ["【", "】"]}, True),
    ("[[4.5]]", {"wrapper": ["[[", "]]"]}, True),
    ("[4.5]", {"wrapper": ["[[", "]]"]}, False),
    ("**4.5**", {"wrapper": ["**", "**"]}, True),
    ("**4.5", {"wrapper": ["**", "**"]}, False),
    (r"$\boxed{4.5}$.", LAST, True),
    (r"\[\boxed{4.5}.\]", LAST, True),
    ("\\begin{align*}x=\\boxed{4.5}\\end{align*}\n", LAST, True),
    ("**\\boxed{4.5}**", LAST, True),
    (r"\boxed{4.5} kg", LAST, False),
    (r"$\boxed{4.5}$ is the mass.", LAST, False),
    (r"\boxed{4.5} \boxed{5}", LAST, True),
    (r"\boxed{4.5} or \boxed{5", LAST, False),
    (r"\boxed{4.5}", {"count": 1}, True),
    (r"\boxed{a} \boxed{b}", {"count": 1}, False),
    (r"\boxed{a} \boxed{b}", {"count": 2}, True),
    (r"\boxed{a} \boxed{}", {"count": 1}, True),
]


@pytest.mark.parametrize(("text", "params", "passes"), BOXES)
def test_box_is_complete_and_filled(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("wrap_up", text, params) is passes


@pytest.mark.parametrize(
    ("text", "extracted"),
    [
        (r"\boxed{a} then \boxed{ b }", "b"),
        (r"\boxed{\frac{a}{b}}", r"\frac{a}{b}"),
        (r"\boxed{a} and \boxed{}", "a"),
    ],
)
def test_last_box_holds_the_answer(text: str, extracted: str) -> None:
    assert check("wrap_up", text).extracted == extracted


@pytest.mark.parametrize(
    ("text", "params", "words"),
    [
        ("4.5", {}, r"no \boxed{} stands"),
        (r"\boxed{4", {}, "never closed"),
        (r"\boxed{}", {}, "is empty"),
        (r"\boxed{4} kg", LAST, "more follows after the last \\boxed{}: “kg”"),
        (r"\boxed{4} \boxed{5}", {"count": 1}, "2 \\boxed{} stand in the answer, not 1"),
        ("4", TAGS, "no <answer>…</answer> stands"),
    ],
)
def test_reason_says_what_is_wrong_with_the_box(
    text: str, params: dict[str, Any], words: str
) -> None:
    assert words in check("wrap_up", text, **params).reason


@pytest.mark.parametrize(
    "params",
    [{"wrapper": "boxed"}, {"wrapper": "{}"}, {"wrapper": ["<a>", ""]}, {"wrapper": ["<a>"]},
     {"count": 0}, {"wrappers": "x"}],
)  # fmt: skip
def test_box_params_are_checked_at_load(params: dict[str, Any]) -> None:
    assert refused("wrap_up", params)


# ── Markdown ─────────────────────────────────────────────────────────────────────────

MARKDOWN: list[tuple[str, dict[str, Any], bool]] = [
    ("# Answer\n\n4.5 kg", {}, True),
    ("The mass is **4.5 kg**.", {}, True),
    ("- 4.5 kg", {}, True),
    ("| a | b |\n|---|---|\n| 1 | 2 |", {}, True),
    ("```markdown\n# Answer\n```", {}, True),
    ("```md\n**x**\n```", {}, True),
    ("```python\nx = 1\n```", {}, True),
    ("```\nx\n```", {}, True),
    ("Use `x`.", {}, True),
    ("4.5 kg", {}, False),
    ("2 * 3 * 4", {}, False),
    ("snake_case_name", {}, False),
    ("#hashtag", {}, False),
    ("-5 °C", {}, False),
    ("<h1>Answer</h1>", {}, False),
    (r"\(x_1 * y_2\)", {}, False),
    ("```markdown\nplain text\n```", {}, False),
    ("```markdown\nplain text", {}, True),  # Cut off: the fence stands, there is nothing to unwrap.
    ("# A\n\n- b", {"require": ["heading", "list"]}, True),
    ("# A\n\n- **b**", {"require": ["strong"]}, True),
    ("# A\n\nb", {"require": ["heading", "list"]}, False),
    ("**A**\n\n- b", {"require": ["heading"]}, False),
    ("a | b\n1 | 2", {"require": ["table"]}, False),
    ("*a*", {"require": ["strong"]}, False),
]


@pytest.mark.parametrize(("text", "params", "passes"), MARKDOWN)
def test_markdown_needs_a_construct(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("markdown_constraint", text, params) is passes


def test_markdown_reason_and_evidence_name_the_construct() -> None:
    found = check("markdown_constraint", "Text.\r\n\r\n## Result\r\nx")
    assert found.reason == "Markdown with heading"
    assert [place.text for place in found.evidence] == ["## Result"]
    inside = check("markdown_constraint", "```markdown\nA **b**\n```")
    assert [place.text for place in inside.evidence] == ["A **b**"]
    missing = check("markdown_constraint", "# A", require=["table", "list"])
    assert missing.reason == "no table and no list stands in the Markdown"


def test_markdown_params_are_checked_at_load() -> None:
    assert "require" in refused("markdown_constraint", {"require": ["headline"]})


# ── HTML ─────────────────────────────────────────────────────────────────────────────

PAGE = "<!DOCTYPE html><html><head><title>t</title></head><body><p>x</p></body></html>"
EMBEDDED = {"scope": "embedded"}

HTML: list[tuple[str, dict[str, Any], bool]] = [
    ("<p>The mass is <b>4.5 kg</b>.</p>", {}, True),
    ("<p>4.5 kg", {}, True),
    ("<ul><li>a<li>b</ul>", {}, True),
    ("  <p>x</p>\n", {}, True),
    ("```html\n<p>x</p>\n```", {}, True),
    ("```\n<p>x</p>\n```", {}, True),
    (PAGE, {}, True),
    ("<html><body><p>x</p></body></html>", {}, True),
    ("<p><foo>x</foo></p>", {}, True),
    ("<custom-element>x</custom-element>", {}, False),
    ("<answer>4.5</answer>", {}, False),
    ("4.5 kg", {}, False),
    ("&lt;p&gt;x&lt;/p&gt;", {}, False),
    ("<div>x", {}, False),
    ("<b><i>x</b></i>", {}, False),
    ("Here you are:\n<p>x</p>", {}, False),
    ("<p>x</p>\nHope this helps!", {}, False),
    ("```html\n<p>x</p>\n```\nHope this helps!", {}, False),
    ("**x**", {}, False),
    ("<p>x < y</p>", {}, False),
    ("```html\n<p>x</p>\n```", {"allow_fence": False}, False),
    ("<p>x</p>", {"allow_fence": False}, True),
    ("<table><tr><td>1</td></tr></table>", {"require": ["table", "TD"]}, True),
    ("<table><tr><td>1</td></tr></table>", {"require": ["th"]}, False),
    ("<table><tr><td>1</td></tr></table>", {"require": ["tbody"]}, False),  # Not written.
    (PAGE, {"document": True}, True),
    ("<html><body>x</body></html>", {"document": True}, False),
    ("<p>x</p>", {"document": True}, False),
    (PAGE, {"document": False}, False),
    ("<p>x</p>", {"document": False}, True),
    ("It is <p>x</p>, see?", EMBEDDED, True),
    ("It is\n```html\n<p>x</p>\n```\nsee?", EMBEDDED, True),
    ("It is\n```html\n<div>x\n```\nor <p>x</p>", EMBEDDED, False),
    ("no tags, a < b", EMBEDDED, False),
]


@pytest.mark.parametrize(("text", "params", "passes"), HTML)
def test_html_is_clean_and_alone(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("html_constraint", text, params) is passes


@pytest.mark.parametrize(
    ("text", "params", "words"),
    [
        ("Here:\n<p>x</p>", {}, "text stands outside any element: “Here:”"),
        ("<h2>A</h2>\n<p><b>x</p>", {}, "parse error at line 2"),
        ("```html\n<p>x</p>\n```\nDone.", {}, "text stands after HTML: “Done.”"),
        ("<div>x", {}, "not HTML: parse error at line 1: Expected closing tag"),
        ("<foo>x</foo>", {}, "no tag in it is one of HTML's"),
        ("<p>x</p>", {"require": ["table", "th"]}, "missing: table, th"),
        ("```html\n<p>x</p>\n```", {"allow_fence": False}, "a code fence stands around HTML"),
        ("```html\n<p>x\n```\nor\n```html\n<b>y</b>\n```", EMBEDDED, "the last of 2 fenced blocks"),
        ("a", EMBEDDED, "HTML stands nowhere in the answer"),
    ],
)
def test_html_reason_can_be_acted_on(text: str, params: dict[str, Any], words: str) -> None:
    assert words in check("html_constraint", text, **params).reason


def test_html_params_are_checked_at_load() -> None:
    assert "foo" in refused("html_constraint", {"require": ["p", "foo"]})
    assert refused("html_constraint", {"scope": "part"})


# ── XML ──────────────────────────────────────────────────────────────────────────────

XML: list[tuple[str, dict[str, Any], bool]] = [
    ("<a><b>1</b></a>", {}, True),
    ("\n\n<?xml version='1.0'?>\n<a/>\n", {}, True),
    ("```xml\n<?xml version='1.0'?>\n<a/>\n```", {}, True),
    ("<p>an element of HTML</p>", {}, True),
    ("<a>x &lt; y</a>", {}, True),
    ("<a>x < y</a>", {}, False),
    ("<a>R&D</a>", {}, False),
    ("<a b=1/>", {}, False),
    ("<a/><b/>", {}, False),
    ("<A></a>", {}, False),
    ("<a><b></a></b>", {}, False),
    ("<a>", {}, False),
    ("a", {}, False),
    ("Here:\n<a/>", {}, False),
    ("<a/>\nDone.", {}, False),
    ("<!DOCTYPE a><a/>", {}, False),
    ("<a>&nbsp;</a>", {}, False),
    ("<x:a/>", {}, False),
    ("```xml\n<a/>\n```", {"allow_fence": False}, False),
    ("<a/>", {"root": "a"}, True),
    ("<A/>", {"root": "a"}, False),
    ("<b><a/></b>", {"root": "a"}, False),
    ("<x:a xmlns:x='u'/>", {"root": "a"}, True),
    ("<a><b><c/></b></a>", {"require": ["b", "c"]}, True),
    ("<a><b/></a>", {"require": ["b", "c"]}, False),
    ("<a><b/></a>", {"require": ["a"]}, True),
    ("See <a>1</a>.", EMBEDDED, True),
    ("See\n```xml\n<a>1</a>\n```\n", EMBEDDED, True),
    ("If x < y and y > z.", EMBEDDED, False),
    ("See <a>1</b>.", EMBEDDED, False),
]


@pytest.mark.parametrize(("text", "params", "passes"), XML)
def test_xml_is_well_formed_and_alone(text: str, params: dict[str, Any], passes: bool) -> None:
    assert verdict("xml_constraint", text, params) is passes


BOMB = (
    '<!DOCTYPE a [<!ENTITY a "' + "x" * 100 + '"><!ENTITY b "' + "&a;" * 1000 + '">'
    '<!ENTITY c "' + "&b;" * 1000 + '">]><a>&c;</a>'
)


@pytest.mark.parametrize(
    ("text", "params", "words"),
    [
        (BOMB, {}, "document types and entity declarations are not allowed"),
        ("<a/><b/>", {}, "text stands after XML: “<b/>”"),
        ("<a>x & y</a>", {}, "&amp;"),
        ("<b/>", {"root": "a"}, "the root is <b>, not <a>"),
        ("<a/>", {"require": ["b"]}, "missing: b"),
        ("Here:\n<a/>", {}, "text stands before XML: “Here:”"),
    ],
)
def test_xml_reason_can_be_acted_on(text: str, params: dict[str, Any], words: str) -> None:
    assert words in check("xml_constraint", text, **params).reason


def test_xml_params_are_checked_at_load() -> None:
    assert "<a>" in refused("xml_constraint", {"root": "<a>"})
    assert "x:b" in refused("xml_constraint", {"require": ["a", "x:b"]})


@pytest.mark.parametrize("name", ["wrap_up", "markdown_constraint", "html_constraint"])
@pytest.mark.parametrize("text", ["", " \n\t", "\u00a0"])
def test_empty_answer_fails(name: str, text: str) -> None:
    assert verdict(name, text, {}) is False
