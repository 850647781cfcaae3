"""Certificates: true relations are proved, false ones never, and both checkers refuse changed certificates."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.catalogue import statement as known
from bounds.statement import Statement
from verify import check_proof
from verify.check_proof import Refused, check
from verify.engine.certificates import Question, Rejected, Undecided, prove, recheck, store
from verify.engine.checks.table import claimed_of, row, table
from verify.engine.model.claim import BUDGETS
from verify.engine.proof.basis import question_of
from verify.engine.tactics.numbers import certified
from verify.engine.topics import claim_of
from verify.engine.verdict import Verdict

x, y, z = sp.symbols("x y z", real=True)
a, b, c = sp.symbols("a b c", positive=True)
u, v = sp.symbols("u v", nonnegative=True)
M, N = sp.symbols("M N", integer=True, positive=True)
at_most = lambda left, right: sp.Le(left, right, evaluate=False)  # noqa: E731

TRUE = {
    "mean inequality": (at_most(2 * x * y, x**2 + y**2), ()),
    "roots": (at_most(sp.sqrt(a * b), (a + b) / 2), ()),
    "cubes": (at_most(a * b * c, (a**3 + b**3 + c**3) / 3), ()),
    "chain": (at_most(a, c), (a <= b, b <= c)),
    "sampling": (at_most((M - N) / (M - 1), 1), (M >= 2, N <= M)),
    "Young": (at_most((x + y) ** 2, (1 + a) * x**2 + (1 + 1 / a) * y**2), ()),
    "largest": (at_most(sp.Max(a, b), a + b), ()),
    "triangle": (at_most(sp.Abs(x + y), sp.Abs(x) + sp.Abs(y)), ()),
    "products of bounds": (at_most(x * y, a * b), (sp.Abs(x) <= a, sp.Abs(y) <= b)),
    "squares": (at_most(a**2, 4 * b**2), (a <= 2 * b,)),
    "quotients": (at_most(a / (1 - x), a * (1 + 2 * x)), (x >= 0, x <= sp.Rational(1, 2))),
    "powers": (sp.Ge((1 + a) ** (M + 1), (1 + a) ** M, evaluate=False), ()),
    "roots of squares": (at_most(u, v), (at_most(u**2, v**2),)),
    "Cauchy-Schwarz without its square": (sp.Ge(x, -u * v, evaluate=False), (at_most(x**2, u**2 * v**2),)),
    "below a root": (at_most(u, sp.sqrt(u**2 + v)), ()),
    "equations": (sp.Eq(x + y, z, evaluate=False), (sp.Eq(x, z - y),)),
    "an equation between inequalities": (sp.Eq(x, y, evaluate=False), (x <= y + z, x >= y - z, sp.Eq(z, 0))),
    "no square": (sp.Eq(x, 0, evaluate=False), (at_most(x, -(y**2)), x >= 0)),
    "above a positive number": (sp.Gt(u, 0, evaluate=False), (x > 0, u >= x**2 * (v + 2) / (v + 1) ** 2)),
    "above by way of another": (sp.Lt(0, z, evaluate=False), (y >= x + a, x >= 0, z >= 2 * y)),
    "more than nothing": (sp.Gt(x, 0, evaluate=False), (x > u,)),
}
FALSE = {
    "a root of squares with a sign": (at_most(v, x), (at_most(v**2, x**2),)),
    "squares the wrong way round": (at_most(u, v), (sp.Ge(u**2, v**2, evaluate=False),)),
    "not strict": (sp.Lt(x, x, evaluate=False), ()),
    "an insertion below zero": (at_most(M**3, M * x**2), (at_most(x**3 + x, x), sp.Ge(x, -M))),
    "length as its negative": (at_most(sp.Abs(x), -x), (x >= -1, x <= 1)),
    "lengths of sums": (at_most(sp.Abs(x) ** 2 + sp.Abs(y) ** 2, sp.Abs(x + y) ** 2), ()),
    "a name of ours": (at_most(sp.Symbol("N_rest", positive=True), N), (N >= 2,)),
    "no condition": (at_most(a, b), ()),
    "wrong power": (at_most(a**2, b), (a <= b,)),
    "one inequality for an equation": (sp.Eq(x, y, evaluate=False), (x <= y, x >= y - z)),
    "above what may be zero": (sp.Gt(u, 0, evaluate=False), (x >= 0, u >= x**2 * (v + 2) / (v + 1) ** 2)),
    "above by way of what may be zero": (sp.Lt(0, z, evaluate=False), (y >= x + u, x >= 0, z >= 2 * y)),
    "not less than nothing": (sp.Gt(x, 0, evaluate=False), (x >= u,)),
    "not defined": (sp.Eq(1 / (M - N), 1 / (M - N) + 1, evaluate=False), ()),
}


def found(relation: Any, conditions: tuple[Any, ...]) -> Any:
    return prove(Question(relation, tuple((condition, "condition") for condition in conditions)))


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_gets_a_certificate(name: str) -> None:
    certificate = found(*TRUE[name])
    assert not isinstance(certificate, Undecided), certificate.tried
    check(certificate)
    recheck(certificate)


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_gets_none(name: str) -> None:
    assert isinstance(found(*FALSE[name]), Undecided)


def test_a_denominator_that_may_vanish_is_a_condition() -> None:
    certificate = found(at_most((M - N) / (M - 1), 1), (N <= M,))
    assert [line["given"][0] for line in certificate["lines"] if line.get("by") == "defined"] == ["!="]


def numbers(content: Any, path: tuple[Any, ...] = ()) -> Any:
    """Places of numbers in the formulas of a certificate."""
    if isinstance(content, dict):
        for key in ("as", "parts", "base", "step"):
            if key in content:
                yield from numbers(content[key], (*path, key))
    elif isinstance(content, list):
        for k, part in enumerate(content):
            yield from numbers(part, (*path, k))
    elif isinstance(content, str) and check_proof.NUMBER.fullmatch(content) and Fraction(content) != 0:
        yield path


@pytest.mark.parametrize("name", TRUE)
def test_a_changed_number_is_refused_by_both(name: str) -> None:
    certificate = found(*TRUE[name])
    for k, line in enumerate(certificate["lines"]):
        for path in numbers(line):
            changed = copy.deepcopy(certificate)
            inside = changed["lines"][k]
            for step in path[:-1]:
                inside = inside[step]
            inside[path[-1]] = str(Fraction(inside[path[-1]]) + Fraction(1, 7))
            with pytest.raises(Refused):
                check(changed)
            with pytest.raises(Rejected):
                recheck(changed)


def test_the_checker_works_alone(tmp_path: Any) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(found(*TRUE["sampling"])))
    ran = subprocess.run(
        [sys.executable, "-I", check_proof.__file__, str(path)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "proved" in ran.stdout


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [("{}", 2, "not well formed"), ("[]", 2, "not well formed"), ('{"one": {}}', 2, "not well formed"),
     ('{"one": {"id": "two", "undecided": "a point"}}', 1, "one: REFUSED. undecided: a point")],
)  # fmt: skip
def test_a_file_without_proofs_proves_nothing(
    content: str, status: int, said: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(content)
    assert check_proof.main([str(path)]) == status
    assert said in capsys.readouterr().out


INNER = ["*", ["dot", "u", "v"], ["dot", "w", "z"]], ["*", ["dot", "u", "w"], ["dot", "v", "z"]]
TRICKS = {
    "no case at all": {"symbols": {}, "claim": ["<=", "1", "0"], "lines": [{"show": ["<=", "1", "0"], "split": ["max"], "parts": []}]},
    "vectors as numbers": {
        "symbols": dict.fromkeys("uvwz", "vector"),
        "claim": ["=", *INNER],
        "lines": [{"show": ["=", *INNER], "as": "0"}],
    },
    "an assumption about one t used for all": {
        "symbols": {"t": "count", "x": "real"},
        "claim": ["<=", "t", "x"],
        "lines": [
            {"given": ["<=", "t", "x"], "by": "condition"},
            {"show": ["<=", "t", "x"], "induct": "t", "base": [{"show": ["<=", "1", "x"], "as": ["slack", 0]}], "step": [{"show": ["<=", ["+", "t", "1"], "x"], "as": ["slack", 1]}]},
        ],
    },
    "an assumption inside": {
        "symbols": {"x": "real"},
        "claim": ["<=", "x", "0"],
        "lines": [{"show": ["<=", "x", "0"], "split": "x", "parts": [[], [{"given": ["<=", "x", "0"], "by": "me"}]]}],
    },
    "division by zero": {
        "symbols": {"x": "real"},
        "claim": ["=", ["/", "x", "x"], "1"],
        "lines": [{"show": ["=", ["/", "x", "x"], "1"], "as": "0"}],
    },
    "root of a negative number": {
        "symbols": {"x": "real"},
        "claim": ["=", ["^", ["root", "2", "x"], "2"], "x"],
        "lines": [{"show": ["=", ["^", ["root", "2", "x"], "2"], "x"], "as": ["*", "-1", ["-", ["^", ["root", "2", "x"], "2"], "x"]]}],
    },
    "an assumption that passes for the claim": {
        "symbols": {},
        "claim": ["<=", "1", "0"],
        "lines": [{"given": ["<=", "0", "1"], "by": "me", "show": ["<=", "1", "0"]}],
    },
    "shown for one t, used for all": {
        "symbols": {"t": "count", "x": "real", "n": "count"},
        "claim": ["<=", "n", "x"],
        "lines": [
            {"given": ["<=", "t", "x"], "by": "condition"},
            {"show": ["<=", "t", "x"], "as": ["slack", 0], "for": "t"},
            {"show": ["<=", "n", "x"], "every": 1, "at": "n"},
        ],
    },
    "shown for one t as if by induction": {
        "symbols": {"t": "count", "x": "real", "n": "count"},
        "claim": ["<=", "n", "x"],
        "lines": [
            {"given": ["<=", "t", "x"], "by": "condition"},
            {"show": ["<=", "t", "x"], "as": ["slack", 0], "induct": "t"},
            {"show": ["<=", "n", "x"], "every": 1, "at": "n"},
        ],
    },
    "the hypothesis of an induction for every t": {
        "symbols": {"t": "count", "x": "real"},
        "claim": ["<=", "t", "x"],
        "lines": [
            {"given": ["<=", "1", "x"], "by": "condition"},
            {
                "show": ["<=", "t", "x"],
                "induct": "t",
                "base": [{"show": ["<=", "1", "x"], "as": ["slack", 0]}],
                "step": [{"show": ["<=", ["+", "t", "1"], "x"], "every": 1, "at": ["+", "t", "1"]}],
            },
        ],
    },
    "a number as a name": {
        "symbols": {"2": "count", "n": "count", "x": "real"},
        "claim": ["<=", "n", "x"],
        "lines": [
            {"given": ["<=", "2", "x"], "by": "condition", "for": "2"},
            {"show": ["<=", "n", "x"], "every": 0, "at": "n"},
        ],
    },
}  # fmt: skip


SIGNED_LATER = {
    "a sign": (["*", "x", "y"], ["show", [">=", ["*", "x", "y"], "0"]], {"as": ["*", "x", "y"]}),
    "a divisor": (["^", "y", "2"], ["given", [">=", ["/", "x", "y"], "0"]], {"by": "condition"}),
}
"""A formula that is computed before y > 0 is known, and a line that needs it."""


@pytest.mark.parametrize("name", SIGNED_LATER)
def test_what_was_reckoned_before_a_fact_is_known_by_it_later(name: str) -> None:
    formula, (kind, relation), reason = SIGNED_LATER[name]
    earlier = {"given": ["<=", formula, ["+", formula, "1"]], "by": "condition"}
    sign = {"given": [">", "y", "0"], "by": "condition"}
    last = {"show": [">=", "x", "0"], "as": "x"}
    for lines, proved in (([earlier, sign], True), ([earlier], False), ([sign, earlier], True)):
        proof = {
            "symbols": {"x": "nonnegative", "y": "real"},
            "claim": ["<=", "0", "1"],
            "lines": [*lines, {kind: relation, **reason}, last, {"show": ["<=", "0", "1"], "as": "1"}],
        }
        if proved:
            check(proof)
        else:
            with pytest.raises(Refused):
                check(proof)


@pytest.mark.parametrize("name", TRICKS)
def test_tricks_are_refused_by_both(name: str) -> None:
    with pytest.raises(Refused):
        check(TRICKS[name])
    with pytest.raises(Rejected):
        recheck(TRICKS[name])


EACH = lambda u, v: ["each", "n", u, v]  # noqa: E731
APART = ["-", "u", ["*", ["/", "1", "n"], ["total", "u"]]]
JENSEN = ["<=", ["dot", ["total", "u"], ["total", "u"]], ["*", "n", EACH("u", "u")]]


def test_a_symmetric_sum_for_every_number_of_vectors() -> None:
    proof = {
        "symbols": {"n": "count", "u": "family n"},
        "claim": JENSEN,
        "lines": [{"show": JENSEN, "as": ["*", "n", EACH(APART, APART)]}],
    }
    check(proof)
    recheck(proof)


BERNOULLI = [">=", ["^", ["+", "1", "x"], "t"], ["+", "1", ["*", "t", "x"]]]


def test_induction() -> None:
    grown = ["+", ["*", ["slack", 0], ["+", "1", "x"]], ["*", "t", ["^", "x", "2"]]]
    proof = {
        "symbols": {"x": "nonnegative", "t": "whole"},
        "claim": BERNOULLI,
        "lines": [
            {
                "show": BERNOULLI,
                "induct": "t",
                "base": [{"show": check_proof.substituted(BERNOULLI, "t", "0"), "as": "0"}],
                "step": [{"show": check_proof.substituted(BERNOULLI, "t", ["+", "t", "1"]), "as": grown}],
            }
        ],
    }
    check(proof)
    recheck(proof)


whole = st.integers(-3, 3)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(whole, whole, whole), min_size=1, max_size=3), st.tuples(whole, whole, whole), whole
)
def test_no_false_consequence_of_linear_conditions_is_proved(rows: Any, goal: Any, offset: int) -> None:
    """A point meets all conditions and breaks the goal, so there is no certificate."""
    symbols = (a, x, y)
    line = lambda row: sum(k * s for k, s in zip(row, symbols, strict=True))  # noqa: E731
    point = {a: sp.Rational(3, 2), x: sp.Integer(-1), y: sp.Rational(2, 3)}
    conditions = tuple(at_most(line(row), line(row).subs(point)) for row in rows if any(row))
    relation = at_most(line(goal), line(goal).subs(point) - 1 - abs(offset))
    if all(
        isinstance(r.lhs - r.rhs, sp.Expr) and (r.lhs - r.rhs).free_symbols for r in (*conditions, relation)
    ):
        assert isinstance(found(relation, conditions), Undecided)


@pytest.mark.core
def test_every_stored_certificate_is_a_proof_for_both_checkers() -> None:
    kept = [entry["certificate"] for entry in store.entries().values() if "certificate" in entry]
    assert len(kept) > 300
    for certificate in kept:
        check(certificate)
        recheck(certificate)


def test_a_stored_certificate_answers_only_its_own_question() -> None:
    asked = Question(at_most(a, c), ((a <= b, "condition"), (b <= c, "condition")))
    certificate = prove(asked)
    assert not isinstance(certificate, Undecided)
    store.answers(asked, certificate)
    with pytest.raises(Refused, match="not given"):
        store.answers(Question(at_most(a, c), ((a <= b, "condition"),)), certificate)
    with pytest.raises(Refused, match="another relation"):
        store.answers(Question(at_most(a, b), asked.given), certificate)


def number(text: str) -> np.ndarray:
    return np.array([Fraction(text)], dtype=object)


def test_numbers_have_certificates_and_wrong_ones_have_none() -> None:
    """Extremes and lengths of numbers are replaced one by one; the certificate contains numbers only."""
    relation = at_most(sp.Max(0, x - a) ** 2, sp.Min(b, sp.Abs(y) * 3, c / (b - 3)))
    values = {"x": number("5/2"), "a": number("1"), "y": number("-3/2"), "b": number("4"), "c": number("5/2")}
    (certificate,) = certified(relation, values)
    assert certificate is not None
    check(dict(certificate))
    recheck(certificate)
    assert certificate["symbols"] == {}
    assert certified(relation, {**values, "y": number("1/2")}) == [None]


def test_a_table_is_proved_by_the_certificates_of_its_rows() -> None:
    rows = {
        name: row({}, {"x": low, "y": high})
        for name, low, high in (("one", "0.5", "0.7"), ("two", "-1", "1"))
    }
    statement = Statement("own.table", "x is below y", at_most(sp.Abs(x), y), known("special.eq27").source)
    finding = table(rows)(claimed_of(statement, rows), BUDGETS["quick"], 0)
    assert finding.verdict is Verdict.PROVED
    assert finding.proof is not None
    assert finding.proof["count"] == 2
    assert finding.proof["sizes"] is None
    for proof in finding.proof["certificates"]:
        check(dict(proof))


def test_a_search_that_failed_leaves_nothing_behind() -> None:
    """Names that one branch gave to slacks of its facts mean nothing in the next search."""
    question = question_of(claim_of("fedmes.eq40.second"))
    assert isinstance(prove(question, 200), Undecided | dict)


def test_what_is_shown_on_the_way_helps_and_is_not_believed() -> None:
    """sqrt(4 a + 3) >= 2 sqrt(a) + 3/(5 sqrt(a)) for a >= 1, through the product of both roots."""
    far = sp.sqrt(4 * a + 3) - 2 * sp.sqrt(a)
    relation, given = sp.Ge(far, 3 / (5 * sp.sqrt(a))), ((sp.Ge(a, 1), "condition"),)
    way = (sp.Ge(sp.sqrt(a), 1), sp.Ge(5 * sp.sqrt(a) * sp.sqrt(4 * a + 3), 10 * a + 3))
    assert isinstance(prove(Question(relation, given), 80), Undecided)
    found = prove(Question(relation, given, through=way))
    assert not isinstance(found, Undecided)
    check(dict(found))
    recheck(found)
    false = sp.Ge(far, 3 / sp.sqrt(a))
    assert isinstance(prove(Question(false, given, through=(*way, false)), 80), Undecided)
    assert Question(relation, given).digest != Question(relation, given, through=way).digest
