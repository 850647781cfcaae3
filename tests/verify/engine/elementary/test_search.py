"""Steps with sums, powers, exponentials and logarithms: true ones are proved, and no false one."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy.core.relational import Relational

from bounds.relations import eq, le, lt
from verify.check_proof import Refused
from verify.engine.certificates import store
from verify.engine.certificates.question import Question, Undecided
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.search import elementary
from verify.engine.proof.prover import check_answer, follows_by_laws

a, b, q, eps, mu, L = sp.symbols("a b q eps mu L", positive=True)
x, y = sp.symbols("x y", real=True)
T, N, n = sp.symbols("T N n", integer=True, positive=True)
i = sp.Symbol("i", integer=True)
k = sp.Symbol("k", integer=True, positive=True)
s, r = sp.IndexedBase("s"), sp.IndexedBase("r")
d = sp.IndexedBase(sp.Symbol("d", nonnegative=True))
t = sp.Symbol("t", integer=True, positive=True)
GROWING = le(d[t], (1 + a) * d[t - 1] + b)

TRUE = {
    "tangent": (sp.exp(x) >= 1 + x,),
    "monotone": (sp.log(q) <= sp.log(a), q <= a),
    "product": (sp.Eq(sp.log(q / a), sp.log(q) - sp.log(a), evaluate=False),),
    "iterations": (sp.exp(-T * mu / L) <= eps, L / mu * sp.log(1 / eps) <= T),
    "from 4": (2**n >= n**2, n >= 4),
    "exponents": ((1 + q) ** T <= (1 + q) ** N, T <= N),
    "root of two": (sp.Eq(q * sp.sqrt(2) ** (T + 1), q * sp.sqrt(2) * sp.sqrt(2) ** T, evaluate=False),),
    "log above": (sp.log(1 + a) >= 2 * a / (2 + a),),
    "log below": (sp.log(1 + a) <= a / sp.sqrt(1 + a),),
    "exp below": (sp.exp(a) <= 1 + a + a**2, a <= 1),
    "exp of a negative number": (sp.exp(-a) <= 1 - a + a**2 / 2,),
    "roots of two degrees": (
        le(q**2 * N / T, 1 / sp.sqrt(N * T)),
        le(q, T ** sp.Rational(1, 4) / N ** sp.Rational(3, 4)),
    ),
    "ceiling of a quotient": (le(sp.ceiling(T / N) * N, T + N - 1),),
    "gauss": (sp.Eq(sp.Sum(i, (i, 1, T)), T * (T + 1) / 2),),
    "closed form": (sp.Sum(q**i, (i, 0, T)) <= 1 / (1 - q), q < 1),
    "harmonic": (sp.Sum(1 / k, (k, 1, T)) <= 1 + sp.log(T),),
    "stronger": (sp.Sum(1 / k**2, (k, 1, T)) <= 2,),
    "roots": (sp.Sum(1 / sp.sqrt(k), (k, 1, T)) <= 2 * sp.sqrt(T),),
    "sequence": (sp.Sum(s[i], (i, 1, n)) ** 2 <= n * sp.Sum(s[i] ** 2, (i, 1, n)),),
    "Cauchy": (
        sp.Sum(s[i] * r[i], (i, 1, n)) ** 2 <= sp.Sum(s[i] ** 2, (i, 1, n)) * sp.Sum(r[i] ** 2, (i, 1, n)),
    ),
    "growing": (le(d[T], (1 + a) ** T * (d[0] + b / a)), GROWING),
    "growing from zero": (le(d[T], T * (1 + a) ** T * b), GROWING, sp.Eq(d[0], 0)),
    "floor": (lt(x, sp.floor(x) + 1),),
    "ceiling": (le(1 / sp.ceiling(1 / eps), eps),),
    "halves": (le(n, 2 * sp.floor(n / 2) + 1),),
    "largest": (le(n, sp.floor(q)), n <= q),
    "sum of floors": (le(sp.floor(x) + sp.floor(y), sp.floor(x + y)),),
    "factorial": (le(2**n, sp.factorial(n)), n >= 4),
    "recursion": (eq(sp.factorial(n), n * sp.factorial(n - 1)),),
    "two of n": (eq(sp.binomial(n, 2), n * (n - 1) / 2),),
    "pascal": (eq(sp.binomial(n + 1, k + 1), sp.binomial(n, k) + sp.binomial(n, k + 1)),),
    "symmetric": (eq(sp.binomial(n, k), sp.binomial(n, n - k)), k <= n),
    "quotient": (eq(sp.binomial(n, k), sp.factorial(n) / (sp.factorial(k) * sp.factorial(n - k))), k <= n),
    "central": (le(sp.binomial(2 * n, n), 4**n),),
    "telescope": (eq(sp.Product(1 + 1 / k, (k, 1, n)), n + 1),),
    "bernoulli": (le(1 + n * a, sp.Product(1 + a, (k, 1, n))),),
    "square of a sum": (eq(sp.Sum(s[i], (i, 1, n)) ** 2, sp.Sum(s[i] * s[k], (i, 1, n), (k, 1, n))),),
    "mean": (
        sp.Sum((s[i] - x) ** 2, (i, 1, n)) <= sp.Sum(s[i] ** 2, (i, 1, n)),
        eq(n * x, sp.Sum(s[i], (i, 1, n))),
    ),
    "from 2": ((1 + 1 / (n - 1)) ** n <= 4, n >= 2),
    "root of n": (n ** (1 / n) <= 2,),
    "closed product": (le(sp.Product(1 - 1 / (k + 1), (k, 1, n)), 1 / n),),
    "tuned logarithm": (a * sp.exp(-mu * b * T) <= a / T, eq(b, sp.log(T) / (mu * T))),
}
FALSE = {
    "tangent": (sp.exp(x) >= 1 + 2 * x,),
    "from 3": (2**n >= n**2, n >= 3),
    "exponents": ((1 - q) ** T <= (1 - q) ** N, T <= N, q < 1),
    "log above": (sp.log(1 + a) >= 3 * a / (3 + a),),
    "exp below": (sp.exp(a) <= 1 + a + a**2 / 2, a <= 1),
    "exp of a negative number": (sp.exp(-a) <= 1 - a + a**2 / 3,),
    "roots of two degrees": (
        le(q**2 * N / T, 1 / (2 * sp.sqrt(N * T))),
        le(q, T ** sp.Rational(1, 4) / N ** sp.Rational(3, 4)),
    ),
    "ceiling of a quotient": (le(sp.ceiling(T / N) * N, T + N - 2),),
    "gauss": (sp.Eq(sp.Sum(i, (i, 1, T)), T * (T - 1) / 2),),
    "stronger": (sp.Sum(1 / k**2, (k, 1, T)) <= sp.Rational(3, 2),),
    "sequence": (sp.Sum(s[i], (i, 1, n)) <= sp.Sum(s[i] ** 2, (i, 1, n)),),
    "growing": (le(d[T], (1 + a) ** T * (d[0] + b)), GROWING),
    "growing from zero": (le(d[T], T * b), GROWING, sp.Eq(d[0], 0)),
    "floor": (lt(x, sp.floor(x) + sp.Rational(99, 100)),),
    "ceiling": (le(1 / (sp.ceiling(1 / eps) - 1), eps), eps < 1),
    "halves": (le(n, 2 * sp.floor(n / 2)),),
    "largest": (lt(n, sp.floor(q)), n <= q),
    "factorial": (le(2**n, sp.factorial(n)), n >= 3),
    "recursion": (eq(sp.factorial(n), (n + 1) * sp.factorial(n - 1)),),
    "two of n": (eq(sp.binomial(n, 2), n * (n + 1) / 2),),
    "pascal": (eq(sp.binomial(n + 1, k + 1), sp.binomial(n, k) + sp.binomial(n, k + 2)),),
    "symmetric": (eq(sp.binomial(n, k), sp.binomial(n, n - k + 1)), k <= n),
    "telescope": (eq(sp.Product(1 + 1 / k, (k, 1, n)), n),),
    "square of a sum": (eq(sp.Sum(s[i], (i, 1, n)) ** 2, sp.Sum(s[i] * s[k], (i, 1, n), (k, 1, T))),),
    "from 2": ((1 + 1 / (n - 1)) ** n <= sp.Rational(39, 10), n >= 2),
    "root of n": (n ** (1 / n) <= sp.Rational(7, 5),),
    "closed product": (le(sp.Product(1 - 1 / (k + 1), (k, 1, n)), 1 / (n + 2)),),
}


def _question(relation: Relational, *conditions: Relational) -> Question:
    return Question(relation, tuple((condition, "condition") for condition in conditions))


@pytest.mark.parametrize("name", TRUE)
def test_a_true_step_is_proved_from_laws_and_conditions_alone(name: str) -> None:
    question = _question(*TRUE[name])
    found = follows_by_laws(question, 200)
    assert found is not None
    extended, proof = found
    assert proof.outcome == "proved"
    assert proof.certificate is not None
    store.answers(extended, proof.certificate)
    check_answer(question, proof.certificate)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "exponents" else []) for name in FALSE]
)
def test_a_false_step_is_not_proved(name: str) -> None:
    for extended in extensions(_question(*FALSE[name])):
        assert isinstance(elementary(extended, 40), Undecided)


def test_a_condition_on_one_value_cannot_be_assumed_for_every_value() -> None:
    question = _question(sp.Le(sp.Sum(q, (i, 1, T)), a, evaluate=False), sp.Le(T * q, a, evaluate=False))
    found = follows_by_laws(question, 100)
    assert found is not None
    assert found[1].certificate is not None
    forged = dict(found[1].certificate)
    forged["lines"] = [
        {**line, "for": "T"} if line.get("by") == "condition" else line for line in forged["lines"]
    ]
    with pytest.raises(Refused):
        check_answer(question, forged)


def test_a_law_of_one_s_own_is_refused() -> None:
    claim = ["<=", ["call", "exp", "x"], "0"]
    forged = {
        "symbols": {"x": "real"},
        "lines": [{"given": claim, "by": "law exp is positive"}, {"show": claim, "as": ["slack", 0]}],
        "claim": claim,
    }
    with pytest.raises(Refused):
        check_answer(_question(sp.Le(sp.exp(x), 0, evaluate=False)), forged)
