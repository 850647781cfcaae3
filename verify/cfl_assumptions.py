"""CFL: which worlds meet Assumptions 1 to 7, and what the assumptions imply. All outcomes of the drifts are enumerated."""

from __future__ import annotations

from bounds.cfl.assumptions import here_lost, least_off, models_apart, there_lost
from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.facts.vectors import least_stretch
from verify.scenes.cfl import assumptions as scenes
from verify.scenes.cfl.drift_worlds import FREE
from verify.scenes.cfl.uncorrelated_sums import MIXED, SUMMED

# -------------------------------------------------------------------------------------------------- the claims

_STRETCHED = scenes.HESSIANS.of_class(
    "lengths of vectors", least_stretch(least_off, models_apart, here_lost, there_lost)
)

_claim, _assumed = claims_about("cfl", inequality), for_each(claims_about("cfl", assumption))
CLAIMS = (
    *_assumed("ass1.smooth ass1.convex ass2 ass2.unbiased ass3.client ass3.time ass4 ass5 ass6 ass7", FREE),
    _claim("ass2.weighted", scenes.NOISES, entailment),
    _claim("ass2.weighted/nonnegative", scenes.NOISES, entailment, MIXED, SUMMED),
    _claim("ass2.samples", scenes.SAMPLES, inequality, "ass2.samples.middle"),
    _claim("ass2.samples.middle", scenes.SAMPLES, identity),
    _claim("ass2.optimum", scenes.SAMPLES, entailment),
    _claim("ass4.hessian", _STRETCHED),
    _claim("ass5.implied", scenes.PAIRS, inequality, "ass5.square"),
    _claim("ass5.square", scenes.PAIRS, identity),
    _claim("ass5.both-sides", scenes.PAIRS, entailment),
    _claim("ass6.special", scenes.ALIKE, entailment),
    _claim("ass7.special", scenes.NEXT, entailment),
    _claim("ass7.case1", scenes.ROUNDS, entailment),
    _claim("ass7.decreases", scenes.ROUNDS, entailment),
    _claim("ass7.slow", scenes.NEXT, entailment),
    _claim("ass7.slow/equality", scenes.EXACTLY, entailment, "ass5.square"),
    _claim("ass7.fast", scenes.TURNED, inequality, "ass5.square"),
    _claim("ass7.independent", scenes.NEXT, entailment),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_assumptions"))
