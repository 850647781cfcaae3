"""Sums of squares: true relations that products of slacks leave open are proved, and false ones are not."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp
from sympy.core.relational import Relational

from verify.check_proof import Refused, check
from verify.engine.certificates.question import Question, Undecided
from verify.engine.proof import prover
from verify.engine.proof.prover import follows
from verify.engine.search.points import suspected_consequence
from verify.engine.tactics.prove import prove_by_squares

x, y, z = sp.symbols("x y z", real=True)
p, q, r = sp.symbols("p q r", nonnegative=True)
a, b, c, d = sp.symbols("a b c d", positive=True)
N = sp.Symbol("N", integer=True, positive=True)
sphere = sp.Eq(x**2 + y**2 + z**2, 1)
vasc = 3 * (x**3 * y + y**3 * z + z**3 * x)
TRUE: dict[str, tuple[Relational, ...]] = {
    "on the sphere": (x * y + y * z + z * x >= -sp.Rational(1, 2), sphere),
    "a product on the sphere": (x * y * z <= sp.Rational(1, 5), sphere),
    "on the simplex": (p**3 + q**3 + r**3 + 6 * p * q * r >= sp.Rational(1, 4), sp.Eq(p + q + r, 1)),
    "of degree four, zero at four lines": (vasc <= (x**2 + y**2 + z**2) ** 2,),
    "in each order": (p * q + q * r + r * p - 2 * p * q * r <= sp.Rational(7, 27), sp.Eq(p + q + r, 1)),
    "after multiplication": (x**4 * y**2 + x**2 * y**4 + 1 >= 3 * x**2 * y**2,),
    "strict": (sp.Gt(x**4 - 2 * x**2 * y + 2 * y**2 + 1, 0),),
    "over a positive number": (a / b + b / c + c / a >= 3,),
    "in two numbers without conditions": (
        ((1 - a) * (x + y)) ** 2 <= (1 - a) * x**2 + y**2 / a,
        sp.Le(a, 1, evaluate=False),
    ),
    "over positive numbers": (a / (b + c) + b / (c + d) + c / (d + a) + d / (a + b) >= 2,),
}
FALSE: dict[str, tuple[Relational, ...]] = {
    "on the sphere": (x * y + y * z + z * x >= -sp.Rational(49, 100), sphere),
    "of degree four": (vasc * sp.Rational(101, 100) <= (x**2 + y**2 + z**2) ** 2,),
    "zero somewhere, so not strict": (sp.Gt((x**2 - y) ** 2, 0),),
    "below zero at infinity": (-(x**4) + x**2 <= -1,),
}


def asked(relations: tuple[Relational, ...]) -> Question:
    return Question(relations[0], tuple((condition, "condition") for condition in relations[1:]))


@pytest.mark.parametrize("name", TRUE)
def test_sums_of_squares_prove_true_relations(name: str) -> None:
    certificate = prove_by_squares(asked(TRUE[name]))
    assert not isinstance(certificate, Undecided), certificate.tried
    check(dict(certificate))
    changed = [*certificate["claim"][:2], ["-", certificate["claim"][2], "1/100"]]
    lines = [*certificate["lines"][:-1], {**certificate["lines"][-1], "show": changed}]
    with pytest.raises(Refused):  # the same squares prove nothing else
        check({**certificate, "lines": lines, "claim": changed})


@pytest.mark.parametrize("name", FALSE)
def test_false_relations_have_no_sum_of_squares(name: str) -> None:
    assert isinstance(prove_by_squares(asked(FALSE[name])), Undecided)


def test_the_solver_decides_where_a_longer_search_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Any] = []

    def counted(question: Question) -> Undecided:
        searched.append(question.relation)
        return Undecided("counted")

    monkeypatch.setattr(prover, "prove_by_squares", counted)
    true, unclear = TRUE["a product on the sphere"], (sp.cos(x) <= sp.Rational(1, 2) + x**2,)
    for relations in (true, unclear, FALSE["on the sphere"]):
        follows(asked(relations))
    assert searched == [true[0]]


def test_what_the_solver_finds_no_point_for() -> None:
    assert suspected_consequence(*TRUE["on the sphere"][:1], TRUE["on the sphere"][1:])
    assert not suspected_consequence(*FALSE["on the sphere"][:1], FALSE["on the sphere"][1:])
    assert not suspected_consequence(N <= 2, (sp.Lt(N, 3),)), "true for whole numbers only"
    assert suspected_consequence(TRUE["over positive numbers"][0], ()), "the solver reaches its limit"
    assert not suspected_consequence(sp.cos(x) <= 1, ()), "a function that the solver cannot read"
