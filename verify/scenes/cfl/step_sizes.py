"""Step sizes of CFL, and what they make of the factor of the excess loss."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import c_pB, cB, cB_i
from bounds.cfl.steps import added, added_mean
from bounds.cfl.symbols import L, N, eta
from bounds.relations import eq
from nqm.fields import amax
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.cfl.client_sums import GROWN_EACH, all_cB
from verify.scenes.cfl.round_sums import GROWN_FACT, SIZED
from verify.scenes.cfl.step_ways import ADDED, FACTOR
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import definition, summed


def of_constants(shape: Shape, values: Named) -> Values:
    """Means of c_pB over the clients."""
    c = values["c"]
    return {"cB": c, "cB_i": c.T, "c_pB": c.sum(axis=-1) / shape["N"], "c_max": amax(c, -1)}


def of_steps(shape: Shape, values: Named) -> Values:
    """The effective step, and the contribution of the clients to the factor of the excess loss."""
    reach = shape["K"] * values["eta_l"] * values["L"]
    far, pull = reach[:, None] ** 2 * values["c"], (reach * values["eta_g"])[:, None] * values["c"]
    added = 16 * pull + 16 * far * (1 + 4 * pull) / (1 - 4 * far)
    return {
        "eta": shape["K"] * values["eta_l"] * values["eta_g"],
        "added": added,
        "added_mean": added.sum(axis=-1) / shape["N"],
    }


(_all_added, _term), _terms = sp.symbols("all_added term", real=True), sp.Symbol("terms")
(_sum,) = FACTOR.lhs.atoms(sp.Sum)
_of_client = {
    _term: _sum.function.subs(cB_i[_sum.variables[0]], cB).subs(eta, SIZED.rhs),
    added: ADDED.rhs,
    eta: SIZED.rhs,
}
_SUMMED = summed(
    eq(_terms + 16 * L * eta**2 * all_cB, eta * _all_added),
    {_terms: _term, all_cB: cB, _all_added: added},
    (_term, cB, added),
    Sums(
        eq(_term + 16 * L * eta**2 * cB, eta * added),
        {letter: tree(formula) for letter, formula in _of_client.items()},
        {"K": "count", "eta_l": "positive", "eta_g": "positive"},
    ),
)
FACTS = (
    definition(SIZED),
    definition(ADDED),
    follows(FACTOR, (_SUMMED, {_terms: _sum, all_cB: N * c_pB, _all_added: N * added_mean})),
    *(GROWN_EACH, GROWN_FACT),
)
STEPS = Scene(
    name="step sizes of CFL",
    shapes=tuple({"N": N, "K": K} for N, K in ((1, 1), (1, 3), (2, 1), (3, 2))),
    space=lambda shape: {
        "c": Box(1, 100, (shape["N"],), scale="log"),
        "L": Box(0.01, 100, scale="log"),
        "eta_g": Box(0.001, 1, scale="log"),
        "eta_l": Box(0.01, 1, scale="log"),
    },
    known=of_constants,
    compute=Proved(of_steps, FACTS),
    steps=("eta_g", "eta_l"),
    free_step=lambda name, shape, values: 4,
)
