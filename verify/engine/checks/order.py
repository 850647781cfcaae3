"""Do the named terms scale as claimed? Substitute the step sizes and compare the exponent of each term."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import numpy as np
import sympy as sp

from bounds.orders import exponents, grows_to
from bounds.statement import Scaling, Statement
from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.model.claim import Budget, Claim
from verify.engine.tactics.growth import order_proof
from verify.engine.verdict import Finding, Verdict, because

ORDER = Kind("order", proves=True, outline="trapezium")
FLOOR = Kind("floor", proves=True)


@of_kind(ORDER)
def order(claim: Claim, budget: Budget, seed: int) -> Finding:
    """Check that every term has at most the claimed order in every variable.

    A term is not of the claimed order in three cases: its exponent in some variable exceeds the claimed one, it has the same
    exponent but grows faster by a logarithm, or it grows faster when several variables grow together. Then the bound does
    not give the claimed order. This is a gap: the bounded quantity may still be smaller than its bound. All quantities
    except the variables are fixed. A proof has one certificate for each term (`verify.engine.tactics.growth`).
    """
    del budget, seed
    scaling = claim.statement.relation
    if not isinstance(scaling, Scaling):
        raise TypeError(f"{claim.statement.id}: `order` needs a Scaling, got {scaling!r}")
    table = exponents(scaling.terms, scaling.steps, scaling.variables)
    claimed = exponents({"claimed": scaling.claimed}, {}, scaling.variables)["claimed"]
    quotients = {
        name: sp.factor(term.subs(scaling.steps, simultaneous=True) / scaling.claimed)
        for name, term in scaling.terms.items()
    }
    above = {
        name: [
            v.name if powers[v.name] > claimed[v.name] else f"{v.name} by less than any power of it"
            for v in scaling.variables
            if powers[v.name] > claimed[v.name]
            or (powers[v.name] == claimed[v.name] and _unbounded(name, quotients[name], v))
        ]
        for name, powers in table.items()
    }
    above = {name: variables for name, variables in above.items() if variables}
    for name, quotient in quotients.items():
        if name not in above and (powers := _together(name, quotient, scaling.variables)):
            above[name] = [f"{v} = s^{k}" for v, k in zip(scaling.variables, powers, strict=True)]
    details = {
        "claimed": {v: str(e) for v, e in claimed.items()},
        "exponents": {name: {v: str(e) for v, e in powers.items()} for name, powers in table.items()},
    }
    if not above:
        return _within(scaling, claimed, details)
    larger = {name: {"order": _monomial(table[name]), "in": variables} for name, variables in above.items()}
    reason = because("order-larger", claimed=_monomial(claimed), terms=larger)
    return Finding(ORDER.name, Verdict.GAP, "symbolic", reason, details=details)


def _within(scaling: Scaling, claimed: Mapping[str, sp.Expr], details: dict[str, Any]) -> Finding:
    """A proof if every term has a certificate with explicit constants; otherwise the finding from exponents and limits."""
    terms = {name: term.subs(scaling.steps, simultaneous=True) for name, term in scaling.terms.items()}
    found = {name: order_proof(t, scaling.claimed, scaling.variables) for name, t in terms.items() if t != 0}
    variables = list(claimed)
    if None in found.values():
        directions = len(POWERS) ** len(variables) if len(variables) > 1 else 0
        reason = because("order-by-limits", variables=variables, directions=directions)
        return Finding(ORDER.name, Verdict.UNREFUTED, "symbolic", reason, details=details)
    orders = {name: order for name, order in found.items() if order is not None}
    where = list(dict.fromkeys(order.where for order in orders.values() if order.where))
    proof = {
        "certificates": [order.certificate for order in orders.values()],
        "letters": {name: dict(order.letters) for name, order in orders.items()},
        "sizes": None,
    }
    reason = because("order-explicit", variables=variables, where=where)
    return Finding(ORDER.name, Verdict.PROVED, "symbolic", reason, details=details, proof=proof)


def _unbounded(name: str, quotient: sp.Expr, variable: sp.Symbol) -> bool:
    """Whether a quotient is unbounded; its sign may depend on fixed quantities."""
    limit = grows_to(name, quotient, variable)
    return bool(limit.has(sp.oo, -sp.oo) and not limit.has(sp.Limit))


POWERS = (1, 2, 3)
"""Exponents tried for variables that grow together as powers of one number, beside those of linear programs."""
DENOMINATOR = 32
"""Largest denominator of a ratio of exponents from a linear program."""


def _together(name: str, quotient: sp.Expr, variables: Sequence[sp.Symbol]) -> tuple[int, ...] | None:
    """Powers of s along which variables grow such that a quotient is unbounded; None if there are none.

    Candidates are guessed from the values at two large numbers and then decided by the limit.
    """
    s = sp.Dummy("s", positive=True)
    fixed = sorted(quotient.free_symbols - set(variables), key=str)
    numbers = {symbol: sp.Rational(2 * k + 3, 3 * k + 7) for k, symbol in enumerate(fixed)}
    for powers in _directions(quotient, variables) if len(variables) > 1 else ():
        along = quotient.subs({v: s**k for v, k in zip(variables, powers, strict=True)}, simultaneous=True)
        near, far = (abs(sp.N(along.subs({**numbers, s: 10**k}), 60)) for k in (6, 12))
        if far > near > 0 and grows_to(name, sp.simplify(along), s) in (sp.oo, -sp.oo):
            return powers
    return None


def _directions(quotient: sp.Expr, variables: Sequence[sp.Symbol]) -> Iterator[tuple[int, ...]]:
    """Exponents with which a monomial of the numerator outgrows all monomials of the denominator; then all small ones."""
    from scipy.optimize import linprog

    yield from product(POWERS, repeat=len(variables))
    above, below = (_monomials(side, variables) for side in sp.fraction(sp.together(quotient)))
    each = np.eye(len(variables))
    for monomial in above:
        gains = np.array([*(monomial - other for other in below), *each])
        rows = np.column_stack([-gains, np.ones(len(gains))])  # gain >= margin
        found = linprog([*0 * each[0], -1], rows, np.zeros(len(gains)), bounds=(0, 1))
        ratios = [Fraction(float(x)).limit_denominator(DENOMINATOR) for x in found.x[:-1]]
        if found.x[-1] > 0 and all(ratios):
            yield tuple(int(ratio * lcm(*(r.denominator for r in ratios))) for ratio in ratios)


def _monomials(formula: sp.Expr, variables: Sequence[sp.Symbol]) -> list[Any]:
    """Exponents of the variables in each term."""
    terms = (term.as_powers_dict() for term in sp.Add.make_args(sp.expand(formula)))
    powers = ([sp.sympify(term.get(v, 0)) for v in variables] for term in terms)
    return [np.array([float(power) if power.is_number else 0.0 for power in own]) for own in powers]


def outgrown(floor: Statement, power: int, variable: sp.Symbol) -> Callable[[Claim, Budget, int], Finding]:
    """Check a claimed order against `floor`, a lower bound (judged as a claim of its own) of a root of the same quantity.

    If the floor, raised to `power`, grows faster than the claimed order in `variable`, no constant makes the claim true. An
    order is a statement about a limit, so no finite instance refutes it. The finding is as certain as the floor: it is a
    gap, and becomes a refutation in a run that proves the floor (`verify.engine.links`).
    """

    @of_kind(FLOOR)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        del budget, seed
        scaling = claim.statement.relation
        if not isinstance(scaling, Scaling):
            raise TypeError(f"{claim.statement.id}: `outgrown` needs a Scaling, got {scaling!r}")
        large = sp.Dummy(variable.name, positive=True)
        root = floor.rhs.subs(scaling.steps, simultaneous=True).subs(variable, large)
        claimed = scaling.claimed.subs(variable, large) ** sp.Rational(1, power)
        if sp.limit(root / claimed, large, sp.oo) == sp.oo:
            least = sp.limit(root, large, sp.oo) ** power
            reason = because(
                "outgrown",
                bound=floor.id,
                claimed=str(scaling.claimed),
                variable=str(variable),
                least=str(least),
            )
            return Finding(FLOOR.name, Verdict.GAP, "symbolic", reason, details={"outgrown by": floor.id})
        reason = because("order-allowed", bound=floor.id, variable=str(variable))
        return Finding(FLOOR.name, None, "symbolic", reason)

    return check


def _monomial(powers: dict[str, sp.Expr]) -> str:
    return " ".join(f"{v}^({e})" for v, e in powers.items())
