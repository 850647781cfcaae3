"""Proofs of claims about runs in a family of losses, by a proof for the whole class to which the losses belong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import sympy as sp

from algorithms.algorithm import Algorithm
from verify.engine.certificates.question import Question, Undecided
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.scene import Condition, Shape
from verify.engine.proof.sizes import sizes_of
from verify.engine.tactics.prove import prove
from verify.engine.verdict import Finding, Verdict
from verify.first_order.check import decide
from verify.first_order.client_losses import Losses
from verify.first_order.federated import ranges_of, rounds_repeat
from verify.first_order.forms import Form
from verify.first_order.on_a_line import NOT_POSED, class_of, study_of_runs
from verify.first_order.problem import Problem
from verify.first_order.rounds import by_first_potential
from verify.quantities import L, mu, zeta2
from verify.worlds import Family

GRADIENTS = 3
"""Largest number of gradients in a run, or in a round, for which a proof is tried: with more, the fits take minutes."""
CHANGING = ("distance2", "gap", "grad2", "loss")
"""Quantities of the model."""
NO_SPREAD = sp.Eq(zeta2, 0)
"""The condition that all clients have a common minimiser, if their losses are convex."""


def proof_for_class(
    make: Callable[..., Algorithm],
    family: Family,
    hyper: Mapping[str, Any],
    entries: Mapping[str, Callable[..., Any]],
    shapes: Sequence[Shape],
    claim: Claim,
    budget: Budget,
) -> Finding | None:
    """The finding that a claim is true for all losses of the class of a family; None if that is not proved.

    The conditions of a class need mu < L. If the claim does not imply this, it is a restriction of the verdict.
    """
    conditions = tuple(claim.statement.conditions)
    of = class_of(family)
    sizes = {name: sorted({shape[name] for shape in shapes}) for name in ("M", "N", "E", "t")}
    all_take_part = all(shape["N"] == shape["M"] for shape in shapes)
    gradients = max(shape["M"] * shape["E"] * shape["t"] for shape in shapes)
    if of is None or (not all_take_part and max(sizes["N"]) > min(sizes["M"])):
        return None
    spoken = {s.name for r in (claim.relation, *claim.conditions) for s in r.free_symbols}
    if all_take_part:
        sizes["N"] = []
    if of.convex and NO_SPREAD in conditions:
        of = replace(of, heterogeneity="none")
        conditions = tuple(c for c in conditions if c != NO_SPREAD)
    ordered = (mu < L) if "mu" in of.constants else sp.true
    held = ordered == sp.true or _implied(ordered, conditions)
    conditions = conditions if held else (*conditions, ordered)
    asked = replace(claim, statement=replace(claim.statement, conditions=conditions))
    try:
        found = None
        if gradients <= GRADIENTS:
            found = decide(study_of_runs(make, of, hyper, entries, sizes, spoken), asked, budget, 0)
        if (found is None or found.verdict is not Verdict.PROVED) and of.heterogeneity == "optimum":
            found = _by_one_round(make, of, hyper, sizes, spoken, asked)
    except NOT_POSED:
        return None
    if found is None or found.verdict is not Verdict.PROVED or found.proof is None:
        return None
    limits = [*found.proof.get("ranges", []), *([] if held else [sp.sstr(ordered)])]
    return replace(found, proof={**found.proof, "ranges": limits} if limits else found.proof)


def _by_one_round(
    make: Callable[..., Algorithm],
    of: Losses,
    hyper: Mapping[str, Any],
    sizes: Mapping[str, Sequence[int]],
    spoken: set[str],
    claim: Claim,
) -> Finding | None:
    """The finding by a potential of one round and induction, if each round of a run is the first one from another model.

    None if rounds depend on more than the model, clients are sampled, or a round asks for more than `GRADIENTS` gradients.
    """
    clients, steps, rounds = sizes["M"], sizes["E"], sizes["t"]
    if sizes["N"] or of.noisy or max(clients) * max(steps) > GRADIENTS:
        return None
    changing = sorted(spoken & {f"{name}{end}" for name in CHANGING for end in ("", "_0")})
    names = {name.removesuffix("_0") for name in changing}
    parameters = {*of.constants, *ranges_of(hyper)}
    if not names or spoken - {*changing, *parameters, *sizes, "zeta2"}:
        return None
    measured = sorted({*names, *(f"{name}_before" for name in names)})
    if not all(rounds_repeat(make, of, hyper, M, E, max(rounds)) for M, E in product(clients, steps)):
        return None
    run = study_of_runs(make, of, hyper, {}, {**sizes, "t": (1,)}, {*measured, *parameters})

    def one_round(problem: Problem, **numbers: Any) -> dict[str, Form]:
        return dict(run.method(problem, t=1, **numbers))

    study = replace(run, method=one_round, sizes={n: values for n, values in run.sizes.items() if n != "t"})
    found = by_first_potential(study, one_round, claim)
    if found.verdict is not Verdict.PROVED or found.proof is None:
        return None
    shapes = [{**shape, "t": t} for shape in study.shapes for t in rounds]
    return replace(found, proof={**found.proof, "sizes": sizes_of(shapes)})


def _implied(relation: Condition, conditions: Sequence[Condition]) -> bool:
    given = tuple((c, "condition") for c in conditions)
    return not isinstance(prove(Question(relation, given)), Undecided)
