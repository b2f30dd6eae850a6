"""The release's rules on formats. Each looks at the whole answer, or at the final one where the
question speaks of a final answer; a code fence around it is taken off.
"""

from __future__ import annotations

import re

from ifbench.constraints.constraint import Check, Example, failed, passed
from ifbench.constraints.scimif_release.regions import asked_part
from ifbench.constraints.scimif_release.rule import ReleaseParams, scripted_rule
from ifbench.parsing.flaws import Flaw
from ifbench.parsing.json_text import parse_json
from ifbench.parsing.literals import parse_literal
from ifbench.parsing.markup import parse_xml
from ifbench.parsing.tables import is_blank, parse_csv

_DRAWN = re.compile(r"[┌╔╭┏][─═━]|\+-{2,}\+|[│║┃]")
_WRAPPED = re.compile(r"```|~~~|\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}")


@scripted_rule(
    "wrap_up",
    decides=("general:wrap_up",),
    group="format",
    example=Example(
        params={},
        instruction=r"Put the final answer in \boxed{}.",
        passing="It is water (see above).",
        failing="It is water.",
    ),
)
def wrap_up(text: str, params: ReleaseParams) -> Check:
    r"""Somewhere stands a drawn box, `\boxed` or `\fbox`, a code fence, or any pair of brackets."""
    del params
    for name, is_there in (
        (r"\boxed or \fbox", r"\boxed" in text or r"\fbox" in text),
        ("a drawn box", _DRAWN.search(text)),
        ("a fence or a pair of brackets", _WRAPPED.search(text)),
    ):
        if is_there:
            return passed(f"there is {name}")
    return failed("there is no box, no fence and no pair of brackets")


@scripted_rule(
    "json_constraint",
    decides=("general:json_constraint",),
    group="format",
    example=Example(
        params={},
        instruction="Answer in JSON.",
        passing='```json\n{"answer": 4}\n```',
        failing='The answer: {"answer": 4}',
    ),
)
def json_constraint(text: str, params: ReleaseParams) -> Check:
    """The part that is looked at is JSON of any kind: an object, a list, a bare number."""
    value = parse_json(asked_part(text, params.question), unique_keys=False)
    return failed(f"no JSON: {value.reason}") if isinstance(value, Flaw) else passed("it is JSON")


@scripted_rule(
    "list_constraint",
    decides=("general:list_constraint",),
    group="format",
    example=Example(
        params={}, instruction="Answer with a list.", passing="[1, 2]", failing="- 1\n- 2"
    ),
)
def list_constraint(text: str, params: ReleaseParams) -> Check:
    """The part that is looked at is a list as Python writes it."""
    return _literal(text, params, list)


@scripted_rule(
    "tuple_constraint",
    decides=("general:tuple_constraint",),
    group="format",
    example=Example(
        params={}, instruction="Answer with a tuple.", passing="(1, 2)", failing="[1, 2]"
    ),
)
def tuple_constraint(text: str, params: ReleaseParams) -> Check:
    """The part that is looked at is a tuple as Python writes it."""
    return _literal(text, params, tuple)


_EXAMPLE = re.compile(r"\{[^{}]*\}")
_KEY = re.compile(r"""['"]([^'"\n]{1,80})['"]\s*:""")


@scripted_rule(
    "dictionary_constraint",
    decides=("general:dictionary_constraint",),
    group="format",
    example=Example(
        params={"question": "Answer as a dictionary such as {'mass': 1, 'unit': 'g'}."},
        instruction="Answer as a dictionary such as {'mass': 1, 'unit': 'g'}.",
        passing="{'unit': 'kg', 'mass': 3}",
        failing="{'mass': 3}",
    ),
)
def dictionary_constraint(text: str, params: ReleaseParams) -> Check:
    """The part that is looked at is a dictionary as Python writes it; where the question shows
    one, with the same keys.
    """
    part = asked_part(text, params.question)
    value = _python(part)
    if not isinstance(value, dict):
        return failed(f"it is no dictionary but {_kind(value)}")
    shown = _EXAMPLE.search(params.question)
    wanted = set(_KEY.findall(shown[0])) if shown else set()
    own = {str(key) for key in value}
    found = {"keys": sorted(own), "keys of the example": sorted(wanted)}
    if wanted and own != wanted:
        return failed("its keys are not those of the question's example", found=found)
    return passed("it is a dictionary", found=found)


def _literal(text: str, params: ReleaseParams, kind: type) -> Check:
    value = _python(asked_part(text, params.question))
    if isinstance(value, kind):
        return passed(f"it is a {kind.__name__}")
    return failed(f"it is no {kind.__name__} but {_kind(value)}")


def _python(text: str) -> object:
    """A Python literal, or JSON; the flaw where it is neither."""
    literal = parse_literal(text)
    if not isinstance(literal, Flaw):
        return literal.value
    value = parse_json(text, unique_keys=False)
    return literal if isinstance(value, Flaw) else value.value


