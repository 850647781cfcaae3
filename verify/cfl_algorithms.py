"""CFL, Appendix C.1.1 and Algorithms 4 to 6: the split of the data, and the share of data that rounds have in common."""

from __future__ import annotations

from bounds.cfl.algorithms import dealt, held, parts, remainder
from verify.commands.main import main
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.checks.table import printed_in
from verify.engine.model.claim import claims_about
from verify.facts.numbers import division, rounding_up
from verify.scenes.cfl.algorithms import (
    AT_ONCE,
    BACK,
    CLIENTS,
    CLIENTS_MEANT,
    DIVIDED,
    FIRST_PASS,
    IN_PLACE,
    NEXT_DRAW,
    NEXT_DRAW_MEANT,
    REMOVED,
    RING,
    ROUNDED_DOWN,
    ROUNDS,
    images,
    overlaps,
    rounds_of_training,
    subsets,
)

_claim = claims_about("cfl", identity)
_printed = printed_in("cfl")
_COUNTED = "whole numbers"
CLAIMS = (
    _claim("alg5", IN_PLACE),
    _claim("alg5/at-once", AT_ONCE),
    _claim("alg5/division", DIVIDED),
    _claim("alg5.ratios", IN_PLACE),
    _claim("alg5.ratios/at-once", AT_ONCE),
    _claim("alg5.whole", AT_ONCE),
    _claim("alg5.whole/removed", REMOVED),
    _claim("alg6", CLIENTS),
    _claim("alg6/meant", CLIENTS_MEANT),
    _claim("alg6.disjoint", CLIENTS, inequality),
    _claim("alg6.chance", NEXT_DRAW),
    _claim("alg6.chance/meant", NEXT_DRAW_MEANT),
    _claim("alg6.variance"),
    _claim("alg6.drift", None, inequality),
    _claim("alg4", ROUNDS, entailment),
    _claim("alg4/divides", ROUNDS.of_class(_COUNTED, rounding_up(dealt, remainder, parts, held)), entailment),
    _claim("alg4.enough", ROUNDS, entailment),
    _claim(
        "alg4.enough/rounded-down",
        ROUNDED_DOWN.of_class(_COUNTED, division(dealt, remainder, held)),
        entailment,
    ),
    _printed("alg4.clients", subsets()),
    _printed("alg4.rounds", rounds_of_training()),
    _claim("overlap", BACK),
    _claim("overlap/ring", RING),
    _printed("overlap.numbers", overlaps()),
    _printed("overlap.images", images("training")),
    _printed("overlap.images/all", images("training and test")),
    _claim("overlap.case1", BACK, entailment),
    _claim("overlap.case1/first-pass", FIRST_PASS, entailment),
    _claim("overlap.case2", BACK, entailment),
    _claim("overlap.case2/first-pass", FIRST_PASS, entailment),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_algorithms"))
