"""The dashboard asks for metrics that are there, by tags that they have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ifbench.execution.metric_updates import METRICS, exported_names

DASHBOARD = Path(__file__).parents[1] / "k8s" / "grafana" / "ifbench.json"
WHOLE = json.loads(DASHBOARD.read_text(encoding="utf-8"))
EXPRESSIONS = {
    f"{panel['title']} {target['refId']}": target["expr"]
    for panel in WHOLE["panels"]
    for target in panel["targets"]
}
SERIES = {name: metric for metric in METRICS.values() for name in exported_names(metric)}


@pytest.mark.parametrize("expression", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_every_query_asks_for_what_is_emitted(expression):
    names = re.findall(r"\bray_\w+", expression)
    assert names
    assert [name for name in names if name not in SERIES] == []
    tags = {tag for name in names for tag in SERIES[name].tags} | {"le"}
    grouped = ", ".join(re.findall(r"\bby \(([^)]*)\)", expression)).split(", ")
    selected = re.findall(r"(\w+)\s*=~?\s*\"", expression)
    assert {*filter(None, grouped), *selected} <= tags


@pytest.mark.parametrize("expression", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_every_query_is_closed_and_sums_are_asked_for_their_rate_or_their_sum(expression):
    for opening, closing in ("()", "{}", "[]"):
        assert expression.count(opening) == expression.count(closing)
    for name in re.findall(r"\bray_\w+(?=_total|_bucket|_count|_sum)\w*", expression):
        assert re.search(rf"(rate|increase|sum|sum by \([^)]*\)) ?\({name}", expression), name


def test_every_metric_is_shown():
    shown = " ".join(EXPRESSIONS.values())
    assert [m.name for m in METRICS.values() if f"ray_{m.name}" not in shown] == []


def test_its_variables_ask_for_tags_that_are_there():
    queries = [v["query"]["query"] for v in WHOLE["templating"]["list"] if v["type"] == "query"]
    assert len(queries) == 2
    for query in queries:
        name, tag = re.fullmatch(r"label_values\((\w+), (\w+)\)", query).groups()
        assert tag in SERIES[name].tags


def test_panels_have_a_place_and_an_id_of_their_own():
    panels = WHOLE["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24
        assert not cells & taken
        taken |= cells


def test_the_guide_lists_every_metric():
    guide = (DASHBOARD.parents[2] / "docs" / "observing.md").read_text(encoding="utf-8")
    table = [line for line in guide.splitlines() if line.startswith("| `ray_ifbench")]
    for metric in METRICS.values():
        (line,) = [one for one in table if re.search(rf"`ray_{metric.name}(_total)?`", one)]
        assert [tag for tag in metric.tags if tag not in line] == []
