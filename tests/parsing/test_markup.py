"""HTML, XML and Markdown are read as they stand: nothing is repaired."""

from __future__ import annotations

import random
from typing import get_args

import pytest

from ifbench.parsing.flaws import Flaw
from ifbench.parsing.markup import (
    HtmlText,
    MarkdownConstruct,
    XmlDocument,
    element_spans,
    find_markdown,
    parse_html,
    parse_xml,
)

EVERY_MARK: frozenset[MarkdownConstruct] = frozenset(get_args(MarkdownConstruct))

MARKS = [
    ("# Title", ["heading"]),
    ("Title\n=====", ["heading"]),
    ("- a\n- b", ["list"]),
    ("1. a", ["list"]),
    ("* a", ["list"]),
    ("> a", ["quote"]),
    ("```\na\n```", ["fence"]),
    ("a\n\n***", ["rule"]),
    ("a *b* c", ["emphasis"]),
    ("a **b** c", ["strong"]),
    ("***b***", ["emphasis", "strong"]),
    ("a `b` c", ["code"]),
    ("[a](http://b)", ["link"]),
    ("<http://b>", ["link"]),
    ("[a]\n\n[a]: http://b", ["link"]),
    ("![a](b.png)", ["image"]),
    ("| a | b |\n|---|---|\n| 1 | 2 |", ["table"]),
    ("a | b\n-|-\n1 | 2", ["table"]),
    ("# A\n\n- **b**", ["heading", "list", "strong"]),
    ("CO₂*eq* a", ["emphasis"]),
    ("这是*重点*。", ["emphasis"]),
    ("It is 2*3*4 = *24* N", ["emphasis"]),
    ("It costs $5 and *not* $6.", ["emphasis"]),
    ("**2*3**", ["strong"]),
]


@pytest.mark.parametrize(("text", "marks"), MARKS)
def test_markdown_constructs_are_told_by_the_parser(text: str, marks: list[str]) -> None:
    wanted = frozenset(marks)
    assert {mark.construct for mark in find_markdown(text, wanted)} == wanted
    assert {mark.construct for mark in find_markdown(text, EVERY_MARK)} == wanted
    (first,) = find_markdown(text)
    assert first.construct in wanted


@pytest.mark.parametrize(
    "text",
    [
        "Plain text.",
        "2 * 3 * 4",
        "2*3*4 = 24",
        "F = m*a*g",
        "(2)*(3)*(4)",
        "the optima $x^*$ and $y^*$",
        r"the optima \(x^*\) and \(y^*\)",
        r"$$x_*a_*$$",
        "a * b",
        "snake_case_name and other_case_name",
        "#hashtag",
        "-5 °C",
        "**not closed",
        "** a **",
        r"\*a\*",
        r"\# a",
        "a > b",
        "1.5 m",
        "| a | b |",
        "a\\\nb",
        "a  \nb",
        "    indented by accident",
        "<b>HTML</b>",
        "[a]",
        "a - b - c",
        "–—",
        "x̂ ~ N(0, 1)",
        "",
        "a\x00b",
    ],
)
def test_look_alikes_are_not_markdown(text: str) -> None:
    assert find_markdown(text) == ()


@pytest.mark.parametrize(
    ("text", "wanted", "line"),
    [
        ("Text.\r\n\r\n## Result", "heading", 2),
        ("# A\n\n- b\n- c\n\nd", "list", 2),
        ("# A\n\nb\nc **d**", "strong", 2),  # The paragraph's first line.
        ("a\n\n| b | c |\n|---|---|\n| 1 | 2 |", "table", 2),
        ("- a\n\n  > b", "quote", 2),
        ("# A\n\n```\nb\n```", "fence", 2),
        ("A\n\n---", "rule", 2),
    ],
)
def test_mark_names_its_line(text: str, wanted: MarkdownConstruct, line: int) -> None:
    (mark,) = find_markdown(text, frozenset({wanted}))
    assert (mark.construct, mark.line) == (wanted, line)


@pytest.mark.parametrize(
    "text",
    ["[" * 300_000, "> " * 10_000 + "a", "*a " * 100_000, "`" * 500_000, "a\n" * 300_000],
    ids=lambda text: text[:3],
)
def test_markdown_of_nothing_but_marks_is_read(text: str) -> None:
    found = {mark.construct for mark in find_markdown(text, EVERY_MARK)}
    assert found <= {"quote", "list", "code", "fence"}


