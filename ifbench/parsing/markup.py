"""HTML, XML and Markdown out of a text. Parsers repair what they read; these functions do not.

XML is read by defusedxml rather than lxml: it refuses document types and entities by
construction, it is a small wheel without compiled parts, and no constraint needs XPath or
schemas. HTML is read by html5lib, the one parser here that reports the standard's parse
errors. Markdown is read by markdown-it-py's tokens; no regular expression looks for marks.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from ifbench.parsing.brackets import MAX_NESTING
from ifbench.parsing.flaws import Flaw, excerpt, offset_of
from ifbench.parsing.plain_html import elements_of_plain

# The parsers of Markdown and HTML are imported by the first text that wants them: every command
# imports the constraints, and most never read such a text.
if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from ifbench.parsing.html_parser import StrictHtmlParser

    _Tokens: TypeAlias = list[Token]
else:
    _Tokens = list

# ── Markdown ─────────────────────────────────────────────────────────────────────────

MarkdownConstruct: TypeAlias = Literal[
    "heading", "list", "table", "quote", "fence", "rule", "emphasis", "strong", "code", "link",
    "image",
]  # fmt: skip

_BLOCKS: Mapping[str, MarkdownConstruct] = {
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "blockquote_open": "quote",
    "fence": "fence",
    "hr": "rule",
}
_HOLDERS = frozenset({"heading", "list", "quote"})
_INLINES: Mapping[str, MarkdownConstruct] = {
    "em_open": "emphasis",
    "strong_open": "strong",
    "code_inline": "code",
    "link_open": "link",
    "image": "image",
}


MAX_MARKDOWN_CHARACTERS = 200_000
"""Marks are looked for in no more than this: the parser takes microseconds a character on
texts of nothing but marks or line ends."""
MAX_INLINE_CHARACTERS = 40_000
"""The same for what stands inside lines, which is dearer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownMark:
    """A construct beyond paragraph text, and the line (from 0) at which it begins."""

    construct: MarkdownConstruct
    line: int


def find_markdown(
    text: str, wanted: frozenset[MarkdownConstruct] = frozenset()
) -> tuple[MarkdownMark, ...]:
    """The first mark of each wanted construct that is there; with none wanted, the first of any.

    The constructs are CommonMark's and GFM's tables. Indented code, raw HTML, escapes and line
    breaks are not among them: text has them by accident. Parsing ends as soon as enough is
    found, and the text inside lines is parsed only when blocks do not decide, for it is dear.
    """
    parser = _markdown()
    environment: dict[str, Any] = {}
    search = _Search(wanted)
    tokens = _WatchedTokens(search)
    try:
        source = _normalized(text[:MAX_MARKDOWN_CHARACTERS])
        parser.block.parse(source, parser, environment, tokens)
        tokens.look()
        left = MAX_INLINE_CHARACTERS
        for token in tokens:
            if token.type == "inline" and left > 0:
                children: list[Token] = []
                content = _without_stars_of_products(token.content[:left])
                parser.inline.parse(content, parser, environment, children)
                left -= len(token.content)
                for child in children:
                    search.see(child, _INLINES, token.map)
    except _EnoughError:
        pass
    return tuple(search.found.values())


_MATH = re.compile(
    r"\$\$[^$]+\$\$|\$(?![\s$])[^$\n]*(?<!\s)\$(?!\d)|\\\([^\n]{0,300}?\\\)|\\\[[^\n]{0,300}?\\\]"
)
_PRODUCT = re.compile(r"(?<=[0-9A-Za-z)])\*(?=[0-9A-Za-z(])")


def _without_stars_of_products(content: str) -> str:
    """The stars of `2*3*4` and `$x^*$` made blank marks: CommonMark would read emphasis there."""
    if "*" not in content and "_" not in content:
        return content
    if "$" in content or "\\" in content:
        content = _MATH.sub(lambda match: match[0].replace("*", "×").replace("_", "-"), content)
    return _PRODUCT.sub("×", content)


class _EnoughError(Exception):
    """All that was searched for is found."""


class _Search:
    def __init__(self, wanted: frozenset[MarkdownConstruct]) -> None:
        self.wanted = wanted
        self.found: dict[MarkdownConstruct, MarkdownMark] = {}
        self._opened: list[tuple[Token, MarkdownConstruct]] = []

    def see_block(self, token: Token) -> None:
        """A list, a heading or a quote counts once something stands in it: `42.` is no list."""
        construct = _BLOCKS.get(token.type)
        if token.type.endswith("_open") and construct in _HOLDERS:
            self._opened.append((token, construct))
        elif token.type.endswith("_close") and self._opened:
            if self._opened[-1][0].type == token.type.replace("_close", "_open"):
                self._opened.pop()
        elif self._opened and (token.content.strip() or token.type == "hr"):
            for opening, _ in self._opened:
                self.see(opening, _BLOCKS, opening.map)
            self._opened.clear()
        if construct not in _HOLDERS:
            self.see(token, _BLOCKS, token.map)

    def see(
        self,
        token: Token,
        constructs: Mapping[str, MarkdownConstruct],
        lines: Sequence[int] | None,
    ) -> None:
        construct = constructs.get(token.type)
        if construct is None or construct in self.found:
            return
        if self.wanted and construct not in self.wanted:
            return
        self.found[construct] = MarkdownMark(construct=construct, line=lines[0] if lines else 0)
        if len(self.found) >= len(self.wanted):
            raise _EnoughError


