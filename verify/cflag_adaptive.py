"""C-FLAG: adaptive rates (Section 5, Table 1, Lemmas 6 and 7) and the algorithms that use them (Algorithms 1 and 3)."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.checks.vacuity import needed
from verify.engine.model.claim import Claim, claims_about, for_each
from verify.engine.model.scene import Scene
from verify.scenes.cflag import adaptive as scenes
from verify.scenes.cflag.adaptive_rates import LINES, OWN_RATES, OWN_RATES_APART, PAIR, PAIR_APART
from verify.scenes.cflag.adaptive_rounds import AGAIN, AGAIN_ONE_RATE, DESCENT, ROUND, ROUND_ONE_RATE, SCALED
from verify.scenes.cflag.adaptive_rounds import OWN_RATES as PLAYED_OWN_RATES
from verify.scenes.cflag.adaptive_sums import NOT_RAISED, NOT_ZERO, RAISED

SETTINGS = {"Table 5, learning rate 0.0001 and L = 5": {"alpha": 1e-4, "L": 5.0}}
"""Reported hyperparameters; the constant m is not reported."""

_claim = claims_about("cflag", inequality)
_claims = for_each(_claim)


def _case(number: str) -> tuple[Claim, ...]:
    """Claims of the appendix about the term of one client."""
    return (
        _claim(f"{number}.minimum", scenes.SQUARES, inequality, f"{number}.square"),
        _claim(f"{number}.square", scenes.SQUARES, identity),
        _claim(f"{number}.value", None, identity),
        _claim(f"{number}.below_zero", scenes.SUMS, inequality, "eq15.positive"),
        *_claims(f"{number}.negative_rate {number}.negative_rate/strict {number}.monotone", scenes.SUMS),
    )


def _lemmas(case: str, sums: Scene, own: Scene, few: Scene) -> tuple[Claim, ...]:
    """Lemmas 6 and 7 and the steps of their proofs in one case."""
    return (
        *_claims(f"lem6.{case} lem6.{case}/descent", scenes.ONE_RATE),
        _claim(f"lem6.{case}/other-rate", scenes.SUMS),
        _claim(f"lem7.{case}", own, inequality, *(f"eq{number}.{case}" for number in range(196, 201))),
        *_claims(f"lem7.{case}/round lem7.{case}/sent", few),
        _claim(f"lem7.{case}/loss", PLAYED_OWN_RATES, beside=(needed,)),
        _claim(f"eq195.{case}", few, identity),
        *_claims(f"eq196.{case} eq199.{case}", own, identity),
        *_claims(f"eq197.{case} eq198.{case}", own),
        _claim(f"eq200.{case}", sums, identity),
    )


CLAIMS = (
    _claim("eq14.feasible", scenes.SUMS),
    _claim("eq14.guarantee", scenes.IN_TIME),
    _claim("eq15", scenes.SUMS, identity),
    _claim("eq15.positive", None, entailment, beside=(applicability(SETTINGS),)),
    _claim("eq15.positive/any-m", None, entailment),
    *_claims(
        "eq15.positive/adapted eq15.transference eq15.transference/negative eq15.interference", scenes.SUMS
    ),
    *_claims("eq15.learning eq15.current eq15.forgetting", ROUND_ONE_RATE),
    _claim("eq15.learning/rate", ROUND, inequality, DESCENT),
    _claim("eq16", scenes.SQUARES, inequality, "eq16.square"),
    _claim("eq16.square", scenes.SQUARES, identity),
    _claim("eq16.value", None, identity),
    _claim("eq16.expected", scenes.MEMORIES, identity),
    _claim("eq16.quadratic", ROUND, identity),
    _claim("eq16.procedure", SCALED, identity),
    _claim("eq16.procedure/played", AGAIN_ONE_RATE, identity),
    _claim("eq16/played", AGAIN),
    _claim("decomp", scenes.SUMS, identity),
    _claim("decomp.negative", scenes.SUMS, inequality, "decomp", NOT_RAISED),
    _claim("decomp.positive", scenes.SUMS, inequality, "decomp", RAISED),
    _claim("eq184", scenes.APART, identity),
    *_claims("eq184.definition eq190.definition", scenes.SUMS, agreement),
    _claim("eq185", scenes.MEMORIES_APART, identity),
    *_case("eq184"),
    *_claims("eq184.projection eq184.negation/other-rate", scenes.PROJECTED, identity),
    _claim("eq184.negation", scenes.PROJECTED_ONE_RATE, identity),
    *_claims("eq186 eq187 eq188.square eq188.apart eq189", scenes.SUMS, identity),
    _claim("eq188.a", scenes.SUMS, inequality, "eq188.square"),
    _claim("eq188", scenes.SUMS, inequality, "eq188.apart"),
    _claim("eq190", scenes.SUMS, inequality, "eq186", "eq187", "eq188", "eq189"),
    _claim("eq191", scenes.MEMORIES, inequality, "eq191.apart"),
    _claim("eq191.apart", scenes.MEMORIES, identity),
    *_case("eq191"),
    *_claims("eq192 eq193 eq194 eq198.average/capped", scenes.SUMS),
    *_lemmas("average", scenes.APART, OWN_RATES_APART, PAIR_APART),
    *_lemmas("worst", scenes.ONE_RATE, OWN_RATES, PAIR),
    _claim("lem7.average/terms", OWN_RATES_APART),
    _claim("lem7.worst/terms", PAIR),
    *_claims("tab1.positive tab1.defined.interference", scenes.SUMS, entailment),
    _claim("tab1.defined.transference", scenes.SUMS, entailment, NOT_ZERO),
    *_claims("alg3.line4 alg3.line4/scaled alg3.line5 alg3.line5/scaled alg3.line8", LINES, agreement),
    *_claims("alg3.line8/scaled alg3.line10 alg3.line10/scaled alg3.line11", LINES, agreement),
    *_claims("alg3.line13 alg3.line14 alg3.line14.server alg3.line14.server/common", LINES, identity),
    _claim("alg3.transference", LINES),
    _claim("alg3.interference", LINES, inequality, "alg3.line10/scaled"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_adaptive"))
