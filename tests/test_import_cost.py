"""Starting up is cheap: nothing heavy is imported before it is needed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

BUDGET_S = 0.5  # CPU, user and system, of a whole child process.
HEAVY = (
    "ray", "rdkit", "pandas", "torch", "pyarrow", "openai", "hydra", "omegaconf", "xllamacpp",
    "PIL", "numpy", "aiohttp", "pint", "av", "decord", "huggingface_hub", "py3langid", "regex",
)  # fmt: skip
HELP = "import sys; sys.argv = ['ifbench', '--help']; from ifbench.cli import main; main()"
STARTS = {
    "import ifbench": "import ifbench",
    "import ifbench.config": "import ifbench.config",
    "ifbench --help": HELP,
}


def cpu_seconds(code: str) -> float:
    """CPU that one fresh interpreter takes, the cheapest of three."""

    def once() -> float:
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        return usage.ru_utime + usage.ru_stime

    return min(once() for _ in range(3))


@pytest.mark.parametrize("start", STARTS)
def test_starting_stays_within_its_budget(start: str) -> None:
    assert cpu_seconds(STARTS[start]) < BUDGET_S


COMMANDS = "import ifbench.commands.evaluate, ifbench.commands.plan, ifbench.commands.report"


@pytest.mark.parametrize(
    ("start", "heavy"),
    [
        *((start, HEAVY) for start in STARTS.values()),
        # What only some runs need comes with what they configure.
        (
            COMMANDS,
            ("ray", "rdkit", "pandas", "torch", "openai", "aiohttp", "xllamacpp", "pint", "av"),
        ),
    ],
)
def test_starting_imports_nothing_heavy(start: str, heavy: tuple[str, ...]) -> None:
    code = f"""
import atexit, sys
atexit.register(lambda: print("\\nLOADED", *sorted(set({heavy!r}) & set(sys.modules))))
{start}
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines()[-1].split() == ["LOADED"], ran.stdout + ran.stderr
