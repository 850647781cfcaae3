"""CFL: which worlds meet Assumptions 1 to 7, and what the assumptions imply. All outcomes of the drifts are enumerated."""

from __future__ import annotations

from bounds.cfl.assumptions import here_lost, least_off, models_apart, there_lost
from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.facts.vectors import least_stretch
from verify.scenes.cfl.assumptions import (
    ALIKE,
    EXACTLY,
    HESSIANS,
    NEXT,
    NOISES,
    PAIRS,
    ROUNDS,
    SAMPLES,
    TURNED,
)
from verify.scenes.cfl.drift_worlds import FREE
from verify.scenes.cfl.uncorrelated_sums import MIXED, SUMMED

# -------------------------------------------------------------------------------------------------- the claims

_STRETCHED = HESSIANS.of_class(
    "lengths of vectors", least_stretch(least_off, models_apart, here_lost, there_lost)
)

_claim, _assumed = claims_about("cfl", inequality), for_each(claims_about("cfl", assumption))
CLAIMS = (
    *_assumed("ass1.smooth ass1.convex ass2 ass2.unbiased ass3.client ass3.time ass4 ass5 ass6 ass7", FREE),
    _claim("ass2.weighted", NOISES, entailment),
    _claim("ass2.weighted/nonnegative", NOISES, entailment, MIXED, SUMMED),
    _claim("ass2.samples", SAMPLES, inequality, "ass2.samples.middle"),
    _claim("ass2.samples.middle", SAMPLES, identity),
    _claim("ass2.optimum", SAMPLES, entailment),
    _claim("ass4.hessian", _STRETCHED),
    _claim("ass5.implied", PAIRS, inequality, "ass5.square"),
    _claim("ass5.square", PAIRS, identity),
    _claim("ass5.both-sides", PAIRS, entailment),
    _claim("ass6.special", ALIKE, entailment),
    _claim("ass7.special", NEXT, entailment),
    _claim("ass7.case1", ROUNDS, entailment),
    _claim("ass7.decreases", ROUNDS, entailment),
    _claim("ass7.slow", NEXT, entailment),
    _claim("ass7.slow/equality", EXACTLY, entailment, "ass5.square"),
    _claim("ass7.fast", TURNED, inequality, "ass5.square"),
    _claim("ass7.independent", NEXT, entailment),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_assumptions"))
