"""Schemas of plain JSON: valid data, and one sentence about invalid data."""

import pytest

from verify.engine.records.forms import NUMBER, require
from verify.engine.work.errors import UsageError

RIGHT = [
    (1, int),
    (1.5, NUMBER),
    (2, NUMBER),
    ("a", str),
    (True, bool),
    (None, (str, None)),
    ("x", ("x", "y")),
    (3, (int, None)),
    ([], [int]),
    ([1, 2], [int]),
    ({"a": 1}, {"a": int}),
    ({"a": 1, "more": 2}, {"a": int}),
    ({}, {"a?": int}),
    ({"p": 1, "q": 2}, {...: int}),
    ({"a": [{"b": "x"}]}, {"a": [{"b": str}]}),
    ([1], (None, [int])),
    (None, (None, [int])),
    ({"a": 1}, ({"a": int}, None)),
]
WRONG = [
    (True, int, "`it` must be a whole number, got True"),
    (True, NUMBER, "`it` must be a whole number or a number, got True"),
    (1, bool, "must be true or false, got 1"),
    (1.5, int, "must be a whole number, got 1.5"),
    ("1", NUMBER, "got '1'"),
    (1, (str, None), "must be text or null, got 1"),
    ("z", ("x", "y"), "must be 'x' or 'y', got 'z'"),
    (0, (None,), "must be null, got 0"),
    ({}, [int], "must be a list, got {}"),
    ([], {"a": int}, "must be an object, got \\[\\]"),
    ([1, "b"], [int], r"`it\[1\]` must be a whole number, got 'b'"),
    ({"b": 1, "c": 2}, {"a": int}, "`it` must have `a`, got b, c"),
    ({}, {"a": int}, "`it` must have `a`, got nothing"),
    ({"a": "x"}, {"a?": int}, "`it.a` must be a whole number"),
    ({"p": 1, "q": "b"}, {...: int}, "`it.q` must be"),
    ({"p": 1}, {...: int, "q": int}, "`it` must have `q`, got p"),
    ({"a": [{"b": 3}]}, {"a": [{"b": str}]}, r"`it.a\[0\].b` must be text, got 3"),
    (["a"], (None, [int]), r"`it\[0\]` must be a whole number"),
    ({"a": "b"}, ({"a": int}, None), "`it.a` must be a whole number"),
    (3, ({"a": int}, None), "`it` must be an object or null, got 3"),
]


@pytest.mark.parametrize(("content", "form"), RIGHT)
def test_what_fits_passes(content, form):
    require(content, form, "it")


@pytest.mark.parametrize(("content", "form", "said"), WRONG)
def test_what_does_not_fit_is_told_with_its_place_its_rule_and_its_value(content, form, said):
    with pytest.raises(UsageError, match=said):
        require(content, form, "it")


@pytest.mark.parametrize(("length", "shown"), [(58, 60), (59, 60), (400, 60)])
def test_long_values_are_cut(length, shown):
    with pytest.raises(UsageError) as error:
        require("a" * length, int, "it")
    told = str(error.value).partition("got ")[2]
    assert len(told) == shown
    assert told.endswith("..." if length > 58 else "'")
