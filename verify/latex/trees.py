"""Helpers for the trees and tokens of the grammar."""

from __future__ import annotations

import re
from typing import Any

from lark import Token, Tree

Node = Any
"""A tree of the grammar or a token."""


def start(node: Node) -> int:
    """Offset at which a tree or token begins."""
    if isinstance(node, Token):
        return node.start_pos or 0
    return getattr(node.meta, "start_pos", 0) or 0


def leaves(node: Node) -> list[Token]:
    """The tokens of a tree from left to right."""
    if isinstance(node, Token):
        return [node]
    return [leaf for child in node.children for leaf in leaves(child)]


def text_of(node: Node) -> str:
    """The tokens of a tree as LaTeX, without the braces that surround all of it."""
    found = leaves(node)
    if isinstance(node, Tree) and node.data in {"group", "marked", "sub", "sup"}:
        found = found[[one.type for one in found].index("GROUP") + 1 : -1]
    texts = [f"{one} " if re.search(r"\\[a-zA-Z]+$", str(one)) else str(one) for one in found]
    return "".join(texts).strip()


def bare(node: Node) -> Token | None:
    """The token of an expression that is a single name or number without scripts; None for any other expression."""
    while (
        isinstance(node, Tree)
        and len(node.children) == 1
        and node.data in {"product", "factor", "chain", "list", "group", "name", "number", "sum"}
    ):
        node = node.children[0]
    return node if isinstance(node, Token) else None


def inside(group: Tree[Any]) -> list[Node]:
    """The items of the list inside a script or bracket, without brackets and separators."""
    lists = [child for child in group.children if isinstance(child, Tree)]
    if len(lists) == 1 and lists[0].data == "list":
        return [child for child in lists[0].children if not _separates(child)]
    return lists


def _separates(node: Node) -> bool:
    return isinstance(node, Token) and node.type in {"COMMA", "SEMI", "MID"}


def mark_of(group: Tree[Any]) -> str:
    """The name of a script that is only a mark ("star", "plus", "minus" or "TOP" for a transpose); empty for any other script."""
    if group.data != "marked":
        return ""
    return (
        "TOP"
        if leaves(group)[1].type == "TOP"
        else {"STAR": "star", "PLUS": "plus", "MINUS": "minus"}[leaves(group)[1].type]
    )
