"""SPECIAL, Lemma C.5 in a round of any number of clients and local steps: sums of random vectors.

A random vector is represented as a vector of a larger space, with one coordinate for each coordinate in each outcome; an expected
inner product is then an inner product. The vectors of all clients are combined in the same way.
"""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, le
from bounds.special.local_steps import WITHIN, walked
from bounds.special.one_round import D2, far2, far2_e, gK2
from bounds.special.round_drift import far2_mean, own2, strayed2, turned2, walked_mean
from bounds.special.symbols import E, L, L_sup, M, client_sup, gamma_L, noise_sup, sigma_G2, sigma_L2
from nqm.fields import Array, sq, stack
from verify.engine.model.scene import Condition, Fact, Follows, Scene, Values
from verify.engine.model.sums import Sums
from verify.facts import counting
from verify.scenes.norms_of_sums import follows
from verify.scenes.special.one_round import Round
from verify.scenes.special.step_by_step import STEPS_LEFT
from verify.scenes.summands import definition
from verify.scenes.trees import square


def drift_of_clients(played: Round, task: Array) -> Values:
    """Distances of clients from the start of the round before each step, (batch, path, step), and their causes.

    Parameters
    ----------
    task : (batch, path, 1, d) array
        The current task's gradient at the start of the round.
    """
    changes = [grad - played.grads[0] for grad in played.grads]
    far = [x - played.points[0] for x in played.points[:-1]]
    squared = lambda x: played.mean(sq(x).sum(axis=3))  # noqa: E731 - of all clients
    before = lambda steps, e: sum(steps[:e], 0 * steps[0])  # noqa: E731
    each = range(len(far))
    far2_e = stack([squared(x) for x in far], axis=-1)
    number = stack([e + 0 * far2_e[..., e] for e in each], axis=-1)
    return {
        **{"far2_e": far2_e, "far2": far2_e.sum(axis=-1), "D2": sum(map(squared, changes))},
        **{"walked": number, "walked_mean": number.sum(axis=-1) / len(far)},
        "far2_mean": far2_e.sum(axis=-1) / len(far),
        "turned2": stack([squared(before(changes, e)) for e in each], axis=-1),
        "strayed2": stack([squared(before(played.noises, e)) for e in each], axis=-1),
        "own2": squared(played.grads[0] - task[..., None, :]),
    }


# ------------------------------------------------------------------------------------------------- the facts

_clients = lambda vector: ["each", "M", vector, vector]  # noqa: E731
_BROUGHT = ["+", ["+", "change", "noise"], ["+", ["*", "walked", "own"], ["*", "walked", "whole"]]]
WALK = Sums(
    le(far2_e, gamma_L**2 * (9 * (turned2 + walked**2 * (own2 + M * gK2)) + sp.Rational(3, 2) * strayed2)),
    {
        far2_e: _clients(["*", "gamma_L", _BROUGHT]),
        **{turned2: _clients("change"), strayed2: _clients("noise")},
        **{own2: _clients("own"), gK2: square("whole")},
    },
    {"M": "count", **dict.fromkeys(("change", "noise", "own"), "family M"), "whole": "vector"},
)
"""M clients: the sum of a client's changes and of its noise, its gradient less that of the task, which is `whole`."""
TURNED = Sums(
    le(turned2, walked * D2),
    {
        turned2: square(["total", "turn"]),
        walked: "e",
        D2: ["+", ["each", "e", "turn", "turn"], ["each", "r", "later", "later"]],
    },
    {"e": "count", "r": "count", "turn": "family e", "later": "family r"},
)
"""Total changes of all clients, in e steps and in the r others."""


def at_most(relation: sp.Le, constant: sp.Symbol, supremum: sp.Symbol) -> tuple[Follows, Condition]:
    """A bound on a sum by a constant, at any sizes, and the definition behind it: the same bound with the supremum."""
    definition = relation.xreplace({constant: supremum})
    fact = follows(
        relation, given=(le(supremum, constant), definition), through=(le(definition.rhs, relation.rhs),)
    )
    return fact, definition


_BOUNDED = (
    at_most(le(D2, L**2 * far2), L, L_sup),
    at_most(le(strayed2, walked * M * sigma_L2), sigma_L2, noise_sup),
    at_most(le(own2, M * sigma_G2), sigma_G2, client_sup),
)
_INDEX = sp.Symbol("k", integer=True)
ADDED = (eq(E * far2_mean, far2), eq(E * walked_mean, sp.Sum(_INDEX, (_INDEX, 0, E - 1))))
"""The definitions of means over the steps."""
_MEAN = Scene(
    name="mean number of earlier steps",
    shapes=({"E": E},),
    space=lambda shape: {},
    compute=lambda shape, values: {"walked_mean": sp.Sum(_INDEX, (_INDEX, 0, shape["E"] - 1)) / shape["E"]},
    covers="what the letters mean",
)
FACTS: tuple[Fact | Sums | Follows, ...] = (
    *(WALK, TURNED, STEPS_LEFT),
    *(fact for fact, _ in _BOUNDED),
    definition(ADDED[0]),
    Fact(ADDED[1], _MEAN),
)
DEFINES = (WITHIN, *(definition for _, definition in _BOUNDED))
SMOOTH, NOISY, APART = (fact.relation for fact, _ in _BOUNDED)
COUNTED = counting(E, _INDEX)