def _kind(value: object) -> str:
    return "other text" if isinstance(value, Flaw) else f"a {type(value).__name__}"


_MARKS = re.compile(
    r"^[ \t]{0,3}#{1,6}[ \t]|\*\*[^*\n]+\*\*|^[ \t]*[-*+][ \t]|^[ \t]*[0-9]{1,3}[.)][ \t]"
    r"|`[^`\n]+`|```|^[ \t]*>|^[ \t]*\||\]\(",
    re.MULTILINE,
)


@scripted_rule(
    "markdown_constraint",
    decides=("general:markdown_constraint",),
    group="format",
    example=Example(
        params={},
        instruction="Answer in Markdown.",
        passing="It is **water**.",
        failing="It is water.",
    ),
)
def markdown_constraint(text: str, params: ReleaseParams) -> Check:
    """Any one Markdown mark stands anywhere: a heading, a list, emphasis, code, a quote, a link."""
    del params
    mark = _MARKS.search(text)
    if mark is None:
        return failed("there is no Markdown mark")
    return passed(f"there is a Markdown mark: {mark[0].strip()[:20]}")


_TAG = re.compile(r"<![^<>]*>|<(?P<close>/?)(?P<name>[A-Za-z][\w-]*+)[^<>]*?(?P<self>/?)>")
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905  (fourteen quoted names read worse)
)


@scripted_rule(
    "html_constraint",
    decides=("general:html_constraint",),
    group="format",
    example=Example(
        params={},
        instruction="Answer in HTML.",
        passing="<div><p>Water<br></p></div>",
        failing="<p>Water</p><p>Ice</p>",
    ),
)
def html_constraint(text: str, params: ReleaseParams) -> Check:
    """The part that is looked at is one tree of balanced tags with no text outside it."""
    problem = _tree_problem(asked_part(text, params.question))
    return failed(problem) if problem else passed("it is one tree of HTML")


def _tree_problem(text: str) -> str:
    """What keeps a text from being one balanced tree; empty where nothing does."""
    opened: list[str] = []
    roots, position = 0, 0
    for tag in _TAG.finditer(text):
        if not opened and text[position : tag.start()].strip():
            return "text stands outside the tree"
        position = tag.end()
        name = (tag["name"] or "").lower()
        if not name or (name in _VOID and opened):
            continue
        if tag["close"]:
            if not opened or opened.pop() != name:
                return f"the tag </{name}> closes nothing"
            continue
        roots += not opened
        if not tag["self"] and name not in _VOID:
            opened.append(name)
    if text[position:].strip() and not opened:
        return "text stands outside the tree"
    if opened:
        return f"the tag <{opened[-1]}> is not closed"
    return "" if roots == 1 else f"there are {roots} trees"


_ROOT = re.compile(r"\broot\b[^<>\n]{0,40}<([A-Za-z_][\w.-]*)>|<([A-Za-z_][\w.-]*)>", re.IGNORECASE)


@scripted_rule(
    "xml_constraint",
    decides=("general:xml_constraint",),
    group="format",
    example=Example(
        params={"question": "Answer in XML, inside <result></result>."},
        instruction="Answer in XML, inside <result></result>.",
        passing="<result><mass>3</mass></result>",
        failing="<answer>3</answer>",
    ),
)
def xml_constraint(text: str, params: ReleaseParams) -> Check:
    """The part that is looked at parses as XML; where the question shows a tag, its root has that
    name.
    """
    document = parse_xml(asked_part(text, params.question))
    if isinstance(document, Flaw):
        return failed(f"no XML: {document.reason}")
    shown = _ROOT.search(params.question)
    wanted = (shown[1] or shown[2]) if shown else ""
    if wanted and document.root != wanted:
        return failed(f"the root is {document.root}, the question's is {wanted}")
    return passed(f"it is XML with the root {document.root}")


@scripted_rule(
    "csv_constraint",
    decides=("general:csv_constraint",),
    group="format",
    example=Example(
        params={}, instruction="Answer in CSV.", passing="a,b\n1,2", failing="a,b\n1,2,3"
    ),
)
def csv_constraint(text: str, params: ReleaseParams) -> Check:
    """Each row of the part that is looked at has the same number of columns, more than one.

    One sentence with a comma is such a table.
    """
    table = parse_csv(asked_part(text, params.question))
    if isinstance(table, Flaw):
        return failed(f"no CSV: {table.reason}")
    widths = {len(row) for row in table.rows if not is_blank(row)}
    if len(widths) != 1 or max(widths) < 2:
        return failed(f"the rows have {', '.join(map(str, sorted(widths)[:8])) or 'no'} columns")
    return passed(f"each row has {max(widths)} columns")
