"""Prove claims about all numbers of rounds by a potential that does not increase in a round, and induction.

For a claim ``small_t <= c(t) init_0 + e(t) constant`` the potential is

    V_t = small_t / c(t) + init_t - e(t) / c(t) constant        if c is a rational function of t, with 1/c(0) = e(0)/c(0) = 0;
    V_t = init_t - e constant,  V_{t+1} <= rho V_t              if c is rho^t.

The second one also proves e(t) = (1 - rho^t) e.

If this fails, a search tries other potentials (`verify.first_order.searched`), and the user can give one
(`verify.first_order.potentials`). "The potential does not increase" is a claim about one round with t as a parameter, and is proved like any other claim. A separate certificate contains
the induction; the inequality of one round, for every t, is its premise. Source of the method: Taylor and Bach (2019),
Stochastic first-order methods: non-asymptotic and computer-aided analyses via potential functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import Tree, Untranslatable, domains, tree
from verify.engine.certificates.question import Certificate
from verify.engine.certificates.recheck import Rejected, recheck, replaced
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.scene import Condition, Scene, Shape
from verify.engine.proof.sizes import proof_at
from verify.engine.verdict import Finding, Verdict, because
from verify.first_order.bound_of_rounds import Bound, bound_of
from verify.first_order.certificate import form_tree, vector_tree
from verify.first_order.check import WORST_CASE, at_points, contradictory
from verify.first_order.exact import sum_of_squares
from verify.first_order.one_round import (
    COUNT,
    NOW,
    ROUND,
    Rounds,
    Stateful,
    in_forms,
    indexed,
    takes_round,
    with_suffix,
)
from verify.first_order.points import NONNEGATIVE, parameter_points
from verify.first_order.positivity import Given, Signs
from verify.first_order.potentials import Potential, Start, decide_potential
from verify.first_order.ranges import cases, for_all, of_ranges, with_ranges
from verify.first_order.scene import Method, Study, lowest, worst_case
from verify.first_order.searched import Wanted, potentials
from verify.first_order.several_rounds import NotDetermined, several_rounds

LATER = (2, 3)
"""Numbers of rounds at which a claim that is neither proved nor refuted after one round is tried again."""


def every_round(
    one_round: Stateful, potential: sp.Expr | None = None, start: Stateful | None = None, **ranges: Any
) -> Scene:
    """Scene of a method for every number t of rounds, defined by one round.

    Parameters
    ----------
    one_round : callable
        ``one_round(problem, **numbers)`` runs one round from an arbitrary state. It returns each quantity before and after
        the round, as ``gap_before`` and ``gap``. It may take `t`, the number of earlier rounds. Quantities that appear once
        are the same in every round. It may also return vectors of its state, whose inner products a potential can use.
    potential : expression, optional
        Potential in quantities after t rounds, `t`, quantities at the start (``distance2_0``) and parameters. It must be
        nonpositive at the start, must not increase, and must imply the claim in every state. By default the potential of
        the module docstring is tried, then those that a search finds (`verify.first_order.searched`).
    start : callable, optional
        ``start(problem, **numbers)`` returns all quantities and vectors after 0 rounds. By default the start is an arbitrary
        state.
    **ranges
        Ranges as for `worst_case`, without `t`. ``multipliers`` are those of one round.

    Notes
    -----
    A claim may contain quantities after t rounds (``gap``), quantities at the start (``gap_0``), `t` and the parameters.
    """
    measured, first = in_forms(one_round), in_forms(start) if start else None
    played = several_rounds(one_round)
    try:
        scene = worst_case(played, t=(1, *LATER) if start is None else (1,), **ranges)
    except NotDetermined:
        scene = worst_case(played, t=(1,), **ranges)
    (several,) = scene.judged.args  # type: ignore[union-attr]
    study = replace(several, sizes={name: sizes for name, sizes in several.sizes.items() if name != ROUND})
    given = None if potential is None else Potential(potential, first)
    judged = partial(decide_rounds, study, several, measured, first, given)
    shapes = tuple(shape for shape in scene.shapes if shape[ROUND] == 1)
    return scene.variant(f"every round of {measured.__name__}", judged=judged, shapes=shapes)


def decide_rounds(
    study: Study,
    several: Study,
    one_round: Method,
    start: Method | None,
    given: Potential | None,
    claim: Claim,
    budget: Budget,
    seed: int,
) -> Finding:
    """Decide whether a relation holds after every number of rounds.

    It is refuted by a counterexample after one round, vacuous if no function meets the assumptions of a round, or proved by a
    potential and induction. A claim without a proof is refuted by a counterexample after a few rounds, if the round returns
    its points. Otherwise the verdict is "unrefuted", with the step of the proof that failed.

    Parameters
    ----------
    study, several : Study
        One round, without t, and the first t rounds.
    given : Potential, optional
        The only potential to try.
    """
    refuted, proved, _ = at_points(_up_to(several, 1), claim, budget) if start is None else (None, [], [])
    if refuted is not None:
        return refuted
    absurd = contradictory(proved)
    if absurd is not None:
        return absurd
    if given is None:
        found = _by_induction(study, one_round, start, claim, budget, seed)
    else:
        found = decide_potential(study, one_round, given, claim, budget, seed)
    if found.verdict is Verdict.PROVED or start is not None:
        return found
    refuted, _, _ = at_points(_up_to(several, *LATER), claim, budget)
    return refuted or found


def _up_to(several: Study, *rounds: int) -> Study:
    """The study of some numbers of rounds, of those that can be played."""
    played = tuple(t for t in several.sizes[ROUND] if t in rounds)
    return replace(several, sizes={**several.sizes, ROUND: played})


def _by_induction(
    study: Study, one_round: Method, start: Method | None, claim: Claim, budget: Budget, seed: int
) -> Finding:
    """The proof by a potential, or the step that failed."""
    bound = bound_of(claim.relation)
    if bound is None:
        return _open("bound-form")
    found = by_first_potential(study, one_round, claim) if start is None else None
    if found is None or found.verdict is not Verdict.PROVED:
        for potential in _searched(study, one_round, start, bound, claim):
            other = decide_potential(study, one_round, potential, claim, budget, seed)
            if other.verdict is Verdict.PROVED or found is None:
                found = other
            if found.verdict is Verdict.PROVED:
                break
    return found or _open("no-potential")


def _searched(
    study: Study, one_round: Method, start: Method | None, bound: Bound, claim: Claim
) -> Iterator[Potential]:
    """Yield potentials that a search proposes for a bound."""
    counted = bound.ratio is None or takes_round(one_round)
    rounds = Rounds(study, one_round, {ROUND: NONNEGATIVE} if counted else {})
    if not _of_constants(bound, rounds):
        return
    init = bound.init + bound.fading
    wanted = Wanted(bound.small, init, bound.scale, bound.ratio, bound.rest)
    at_start = bound.init.subs(
        {s: sp.Symbol(f"{s.name}_0", **s.assumptions0) for s in bound.init.free_symbols if not s.is_positive}
    )
    for value in potentials(
        rounds, Start(rounds, start), wanted, claim.statement.conditions, study.shapes[0]
    ):
        if bound.ratio is None:
            yield Potential(value - at_start, start)
        else:
            yield Potential(value, start, bound.ratio, init, bound.rest)


def by_first_potential(study: Study, one_round: Method, claim: Claim) -> Finding:
    """Try the potential of the module docstring, in each case of a maximum of parameters."""
    relation, conditions = claim.relation, claim.statement.conditions
    certificates: dict[int, list[Certificate]] = {k: [] for k in range(len(study.shapes))}
    for case, given in cases(relation, conditions, study.boxes):
        found = _steps_of_induction(study, one_round, case, given)
        if isinstance(found, str):
            return _open(found)
        for k, shown in enumerate(found):
            certificates[k] += shown
    proof = proof_at(study.shapes if study.sizes else [{}], list(certificates.values()))
    proof = with_ranges(proof, relation, conditions, study.boxes)
    bound = bound_of(relation)
    assert bound is not None
    factor = None if bound.ratio is None else sp.sstr(bound.ratio)
    reason = because("potential", potential=sp.sstr(bound.potential(with_suffix(""), COUNT)), factor=factor)
    return Finding(WORST_CASE.name, Verdict.PROVED, "symbolic", reason, proof=proof)


def _steps_of_induction(
    study: Study, one_round: Method, relation: Condition, conditions: Sequence[Condition]
) -> list[list[Certificate]] | str:
    """The certificates of a claim at each size by the potential of the module docstring; or the code of what is missing."""
    bound = bound_of(relation)
    if bound is None:
        return "bound-form"
    ends = [sp.cancel(part).subs(COUNT, 0) for part in (1 / bound.scale, bound.rest / bound.scale)]
    if bound.ratio is None and ends != [0, 0]:
        return "potential-after-0"
    counted = bound.ratio is None or takes_round(one_round)
    rounds = Rounds(study, one_round, {ROUND: NONNEGATIVE} if counted else {})
    if not _of_constants(bound, rounds):
        return "bound-form"
    grown, kept = bound.potential(with_suffix(""), NOW + 1), bound.potential(with_suffix("_before"), NOW)
    step = sp.Le(grown, kept if bound.ratio is None else bound.ratio * kept, evaluate=False)
    certificates = []
    for shape in study.shapes:
        shown = for_all(rounds, step, conditions, shape)
        if shown is None:
            return "no-fall"
        signs = [_nonnegative(rounds, x, conditions, shape) for x in _nonnegative_quantities(bound)]
        if None in signs:
            return "sign-at-start"
        certificates.append([shown, *(c for c in signs if c is not None)])
    sample = parameter_points(conditions, study.shapes[0], study.boxes, 1)
    free = [name for name in study.boxes if name in {s.name for s in relation.free_symbols}]
    given = [(c, "condition") for c in conditions] + of_ranges(relation, conditions, free, study.boxes)
    whole = induction(bound, given, sample[0]) if sample else None
    return "induction-uncertified" if whole is None else [[*each, whole] for each in certificates]


def _of_constants(bound: Bound, rounds: Rounds) -> bool:
    """Whether what a bound has beside the quantities at the start is the same in every round."""
    spoken = {s.name for part in (bound.rest, bound.fading) for s in part.free_symbols}
    return spoken - {ROUND, *rounds.study.boxes, *rounds.sizes} <= rounds.constants


def _open(code: str) -> Finding:
    """The verdict for a claim that is proved after one round only, with the code of what is missing."""
    reason = because("one-round") + because(code)
    return Finding(WORST_CASE.name, Verdict.UNREFUTED, "exact", reason)


def _nonnegative_quantities(bound: Bound) -> list[sp.Symbol]:
    """Quantities whose nonnegativity the last step of the proof uses: those at the start, and constants."""
    return sorted(
        (
            s
            for s in (*bound.init.free_symbols, *bound.rest.free_symbols)
            if s.is_nonnegative and not s.is_positive
        ),
        key=str,
    )


def _nonnegative(
    rounds: Rounds, x: sp.Symbol, conditions: Sequence[Condition], shape: Shape
) -> Certificate | None:
    """A certificate that a quantity is nonnegative in every run; None if none is found.

    Tried in this order: the quantity is a sum of squares, it is assumed to be nonnegative, or a proof for all parameters.
    """
    problem, measured = rounds.traced(shape, lowest(rounds.boxes))
    name = x.name if x.name in measured else f"{x.name}_before"
    squares = sum_of_squares(problem.vectors, measured[name])
    if squares is not None and not any(len(key) == 1 for key in measured[name].terms):
        parts = [["*", str(w), ["dot", vector_tree(v), vector_tree(v)]] for w, v in squares]
        goal = [">=", form_tree(measured[name]), "0"]
        line = {"show": goal, "as": ["+", *parts] if len(parts) > 1 else parts[0]}
        return {"symbols": dict.fromkeys(problem.vectors, "vector"), "lines": [line], "claim": goal}
    if any(slack == measured[name] for _, slack in problem.nonnegative):
        goal = [">=", form_tree(measured[name]), "0"]
        lines = [{"given": goal, "by": "condition"}, {"show": goal, "as": ["slack", 0]}]
        return {"symbols": dict.fromkeys(problem.scalars, "real"), "lines": lines, "claim": goal}
    return for_all(rounds, sp.Ge(sp.Symbol(name, real=True), 0, evaluate=False), conditions, shape)


# ------------------------------------------------------------------------------------------------ induction


def induction(bound: Bound, given: Given, sample: Mapping[str, Fraction]) -> Certificate | None:
    """The certificate that derives the claim from the inequality of one round by induction over t.

    The inequality of one round, for every t, is a premise; it has a certificate of its own. Returns None if a sign is not
    proved or a checker does not accept the certificate.

    Parameters
    ----------
    bound : Bound
        The claim.
    given : sequence of (Relational, str)
        Conditions on the parameters, with their justifications.
    sample : mapping
        Values of the parameters that meet the conditions.
    """
    changing = {s for s in (*bound.small.free_symbols, *bound.init.free_symbols) if not s.is_positive}
    constant = {s.name: Fraction(1) for s in bound.rest.free_symbols}
    signs = Signs(given, {**constant, **sample, ROUND: Fraction(2)})
    geometric = bound.ratio is not None

    def at(formula: sp.Expr, t: Tree) -> Tree:
        written = tree(sp.expand(formula))
        for symbol in changing:
            written = indexed(written, symbol.name)
        return replaced(written, ROUND, t)

    try:
        factor = signs.nonnegative(bound.ratio) if bound.ratio is not None else "1"
        weight = None if geometric else signs.nonnegative(sp.cancel(1 / bound.scale))
        if factor is None or (weight is None and not geometric):
            return None
        parts_with_t = () if geometric else (bound.scale,)
        below = [sp.fraction(sp.cancel(part))[1] for part in (bound.rest, bound.fading, *parts_with_t)]
        above = signs.nonnegative(bound.rest + bound.fading)
        if above is None or not all(map(signs.nonzero, below)):
            return None
        lines = signs.lines
        now = at(bound.potential(with_suffix(""), COUNT), ROUND)
        later, once = replaced(now, ROUND, ["+", ROUND, "1"]), replaced(now, ROUND, "1")
        first = replaced(now, ROUND, "0") if geometric else at(bound.init, "0")
        power: Tree = ["^", factor, ROUND] if geometric else "1"
        goal = ["<=", now, ["*", power, first]]
        lines.append({"given": ["<=", once, ["*", factor, first]], "by": "the first round"})
        lines.append({"given": ["<=", later, ["*", factor, now]], "by": "every round", "for": ROUND})
        n = len(lines)
        base = {"show": replaced(goal, ROUND, "1"), "as": ["slack", n - 2]}
        step = {
            "show": replaced(goal, ROUND, ["+", ROUND, "1"]),
            "as": ["+", ["slack", n - 1], ["*", factor, ["slack", n]]],
        }
        lines.append({"show": goal, "induct": ROUND, "base": [base], "step": [step]})
        parts: list[Tree] = [["slack", n]]
        left = bound.init - (bound.small if geometric else 0)
        for symbol in sorted(changing, key=str):
            over = sp.expand(left).coeff(symbol)
            if over != 0:
                shown = signs.nonnegative(over)
                if shown is None:
                    return None
                known = [">=", ["at", symbol.name, ROUND], "0"]
                lines.append({"given": known, "by": "every run", "for": ROUND})
                parts.append(["*", shown, ["slack", len(lines) - 1]])
        if geometric and above != "0":
            parts.append(["*", power, above])
        total = ["+", *parts] if len(parts) > 1 else parts[0]
        scale = power if geometric else tree(bound.scale)
        most = ["*", scale, at(bound.init + bound.fading, "0")]
        claim = ["<=", at(bound.small, ROUND), ["+", most, tree(bound.rest)]]
        lines.append({"show": claim, "as": total if geometric else ["/", total, weight]})
        fixed = [
            sp.Ge(s, 0, evaluate=False) for e in (bound.scale, bound.rest, bound.init) for s in e.free_symbols
        ]
        symbols = {**domains(fixed), **signs.symbols, ROUND: "count"}
        symbols = {**symbols, **{s.name: "sequence real" for s in changing}}
        found = {"symbols": symbols, "lines": lines, "claim": claim}
        check(found)
        recheck(found)
    except (Untranslatable, Refused, Rejected):
        return None
    return found
