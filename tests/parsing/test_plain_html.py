"""Fragments that are read without html5lib are what it makes of them."""

from __future__ import annotations

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ifbench.parsing.plain_html import MAX_DEPTH, elements_of_plain

_NAMES = [
    "p",
    "b",
    "i",
    "em",
    "span",
    "sub",
    "h1",
    "h2",
    "ul",
    "ol",
    "li",
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "br",
    "hr",
    "a",
    "pre",
]
_TEXTS = (
    "x",
    " ",
    "\n",
    "5 > 3",
    "é😀",
    "&amp;",
    "&",
    "\r",
    "\x0c",
    "<!-- c -->",
    "\u2028",
    "<br>",
    "<hr/>",
)


def _element(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tags = st.tuples(
        st.sampled_from(_NAMES),
        st.sampled_from(("", "", ' class="a"')),
        st.lists(inner, max_size=3),
    )
    return tags.map(lambda tag: f"<{tag[0]}{tag[1]}>{''.join(tag[2])}</{tag[0]}>")


@given(
    st.lists(st.recursive(st.sampled_from(_TEXTS), _element, max_leaves=12), max_size=4).map(
        "".join
    )
)
def test_what_is_plain_has_no_error_and_these_elements(text: str) -> None:
    elements = elements_of_plain(text)
    if elements is None:
        return
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parseFragment(text)
    assert not parser.errors
    names = {node.tag for node in tree.iter()} - {"DOCUMENT_FRAGMENT"}
    assert elements == names - ({"tbody"} if "<tbody" not in text else set())


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("<h2>A</h2>\n<p>5 > 3, <b>so</b><br/>x</p>", {"h2", "p", "b", "br"}),
        ('<ul class="a"><li>x<ol><li>y</li></ol></li></ul>', {"ul", "ol", "li"}),
        ("<table><tr><td><p>x</p></td></tr></table>", {"table", "tr", "td", "p"}),
    ],
)
def test_common_fragments_are_plain(text: str, elements: set[str]) -> None:
    assert elements_of_plain(text) == elements


@pytest.mark.parametrize(
    "text",
    ["", "x", "x<b>y</b>", "<p>a</p> b", "<p>R&D</p>", "<p><div></div></p>", "<p>a", "<b>a</i>", "<li>a</li>",
     "<ul>x</ul>", "<p/>", "<P>a</P>", "<html></html>", "<b><b>a</b></b>", "<p title='a'>b</p>", "</p>",
     "<table><td>x</td></table>", "<p>\x01</p>", "<p>\U0001ffff</p>",
     "<div>" * (MAX_DEPTH + 1) + "</div>" * (MAX_DEPTH + 1)],
)  # fmt: skip
def test_the_rest_is_left_to_the_parser(text: str) -> None:
    assert elements_of_plain(text) is None