# ── XML ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "root", "elements"),
    [
        ("<a/>", "a", {"a"}),
        ("<a><b>1</b><b>2</b></a>", "a", {"a", "b"}),
        ("<?xml version='1.0' encoding='UTF-16'?><a>é</a>", "a", {"a"}),
        ("<!-- c --><a><![CDATA[<b>]]></a><!-- d -->", "a", {"a"}),
        ("<a>&lt;&#65;&#x41;&amp;</a>", "a", {"a"}),
        ("<x:a xmlns:x='u'><x:b/></x:a>", "a", {"a", "b"}),
        ("<a xmlns='u'/>", "a", {"a"}),
        ("<größe einheit='kg'>1</größe>", "größe", {"größe"}),
        ("<a>\n  text\n</a>", "a", {"a"}),
    ],
)
def test_well_formed_xml_is_read(text: str, root: str, elements: set[str]) -> None:
    assert parse_xml(text) == XmlDocument(root=root, elements=frozenset(elements))


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("<a>x & y</a>", "&amp;", ""),
        ("<a>R&D</a>", "&amp;", ""),
        ("<a b=1/>", "quoted", "1"),
        ("<a b/>", "not well-formed", ""),
        ("<a b='1' b='2'/>", "duplicate attribute", ""),
        ("<a/><b/>", "exactly one root", "<b/>"),
        ("<a/> text", "exactly one root", "text"),
        ("text <a/>", "does not begin with a tag", "text"),
        ("<A></a>", "mismatched tag", ""),
        ("<a><b></a></b>", "mismatched tag", ""),
        ("<a>", "no element found", ""),
        ("<a", "unclosed token", "<a"),
        ("<a>&nbsp;</a>", "undefined entity", "&nbsp;"),
        ("<x:a/>", "xmlns", ""),
        ("<1a/>", "not well-formed", ""),
        ("<a>\x01</a>", "not well-formed", "\x01"),
        ("\n<?xml version='1.0'?><a/>", "declaration", ""),
        ("<!DOCTYPE a><a/>", "document types", ""),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "document types", ""),
        ('<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>', "document types", ""),
        ("<a>\ud800</a>", "surrogate", ""),
        ("plain", "does not begin with a tag", "plain"),
        ("", "no element found", ""),
        ("<a>" * 100_000, "deeper than 200", ""),
        ("<a>" * 201 + "</a>" * 201, "deeper than 200", ""),
    ],
)
def test_broken_xml_is_a_flaw_with_its_place(text: str, words: str, place: str) -> None:
    flaw = parse_xml(text)
    assert isinstance(flaw, Flaw)
    assert words in flaw.reason
    assert text[flaw.start : flaw.end].startswith(place)


