"""The README is true: every command is in it, every path in its file map exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_is_in_the_readme():
    done = subprocess.run(
        [sys.executable, "-m", "ifbench.cli", "--help"], capture_output=True, text=True, check=True
    )
    commands = re.findall(r"^    ([a-z]+)(?:\s|$)", done.stdout, flags=re.MULTILINE)
    assert len(commands) >= 8
    assert [name for name in commands if f"ifbench {name}" not in README] == []


def test_every_path_of_the_file_map_exists():
    file_map = README.split("## File map")[1].split("```")[1]
    outer, inner = file_map.split("\nifbench/\n")
    assert len(inner.splitlines()) > 15
    for folder, text in ((ROOT, outer), (ROOT / "ifbench", inner)):
        for line in text.removeprefix("text").splitlines():
            names = re.split(r" {3,}", line.strip())[0].split("  ")
            for name in filter(None, names):
                assert (folder / name).exists(), name


def test_every_package_is_in_the_file_map():
    packages = {path.parent.name for path in (ROOT / "ifbench").glob("*/__init__.py")}
    modules = {path.name for path in (ROOT / "ifbench").glob("*.py")} - {"__init__.py"}
    assert [name for name in packages if f"  {name}/" not in README] == []
    assert [name for name in modules if f"  {name} " not in README] == []


def test_every_link_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", README):
        assert (ROOT / target).exists(), target
