"""C-FLAG: local steps along delayed gradients, their error and the drift of the clients (Eq. 4, 5, 17-22; Lemmas 12-16).

Clients are compared at every local step, for every order in which the samples may be drawn. The proofs use that the losses of
single samples are smooth. The variants ``/ass1`` use Assumption 1 as printed, which is about the losses of clients only.
"""

from __future__ import annotations

from functools import partial

from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import needed, no_placebo, nothing_free
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag import drift_norms as scenes
from verify.scenes.cflag.drift import ANY, ANY_WEIGHTS, TOY, TWICE
from verify.scenes.cflag.worst_case import worst_case

_worst = partial(worst_case, sizes=((1, 3), (2, 3), (3, 3)))
FOLLOWS = nothing_free("how far local models move is known from their steps alone")
STEPS_ALONE = no_placebo(
    "how far local models move is bounded by the lengths of their steps, wherever they lead"
)

_claim = claims_about("cflag", inequality)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("ass1 ass1.samples", scenes.FREE_POINTS, assumption),
    _claim("ass1.implied", scenes.CLIENTS, entailment),
    _claim("ass1.mean", scenes.POINTS),
    *_claims("eq4 eq5 eq5.start", ANY, identity),
    _claim("eq5.cost"),
    *_claims("eq5.toy.k1 eq5.toy.k2", TOY, identity),
    _claim("eq5.toy.label", TWICE, agreement),
    *_claims("eq17 eq18 eq19 eq20 eq21.zero", ANY, identity),
    *_claims("eq21 eq21.zero/weights", ANY_WEIGHTS, identity),
    *_claims("eq22 eq31 eq32", ANY, identity),
    *_claims("eq94.a eq94.smooth", scenes.ROUND),
    _claim("eq94.smooth/ass1", scenes.CLIENTS),
    _claim("eq94", scenes.ROUND, inequality, "eq94.a", "eq94.smooth"),
    _claim("eq95", ANY, identity),
    *_claims("eq96 eq97", scenes.ROUND),
    _claim("eq98", scenes.ROUND, inequality, "eq94", "eq96", "eq97"),
    *_claims("eq99 eq100", scenes.ROUND, identity),
    _claim("eq101.e", scenes.ROUND),
    _claim("eq101", scenes.ROUND, inequality, "eq98", "eq99", "eq100", "eq101.e"),
    *_claims("eq102 eq103 eq103/own eq104.away", scenes.ROUND),
    _claim("eq105", scenes.ROUND, inequality, "eq103/own", "eq104.away", "eq105.largest"),
    *_claims("eq105.largest eq106.sum", scenes.ROUND),
    _claim("eq106", scenes.ROUND, inequality, "eq101", "eq106.sum"),
    *_claims("eq107 eq107/norm eq107.sum", scenes.ROUND),
    _claim("eq108", scenes.ROUND, inequality, "eq106", "eq107.sum"),
    _claim("eq109.sum", scenes.ROUND),
    _claim("lem12", scenes.LONG, bound, "eq108", "eq109.sum"),
    _claim("lem12/ass1", scenes.CLIENTS, bound),
    *_claims("eq113 eq114.smooth", scenes.ROUND),
    _claim("eq115", scenes.ROUND, inequality, "eq113", "eq114.smooth"),
    _claim("eq116", scenes.ROUND, inequality, "eq115", "lem12"),
    _claim("eq117", scenes.ROUND, inequality, "eq116"),
    _claim("eq119", scenes.ROUND),
    _claim("eq120", scenes.ROUND, identity),
    _claim("eq120.four", None, entailment),
    _claim("eq123", None, identity),
    *_claims("eq124 eq125 eq126", None, entailment),
    _claim("lem13", scenes.LONG, bound, beside=(_worst("drift"), FOLLOWS, STEPS_ALONE, needed)),
    _claim("lem13.E", scenes.ROUND, inequality, "lem13"),
    _claim("lem13/ass1", scenes.CLIENTS, bound),
    *_claims("eq129.drift eq129", scenes.ROUND),
    _claim("eq129/brackets", scenes.ROUND, inequality, "lem12", "eq129.drift"),
    *_claims("eq130 eq130/brackets", None, entailment),
    _claim("cor14", scenes.LONG, bound, "eq129/brackets", beside=(_worst("e"),)),
    _claim("cor14/ass1", scenes.CLIENTS, bound),
    *_claims("eq133 eq134 eq135.b", scenes.SUMS),
    _claim("eq135", scenes.SUMS, inequality, "eq134", "eq135.b"),
    _claim("eq136.c", scenes.SUMS),
    _claim("eq136", scenes.SUMS, inequality, "eq135", "eq136.c"),
    *_claims("eq137.d eq137.d/small-steps", scenes.SUMS),
    _claim("lem15.I", scenes.SUMS, bound),
    _claim(
        "lem15.I/small-steps", scenes.SUMS, bound, "eq136", "eq137.d/small-steps", beside=(_worst("rho"),)
    ),
    _claim("lem15.I/ass1", scenes.CLIENTS_SUMS, bound),
    _claim("eq139", scenes.SUMS),
    _claim("eq140", scenes.SUMS, identity),
    _claim("eq141.young", scenes.SUMS),
    _claim("eq141", scenes.SUMS, inequality, "eq139", "eq140", "eq141.young"),
    _claim("eq142.b", scenes.SUMS),
    _claim("eq142", scenes.SUMS, inequality, "eq141", "eq142.b"),
    _claim("eq143.c", scenes.SUMS),
    _claim("eq143", scenes.SUMS, inequality, "eq142", "eq143.c"),
    *_claims("eq144.d eq144.d/small-steps", scenes.SUMS),
    _claim("lem15.II", scenes.SUMS, bound),
    _claim("lem15.II/small-steps", scenes.SUMS, inequality, "eq143", "eq144.d/small-steps"),
    *_claims("eq147 eq147.cor14 eq147.cor14/small-steps", scenes.SUMS),
    _claim("lem16", scenes.SUMS, bound),
    _claim(
        "lem16/small-steps",
        scenes.LONG_SUMS,
        bound,
        "eq147",
        "eq147.cor14/small-steps",
        beside=(_worst("ebar"),),
    ),
    _claim("lem16/ass1", scenes.CLIENTS_SUMS, bound),
    *_claims("eq97/sharp eq101/sharp", scenes.ROUND),
    _claim("lem12/sharp", scenes.ROUND, inequality, "eq94", "eq97/sharp", "eq101/sharp"),
    _claim("eq117/sharp", scenes.ROUND),
    _claim("eq126/sharp", None, entailment),
    _claim("lem13/sharp", scenes.ROUND, bound, beside=(FOLLOWS, STEPS_ALONE, needed)),
    _claim("eq101.path/sharp", scenes.ROUND),
    _claim("cor14/sharp", scenes.ROUND, inequality, "eq94", "eq97/sharp", "eq101.path/sharp"),
    *_claims("lem15.I/sharp lem16/sharp", scenes.SUMS, bound),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_drift"))
