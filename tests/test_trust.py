"""Of all inputs only a user's own theorem file is executed; nothing is unpickled, and nothing is unpacked to disk."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = [
    file
    for room in ("bounds", "nqm", "algorithms", "verify", "figures")
    for file in (ROOT / room).rglob("*.py")
]
EXECUTES = {"verify/engine/theorem.py"}
"""Runs the user's own file."""
STARTS = {"verify/commands/check.py", "verify/networks/training/ahead.py"}
"""Start `python -m figures` and a module of ours that compiles, each with a list of arguments."""
CODE = {"eval", "exec", "compile", "execfile", "__import__", "parse_expr"}
PACKED = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "tarfile"}


def calls(tree: ast.AST) -> set[str]:
    """Names of functions that are called by their bare name, and of `extract` and its kin."""
    found = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    bare = {one.id for one in found if isinstance(one, ast.Name)}
    return bare | {one.attr for one in found if isinstance(one, ast.Attribute) if one.attr in UNPACKS}


UNPACKS = {
    "extract",
    "extractall",
    "unpack_archive",
    "load_module",
    "exec_module",
    "parse_expr",
    "system",
    "popen",
}


def imports(tree: ast.AST) -> set[str]:
    whole = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    return whole | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_files_are_data(file: Path) -> None:
    name, tree = str(file.relative_to(ROOT)), ast.parse(file.read_text())
    assert name in EXECUTES or not calls(tree) & (CODE | UNPACKS)
    assert not imports(tree) & PACKED
    assert name in STARTS or "subprocess" not in imports(tree)
    text = file.read_text()
    assert "allow_pickle=True" not in text
    assert "torch.load(" not in text
    assert "shell=True" not in text
