"""Log lines: quiet by default, in one of two forms, each with the row that it is about."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
import warnings

import pytest

from ifbench import logs
from ifbench.logs import Logging, Row, about, form_of_environment, note_run, start_logging

ROW = Row(sample="s1", candidate="m", step="judge")
log = logging.getLogger("ifbench.tested")


@pytest.fixture(autouse=True)
def _as_before():
    root, ours = logging.getLogger(), logging.getLogger("ifbench")
    handlers, level, before = list(root.handlers), ours.level, logs.current()
    yield
    root.handlers[:] = handlers
    ours.setLevel(level)
    logs._now = before
    logging.captureWarnings(capture=False)


def lines(capsys) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_of_json_says_when_how_grave_who_and_what(capsys):
    start_logging(Logging(form="json"))
    log.warning("%s is %d %%", "disk", 93)
    (line,) = lines(capsys)
    assert line.pop("time").endswith("+00:00")
    assert line == {"level": "warning", "logger": "ifbench.tested", "message": "disk is 93 %"}


def test_within_a_row_a_line_carries_it(capsys):
    start_logging(Logging(form="json", run="r1"))
    with about(ROW):
        log.warning("inside")
    log.warning("outside")
    inside, outside = lines(capsys)
    row = {"sample": "s1", "candidate": "m", "step": "judge", "attempt": 0}
    assert row.items() <= inside.items()
    assert not row.keys() & outside.keys()
    assert inside["run"] == outside["run"] == "r1"


def test_text_has_it_too(capsys):
    start_logging(Logging())
    with about(ROW):
        log.warning("inside")
    log.warning("outside")
    assert capsys.readouterr().err.splitlines() == [
        "ifbench: inside  (sample s1, candidate m, judge)",
        "ifbench: outside",
    ]


def test_what_would_steer_the_terminal_is_shown_and_lines_stay_lines(capsys):
    start_logging(Logging())
    log.warning("it said:\n%s", "a\x1b[2J\rb")
    assert capsys.readouterr().err == "ifbench: it said:\na\\x1b[2J\\rb\n"


async def test_rows_side_by_side_do_not_mix_also_in_threads(capsys):
    start_logging(Logging(form="json"))

    async def handle(name: str) -> None:
        with about(Row(sample=name, candidate="m", step="judge")):
            await asyncio.sleep(0.001)
            log.warning("loop %s", name)
            await asyncio.to_thread(log.warning, "thread %s", name)

    names = [f"s{i}" for i in range(20)]
    await asyncio.gather(*(handle(name) for name in names))
    found = lines(capsys)
    assert len(found) == 40
    assert all(line["message"].split()[1] == line["sample"] for line in found)


def test_several_lines_of_a_message_stay_one_line_of_json(capsys):
    start_logging(Logging(form="json"))
    log.warning("one\ntwo \u2028 three \udcff")
    try:
        int("broken")
    except ValueError:
        log.exception("it fell")
    first, second = lines(capsys)
    assert first["message"] == "one\ntwo \u2028 three \udcff"
    assert "ValueError: invalid literal" in second["traceback"]


@pytest.mark.parametrize(
    ("verbosity", "shown"),
    [
        (0, ["warning"]),
        (1, ["info", "warning"]),
        (2, ["debug", "info", "warning"]),
        (9, ["debug", "info", "warning"]),
    ],
)
def test_it_is_quiet_by_default_and_only_ours_gets_louder(capsys, verbosity, shown):
    start_logging(Logging(form="json", verbosity=verbosity))
    logging.getLogger().setLevel(logging.WARNING)
    other = logging.getLogger("httpx.tested")
    for logger in (log, other):
        logger.debug("debug")
        logger.info("info")
    log.warning("warning")
    assert [line["message"] for line in lines(capsys)] == shown


def test_starting_again_does_not_say_things_twice(capsys):
    start_logging(Logging())
    start_logging(Logging(form="json"))
    log.warning("once")
    assert len(lines(capsys)) == 1


def test_warnings_are_lines_as_well(capsys):
    start_logging(Logging(form="json"))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with about(ROW):
            warnings.warn("an old way", UserWarning, stacklevel=1)
    (line,) = lines(capsys)
    assert line["logger"] == "py.warnings"
    assert "an old way" in line["message"]
    assert line["sample"] == "s1"


def test_a_run_is_known_once_it_is_told(capsys):
    start_logging(Logging(form="json"))
    log.warning("before")
    note_run("r7")
    log.warning("after")
    assert [line.get("run") for line in lines(capsys)] == [None, "r7"]
    assert logs.current() == Logging(form="json", run="r7")


@pytest.mark.parametrize(
    ("value", "form"), [("json", "json"), (" JSON ", "json"), ("text", "text"), ("xml", "text")]
)
def test_the_environment_names_the_form(monkeypatch, value, form):
    monkeypatch.setenv("IFBENCH_LOG", value)
    assert form_of_environment() == form


@pytest.mark.parametrize("way", ["environment", "option"])
def test_a_command_logs_in_the_form_asked_for(tmp_path, monkeypatch, way):
    option = ["--log-format", "json"] if way == "option" else []
    if way == "environment":
        monkeypatch.setenv("IFBENCH_LOG", "json")
    store = tmp_path / "store" / "runs" / "broken"
    store.mkdir(parents=True)
    (store / "manifest.json").write_text("{")
    at = ["--store", str(tmp_path / "store")]
    done = subprocess.run(
        [sys.executable, "-m", "ifbench.cli", "report", "--list", *option, *at],
        capture_output=True,
        text=True,
        check=False,
    )
    (line,) = [json.loads(line) for line in done.stderr.splitlines()]
    assert (line["level"], line["logger"]) == ("warning", "ifbench.store.manifest")
