"""Schemas of plain JSON from files: required parts and their types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.engine.work.errors import UsageError

Form = Any
"""A schema: a type; a tuple of alternatives, in which None and texts stand for themselves; [schema] for a list; {name:
schema} for a mapping with at least these parts, optional ones with a name that ends in "?"; {...: schema} for a mapping
with any names.
"""

NUMBER = (int, float)


def require(content: Any, form: Form, name: str) -> None:
    """Raise a UsageError that names the part, its rule and its value if `content` does not match the schema."""
    if type(content) is form:  # most parts of a file: a list whose entries are of one kind
        return
    if isinstance(form, dict):
        if not isinstance(content, Mapping):
            raise _other(name, "an object", content)
        for part, inner in form.items():
            if part is ...:
                for key, value in content.items():
                    require(value, inner, f"{name}.{key}")
                continue
            key = part.removesuffix("?")
            if key in content:
                require(content[key], inner, f"{name}.{key}")
            elif key == part:
                raise UsageError(
                    f"`{name}` must have `{key}`, got {', '.join(map(str, content)) or 'nothing'}"
                )
    elif isinstance(form, list):
        if not isinstance(content, list):
            raise _other(name, "a list", content)
        for place, value in enumerate(content):
            require(value, form[0], f"{name}[{place}]")
    else:
        options = form if isinstance(form, tuple) else (form,)
        for option in options:
            if isinstance(option, dict | list) and isinstance(content, Mapping | list):
                require(content, option, name)
                return
        if not any(_is(content, option) for option in options):
            raise _other(name, _alternatives(options), content)


def _is(content: Any, option: Form) -> bool:
    if isinstance(option, type):
        return isinstance(content, option) and (option is bool or not isinstance(content, bool))
    return type(content) is type(option) and bool(content == option)


_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def _alternatives(options: tuple[Form, ...]) -> str:
    words = [_WORDS.get(option if isinstance(option, type) else type(option), "") for option in options]
    return " or ".join(
        "null" if option is None else repr(option) if isinstance(option, str) else word
        for option, word in zip(options, words, strict=True)
    )


def _other(name: str, rule: str, value: Any) -> UsageError:
    shown = repr(value)
    return UsageError(f"`{name}` must be {rule}, got {shown if len(shown) <= 60 else shown[:57] + '...'}")
