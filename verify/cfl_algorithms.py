"""CFL, Appendix C.1.1 and Algorithms 4 to 6: the split of the data, and the share of data that rounds have in common."""

from __future__ import annotations

from bounds.cfl.algorithms import dealt, held, parts, remainder
from verify.commands.main import main
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.checks.table import printed_in
from verify.engine.model.claim import claims_about
from verify.facts.numbers import division, rounding_up
from verify.scenes.cfl import algorithms as scenes

_claim = claims_about("cfl", identity)
_printed = printed_in("cfl")
_COUNTED = "whole numbers"
CLAIMS = (
    _claim("alg5", scenes.IN_PLACE),
    _claim("alg5/at-once", scenes.AT_ONCE),
    _claim("alg5/division", scenes.DIVIDED),
    _claim("alg5.ratios", scenes.IN_PLACE),
    _claim("alg5.ratios/at-once", scenes.AT_ONCE),
    _claim("alg5.whole", scenes.AT_ONCE),
    _claim("alg5.whole/removed", scenes.REMOVED),
    _claim("alg6", scenes.CLIENTS),
    _claim("alg6/meant", scenes.CLIENTS_MEANT),
    _claim("alg6.disjoint", scenes.CLIENTS, inequality),
    _claim("alg6.chance", scenes.NEXT_DRAW),
    _claim("alg6.chance/meant", scenes.NEXT_DRAW_MEANT),
    _claim("alg6.variance"),
    _claim("alg6.drift", None, inequality),
    _claim("alg4", scenes.ROUNDS, entailment),
    _claim(
        "alg4/divides",
        scenes.ROUNDS.of_class(_COUNTED, rounding_up(dealt, remainder, parts, held)),
        entailment,
    ),
    _claim("alg4.enough", scenes.ROUNDS, entailment),
    _claim(
        "alg4.enough/rounded-down",
        scenes.ROUNDED_DOWN.of_class(_COUNTED, division(dealt, remainder, held)),
        entailment,
    ),
    _printed("alg4.clients", scenes.subsets()),
    _printed("alg4.rounds", scenes.rounds_of_training()),
    _claim("overlap", scenes.BACK),
    _claim("overlap/ring", scenes.RING),
    _printed("overlap.numbers", scenes.overlaps()),
    _printed("overlap.images", scenes.images("training")),
    _printed("overlap.images/all", scenes.images("training and test")),
    _claim("overlap.case1", scenes.BACK, entailment),
    _claim("overlap.case1/first-pass", scenes.FIRST_PASS, entailment),
    _claim("overlap.case2", scenes.BACK, entailment),
    _claim("overlap.case2/first-pass", scenes.FIRST_PASS, entailment),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_algorithms"))
