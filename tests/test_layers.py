"""Imports go one way: bounds, worlds and algorithms stand side by side, verify joins them, figures come last."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = {
    "bounds": {"bounds"},
    "nqm": {"nqm"},
    "algorithms": {"algorithms", "nqm"},
    "verify": {"bounds", "nqm", "algorithms", "verify"},
    "figures": {"bounds", "figures"},
}
THIRD_PARTY = {
    "bounds": {"sympy", "numpy", "scipy"},
    "figures": {"matplotlib", "seaborn", "numpy", "sympy"},
}
FILES = [path for room in ALLOWED for path in sorted((ROOT / room).rglob("*.py"))]


def imported(path: Path) -> set[str]:
    """First names of everything that a file imports, inside functions too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import by full name"
            names.add((node.module or "").split(".")[0])
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    assert imported(path) & ALLOWED.keys() <= ALLOWED[room]


@pytest.mark.parametrize("path", sorted((ROOT / "algorithms").rglob("*.py")), ids=lambda path: path.name)
def test_algorithms_stand_on_the_ground_floor_alone(path: Path) -> None:
    nodes = ast.walk(ast.parse(path.read_text()))
    modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    assert {module for module in modules if module.split(".")[0] == "nqm"} <= {"nqm.fields"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_use_only_their_libraries(path: Path) -> None:
    import sys

    room = path.relative_to(ROOT).parts[0]
    outside = imported(path) - ALLOWED.keys() - set(sys.stdlib_module_names)
    assert outside <= THIRD_PARTY.get(room, outside)


def test_every_package_is_shipped() -> None:
    """Folders are found by pattern, so each needs its `__init__.py`."""
    folders = {file.parent for file in FILES}
    assert not [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").is_file()]
