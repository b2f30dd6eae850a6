"""Python literals out of a text, by `ast.literal_eval`: nothing that a model wrote is run."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass
from typing import TypeAlias

from ifbench.parsing.brackets import MAX_NESTING, nests_too_deeply
from ifbench.parsing.flaws import Flaw, excerpt, offset_of
from ifbench.parsing.plain_literals import NotPlainError, read_plain

MAX_LITERAL_CHARACTERS = 1_000_000
"""A syntax tree takes some hundred times its text's size."""

Literal: TypeAlias = object
"""Whatever a literal may denote: numbers, strings, bytes, None, and collections of them."""

_TARGET = re.compile(r"\s*[^\W\d]\w*\s*=(?!=)\s*")
_HINTS = (
    (re.compile(r"\b(?:true|false|null)\b"), "Python writes True, False and None"),
    (re.compile(r"[“”„‘’]"), "typographic quotes are not Python"),
    (re.compile(r"\b(?:nan|inf|NaN|Infinity)\b"), "such a number has no literal"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonLiteral:
    """What was read."""

    value: Literal


def parse_literal(text: str, *, allow_assignment: bool = False) -> PythonLiteral | Flaw:
    """Read one literal that is the whole text, with `name =` before it where that is allowed."""
    if len(text) > MAX_LITERAL_CHARACTERS:
        return Flaw(reason=f"a literal of more than {MAX_LITERAL_CHARACTERS:,} characters")
    if nests_too_deeply(text):
        return Flaw(reason=f"the literal is nested deeper than {MAX_NESTING} levels")
    target = _TARGET.match(text)
    if target and not allow_assignment:
        return Flaw(
            reason="an assignment stands where the literal alone is wanted",
            start=target.start(),
            end=target.end(),
        )
    offset = target.end() if target else len(text) - len(text.lstrip())
    source = text[offset:].rstrip()
    try:
        return PythonLiteral(value=read_plain(source))
    except NotPlainError:
        read = _evaluate(source)
    return read.moved(offset) if isinstance(read, Flaw) else read


def joins_strings(source: str) -> bool:
    """True where two strings stand side by side in a literal: Python makes one of them."""
    if not re.search(r"""['"]\s*[rbuRBU]{0,2}['"]""", source):
        return False
    previous = -1
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in {tokenize.NL, tokenize.COMMENT}:
                continue
            if token.type == previous == tokenize.STRING:
                return True
            previous = token.type
    except (tokenize.TokenError, SyntaxError):  # Already parsed; then there is no hint to give.
        return False
    return False


_TOO_DEEP = "the literal is too deeply nested to be read"
_STRINGS = re.compile(
    r"(?:[rbuRBU]{0,2}(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')\s*)++", re.DOTALL
)
_COMMENT = re.compile(r"#[^\n]*")
_TOKENS = re.compile(
    r"(?:\s|[\[\](){},:]|[-+](?!\s*[-+])|\.?\d[\w.]*+|(?:True|False|None|set)\b)*+"
)
_SIDE_BY_SIDE = re.compile(r"[\d.\])}]\s*[(\[{]|[)\]}]\s*\w|[\w.]\s+\w")


def _may_be_literal(source: str) -> bool:
    """Whether a source has the words of a literal and no two values side by side.

    What has others can fill the parser's stack, which Python tells as a lack of memory.
    """
    bare = _COMMENT.sub("", _STRINGS.sub("0", source))
    return _TOKENS.fullmatch(bare) is not None and _SIDE_BY_SIDE.search(bare) is None


def _evaluate(source: str) -> PythonLiteral | Flaw:
    try:
        with warnings.catch_warnings():  # `"\C"` is a string, if a doubtful one; SMILES have it.
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval")
        value = ast.literal_eval(tree)
    except SyntaxError as error:
        return _explained(source, error)
    except UnicodeEncodeError:
        return Flaw(reason="a character stands alone that is half of a pair (a surrogate)")
    except TypeError as error:
        return Flaw(reason=f"it cannot be built: {error}")
    except ValueError as error:
        return _not_a_literal(source, error)
    except RecursionError:
        return Flaw(reason=_TOO_DEEP)
    except MemoryError:
        if _may_be_literal(source):
            raise  # The machine's: it says nothing of the text.
        return Flaw(reason=_TOO_DEEP)  # The parser's stack.
    outside = _outside(source, tree.body)
    if outside.strip("() \t\r\n"):
        return Flaw(reason=f"more stands beside the literal: “{excerpt(outside)}”")
    return PythonLiteral(value=value)


def _outside(source: str, node: ast.expr) -> str:
    """What of the source is not the literal itself: brackets around it, a comment."""
    if (node.lineno, node.col_offset, node.end_col_offset) == (1, 0, len(source)):
        return ""  # One line of ASCII and nothing else; the slow way gives the same.
    inside = ast.get_source_segment(source, node)
    return source.replace(inside, "", 1) if inside else ""


def _explained(source: str, error: SyntaxError) -> Flaw:
    line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
    start = offset_of(source, line, column)
    hint = next((f" ({hint})" for pattern, hint in _HINTS if pattern.search(source)), "")
    return Flaw(
        reason=f"it is not Python: {error.msg.partition(': ')[0]} at line {line}, column {column + 1}{hint}",
        start=start,
        end=min(start + 20, len(source)),
    )


def _not_a_literal(source: str, error: ValueError) -> Flaw:
    if "null bytes" in str(error):
        return Flaw(reason="it holds a null character")
    hint = next((hint for pattern, hint in _HINTS if pattern.search(source)), "")
    return Flaw(
        reason="it holds more than literals: names, calls and operations are not evaluated"
        + (f" ({hint})" if hint else "")
    )
