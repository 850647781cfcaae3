"""Inequalities between sums are true at random numbers, need their conditions, and prove steps of the literature."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
import sympy as sp
from sympy.core.relational import Relational

from bounds.relations import eq, ge, le
from tests.verify.engine.elementary.asking import question_of, require_proof
from verify.check_proof import Refused, check
from verify.engine.certificates.question import Question
from verify.engine.proof.prover import follows_by_laws
from verify.engine.summation.inequalities import by_ends, inequalities, parts, windows
from verify.engine.summation.questions import by_sums

n, K, t = sp.symbols("n K t", integer=True, positive=True)
i, j = sp.symbols("i j", integer=True)
p, q = sp.symbols("p q", positive=True)
x, y = (sp.IndexedBase(sp.Symbol(name)) for name in "xy")
u, v, w = (sp.IndexedBase(sp.Symbol(name, positive=True)) for name in "uvw")
d, e = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in "de")


def added(term: sp.Expr) -> sp.Sum:
    return sp.Sum(term, (i, 1, n))


GROUPS = (
    [added(x[i] * y[i]), added(x[i] ** 2), added(y[i] ** 2), added(sp.Abs(x[i]))],
    [added(w[i]), added(1 / w[i]), added(sp.sqrt(w[i])), added(x[i] ** 2 / w[i]), added(x[i])],
    [added(d[i]), added(d[i] ** 2), added(d[i] ** 3), added(x[i]), added(x[i] ** 4)],
    [added(u[i]), added(u[i] ** p), added(w[i]), added(w[i] * u[i]), added(w[i] * u[i] ** p)],
    [added(w[i] * sp.exp(x[i])), added(sp.exp(x[i])), added(x[i])],
    [
        added(sp.log(u[i])),
        added(w[i] * sp.log(u[i] / v[i])),
        added(u[i] * sp.log(u[i]) - u[i] * sp.log(v[i])),
    ],
    [added(d[i]), added(e[i]), added(d[i] * e[i]), added(d[i] / i), added(1 / i), added(i * e[i]), added(i)],
    [added(u[i]), sp.Product(u[i], (i, 1, n)), sp.Product(d[i], (i, 1, n))],
)
POINTS = [sp.Tuple(sp.exp(p), sp.log(p), sp.sqrt(p), sp.log(1 + p), p**n, p ** (1 / n))]


def _between(low: sp.Rational, high: sp.Rational) -> Callable[[sp.Expr], bool]:
    """Whether a formula of p is nonnegative for all p from low to high; sums and counts never are negative."""

    def known(formula: sp.Expr) -> bool:
        here = formula.subs(n, sp.Symbol("n", integer=True, positive=True))
        return bool(here.is_nonnegative) or (
            here.free_symbols == {p} and all(here.subs(p, at) >= 0 for at in (low, (low + high) / 2, high))
        )

    return known


def _value(formula: sp.Expr, numbers: dict[str, list[float]], length: int, exponent: float) -> float:
    def put_in(part: sp.Basic, at: dict[sp.Symbol, int]) -> float:
        if isinstance(part, sp.Sum | sp.Product):
            index, low, high = part.limits[0]
            ends = (int(put_in(low, at)), int(put_in(high, at)))
            found = [put_in(part.function, {**at, index: k}) for k in range(ends[0], ends[1] + 1)]
            return math.fsum(found) if isinstance(part, sp.Sum) else math.prod(found)
        if isinstance(part, sp.Indexed):
            return numbers[part.base.label.name][int(put_in(part.indices[0], at))]
        if isinstance(part, sp.Symbol):
            return {**at, n: length, p: exponent}[part]
        if not part.args:
            return float(part)
        return float(part.func(*(sp.Float(put_in(one, at), 30) for one in part.args)))

    return put_in(formula, {})


@pytest.mark.parametrize("group", GROUPS, ids=str)
@pytest.mark.parametrize(
    ("low", "high"), [(sp.Rational(1, 4), sp.Rational(3, 4)), (sp.Rational(5, 4), sp.Integer(3))]
)
def test_inequalities_hold_at_random_numbers(
    group: list[sp.Expr], low: sp.Rational, high: sp.Rational
) -> None:
    chance = random.Random(7)
    known = _between(low, high)
    found = [
        relation
        for here in by_ends(group, known)
        for relation, _ in inequalities(here, POINTS, known, {d: (-1, 0), e: (1, 0)})
    ]
    assert found
    for _ in range(4):
        length, exponent = chance.randint(1, 4), chance.uniform(float(low), float(high))
        numbers = {name: [chance.uniform(0.1, 3) for _ in range(6)] for name in "uvwde"}
        numbers |= {name: [chance.uniform(-2, 2) for _ in range(6)] for name in "xy"}
        numbers["d"].sort(reverse=True)
        numbers["e"].sort()
        for relation in found:
            small, large = (_value(side, numbers, length, exponent) for side in (relation.lts, relation.gts))
            assert small <= large + 1e-9 * (1 + abs(small) + abs(large)), (
                relation,
                numbers,
                length,
                exponent,
            )


def test_no_inequality_without_its_condition() -> None:
    def unknown(formula: sp.Expr) -> bool:
        return bool(formula.is_nonnegative)

    def about(*totals: sp.Sum) -> list[sp.Basic]:
        return [r for here in by_ends(totals, unknown) for r, _ in inequalities(here, [], unknown, {})]

    assert not about(added(x[i]), added(x[i] ** 3))  # signs differ
    assert not about(added(u[i]), added(u[i] ** p))  # p below or above 1
    assert not about(added(x[i] * sp.exp(x[i])))  # weights may be negative
    assert not about(added(d[i]), added(e[i]), added(d[i] * e[i]))  # no order
    assert not about(
        sp.Sum(w[i], (i, 1, n - 3)), sp.Sum(1 / w[i], (i, 1, n - 3))
    )  # perhaps fewer than no terms
    assert not list(parts([added(x[i])], [x[1]], unknown))
    assert not list(parts([added(d[i])], [d[K]], unknown))
    assert list(parts([added(d[i])], [d[1]], unknown))


@pytest.mark.parametrize("low", [-1, 0, 1])
def test_an_index_has_only_the_signs_of_all_its_values(low: int) -> None:
    one, other = (sp.Sum(term, (i, low, n)) for term in (d[i], i * d[i]))
    powers = sp.Sum(q**i * d[i], (i, low, n))
    (here,) = by_ends([one, other, powers], lambda f: True)
    assert len({added.term for added in here.added}) == 4
    found = [r for r, _ in inequalities(here, [], lambda f: bool(f.is_nonnegative), {})]
    assert found == ([sp.Le(one, other, evaluate=False)] if low == 1 else [])


TRUE = {
    "roots": le(added(x[i] * y[i]), sp.sqrt(added(x[i] ** 2)) * sp.sqrt(added(y[i] ** 2))),
    "Minkowski": le(
        sp.sqrt(added((x[i] + y[i]) ** 2)), sp.sqrt(added(x[i] ** 2)) + sp.sqrt(added(y[i] ** 2))
    ),
    "squares inside": le(sp.Sum(sp.Sum(d[j], (j, 1, i)) ** 2, (i, 1, n)), n * (n + 1) / 2 * added(d[i] ** 2)),
    "moments": le(added(d[i] ** 2) ** 2, added(d[i]) * added(d[i] ** 3)),
    "weights of the index": le(added(d[i] / i) ** 2, 2 * added(d[i] ** 2)),
    "windows": le(sp.Sum(d[i + j], (j, 1, K), (i, 1, n)), K * sp.Sum(d[i], (i, 1, n + K))),
    "Jensen": le(sp.exp(added(x[i]) / n), added(sp.exp(x[i])) / n),
    "log-sum": ge(added(u[i] * sp.log(u[i] / v[i])), added(u[i]) * sp.log(added(u[i]) / added(v[i]))),
}


@pytest.mark.parametrize("relation", TRUE.values(), ids=TRUE)
def test_a_true_step_is_proved(relation: Relational) -> None:
    require_proof(question_of(relation))


CONDITIONAL = {
    "Chebyshev": question_of(
        le(added(d[i]) * added(e[i]), n * added(d[i] * e[i])), le(d[t], d[t - 1]), le(e[t], e[t - 1])
    ),
    "Gibbs": question_of(ge(added(u[i] * sp.log(u[i] / v[i])), 0), eq(added(u[i]), 1), eq(added(v[i]), 1)),
    "power mean": question_of(le(added(u[i]) ** p, n ** (p - 1) * added(u[i] ** p)), ge(p, 1)),
    "factors": question_of(
        le(sp.Product(1 + p * q**i, (i, 1, n)), sp.exp(p * q / (1 - q))), sp.Lt(q, 1, evaluate=False)
    ),
    "part": question_of(le(d[K], added(d[i])), le(K, n)),
}


@pytest.mark.parametrize("question", CONDITIONAL.values(), ids=CONDITIONAL)
def test_conditions_give_orders_weights_exponents_and_places(question: Question) -> None:
    require_proof(question)


@pytest.mark.parametrize(
    "question",
    [
        question_of(
            le(added(d[i]) * added(e[i]), n * added(d[i] * e[i])), le(d[t], d[t - 1]), le(e[t - 1], e[t])
        ),
        question_of(le(d[K], added(d[i]))),
        question_of(le(2 * sp.exp(added(x[i]) / n), added(sp.exp(x[i])) / n)),
    ],
    ids=["opposite orders", "beyond the end", "twice Jensen"],
)
def test_a_false_step_is_not_proved(question: Question) -> None:
    assert follows_by_laws(question, 100) is None


@pytest.mark.parametrize("place", [i + j, i - j + 9, j - i + 9], ids=str)
def test_windows_hold_at_random_numbers(place: sp.Expr) -> None:
    chance = random.Random(3)
    more = sp.symbols("n K", integer=True, nonnegative=True)
    found = list(
        windows(
            sp.Sum(d[place], (j, 1, K), (i, 2, n + 1)),
            lambda f: bool(f.subs({n: more[0] + 1, K: more[1] + 1}).is_nonnegative),
        )
    )
    assert len(found) == 2
    for length in range(1, 5):
        numbers = {"d": [chance.uniform(0, 3) for _ in range(20)]}
        for relation in (bound.subs(K, 3) for bound, _ in found):
            small, large = (_value(_nested(side), numbers, length, 1.0) for side in relation.args)
            assert small <= large + 1e-9


def _nested(formula: sp.Expr) -> sp.Expr:
    """A formula in which a sum over two indices is a sum of sums."""
    return formula.replace(
        lambda part: isinstance(part, sp.Sum) and len(part.limits) == 2,
        lambda part: sp.Add(*(sp.Sum(part.function.subs(j, k), part.limits[1]) for k in range(1, 4))),
    )


def test_windows_need_nonnegative_terms_and_fixed_numbers_of_terms() -> None:
    for total in (
        sp.Sum(x[i + j], (j, 1, K), (i, 1, n)),
        sp.Sum(d[i + 2 * j], (j, 1, K), (i, 1, n)),
        sp.Sum(d[i + j], (j, 1, i), (i, 1, n)),
        sp.Sum(d[i + j], (j, 1, K), (i, 1, n - 3)),
    ):
        assert not list(windows(total, lambda f: bool(f.is_nonnegative)))


def test_a_changed_law_is_refused() -> None:
    question = question_of(TRUE["moments"])
    (found, *_) = [law for law in next(by_sums(question)).laws if law.name.startswith("Cauchy")]
    with pytest.raises(Refused):
        check({"symbols": {"n": "count"}, "lines": [], "claim": found.relation})
