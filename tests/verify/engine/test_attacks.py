"""Certificates of false statements: the checkers refuse all of them.

Each forgery is a valid certificate with one change, or was written by hand. Its claim is false somewhere, or states
nothing that can be proved. A checker refuses it or finds it not well formed. It never accepts it, and never fails in
another way.
"""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from verify import check_proof
from verify.check_proof import Refused, check
from verify.engine.certificates import Rejected, recheck
from verify.engine.coq.export import PRELUDE, VECTORS, theorem

Proof = dict[str, Any]
FALSE = ["<=", "1", "0"]


def proof(symbols: Any, *lines: Any, claim: Any = None) -> Proof:
    """A certificate whose claim is its last line."""
    return {"symbols": symbols, "lines": list(lines), "claim": claim or lines[-1].get("show")}


def shown(relation: Any, formula: Any = "0", **more: Any) -> Proof:
    return {"show": relation, "as": formula, **more}


def given(relation: Any, **more: Any) -> Proof:
    return {"given": relation, "by": "condition", **more}


def split(relation: Any, by: Any, *parts: Any, **more: Any) -> Proof:
    return {"show": relation, "split": by, "parts": list(parts), **more}


XY = {"x": "real", "y": "real"}
POSITIVE = {"x": "positive", "y": "positive"}
GOOD = {
    "squares": proof(XY, shown(["<=", ["*", "2", "x", "y"], ["+", ["^", "x", "2"], ["^", "y", "2"]]], ["^", ["-", "x", "y"], "2"])),
    "given": proof(XY, given(["<", "x", "y"]), shown(["<=", "x", "y"], ["slack", 0])),
    "put in": proof(XY, given(["=", "x", "2"]), shown(["<=", "x", "3"], "1", put=[0])),
    "cases": proof(
        XY,
        split(["<=", "x", ["abs", "x"]], "x", [shown(["<=", "x", ["abs", "x"]], ["-", ["abs", "x"], "x"])], [shown(["<=", "x", ["abs", "x"]], ["-", ["abs", "x"], "x"])]),
    ),
    "rounds": proof(
        {"t": "whole"},
        {
            "show": ["<=", "0", ["*", "t", "t"]],
            "induct": "t",
            "base": [shown(["<=", "0", ["*", "0", "0"]])],
            "step": [shown(["<=", "0", ["*", ["+", "t", "1"], ["+", "t", "1"]]], ["+", ["slack", 0], ["*", "2", "t"], "1"])],
        },
    ),
    "every": proof(
        {"t": "whole", "n": "whole", "a": "sequence real"},
        given(["<=", ["at", "a", "t"], "0"], **{"for": "t"}),
        {"show": ["<=", ["at", "a", "n"], "0"], "every": 0, "at": "n"},
    ),
    "vectors": proof(
        {"n": "count", "u": "family n"},
        shown(["<=", "0", ["each", "n", "u", "u"]], ["each", "n", "u", "u"]),
    ),
}  # fmt: skip


def changed(name: str, *path: Any, to: Any) -> Proof:
    """A valid certificate with one place changed."""
    new = copy.deepcopy(GOOD[name])
    inside: Any = new
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = to
    return new


def false_step(step: Any) -> Proof:
    claim = ["<=", "t", "5"]
    return proof(
        {"t": "whole"}, {"show": claim, "induct": "t", "base": [shown(["<=", "0", "5"], "5")], "step": step}
    )


def between(formula: Any) -> Proof:
    """The negation of "a formula lies strictly between 0 and 1", which is true of whole numbers."""
    goal = ["<=", "0", ["*", formula, ["-", formula, "1"]]]
    part = [shown(goal, ["*", ["slack", 0], ["+", ["slack", 0], "1"]])]
    return split(goal, formula, part, part, whole=True)


DEEP: Any = "x"
for _ in range(5000):
    DEEP = ["+", DEEP, "0"]