class _WatchedTokens(_Tokens):
    """The parser's list of tokens; each is looked at when the next comes, with its lines set."""

    def __init__(self, search: _Search) -> None:
        super().__init__()
        self._search = search

    def append(self, token: Token) -> None:
        self.look()
        super().append(token)

    def look(self) -> None:
        if self:
            self._search.see_block(self[-1])


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _normalized(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


# ── XML ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class XmlDocument:
    """Local names (without their namespaces) of the elements of a well-formed document."""

    root: str
    elements: frozenset[str]


def parse_xml(text: str) -> XmlDocument | Flaw:
    """Read one document: exactly one root, no document type, namespaces declared."""
    names = _XmlNames()
    parser = DefusedXMLParser(target=names, forbid_dtd=True)
    try:
        parser.feed(text)
        parser.close()
    except ParseError as error:
        return _xml_flaw(text, error)
    except DefusedXmlException:
        return Flaw(reason="document types and entity declarations are not allowed")
    except UnicodeEncodeError:
        return Flaw(reason="a character stands alone that is half of a pair (a surrogate)")
    except _NestedTooDeeplyError:
        return Flaw(reason=f"elements are nested deeper than {MAX_NESTING} levels")
    return XmlDocument(root=names.root, elements=frozenset(names.found))


class _NestedTooDeeplyError(Exception):
    """More open elements than any answer needs."""


class _XmlNames:
    """What the parser reports to: keeps names, builds no tree."""

    def __init__(self) -> None:
        self.root = ""
        self.found: set[str] = set()
        self._depth = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        name = tag.rpartition("}")[2]
        self.root = self.root or name
        self.found.add(name)
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise _NestedTooDeeplyError

    def end(self, tag: str) -> None:  # noqa: ARG002
        self._depth -= 1

    def data(self, data: str) -> None:
        """Text is not kept."""

    def close(self) -> None:
        """There is no tree to hand back."""


def _xml_flaw(text: str, error: ParseError) -> Flaw:
    line, column = error.position
    start = offset_of(text, line, column)
    words = str(error).partition(":")[0]
    hint = _xml_hint(text, start, words)
    return Flaw(
        reason=f"it is not well-formed XML: {words} at line {line}, column {column + 1}{hint}",
        start=start,
        end=min(start + 20, len(text)),
    )


def _xml_hint(text: str, position: int, words: str) -> str:
    if words.startswith("junk after"):
        return " (exactly one root element, and nothing after it)"
    if words.startswith("unbound prefix"):
        return " (a prefix needs its xmlns declaration)"
    before = text[max(position - 40, 0) : position + 1]
    if re.search(r"&\w*[^\w;]?\Z", before):
        return " (a bare & is written &amp;)"
    if "=" in before[-2:]:
        return " (values of attributes are quoted)"
    if words.startswith("syntax error"):
        return " (it does not begin with a tag)"
    return ""


# ── HTML ─────────────────────────────────────────────────────────────────────────────

_STANDARD_ELEMENTS = """
    a abbr address area article aside audio b base bdi bdo blockquote body br button canvas
    caption cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed
    fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe
    img input ins kbd label legend li link main map mark math menu meta meter nav noscript object
    ol optgroup option output p picture pre progress q rp rt ruby s samp script search section
    select slot small source span strong style sub summary sup svg table tbody td template
    textarea tfoot th thead time title tr track u ul var video wbr
"""  # The standard's index of elements (HTML Living Standard, "Indices").
_OBSOLETE_ELEMENTS = """
    acronym applet basefont bgsound big center dir font frame frameset isindex listing marquee
    nobr noembed noframes param plaintext rb rtc strike tt xmp
"""  # Its list of obsolete ones, which it still defines.
_VOID_ELEMENTS = "area base br col embed hr img input link meta source track wbr"
HTML_ELEMENTS = frozenset(_STANDARD_ELEMENTS.split()) | frozenset(_OBSOLETE_ELEMENTS.split())

_LEAD = r"(?:\s|<!--(?:[^-]|-(?!->))*+-->)*+"
_IS_DOCUMENT = re.compile(_LEAD + r"<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_HAS_DOCTYPE = re.compile(_LEAD + r"<!doctype\b", re.IGNORECASE)
_IMPLIED = {
    name: re.compile(rf"<{name}(?![^\s/>])", re.IGNORECASE)
    for name in ("html", "head", "body", "colgroup", "tbody", "tr")
}
"""Elements that a parser adds where their tags are left out (HTML Living Standard, 13.1.2.4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlText:
    """What a text without parse errors holds."""

    elements: frozenset[str]
    """Names of the elements whose start tag was written; the parser adds others."""
    is_document: bool
    """True for a page (a document type, or an html, head or body tag, comes first)."""
    has_doctype: bool


def parse_html(text: str) -> HtmlText | Flaw:
    """Read a page or a fragment. The first parse error, or text outside elements, is a flaw.

    Two of html5lib's errors are let pass: a page without its document type (tags are asked
    for, not a mode of rendering), and an ampersand that begins no reference, as in `R&D`,
    which the standard has allowed since html5lib was written.
    """
    if "<" not in text:
        return Flaw(reason="there is no HTML tag")
    if plain := elements_of_plain(text):
        return HtmlText(elements=plain, is_document=False, has_doctype=False)
    is_document = _IS_DOCUMENT.match(text) is not None
    from ifbench.parsing.html_parser import HtmlError

    parser = _html_parser()
    parser.begin(text)
    try:
        tree = parser.parse(text) if is_document else parser.parseFragment(text)
    except HtmlError as error:
        return error.flaw
    elements = _written_elements(text, tree)
    flaw = parser.reference_flaw() or _stray_text(text, tree, elements, is_document=is_document)
    return flaw or HtmlText(
        elements=elements,
        is_document=is_document,
        has_doctype=_HAS_DOCTYPE.match(text) is not None,
    )


_parsers = threading.local()


def _html_parser() -> StrictHtmlParser:
    """This thread's parser; to build one takes longer than to parse a short answer."""
    parser: StrictHtmlParser | None = getattr(_parsers, "html", None)
    if parser is None:
        from ifbench.parsing.html_parser import StrictHtmlParser

        parser = _parsers.html = StrictHtmlParser()
    return parser


def _written_elements(text: str, tree: Any) -> frozenset[str]:
    """Names in the tree, without those that the parser only added."""
    names = {node.tag.rpartition("}")[2] for node in tree.iter() if isinstance(node.tag, str)}
    names.discard("DOCUMENT_FRAGMENT")
    added = {name for name in names & _IMPLIED.keys() if not _IMPLIED[name].search(text)}
    return frozenset(names - added)


def _stray_text(
    text: str, tree: Any, elements: frozenset[str], *, is_document: bool
) -> Flaw | None:
    if is_document and elements & {"html", "body"}:
        return None  # The body's text is inside an element that was written.
    parent = tree.find("body") if is_document else tree
    pieces = [parent.text, *(child.tail for child in parent)] if parent is not None else []
    stray = next((piece.strip() for piece in pieces if piece and piece.strip()), None)
    if stray is None:
        return None
    start = max(text.find(stray), 0)
    end = start + len(stray) if text.startswith(stray, start) else start
    return Flaw(reason=f"text stands outside any element: “{excerpt(stray)}”", start=start, end=end)


# ── Elements in running text ─────────────────────────────────────────────────────────

MAX_TAGS = 20_000
"""Tags that one search for elements looks at, for the reason of `brackets.MAX_TOKENS`."""

_START_TAG = re.compile(r"<(?P<name>[A-Za-z_][^\s<>/]*)[^<>]*>")
_PROLOGUE = re.compile(r"(?:<\?xml[^<>]*\?>|<!doctype[^<>]*>)\s*\Z", re.IGNORECASE)
_VOID = frozenset(_VOID_ELEMENTS.split())


def element_spans(text: str) -> Iterator[tuple[int, int]]:
    """Spans of outermost elements in running text, each with the prologue right before it."""
    position, left = 0, MAX_TAGS
    while left > 0 and (opening := _START_TAG.search(text, position)):
        end, seen = _end_of_element(text, opening, left)
        left -= seen
        if end is not None:
            before = text[max(opening.start() - 200, 0) : opening.start()]
            prologue = _PROLOGUE.search(before)
            yield opening.start() - (len(prologue[0]) if prologue else 0), end
        position = opening.end() if end is None else end


def _end_of_element(text: str, opening: re.Match[str], limit: int) -> tuple[int | None, int]:
    """Where the element ends, `None` when it is never closed; and the number of tags seen."""
    name = cast("str", opening["name"])
    if name.lower() in _VOID or opening[0].endswith("/>"):
        return opening.end(), 1
    depth = seen = 0
    for seen, tag in enumerate(islice(_tags(name).finditer(text, opening.start()), limit), start=1):
        if tag[0].startswith("</"):
            depth -= 1
        elif not tag[0].endswith("/>"):
            depth += 1
        if depth == 0:
            return tag.end(), seen
    return None, max(seen, 1)


@lru_cache(maxsize=256)
def _tags(name: str) -> re.Pattern[str]:
    return re.compile(rf"</?{re.escape(name)}(?![^\s<>/])[^<>]*>")
