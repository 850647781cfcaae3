"""Claims about one symbol in pieces of its range: certificates are accepted, false claims never proved, failures cheap."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy.core.relational import Relational

from tests.verify.engine.elementary.values import true
from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import relation_tree
from verify.engine.certificates.question import Question
from verify.engine.certificates.recheck import recheck
from verify.engine.pieces.intervals import range_of
from verify.engine.pieces.search import Exhausted, Pieces, by_pieces
from verify.engine.proof.prover import check_answer, follows_by_laws

a = sp.Symbol("a", positive=True)
x = sp.Symbol("x", real=True)
T = sp.Symbol("T", integer=True, positive=True)
exp, log, sqrt, Q = sp.exp, sp.log, sp.sqrt, sp.Rational
TRUE: dict[str, tuple[Relational, ...]] = {
    "x log x": (a * log(a) >= -Q(37, 100),),
    "chord of exp": (exp(x) <= 1 + x + Q(3, 4) * x**2, x >= 0, x <= 1),
    "line below exp": (exp(x) >= Q(5, 2) * x,),
    "entropy": (-a * log(a) - (1 - a) * log(1 - a) <= Q(7, 10), a < 1),
    "bell": (x * exp(-x) <= Q(37, 100),),
    "strict": (sp.Lt(log(a), a / 2),),
    "square times exp": (exp(-x) * (1 + x) ** 2 <= Q(3, 2), x >= 0),
    "roots": (sqrt(1 + x) + sqrt(1 - x) <= 2, x >= -1, x <= 1),
    "whole numbers": (log(T + 1) <= Q(7, 10) * T,),
}
FALSE: dict[str, tuple[Relational, ...]] = {
    "x log x": (a * log(a) >= -Q(367, 1000),),
    "chord of exp": (exp(x) <= 1 + x + Q(71, 100) * x**2, x >= 0, x <= 1),
    "line below exp": (exp(x) >= Q(272, 100) * x,),
    "entropy": (-a * log(a) - (1 - a) * log(1 - a) <= Q(693, 1000), a < 1),
    "bell": (x * exp(-x) <= Q(367, 1000),),
    "strict": (sp.Lt(log(a), 9 * a / 25),),
    "strict at an end": (sp.Lt(1, exp(x)), x >= 0),
    "square times exp": (exp(-x) * (1 + x) ** 2 <= Q(147, 100), x >= 0),
    "roots": (sqrt(1 + x) + sqrt(1 - x) <= Q(199, 100), x >= -1, x <= 1),
    "beyond the end": (sqrt(1 + x) <= 1 + x / 4, x >= 0, x <= 9),
    "whole numbers": (log(T + 1) <= Q(69, 100) * T,),
}
HARD = {
    "tight in a root": (exp(-sqrt(a)) <= 1 - sqrt(a) + a / 2, a <= 4),
    "exp in log": (log(1 + exp(x)) <= Q(7, 10) + x / 2 + x**2 / 8,),
    "grows too fast": (log(1 + a**2) <= a,),
    "huge numbers": (exp(x) >= x**3, x >= 10**9),
}


def _question(relation: Relational, *conditions: Relational) -> Question:
    return Question(relation, tuple((condition, "condition") for condition in conditions))


@pytest.mark.parametrize("name", TRUE)
def test_a_true_claim_is_proved(name: str) -> None:
    question = _question(*TRUE[name])
    found = by_pieces(question)
    assert found is not None
    asked, certificate = found
    assert certificate["claim"] == relation_tree(question.relation)
    check(certificate)
    recheck(certificate)
    check_answer(question, certificate)
    _laws_hold(question, [law.relation for law in asked.laws])


def _laws_hold(question: Question, laws: list[object]) -> None:
    """Assert that laws hold where the claim is defined, also outside the piece for which they were made."""
    (symbol,) = question.relation.free_symbols
    for number in (Q(k, 23) for k in range(-60, 200, 19)):
        sides = [side.subs(symbol, number) for side in question.relation.args]
        if all(side.is_real for side in sides) and (symbol == x or number > 0):
            for law in laws:
                assert true(law, {symbol.name: float(number)}), (law, number)


@pytest.mark.parametrize("name", FALSE)
def test_a_false_claim_is_not_proved(name: str) -> None:
    assert by_pieces(_question(*FALSE[name])) is None


@pytest.mark.parametrize("name", sorted(TRUE.keys() & FALSE.keys()))
def test_a_certificate_shows_no_other_claim(name: str) -> None:
    found = by_pieces(_question(*TRUE[name]))
    assert found is not None
    claim = relation_tree(FALSE[name][0])
    *lines, last = found[1]["lines"]
    with pytest.raises(Refused):
        check({**found[1], "lines": [*lines, {**last, "show": claim}], "claim": claim})


def test_the_prover_tries_pieces() -> None:
    found = follows_by_laws(_question(*TRUE["strict"]), 50)
    assert found is not None
    assert found[1].outcome == "proved"


@pytest.mark.parametrize("name", HARD)
def test_what_takes_too_many_pieces_ends(name: str) -> None:
    assert by_pieces(_question(*HARD[name])) is None


def test_the_search_ends_at_its_limit() -> None:
    relation, *conditions = TRUE["x log x"]
    question = _question(relation, *conditions)
    assert Pieces(a, relation).proof(range_of(a, question))
    with pytest.raises(Exhausted):
        Pieces(a, relation, steps=20).proof(range_of(a, question))


@pytest.mark.parametrize(
    "relation", [sp.Eq(exp(x), 1 + x), exp(x) >= 1 + x + a, sp.sin(x) <= 2, x**2 >= 0, a**sp.pi >= 0], ids=str
)
def test_other_claims_are_left_to_other_proofs(relation: Relational) -> None:
    assert by_pieces(_question(relation)) is None