LAST = ("lines", -1)
FORGED = {
    # numbers
    "another number": changed("squares", *LAST, "show", 1, 1, to="3"),
    "a number as a number": proof({}, shown(["<=", 1, 0], 1)),
    "a decimal": proof({}, shown(["<=", "1.0", "0"], "-1.0")),
    "not a number": proof({}, shown(["<=", "NaN", "0"], "NaN")),
    "not a number as it is read": proof({}, shown(["<=", float("nan"), "0"], float("nan"))),
    "infinity": proof({}, shown(["<=", "1", "Infinity"], "Infinity")),
    "infinity as it is read": proof({}, shown(["<=", float("inf"), "0"], float("-inf"))),
    "true": proof({}, shown(["<=", True, "0"], "-1")),
    "the fact of number false": proof(XY, given(["<=", "x", "y"]), shown(["<=", "x", "y"], ["slack", None])),
    "the fact of a negative number": proof(XY, given(["<=", "1", "x"]), shown(["<=", "x", "0"], ["slack", -1])),
    "the fact of a later number": proof(XY, shown(["<=", "x", "0"], ["slack", 0])),
    "the fact of a decimal number": proof(XY, given(["<=", "x", "y"]), shown(["<=", "y", "x"], ["slack", 0.0])),
    "a number in exponents": proof({}, shown(["<=", "1e3", "0"], "-1e3")),
    "a number in other digits": proof({}, shown(FALSE, "\u0661")),  # ARABIC-INDIC DIGIT ONE
    "a number in superscript": proof({}, shown(["<=", "2\u00b2", "3"], "1")),
    "a huge number": proof({}, shown(["<=", "9" * 100_000, "0"], "-" + "9" * 100_000)),
    "a huge exponent": proof({}, shown(["<=", ["^", "2", "9" * 30], "0"], "0")),
    "a tower": proof({}, shown(["<=", ["^", ["^", ["^", "2", "999"], "999"], "999"], "0"], "0")),
    "a number with a sign": proof({}, shown(["<=", "+1", "0"], "-1")),
    "a number with a space": proof({}, shown(["<=", " 1", "0"], "-1")),
    "a number with a line end": proof({}, shown(["<=", "1\n", "0"], "-1")),
    "a number with an underscore": proof({}, shown(["<=", "1_0", "0"], "-10")),
    "over zero": proof({}, shown(["<=", "1/0", "0"], "1/0")),
    "over a vanishing formula": proof({}, shown(FALSE, ["/", "1", ["-", "1", "1"]])),
    "over what may vanish": proof(XY, shown(["=", ["/", "x", "x"], "1"])),
    "over what is only nonnegative": proof({"x": "nonnegative"}, shown(["=", ["/", "x", "x"], "1"])),
    "zero to the power -1": proof({}, shown(FALSE, ["^", "0", "-1"])),
    "a negative power of what may vanish": proof(XY, shown(["<", "0", ["^", "x", "-2"]], ["^", "x", "-2"])),
    "a negative odd power": proof(XY, given(["!=", "x", "0"]), shown(["<=", "0", ["^", "x", "-1"]], ["^", "x", "-1"])),
    "zero to the power zero": proof({"t": "whole"}, shown(["=", ["^", "0", "t"], "1"])),
    "a broken exponent": proof({"x": "positive"}, shown(["=", ["^", "x", "1/2"], "x"])),
    "a root of a negative number": proof(XY, shown(["<=", "0", "x"], ["^", ["root", "2", "x"], "2"])),
    "a root of degree 1": proof(XY, shown(["<=", "0", "x"], ["root", "1", "x"])),
    "a root of degree -2": proof({"x": "positive"}, shown(["<=", ["root", "-2", "x"], "x"], "0")),
    # names
    "swapped names": changed("given", *LAST, "show", to=["<=", "y", "x"]),
    "an undeclared name": proof({}, shown(["<=", "0", "x"], "x")),
    "a name that looks alike": proof({"x": "positive"}, shown(["<=", "0", "\u0445"], "x")),  # CYRILLIC
    "a name that is normalised": proof({"\u212b": "positive", "\u00c5": "real"}, shown(["<=", "0", "\u00c5"], "\u212b")),
    "a name that is a head": proof({"slack": "positive"}, shown(["<=", "0", ["slack", 0]], "slack")),
    "a name without a domain": proof({"x": ""}, shown(["<=", "0", "x"], "x")),
    "a name of two domains": proof({"x": "positive real"}, shown(["<=", "0", "x"], "x")),
    "a domain that is none": proof({"x": ["positive"]}, shown(["<=", "0", "x"], "x")),
    "a negative count": proof({"n": "count"}, shown(["<=", "n", "0"], ["-", "n", "1"])),
    "a number of a sequence as a symbol": proof({"a": "sequence positive"}, shown(["<=", "0", "a"], "a")),
    "a symbol as a sequence": proof({"a": "positive"}, shown(["<=", "0", ["at", "a", "0"]], ["at", "a", "0"])),
    "a function that is positive": proof({"f": "positive"}, shown(["<=", "0", ["call", "f", "1"]], ["call", "f", "1"])),
    "two functions of one spelling": proof(XY, shown(["=", ["call", "f", "x"], ["call", "f", "y"]])),
    "a function of two arguments": proof(XY, shown(["=", ["call", "f", "x", "y"], ["call", "f", "y", "x"]])),
    "a function that is whole": proof({"call": "whole"}, between(["call", "f"])),
    "a root that is whole": proof({"root": "whole", "x": "positive"}, between(["root", "2", "x"])),
    "a power that is whole": proof({"^": "whole", "t": "whole", "x": "real"}, between(["^", "x", "t"])),
    "a root by its name": proof({"x": "positive", "root 2 of v0|1": "real"}, shown(["=", ["-", ["root", "2", "x"], "root 2 of v0|1"], "0"])),
    "a power by its name": proof({"x": "positive", "y": "real", "v0|1 ^ v1|1": "real"}, shown(["=", ["-", ["^", "x", "y"], "v0|1 ^ v1|1"], "0"])),
    "a sum of vectors by how it is kept": proof({"n": "count", "u": "family n", "('total', 'u')": "vector", "w": "vector"}, shown(["=", ["dot", "('total', 'u')", "w"], ["dot", ["total", "u"], "w"]])),
    "a sum of vectors by its name": proof(
        {"n": "count", "u": "family n", "total u": "vector", "w": "vector"}, shown(["=", ["dot", "total u", "w"], ["dot", ["total", "u"], "w"]])
    ),
    "a member of what is no sequence": proof({"positive": "count", "u": "family positive"}, shown(["<=", "0", ["at", "u", "1"]], ["at", "u", "1"])),
    "a sequence of another domain": proof({"u": "x positive"}, shown(["<=", "0", ["at", "u", "1"]], ["at", "u", "1"])),
    "a domain that ends well": proof({"u": "xsequence positive"}, shown(["<=", "0", ["at", "u", "1"]], ["at", "u", "1"])),
    # relations
    "strict for not strict": changed("given", "lines", 0, "given", 0, to=">"),
    "not strict for strict": proof(XY, given(["<=", "x", "y"]), shown(["<", "x", "y"], ["slack", 0])),
    "different for equal": proof(XY, given(["!=", "x", "y"]), shown(["=", "x", "y"], ["slack", 0])),
    "different for less": proof(XY, given(["!=", "x", "y"]), shown(["<", "x", "y"], ["slack", 0])),
    "x < x": proof(XY, shown(["<", "x", "x"])),
    "x != x": proof(XY, shown(["!=", "x", "x"])),
    "another sign": proof({}, shown(["=<", "1", "0"])),
    "no sign": proof({}, shown(["", "1", "0"])),
    "a chain of three": proof({}, shown(["<=", "0", "1", "-1"], "1")),
    "a relation as a formula": proof(XY, shown(["<=", ["<=", "x", "y"], "0"])),
    "the other way round": changed("given", *LAST, "show", to=[">=", "x", "y"]),
    # givens
    "a given that shadows": proof(XY, {"given": ["<=", "0", "1"], "by": "me", "show": FALSE}),
    "a given after the claim": proof(XY, shown(["<=", "0", "1"], "1"), given(FALSE), claim=FALSE),
    "a given alone": proof({}, given(FALSE), claim=FALSE),
    "a given without a right": proof({}, {"given": FALSE}, shown(FALSE, ["slack", 0])),
    "a given in a case": proof(XY, split(FALSE, "x", [given(FALSE), shown(FALSE, ["slack", 1])], [given(FALSE), shown(FALSE, ["slack", 1])])),
    "a given of every real number": proof(XY, given(["<=", "x", "y"], **{"for": "x"}), {"show": ["<=", "2", "y"], "every": 0, "at": "2"}),
    "another claim": changed("squares", "claim", to=FALSE),
    "no claim": {"symbols": {}, "lines": []},
    "no lines": proof({}, claim=FALSE),
    "no claim and no lines": {"symbols": {}, "lines": [], "claim": None},
    # substituted equations
    "an inequality put in": changed("put in", "lines", 0, "given", 0, to="<="),
    "a symbol put in for itself": proof(XY, given(["=", "x", ["+", "x", "y"]]), shown(["<=", "y", "-1"], "1", put=[0])),
    "a formula put in": proof(XY, given(["=", ["^", "x", "2"], "y"]), shown(["<=", "x", "y"], "0", put=[0])),
    "put in beyond": changed("put in", *LAST, "put", to=[1]),
    "put in as words": changed("put in", *LAST, "put", to="0"),
    "put in and still there": proof(POSITIVE, given(["=", "x", "-1"]), shown(["<=", "0", "y"], "x", put=[0])),
    # cases
    "a case missing": changed("cases", *LAST, "parts", to=GOOD["cases"]["lines"][0]["parts"][:1]),
    "no cases": proof({}, {"show": FALSE, "split": ["max"], "parts": []}),
    "no cases of a least": proof({}, {"show": FALSE, "split": ["min"], "parts": []}),
    "one case twice": proof(XY, split(["<=", "x", "0"], "x", *[[shown(["<=", "x", "0"], ["slack", 0])]] * 2)),
    "cases that end elsewhere": proof(XY, split(["<=", "x", "0"], "x", [shown(["<=", "x", "0"], ["slack", 0])], [shown(["<", "0", "1"], "1")])),
    "empty cases": proof(XY, split(["<=", "x", "0"], "x", [], [])),
    "whole cases of a real number": proof(
        XY, split(["<=", ["*", "x", ["-", "1", "x"]], "0"], "x", [shown(["<=", ["*", "x", ["-", "1", "x"]], "0"], ["*", ["slack", 0], ["-", "1", "x"]])], [shown(["<=", ["*", "x", ["-", "1", "x"]], "0"], ["*", "x", ["slack", 0]])], whole=True)
    ),
    "whole cases of a half": proof({"t": "whole"}, split(FALSE, ["/", "t", "2"], [shown(FALSE, ["slack", 0])], [shown(FALSE, ["slack", 0])], whole=True)),
    "whole cases, said to be none": proof(
        XY, split(["<=", ["*", "x", ["-", "1", "x"]], "0"], "x", [shown(["<=", ["*", "x", ["-", "1", "x"]], "0"], ["+", ["*", ["slack", 0], ["-", "1", "x"]]])], [shown(["<=", ["*", "x", ["-", "1", "x"]], "0"], ["*", "x", ["slack", 0]])], whole=False)
    ),
    "a length that is neither": proof(XY, split(["=", ["abs", "x"], "x"], ["abs", "x"], [shown(["=", ["abs", "x"], "x"], ["-", ["slack", 0]])], [shown(["=", ["abs", "x"], "x"], ["-", ["slack", 0]])])),
    "a length of two": proof(XY, split(["=", ["abs", "x", "y"], "x"], ["abs", "x", "y"], [shown(["=", ["abs", "x", "y"], "x"], ["-", ["slack", 0]])], [shown(["=", ["abs", "x", "y"], "x"], ["-", ["slack", 0]])])),
    "the facts of one case in another": proof(XY, split(["<=", "0", "1"], "x", [shown(["<=", "0", "1"], "1")], [shown(["<=", "0", "1"], "1")]), shown(["<", "0", "x"], ["slack", 1])),
    # induction
    "no base": changed("rounds", *LAST, "base", to=[]),
    "no step": changed("rounds", *LAST, "step", to=[]),
    "no step at all": {**GOOD["rounds"], "lines": [{k: v for k, v in GOOD["rounds"]["lines"][0].items() if k != "step"}]},
    "the base of another claim": changed("rounds", *LAST, "base", to=[shown(["<=", "0", "1"], "1")]),
    "the step of another claim": false_step([shown(["<=", "t", "5"], ["slack", 0])]),
    "a step that takes what it shows": false_step([shown(["<=", ["+", "t", "1"], "5"], ["slack", 1])]),
    "a step from a later one": false_step([{"show": ["<=", ["+", "t", "1"], "5"], "every": 0, "at": ["+", "t", "1"]}]),
    "induction over a real number": proof({"t": "real"}, {"show": ["<=", "0", "t"], "induct": "t", "base": [shown(["<=", "0", "0"])], "step": [shown(["<=", "0", ["+", "t", "1"]], ["+", ["slack", 0], "1"])]}),
    "induction over a number": proof({}, {"show": FALSE, "induct": "1", "base": [], "step": []}),
    "induction over how many vectors there are": proof(
        {"n": "count", "u": "family n"}, {"show": ["<=", ["each", "n", "u", "u"], "0"], "induct": "n", "base": [shown(["<=", ["each", "1", "u", "u"], "0"])], "step": [shown(["<=", ["each", ["+", "n", "1"], "u", "u"], "0"], ["slack", 0])]}
    ),
    "every one at less than the least": changed("every", *LAST, to={"show": ["<=", ["at", "a", "-1"], "0"], "every": 0, "at": "-1"}),
    "every one at a half": changed("every", *LAST, to={"show": ["<=", ["at", "a", "1/2"], "0"], "every": 0, "at": "1/2"}),
    "every one at a difference": changed("every", *LAST, to={"show": ["<=", ["at", "a", ["-", "n", "t"]], "0"], "every": 0, "at": ["-", "n", "t"]}),
    "every one of a fact about one": changed("every", "lines", 0, to=given(["<=", ["at", "a", "t"], "0"])),
    "every one of no number": changed("every", *LAST, "every", to="0"),
    # vectors
    "a product of different vectors": proof({"u": "vector", "v": "vector"}, shown(["<=", "0", ["dot", "u", "v"]], ["dot", "u", "v"])),
    "a length of a sum": proof({"n": "count", "u": "family n"}, shown(["=", ["dot", ["total", "u"], ["total", "u"]], ["each", "n", "u", "u"]])),
    "as many vectors as one likes": changed("vectors", *LAST, to=shown(["<=", ["each", "n", "u", "u"], ["each", "2", "u", "u"]])),
    "a member outside its sum": proof({"n": "count", "u": "family n"}, shown(["<=", "0", ["dot", "u", "u"]], ["dot", "u", "u"])),
    "a vector as a number": proof({"u": "vector"}, shown(["<=", "0", "u"], "0")),
    "a negative number of vectors": proof({"u": "vector"}, shown(["<=", ["dot", "u", "u"], "0"], ["each", "-1", "u", "u"])),
    "a number of vectors that may be negative": proof({"u": "vector", "x": "real"}, shown(["<=", "0", ["*", "x", ["dot", "u", "u"]]], ["each", "x", "u", "u"])),
    "a negative number of members": proof({"u": "family -1"}, shown(["<=", "0", ["each", "-1", "u", "u"]], ["each", "-1", "u", "u"])),
    "a number of vectors that is none": proof({"None": "count", "u": "family None"}, shown(["<=", "0", ["dot", "u", "u"]], ["dot", "u", "u"])),
    "vectors of another kind": proof({"u": "vector foo"}, shown(["<=", "0", ["dot", "u", "u"]], ["dot", "u", "u"])),
    "a number of vectors below 1": proof({"n": "real", "u": "family n"}, shown(["<=", ["dot", ["total", "u"], ["total", "u"]], "0"], ["*", "-1", ["dot", ["total", "u"], ["total", "u"]]])),
    # shapes
    "a list": [GOOD["squares"]],
    "words": "proved",
    "nothing": None,
    "lines that are none": changed("squares", "lines", to="proved"),
    "a line that is none": changed("squares", "lines", 0, to="proved"),
    "symbols that are a list": changed("squares", "symbols", to=["x", "y"]),
    "an empty formula": proof({}, shown(FALSE, [])),
    "a formula of nothing": proof({}, shown(FALSE, [[]])),
    "a mapping as a formula": proof({}, shown(FALSE, {"+": []})),
    "an unknown head": proof({}, shown(FALSE, ["sign", "1"])),
    "a difference of three": proof({}, shown(FALSE, ["-", "0", "0", "1"])),
    "a quotient of three": proof({}, shown(["<=", "0", "1"], ["/", "2", "2", "2"])),
    "as and nothing": proof({}, {"show": FALSE, "as": None}),
    "no reason": proof({}, {"show": FALSE}),
    "nested too deeply": proof(XY, shown(["<=", "0", "x"], DEEP)),
}  # fmt: skip
UNREADABLE = {  # true claims, but the certificates do not follow the grammar
    "put in from the end": changed("put in", *LAST, "put", to=[-1]),
    "a root of degree 23": proof({"x": "positive"}, shown(["<=", "0", ["root", "23", "x"]], ["root", "23", "x"])),
    "a root of no degree": proof({"x": "positive"}, shown(["<=", "0", ["root", "", "x"]], ["root", "", "x"])),
    "two reasons": changed("rounds", *LAST, "split", to="t"),
    "a domain of nothing that is used": proof({"x": "unicorn"}, shown(["<=", "0", "1"], "1")),
    "a member of nothing": proof({}, shown(["=", ["at", "a", "1"], ["at", "a", "1"]])),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_the_good_ones_are_good(name: str) -> None:
    check(GOOD[name])
    recheck(GOOD[name])


@pytest.mark.parametrize("name", [*FORGED, *UNREADABLE])
def test_forgeries_are_refused_by_both(name: str) -> None:
    forged = {**FORGED, **UNREADABLE}[name]
    with pytest.raises(Refused):
        check(forged)
    with pytest.raises(Rejected):
        recheck(forged)


def answered(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """The checker's answer about a file."""
    path = folder / "certificate.json"
    path.write_text(text)
    command = [sys.executable, "-I", check_proof.__file__, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


GOOD_TEXT = json.dumps(GOOD["squares"])
FILES = {
    "a claim twice": '{"claim": ["<=", "1", "0"], ' + GOOD_TEXT[1:],
    "symbols twice": GOOD_TEXT[:-1] + ', "symbols": {"x": "real", "y": "real"}}',
    "a domain twice": GOOD_TEXT.replace('{"x": "real"', '{"x": "positive", "x": "real"'),
    "a certificate twice": f'{{"one": {GOOD_TEXT}, "one": {GOOD_TEXT}}}',
    "not a number": GOOD_TEXT.replace('"2"', "NaN", 1),
    "numbers": GOOD_TEXT.replace('"2"', "2"),
    "half of it": GOOD_TEXT[: len(GOOD_TEXT) // 2],
    "twice the same": GOOD_TEXT * 2,
    "brackets": "[" * 100_000,
    "nothing": "",
    "a list": f"[{GOOD_TEXT}]",
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_say_two_things_are_refused(name: str, tmp_path: Path) -> None:
    ran = answered(tmp_path, FILES[name])
    assert ran.returncode in (1, 2)
    assert ": proved" not in ran.stdout
    assert not ran.stderr


def test_what_is_proved_beside_what_is_not_is_told_apart(tmp_path: Path) -> None:
    ran = answered(tmp_path, json.dumps({"good": GOOD["squares"], "false": FORGED["another number"]}))
    assert ran.returncode == 1
    assert "good: proved" in ran.stdout
    assert "false: REFUSED" in ran.stdout


@pytest.mark.skipif(not shutil.which("coqtop"), reason="needs Debian's coq")
def test_forgeries_are_refused_by_the_proof_kernel() -> None:
    names, texts = list[str](), [PRELUDE, VECTORS]
    for name, forged in (*FORGED.items(), *((f"good {name}", proof) for name, proof in GOOD.items())):
        try:
            text = theorem(name, forged)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            continue  # not even exported
        assumed = any(line.get("given") == forged["claim"] for line in forged["lines"])
        if len(text) > 10_000 or assumed:  # that a claim follows from itself is true
            continue
        names.append("t_" + re.sub(r"\W", "_", name))
        texts += [text, "Abort All.", f"Check {names[-1]}."]
    ran = subprocess.run(
        ["coqtop", "-q"], input="\n".join(texts), capture_output=True, text=True, check=False, timeout=120
    )
    whole = [name for name in names if f"\n{name}\n" in ran.stdout or f"{name} :" in ran.stdout]
    assert {name for name in names if name.startswith("t_good")} == set(whole)
    assert len(names) > len(FORGED) / 4
