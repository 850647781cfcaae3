"""Only the user's own theorem file and the file of `--with` are executed; no input is unpickled or unpacked to disk."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = [
    str(file.relative_to(ROOT))
    for room in ("bounds", "nqm", "algorithms", "verify", "figures")
    for file in sorted((ROOT / room).rglob("*.py"))
]
EXECUTES = {"verify/engine/theorem.py", "verify/networks/own.py"}
"""Functions that execute the user's own theorem file, and the file of `--with`."""
STARTS = {"verify/commands/check.py", "verify/networks/training/ahead.py", "verify/report/provenance.py"}
"""Functions that start `python -m figures`, a compiling module of the toolkit, or git, each with a list of arguments.
"""
CODE = {"eval", "exec", "compile", "execfile", "__import__", "parse_expr"}
WRITTEN = ("allow_pickle=True", "torch.load(", "shell=True")
"""Arguments and calls that no file contains."""
PACKED = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "tarfile"}


def calls(nodes: list[ast.AST]) -> set[str]:
    """Names of functions called by their bare name, and of `extract` and similar methods."""
    found = [node.func for node in nodes if isinstance(node, ast.Call)]
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


def imports(nodes: list[ast.AST]) -> set[str]:
    whole = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return whole | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


NAMES = re.compile(rf"\b({'|'.join(CODE | UNPACKS | PACKED | {'subprocess'})})\b")


def unsafe(name: str, text: str) -> set[str]:
    """Calls in a file that execute, unpickle, unpack or start something; a file without their names is not parsed."""
    nodes = list(ast.walk(ast.parse(text))) if NAMES.search(text) else []
    found = imports(nodes) & PACKED | {words for words in WRITTEN if words in text}
    if name not in EXECUTES:
        found |= calls(nodes) & (CODE | UNPACKS)
    if name not in STARTS:
        found |= imports(nodes) & {"subprocess"}
    return found


@pytest.mark.core
def test_files_are_data() -> None:
    found = {name: unsafe(name, (ROOT / name).read_text()) for name in FILES}
    assert not {name: sorted(words) for name, words in found.items() if words}
