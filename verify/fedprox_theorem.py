"""FedProx: what bounded dissimilarity says of stationary points, and the decrease of Theorem 4 where all clients take part."""

from __future__ import annotations

import sympy as sp

import bounds.fedprox.theorem as b
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about
from verify.engine.model.scene import Condition
from verify.first_order import decided
from verify.scenes.fedprox.round import DRIFT, FREE, INEXACT, RESTING, SAMPLING, SERVER, STATIONARY
from verify.scenes.fedprox.world import ASSUMED, WORLD

Links = dict[Condition, list[tuple[str, dict[sp.Basic, sp.Expr]]]]
_claim = claims_about("fedprox", decided)
BETWEEN = (
    le(
        (b.L / (2 * b.REACH * b.mu) + b.L / 2) * b.drift,
        (b.L * b.REACH / (2 * b.mu) + b.L * b.REACH**2 / 2) * b.grad2,
    ),
    le(b.inexact / (2 * b.gamma * b.B * b.mu), b.gamma * b.B / (2 * b.mu) * b.grad2),
)
"""The bounds on local steps and on inexactness, each with its weight."""
SAMPLED: Links = {b.DRIFT: [("thm4.drift", {})], b.FALLS: [("thm4", {})], b.EXTRA: [("thm4.sampling", {})]}
SHARPER = (le(b.fall + b.extra, -(b.RHO - b.L * b.REACH**2 / (2 * b.K)) * b.grad2),)
LEMMAS = {
    b.DRIFT: [("thm4.drift", {})],
    b.INEXACT: [("thm4.inexact", {})],
    b.AT_WEIGHTS: [("thm4.server", b.WEIGHTS)],
}
CLAIMS = (
    _claim("ass1.stationary", STATIONARY),
    _claim("ass1.stationary/eps", FREE),
    _claim("thm4.drift", DRIFT),
    _claim("thm4.inexact", INEXACT),
    _claim("thm4.server", SERVER),
    _claim("thm4.free", RESTING),
    _claim(
        "thm4",
        None,
        inequality,
        beside=(needed_in(WORLD, *ASSUMED), better_in(WORLD, b.STILL, *ASSUMED)),
        through=BETWEEN,
        lemmas=LEMMAS,
    ),
    _claim("thm4/heterogeneous", None, inequality, lemmas=LEMMAS),
    _claim("thm4.sampling", SAMPLING),
    _claim("thm4.sampled", None, inequality, through=SHARPER, lemmas=SAMPLED),
    _claim("thm4.sampled/sharper", None, inequality, lemmas=SAMPLED),
    _claim("thm4.sampled/free", None, inequality, lemmas=SAMPLED),
    _claim("cor7", None, inequality),
    _claim("cor7/thirtieth", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedprox_theorem"))
