"""Both checkers accept the same language: anything else is refused by both, and formulas print as they were read."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from verify import check_proof
from verify.check_proof import Refused, check, text
from verify.engine.certificates import Rejected, recheck

Proof = dict[str, Any]


def proof(symbols: Any, *lines: Any) -> Proof:
    return {"symbols": symbols, "lines": list(lines), "claim": lines[-1].get("show")}


def shown(relation: Any, formula: Any = "0", **more: Any) -> Proof:
    return {"show": relation, "as": formula, **more}


def true_of(formula: Any, **symbols: Any) -> Proof:
    """Proof that a formula equals itself, which is accepted for every valid formula."""
    return proof(symbols, shown(["=", formula, formula]))


GROWS = {
    "show": ["<=", "0", "t"],
    "induct": "t",
    "base": [shown(["<=", "0", "0"])],
    "step": [shown(["<=", "0", ["+", "t", "1"]], ["+", "t", "1"])],
}
HIDDEN = ["+", ["slack", 0], "1"]  # t + 1, without the letter t
ABOVE = {
    "show": ["<=", "t", HIDDEN],
    "induct": "t",
    "base": [shown(["<=", "0", HIDDEN], ["+", "t", "1"])],
    "step": [shown(["<=", ["+", "t", "1"], HIDDEN])],
}
ABSURD = proof(
    {"t": "whole"},
    GROWS,
    ABOVE,
    {"show": ["<=", ["+", "t", "2"], HIDDEN], "every": 1, "at": ["+", "t", "2"]},
    shown(["<=", "1", "0"], ["slack", 2]),
)
GIVEN = {"given": ["<=", "x", "0"], "by": "condition"}
ONE_OF_TWO = [[shown(["<=", "0", "1"], "1")]] * 2
HIDING = {
    "1 <= 0, by induction over what a slack hides": ABSURD,
    "a slack in a claim": proof({"x": "real"}, GIVEN, shown(["<=", "0", ["slack", 0]], ["slack", 0])),
    "a slack in an assumption": proof({"x": "real"}, GIVEN, {"given": ["<=", ["slack", 0], "1"], "by": "c"}, shown(["<=", "0", "1"], "1")),
    "a slack in cases": proof({"x": "real"}, GIVEN, {"show": ["<=", "0", "1"], "split": ["slack", 0], "parts": ONE_OF_TWO}),
    "a slack that is put in": proof({"t": "whole", "x": "real"}, GROWS, {"show": ["<=", "0", ["slack", 0]], "every": 0, "at": ["slack", 0]}),
    "a slack inside a root of a claim": true_of(["root", "2", ["^", ["slack", 0], "2"]]),
    "a formula as the text of one": proof({"x": "real"}, shown(["<=", "0", ["^", "x", "2"]], ["^", "x", "2"]), shown(["<=", "0", "['^', 'x', '2']"], "['^', 'x', '2']")),
}  # fmt: skip
HEADS = {
    f"{head} of {len(parts)} parts": true_of([head, *parts], x="positive", y="positive")
    for head, parts in [
        ("power", ["x", "2"]), ("ratio", ["x", "y"]), ("sum", ["x"]), ("named", ["x"]), ("paired", ["x", "y"]), ("value", ["x"]),
        ("least", ["x"]), ("", ["x"]), ("-", []), ("-", ["x", "x", "x"]), ("/", ["x"]), ("/", ["x", "x", "x"]), ("^", ["x"]),
        ("^", ["x", "2", "2"]), ("abs", []), ("abs", ["x", "y"]), ("max", []), ("min", []), ("root", ["x"]), ("root", [2, "x"]),
        ("root", ["1", "x"]), ("root", ["10", "x"]), ("root", ["2", "x", "x"]), ("root", ["x", "x"]), ("call", []), ("call", [["x"], "x"]),
        ("call", [1, "x"]), ("call", ["f\n", "x"]), ("at", ["x", "1"]), ("at", ["u", "1"]), ("total", ["x"]), ("dot", ["x", "y"]),
        ("each", ["2", "x", "y"]), ("slack", [0]), ("<=", ["x", "y"]),
    ]
}  # fmt: skip
TYPES = {
    "a division that cancels under another name": true_of(["*", "x", ["power", "x", "-1"]], x="real"),
    "a number": true_of(1),
    "a truth": true_of(*[True]),
    "nothing": true_of(None),
    "a decimal number": true_of(0.5),
    "an object": true_of({}),
    "no head": true_of([]),
    "a list as a head": true_of([["+"], "1"]),
    "an empty name": true_of("", **{"": "real"}),
    "a name of two lines": true_of("x\ny", **{"x\ny": "real"}),
    "a name with brackets": true_of("(x)", **{"(x)": "real"}),
    "a number as a name": true_of("2", **{"2": "real"}),
    "a name with an operator": true_of("x + y", **{"x + y": "real"}),
    "an open index": true_of("x[0", **{"x[0": "real"}),
    "a number in other digits": true_of("\u0663"),
    "a number over zero": true_of("1/0"),
    "half a number": true_of("1/"),
    "a number of 5000 digits": true_of("1" * 5000),
    "an undeclared symbol": true_of("x"),
    "a vector as a number": true_of("v", v="vector"),
    "a sequence as a number": true_of("v", v="sequence real"),
    "a family of no size": true_of("1", v="family n"),
    "a family of real size": true_of("1", v="family x", x="real"),
    "a sequence of vectors": true_of("1", v="sequence vector"),
    "an unknown domain": true_of("1", v="integer"),
    "a domain that is no text": true_of("1", v=None),
    "a member outside its sum": true_of(["dot", "u", "u"], n="count", u="family n"),
    "a member in the sum of another size": true_of(["each", "m", "u", "u"], n="count", m="count", u="family n"),
    "a sum of three vectors": true_of(["dot", ["+", "v", "v", "v"], "v"], v="vector"),
    "the negative of a vector": true_of(["dot", ["-", "v"], "v"], v="vector"),
    "the sum of a vector": true_of(["dot", ["total", "v"], "v"], v="vector"),
    "a scale after its vector": true_of(["dot", ["*", "v", "2"], "v"], v="vector"),
}  # fmt: skip
TRUE = ["<=", "0", "1"]
WRONG_LINES = {
    "another key": shown(TRUE, "1", because="it is so"),
    "a reason besides": shown(TRUE, "1", by="condition"),
    "for every t, shown": shown(TRUE, "1", **{"for": "t"}),
    "whole, false": {"show": TRUE, "split": "t", "whole": False, "parts": ONE_OF_TWO},
    "whole, nothing": {"show": TRUE, "split": "t", "whole": None, "parts": ONE_OF_TWO},
    "whole, one": {"show": TRUE, "split": "t", "whole": 1, "parts": ONE_OF_TWO},
    "parts by name": {"show": TRUE, "split": "t", "parts": {"a": ONE_OF_TWO[0], "b": ONE_OF_TWO[0]}},
    "one part too many": {"show": TRUE, "split": "t", "parts": [ONE_OF_TWO[0]] * 3},
    "parts that are text": {"show": TRUE, "split": "t", "parts": ["", ""]},
    "a text that is put in": shown(TRUE, "1", put=""),
    "an object that is put in": shown(TRUE, "1", put={}),
    "true that is put in": shown(TRUE, "1", put=[True]),
    "a base that is text": {**GROWS, "base": ""},
    "an induction over text": {**GROWS, "induct": ["t"]},
    "an induction over a number": {**GROWS, "induct": "0"},
    "the fact of number true": {"show": ["<=", "0", "t"], "every": True, "at": "t"},
    "a relation that is text": shown("<01", "1"),
    "a relation of three sides": shown(["<=", "0", "1", "2"], "1"),
    "a relation of one side": shown(["<=", "0"], "1"),
    "a sign that is a list": shown([["<="], "0", "1"], "1"),
    "a line that is a list": ["show", "as"],
    "a line that is text": "as show",
}  # fmt: skip
LINES = {
    name: proof({"t": "whole"}, GROWS, line, shown(TRUE, "1"))
    if isinstance(line, dict)
    else {"symbols": {"t": "whole"}, "lines": [line, shown(TRUE, "1")], "claim": TRUE}
    for name, line in WRONG_LINES.items()
}
GOOD = proof({"x": "real"}, shown(["<=", "0", ["^", "x", "2"]], ["^", "x", "2"]))
WHOLES = {
    "no claim": {key: GOOD[key] for key in ("symbols", "lines")},
    "a null claim": {"symbols": {}, "lines": [{"given": ["=", "0", "0"], "by": "me"}], "claim": None},
    "a null claim of nothing": {"symbols": {}, "lines": [{}], "claim": None},
    "more than a certificate": {**GOOD, "note": "true"},
    "lines that are an object": {**GOOD, "lines": {"0": GOOD["lines"][0]}},
    "given for every real number": proof({"x": "real"}, {"given": ["<=", "x", "x"], "by": "c", "for": "x"}, shown(TRUE, "1")),
    "given by a reason of two lines": proof({}, {"given": TRUE, "by": "c\nother: proved"}, shown(TRUE, "1")),
    "given by nobody": proof({}, {"given": TRUE, "by": None}, shown(TRUE, "1")),
}  # fmt: skip
FORGED = {**HIDING, **HEADS, **TYPES, **LINES, **WHOLES}


@pytest.mark.parametrize("name", FORGED)
def test_what_is_written_otherwise_is_refused_by_both(name: str) -> None:
    with pytest.raises(Refused):
        check(copy.deepcopy(FORGED[name]))
    with pytest.raises(Rejected):
        recheck(copy.deepcopy(FORGED[name]))


FINE = {
    "names": proof({"x before": "real", "x[0,1]": "real", "None": "real", "\u03bb": "real"}, shown(TRUE, "1")),
    "no parts": proof({}, shown(["<=", ["+"], ["*"]], "1")),
    "a slack inside a root": proof({"x": "positive"}, shown(["<", "0", "x"], "x"), shown(["<=", "0", ["root", "2", "x"]], ["root", "2", ["slack", 0]])),
    "heads as names": proof({"max": "real", "slack": "real"}, shown(["<=", "slack", ["max", "max", "slack"]], ["-", ["max", "max", "slack"], "slack"])),
    "any printable name of a function": true_of(["call", "Sum(k, (k, 0, E - 1))", "1"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FINE)
def test_unusual_certificates_are_accepted_by_both(name: str) -> None:
    check(FINE[name])
    recheck(FINE[name])


def test_a_missing_domain_is_no_symbol_called_none() -> None:
    for symbols in ({"x": "real", "None": "real"}, {"x": "positive", "None": "positive"}):
        forged = proof(symbols, shown(["<=", "None", "x"], ["-", "x", "None"]))
        with pytest.raises(Refused, match="its sign does not show"):
            check(forged)
        with pytest.raises(Rejected):
            recheck(forged)


@pytest.mark.parametrize(
    ("formula", "printed"),
    [
        ("x", "x"),
        (["-", "x"], "(- x)"),
        (["^", ["-", "x"], "2"], "((- x) ^ 2)"),
        (["-", ["^", "x", "2"]], "(- (x ^ 2))"),
        ("-1", "(-1)"),
        (["-", "1"], "(- 1)"),
        (["^", "2/3", "2"], "((2/3) ^ 2)"),
        (["/", "1", "2/3"], "(1 / (2/3))"),
        (["/", "2", "3"], "(2 / 3)"),
        (["abs", "x"], "abs(x)"),
        (["abs", ["-", "x"]], "abs((- x))"),
        (["-", "x", "y"], "(x - y)"),
        (["+", "x", "y", "2"], "(x + y + 2)"),
        (["+", "x"], "+(x)"),
        (["*"], "*()"),
        (["max", "x", "y"], "max(x, y)"),
        (["max", "x"], "max(x)"),
        (["call", "max", "x", "y"], '"max"(x, y)'),
        (["call", 'f"(x)', "y"], '"f\\"(x)"(y)'),
        (["root", "3", "x"], "root(3, x)"),
        (["at", "u", ["+", "t", "1"]], "at(u, (t + 1))"),
        (["each", "n", "u", ["total", "v"]], "each(n, u, total(v))"),
        (["<=", "0", ["abs", "x"]], "(0 <= abs(x))"),
    ],
    ids=str,
)
def test_different_formulas_are_printed_differently(formula: Any, printed: str) -> None:
    assert text(formula) == printed


def test_the_whole_statement_is_printed() -> None:
    length = proof({"x": "real"}, shown(["<=", "0", ["abs", "x"]], ["abs", "x"]))
    assert check(length) == ["for every x: real", "then (0 <= abs(x))"]
    every = proof(
        {"t": "whole", "u": "sequence positive"},
        {"given": ["<=", ["at", "u", "t"], "5"], "by": "condition", "for": "t"},
        {"given": ["<=", "t", "7"], "by": "premise"},
        {"show": ["<=", ["at", "u", "100"], "5"], "every": 0, "at": "100"},
    )
    assert check(every) == [
        "for every t: whole",
        "for every u: sequence positive",
        "if for every t, (at(u, t) <= 5)   [condition]",
        "if (t <= 7)   [premise]",
        "then (at(u, 100) <= 5)",
    ]


def test_no_name_looks_like_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file.json"
    forged = proof({}, shown(["<=", "1", "0\nother: proved"]))
    path.write_text(
        json.dumps({"one\nother: proved": GOOD, "two": forged, "three\n": {"undecided": "\nother: proved"}})
    )
    assert check_proof.main([str(path)]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert not [line for line in lines if line.startswith("other")]
    assert [line for line in lines if line.endswith(": proved")] == ['"one\\nother: proved": proved']
