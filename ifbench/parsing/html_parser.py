"""HTML by html5lib, stopped at the first parse error that counts; for `markup.parse_html`."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Mapping
from typing import Any, NoReturn

import html5lib
from html5lib.constants import E as HTML_ERRORS
from html5lib.treebuilders import getTreeBuilder

from ifbench.parsing.brackets import MAX_NESTING
from ifbench.parsing.flaws import Flaw, excerpt, offset_of

_TREE_BUILDER = getTreeBuilder("etree")
_REFERENCE = re.compile(r"&([A-Za-z][A-Za-z0-9]*;)")


class HtmlError(Exception):
    """A parse error, as the flaw that it is."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.reason)
        self.flaw = flaw


class _BoundedTree(_TREE_BUILDER):  # type: ignore[misc,valid-type]  # html5lib makes it at run time
    """Refuses deep nesting: the parser's work grows with the square of the open elements."""

    def insertElementNormal(self, token: Mapping[str, Any]) -> Any:  # noqa: N802
        if len(self.openElements) > MAX_NESTING:
            raise HtmlError(Flaw(reason=f"elements are nested deeper than {MAX_NESTING} levels"))
        return super().insertElementNormal(token)


class StrictHtmlParser(html5lib.HTMLParser):
    """Stops at the first parse error that counts."""

    def __init__(self) -> None:
        super().__init__(tree=_BoundedTree, namespaceHTMLElements=False)
        self.begin("")

    def begin(self, text: str) -> None:
        """Forget the last text."""
        self.text = text
        self.has_odd_ampersand = False

    def parseError(  # noqa: N802
        self, errorcode: str = "XXX-undefined-error", datavars: Mapping[str, Any] | None = None
    ) -> None:
        if errorcode == "expected-doctype-but-got-start-tag":
            return
        if errorcode == "expected-named-entity":
            self.has_odd_ampersand = True
            return
        self._refuse(errorcode, datavars or {})

    def _refuse(self, code: str, values: Mapping[str, Any]) -> NoReturn:
        line, column = self.tokenizer.stream.position()
        end = offset_of(self.text, line, column)
        start = max(self.text.rfind("<", 0, end), end - 40, 0)
        words = HTML_ERRORS.get(code, code) % values
        if code.startswith("adoption-agency"):  # html5lib names a step of the standard.
            words = f"The end tag {values.get('name', '')} comes while another element is open"
        raise HtmlError(
            Flaw(
                reason=f"parse error at line {line}: {excerpt(words.rstrip('.'), 120)}",
                start=start,
                end=max(end, min(start + 1, len(self.text))),
            )
        )

    def reference_flaw(self) -> Flaw | None:
        if not self.has_odd_ampersand:
            return None
        for match in _REFERENCE.finditer(self.text):
            if match[1] not in html.entities.html5:
                reason = f"“{match[0]}” is no character reference of HTML"
                return Flaw(reason=reason, start=match.start(), end=match.end())
        return None
