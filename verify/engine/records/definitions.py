"""Digests of code without comments, docstrings, annotations, error messages and formatting: of files, and of single definitions.

A digest is computed from the syntax tree, so it changes only with the behaviour of the code. Definitions are identified by
their first line, as in Python: two lambdas in one line count as one.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

FORM = 1
"""Version of this module's rules; digests of different versions differ."""
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WITHOUT_MEANING = {"ctx", "kind", "type_comment", "type_params", "returns"}


def digest_of(*parts: str) -> str:
    """Digest of texts, in this order."""
    return hashlib.sha256(f"{FORM}{[*parts]}".encode()).hexdigest()[:16]


def module_digest(text: str) -> str:
    """Digest of the code of a file."""
    return _node_digest(ast.parse(text))


@cache
def function_digest(code: CodeType) -> str:
    """Digest of the definition of a function; digest of its bytecode if its text cannot be read."""
    nodes = _functions(code.co_filename).get((code.co_firstlineno, code.co_name))
    if nodes is None:
        return digest_of(code.co_code.hex(), repr(code.co_names))
    return digest_of(*sorted(map(_node_digest, nodes)))


def class_digest(definition: type, file: str) -> str:
    """Digest of the definition of a class in a file; digest of its name if it is not defined there."""
    node = _classes(file).get(definition.__qualname__.rpartition(".")[2])
    return digest_of(definition.__qualname__) if node is None else _node_digest(node)


@cache
def _functions(file: str) -> Mapping[tuple[int, str], list[ast.AST]]:
    """Functions of a file by first line and name."""
    found: dict[tuple[int, str], list[ast.AST]] = {}
    for node in _nodes(file):
        if isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.setdefault((first, node.name), []).append(node)
    return found


@cache
def _classes(file: str) -> Mapping[str, ast.ClassDef]:
    return {node.name: node for node in _nodes(file) if isinstance(node, ast.ClassDef)}


@cache
def _nodes(file: str) -> tuple[ast.AST, ...]:
    with suppress(OSError, SyntaxError, ValueError):
        return tuple(ast.walk(ast.parse(Path(file).read_text("utf-8"))))
    return ()


def _node_digest(node: ast.AST) -> str:
    return digest_of(repr(_plain(node)))


def _plain(node: Any) -> Any:
    """A syntax tree as nested tuples, without the parts that do not change results."""
    if isinstance(node, list):
        return [_plain(part) for part in node]
    if not isinstance(node, ast.AST):
        return node
    fields = {name: value for name, value in ast.iter_fields(node) if name not in _WITHOUT_MEANING}
    if isinstance(node, (*_NAMED, ast.Module)):
        fields["body"] = [part for part in node.body if not _is_text(part)]
    elif isinstance(node, ast.Raise):
        fields["exc"] = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    elif isinstance(node, ast.Assert):
        fields.pop("msg")
    elif isinstance(node, ast.arg):
        fields.pop("annotation")
    said = [(name, _plain(value)) for name, value in fields.items() if value is not None and value != []]
    return type(node).__name__, said


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text that stands alone: a docstring, or the description of the line before."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
