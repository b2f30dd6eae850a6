"""The import contracts hold; what import-linter cannot say is checked here."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "ifbench"
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(module: Path) -> Iterator[str]:
    """Every module that a file names in an import, wherever the import stands."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importers_of(name: str) -> set[str]:
    """Modules of the package that import `name` or something below it."""
    return {
        module.relative_to(PACKAGE).as_posix()
        for module in MODULES
        if any(f"{found}.".startswith(f"{name}.") for found in imported(module))
    }


def test_import_contracts_hold() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    ran = subprocess.run(
        [lint, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_parquet_is_read_and_written_only_by_the_store_and_the_schemas() -> None:
    strangers = {
        module
        for module in importers_of("pyarrow.parquet")
        if not (module.startswith("store/") or module == "schemas.py")
    }
    assert not strangers


@pytest.mark.parametrize(
    ("package", "homes"),
    [
        ("hydra", {"config/compose.py", "config/overrides.py", "config/sweeps.py"}),
        ("omegaconf", {"config/compose.py", "config/folders.py"}),
        (
            "ray",
            {
                "execution/ray_data.py",
                "execution/ray_limiter.py",
                "execution/ray_llm.py",
                "execution/ray_metrics.py",
                "execution/ray_start.py",
                "execution/ray_worker.py",
            },
        ),
        ("rdkit", {"parsing/molecules.py"}),
        ("selfies", {"parsing/molecules.py"}),
    ],
)
def test_a_heavy_package_has_one_home(package: str, homes: set[str]) -> None:
    assert importers_of(package) <= homes


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "misc", "base", "core", "shared"])
def test_no_module_is_named_for_nothing(name: str) -> None:
    assert not [path for path in PACKAGE.rglob(f"{name}*") if path.stem == name]