# ── HTML ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "elements", "is_document"),
    [
        ("<p>a</p>", {"p"}, False),
        ("<p>a", {"p"}, False),
        ("<p>a</p>\n<p>b</p>", {"p"}, False),
        ("<ul><li>a<li>b</ul>", {"ul", "li"}, False),
        ("<dl><dt>a<dd>b</dl>", {"dl", "dt", "dd"}, False),
        ("<table><tr><td>1<td>2</table>", {"table", "tr", "td"}, False),
        ("<P>a</P>", {"p"}, False),
        ("<br>", {"br"}, False),
        ("<br/>", {"br"}, False),
        ("<p>R&D</p>", {"p"}, False),
        ("<p>a & b &amp; c &lt; d &alpha;</p>", {"p"}, False),
        ("<a href='?a=1&b=2'>x</a>", {"a"}, False),
        ("<img src=x.png alt=a>", {"img"}, False),
        ("<svg><path d='M0 0'/></svg>", {"svg", "path"}, False),
        ("<script>if (1 < 2) {}</script>", {"script"}, False),
        ("<!-- note --><p>a</p><!-- end -->", {"p"}, False),
        ("<foo>x</foo>", {"foo"}, False),
        ("<!-- only a note <p> -->", set(), False),
        ("<html><body><p>a</p></body></html>", {"html", "body", "p"}, True),
        ("<!DOCTYPE html><html><head><title>t</title></head><body>x</body></html>",
         {"html", "head", "title", "body"}, True),
        ("<!doctype html><title>t</title><p>a", {"title", "p"}, True),
        ("<html>text</html>", {"html"}, True),
        ("<body>text</body>", {"body"}, True),
    ],
)  # fmt: skip
def test_html_without_parse_errors_is_read(
    text: str, elements: set[str], is_document: bool
) -> None:
    found = parse_html(text)
    assert isinstance(found, HtmlText)
    assert (found.elements, found.is_document) == (elements, is_document)
    assert found.has_doctype is text.lower().startswith("<!doctype")


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("plain text", "no HTML tag", ""),
        ("&lt;p&gt;a&lt;/p&gt;", "no HTML tag", ""),
        ("<div>a", "closing tag", ""),
        ("<b><i>x</b></i>", "another element is open", "</b>"),
        ("<p><div>x</div></p>", "end tag (p)", "</p>"),
        ("</p>", "end tag (p)", "</p>"),
        ("<p>1 < 2</p>", "tag name", "<"),
        ("<div/>", "solidus", "<div/>"),
        ("<td>x</td>", "start tag td", "<td>"),
        ("<p title=a title=b>x</p>", "duplicate attribute", "<p"),
        ("<p>&foo; x</p>", "no character reference", "&foo;"),
        ("Here: <p>x</p>", "outside any element", "Here:"),
        ("<p>x</p> Done.", "outside any element", "Done."),
        ("<b>Answer</b> is 4", "outside any element", "is 4"),
        ("# Title\n<p>x</p>", "outside any element", "# Title"),
        ("<!doctype html>plain", "outside any element", "plain"),
        ("Hi <!doctype html><p>x</p>", "DOCTYPE", ""),
        ("<html></html> more", "Expected end of file", ""),
        ("<a href=x", "", ""),
        ("<!-- open", "", ""),
        ("<p>\x00</p>", "codepoint", ""),
        ("<p>\ud800</p>", "codepoint", ""),
        ("<" * 300_000, "tag name", "<"),
        ("<div>" * 100_000, "deeper than 200", ""),
        ("<b>" * 100_000, "deeper than 200", ""),
    ],
)
def test_html_with_errors_is_a_flaw_with_its_place(text: str, words: str, place: str) -> None:
    flaw = parse_html(text)
    assert isinstance(flaw, Flaw)
    assert words in flaw.reason
    assert text[flaw.start : flaw.end].startswith(place)


def test_markup_at_random_never_breaks_a_parser() -> None:
    rng = random.Random(7)
    pieces = ["<p>", "</p>", "<b", ">", "</", "<table>", "<tr>", "<td>", "<svg>", "<desc>", "&", ";",
              "<select>", "<option>", "<!--", "-->", "x", " ", "<form>", "</table>", "<frameset>",
              "<template>", "<math>", "<mi>", "='", "'", "<html>", "<body>", "\x00", "<a>", "<br/>",
              "<![CDATA[", "]]>", "<?", "<script>", "</script>", "<textarea>"]  # fmt: skip
    for _ in range(1_500):
        text = "".join(rng.choices(pieces, k=rng.randint(1, 12)))
        parse_html(text)
        parse_xml(text)
        find_markdown(text, EVERY_MARK)
        list(element_spans(text))


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("See <p>a <b>x</b></p> and <p>b</p>.", ["<p>a <b>x</b></p>", "<p>b</p>"]),
        ("<div><div>a</div></div>x", ["<div><div>a</div></div>"]),
        ("a <br> b", ["<br>"]),
        ("a <x/> b", ["<x/>"]),
        ("if a < b and c > d", []),
        ("<open> only", []),
        ("ok: <?xml version='1.0'?>\n<a><ab/></a>", ["<?xml version='1.0'?>\n<a><ab/></a>"]),
        ("<!doctype html>\n<html></html>", ["<!doctype html>\n<html></html>"]),
        ("<open> <p>a</p>", ["<p>a</p>"]),
    ],
)
def test_elements_are_found_in_running_text(text: str, spans: list[str]) -> None:
    assert [text[start:end] for start, end in element_spans(text)] == spans


def test_row_of_open_tags_is_given_up_early() -> None:
    assert list(element_spans("<a>" * 100_000)) == []


@pytest.mark.parametrize(
    ("text", "constructs"),
    [
        ("42.", set()),
        ("-", set()),
        ("#", set()),
        (">", set()),
        ("1.\n2. b", {"list"}),
        ("> - x", {"quote", "list"}),
        ("- ***", {"list", "rule"}),
        ("#\n\n- a", {"list"}),
    ],
)
def test_what_holds_nothing_is_no_mark(text, constructs):
    wanted = frozenset({"heading", "list", "quote", "rule"})
    assert {mark.construct for mark in find_markdown(text, wanted)} == constructs
