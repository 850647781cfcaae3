"""Prove claims about all numbers of rounds by a potential (Lyapunov function), given by the user or found by a search.

A claim ``small_t <= large_t`` follows from three inequalities, each of which is proved for all parameters and all t:

    V_0 <= 0                                 at the start,
    V_{t+1} <= V_t                           in a round from any state,
    small_t / w(t) <= large_t / w(t) + V_t   in any state, with w(t) > 0.

The weight w is chosen so that the quantity at the start cancels in the third inequality. If the potential does not contain
this quantity, w is its coefficient in the claim.

For a claim ``small_t <= rho^t init_0 + rest`` the potential does not contain the start, and the inequalities are

    V_0 <= init_0,    V_{t+1} <= rho V_t,    small_t <= V_t + rest.

Quantities that are the same in every round, such as a variance, may occur everywhere. With the potential W_t - t c sigma2 the
second inequality is W_{t+1} <= W_t + c sigma2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import Tree, Untranslatable, domains, tree
from verify.engine.certificates.question import Certificate
from verify.engine.certificates.recheck import Rejected, recheck, replaced
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.instance import oriented
from verify.engine.model.scene import Box, Condition, Shape
from verify.engine.proof.sizes import proof_at
from verify.engine.verdict import Finding, Verdict, because
from verify.first_order.cases import case_of, decision
from verify.first_order.check import WORST_CASE
from verify.first_order.forms import Form, form
from verify.first_order.one_round import COUNT, NOW, ROUND, Rounds, indexed, takes_round
from verify.first_order.points import NONNEGATIVE, parameter_points, reduced, value_at
from verify.first_order.positivity import Given, Signs
from verify.first_order.problem import Problem
from verify.first_order.ranges import for_all, of_ranges, with_ranges
from verify.first_order.scene import Method, Study


@dataclass(frozen=True)
class Potential:
    """A potential after t rounds.

    Attributes
    ----------
    value : expression
        The potential in the quantities of a round and t.
    start : callable, optional
        Computes the quantities at the start. Without it, the start is an arbitrary state.
    ratio, init, rest : expressions
        For a claim ``small_t <= ratio^t init_0 + rest``: the potential shrinks by the ratio, from at most `init`.
    """

    value: sp.Expr
    start: Method | None = None
    ratio: sp.Expr = sp.S.One
    init: sp.Expr = sp.S.Zero
    rest: sp.Expr = sp.S.Zero

    @property
    def geometric(self) -> bool:
        """Whether the claim is about a power of the ratio."""
        return bool(self.init != 0)


@dataclass(frozen=True)
class Start:
    """The study of the start: its quantities have the suffix ``_0``, except those that are the same in every round."""

    rounds: Rounds
    start: Method | None

    @property
    def boxes(self) -> Mapping[str, Box]:
        return self.rounds.study.boxes

    @property
    def multipliers(self) -> Mapping[str, sp.Expr]:
        return {}

    @property
    def shapes(self) -> list[dict[str, int]]:
        return self.rounds.shapes

    def traced(
        self, shape: Shape, point: Mapping[str, Any], steps: tuple[Any, ...] = ()
    ) -> tuple[Problem, dict[str, Form]]:
        """The problem and the quantities at the start: those before round 0, or those of `start`."""
        if self.start is None:
            problem, found = self.rounds.traced(shape, {**point, ROUND: Fraction(0)}, steps)
            found = {
                name.removesuffix("_before"): value
                for name, value in found.items()
                if name.endswith("_before") or name in self.rounds.constants
            }
        else:
            problem = Problem(steps=steps)
            found = dict(self.start(problem, **{n: shape[n] for n in self.rounds.sizes}, **point))
        named = {
            name if name in self.rounds.constants else f"{name.removesuffix('_0')}_0": name for name in found
        }
        return problem, {name: form(found[of]) for name, of in named.items()}


def decide_potential(
    study: Study, one_round: Method, potential: Potential, claim: Claim, budget: Budget, seed: int
) -> Finding:
    """Try to prove a relation after every number of rounds with a potential.

    The verdict is "proved", or "unrefuted" with the inequality that was not proved. Nothing is drawn at random.
    """
    del budget, seed
    relation, conditions = claim.relation, claim.statement.conditions
    small, large = oriented(relation)
    weight = _weight(large, potential)
    boxes = study.boxes
    above = potential.rest if potential.geometric else large
    spoken = (small, potential.value, potential.init, above)
    quantities = sorted({s for e in spoken for s in e.free_symbols if s.name not in {*boxes, ROUND}}, key=str)
    counted = not potential.geometric or takes_round(one_round)
    rounds = Rounds(study, one_round, {ROUND: NONNEGATIVE} if counted else {})
    constants = [s for s in quantities if s.name in rounds.constants]
    changing = [s for s in quantities if s not in constants]
    at_start = {s: sp.Symbol(f"{s.name.removesuffix('_0')}_0", **s.assumptions0) for s in changing}
    first = (potential.value - potential.init).subs(at_start).subs(COUNT, 0)
    before, after = _moving(changing, "_before"), _moving(changing, "")
    now, later = before(potential.value).subs(COUNT, NOW), after(potential.value).subs(COUNT, NOW + 1)
    rest = before((above - small) / weight + potential.value).subs(COUNT, NOW)
    before_0 = _collected(-first, [*at_start.values(), *constants])
    fall, rest = _collected(potential.ratio * now - later, quantities), _collected(rest, quantities)
    certificates = []
    for shape in study.shapes:
        found = [
            _nonnegative(Start(rounds, potential.start), before_0, conditions, shape),
            _nonnegative(rounds, fall, conditions, shape),
            _nonnegative(rounds, rest, conditions, shape),
        ]
        names = ("start", "round", "claim")
        missing = [name for name, one in zip(names, found, strict=True) if one is None]
        if missing:
            reason = because("potential-not-shown", potential=sp.sstr(potential.value), missing=missing)
            return Finding(WORST_CASE.name, Verdict.UNREFUTED, "exact", reason)
        certificates.append([one for one in found if one is not None])
    sample = parameter_points(conditions, study.shapes[0], boxes, 1)
    free = [
        name
        for name in boxes
        if name in {s.name for e in (relation, potential.value) for s in e.free_symbols}
    ]
    given = [(c, "condition") for c in conditions] + of_ranges(relation, conditions, free, boxes)
    moving = [s.name for s in changing if not s.name.endswith("_0")]
    same = [s.name for s in quantities if s.name not in moving]
    whole = _induction(potential, weight, small, large, moving, same, given, sample[0]) if sample else None
    if whole is None:
        return Finding(WORST_CASE.name, Verdict.UNREFUTED, "exact", because("induction-uncertified"))
    proof = proof_at(study.shapes if study.sizes else [{}], [[*each, whole] for each in certificates])
    proof = with_ranges(proof, relation, conditions, study.boxes)
    reason = because("potential", potential=sp.sstr(potential.value), factor=None)
    return Finding(WORST_CASE.name, Verdict.PROVED, "symbolic", reason, proof=proof)


def _weight(large: sp.Expr, potential: Potential) -> sp.Expr:
    """The weight w of the potential in the claim, such that a quantity at the start cancels."""
    if potential.geometric:
        return sp.S.One
    both = [s for s in large.free_symbols & potential.value.free_symbols if s.name.endswith("_0")]
    for symbol in sorted(both, key=str):
        own = sp.expand(potential.value).coeff(symbol)
        if own != 0:
            return sp.factor(-sp.expand(large).coeff(symbol) / own)
    spoken = sorted((s for s in large.free_symbols if s.name.endswith("_0")), key=str)
    return sp.factor(sp.expand(large).coeff(spoken[0])) if spoken else sp.Integer(1)


def _collected(value: sp.Expr, quantities: Sequence[sp.Symbol]) -> sp.Expr:
    """Collect a formula that is linear in quantities, with coefficients in lowest terms."""
    value = sp.expand(value)
    names = {s.name.removesuffix("_before").removesuffix("_0") for s in quantities}
    own = [s for s in value.free_symbols if s.name.removesuffix("_before").removesuffix("_0") in names]
    parts = {s: value.coeff(s) for s in sorted(own, key=str)}
    rest = value - sum(part * s for s, part in parts.items())
    return sp.Add(
        sp.cancel(sp.expand(rest)), *(sp.cancel(sp.together(part)) * s for s, part in parts.items())
    )


def _moving(quantities: Sequence[sp.Symbol], suffix: str) -> Any:
    """A function that appends a suffix to the quantities of a round; those at the start keep their names."""
    names = {
        s: sp.Symbol(f"{s.name}{suffix}", **s.assumptions0) for s in quantities if not s.name.endswith("_0")
    }
    return lambda formula: formula.subs(names)


def _nonnegative(
    study: Any, value: sp.Expr, conditions: Sequence[Condition], shape: Shape
) -> Certificate | None:
    """A certificate that a value is nonnegative for all parameters; None if none is found."""
    relation = sp.Ge(value, 0, evaluate=False)
    settled, _, free = reduced(conditions, shape, study.boxes)
    if not free:
        point = {name: value_at(formula, {}) for name, formula in settled.items()}
        return decision(case_of(study, relation, conditions, shape, point)).certificate
    return for_all(study, relation, conditions, shape)


def _induction(
    of: Potential,
    weight: sp.Expr,
    small: sp.Expr,
    large: sp.Expr,
    moving: Sequence[str],
    same: Sequence[str],
    given: Given,
    sample: Mapping[str, Fraction],
) -> Certificate | None:
    """The certificate that derives the claim from the three inequalities by induction over t.

    The quantities `moving` change from round to round, and `same` do not: those at the start, and constants. The three inequalities are premises here; each has a certificate of its own. None if a checker does not accept it.
    """
    potential = of.value
    signs, above = Signs(given, {**sample, ROUND: Fraction(2)}), of.rest if of.geometric else large

    def at(formula: sp.Expr, t: Tree) -> Tree:
        written = tree(sp.expand(formula))
        for name in moving:
            written = indexed(written, name)
        return replaced(written, ROUND, t)

    try:
        shown, factor = signs.nonnegative(sp.factor(weight)), signs.nonnegative(of.ratio)
        below = [
            sp.fraction(sp.cancel(sp.together(part)))[1]
            for part in (potential, weight, 1 / weight, above, small)
        ]
        if shown is None or factor is None or not all(map(signs.nonzero, below)):
            return None
        lines = signs.lines
        v, following = at(potential, ROUND), at(potential, ["+", ROUND, "1"])
        first, most = at(of.init, "0"), ["*", ["^", factor, ROUND], at(of.init, "0")]
        lines.append({"given": ["<=", at(potential, "0"), first], "by": "the start"})
        once = ["<=", at(potential, "1"), ["*", factor, at(potential, "0")]]
        lines.append({"given": once, "by": "the first round"})
        lines.append({"given": ["<=", following, ["*", factor, v]], "by": "every round", "for": ROUND})
        n = len(lines)
        goal = ["<=", v, most]
        base = {
            "show": replaced(goal, ROUND, "1"),
            "as": ["+", ["*", factor, ["slack", n - 3]], ["slack", n - 2]],
        }
        step = {
            "show": replaced(goal, ROUND, ["+", ROUND, "1"]),
            "as": ["+", ["slack", n - 1], ["*", factor, ["slack", n]]],
        }
        lines.append({"show": goal, "induct": ROUND, "base": [base], "step": [step]})
        upper = at(above, ROUND)
        upper = ["+", most, upper] if of.geometric and of.rest != 0 else most if of.geometric else upper
        claim = ["<=", at(small, ROUND), upper]
        left, right = at(small / weight, ROUND), at(above / weight + potential, ROUND)
        lines.append({"given": ["<=", left, right], "by": "every state", "for": ROUND})
        lines.append({"show": claim, "as": ["*", shown, ["+", ["slack", n + 1], ["slack", n]]]})
        spoken = {s for e in (potential, of.init, above) for s in e.free_symbols}
        symbols = {**domains(sp.Ge(s, 0, evaluate=False) for s in spoken), **signs.symbols, ROUND: "count"}
        symbols = {**symbols, **dict.fromkeys(moving, "sequence real"), **dict.fromkeys(same, "real")}
        found = {"symbols": symbols, "lines": lines, "claim": claim}
        check(found)
        recheck(found)
    except (Untranslatable, Refused, Rejected):
        return None
    return found
