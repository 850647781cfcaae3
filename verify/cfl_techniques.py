"""CFL, Appendix A and the corollary of Assumption 1: the techniques that every proof cites."""

from __future__ import annotations

from bounds.cfl.symbols import T, eta, mu
from bounds.cfl.techniques import eta_max, harmonic, log_T, shrunk
from bounds.relations import ge
from verify import facts
from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.model.claim import claims_about
from verify.facts import harmonic_sum
from verify.facts.numbers import logarithm_of_two
from verify.scenes.cfl import technique_facts as scenes
from verify.scenes.cfl.lemmas import POINTS
from verify.scenes.cfl.techniques import DEPENDENT, HARMONIC, LINEAR, ROUNDS, SUBLINEAR, UNCORRELATED, VECTORS

_FADING = LINEAR.of_class(
    "exponentials",
    facts.positive_exponential(1 - mu * eta),
    facts.positive_exponential(shrunk),
    facts.half_fallen(shrunk, ge(T, 1 / (2 * eta_max * mu))),
)
_HARMONIC = HARMONIC.of_class("sums of reciprocals", harmonic_sum(harmonic, log_T))
_LOGARITHMS = HARMONIC.of_class("logarithms", logarithm_of_two(log_T, T))
_claim = claims_about("cfl", inequality)
CLAIMS = (
    _claim("ass1.corollary", POINTS),
    _claim("ass1.corollary/corrected", POINTS, inequality, "ass1.corollary.turn"),
    _claim("ass1.corollary.turn", POINTS, identity),
    _claim("ass1.corollary.order", POINTS, entailment),
    _claim("lemA.1", _FADING, inequality, "lemA.1.telescope", scenes.GEOMETRIC),
    _claim("lemA.1.telescope", LINEAR),
    _claim("lemA.1.use", LINEAR, agreement),
    _claim("lemA.1/same-weight", _FADING, inequality, scenes.TELESCOPED_USED, scenes.GEOMETRIC),
    _claim("lemA.2", SUBLINEAR),
    _claim(
        "lemA.2/positive",
        SUBLINEAR,
        inequality,
        scenes.FALLEN,
        scenes.BY_START,
        scenes.BY_FIRST,
        scenes.BY_SECOND,
    ),
    _claim("lemA.2.start"),
    _claim("lemA.3", VECTORS, inequality, "lemA.3.pairs"),
    _claim("lemA.3.pairs", VECTORS, identity),
    _claim("lemA.4", DEPENDENT),
    _claim(
        "lemA.4/uncorrelated",
        UNCORRELATED,
        inequality,
        *(scenes.SEPARATED, scenes.OF_MEANS, scenes.OF_SIGNS, scenes.SUMMED),
    ),
    _claim(
        "lemA.4/dependent",
        DEPENDENT,
        inequality,
        *(scenes.SEPARATED, scenes.OF_MEANS, scenes.OF_SCATTER, scenes.SUMMED),
    ),
    _claim("lemA.5", POINTS, inequality, "lemA.5.slopes", "lemA.5.triangle"),
    _claim("lemA.5.slopes", POINTS, identity),
    _claim("lemA.5.triangle", POINTS, identity),
    _claim("lemA.6", ROUNDS, inequality, "lemA.6.pairs", scenes.ORDERED),
    _claim("lemA.6.pairs", ROUNDS, identity),
    _claim("lemA.6.order", _LOGARITHMS, inequality, "lemA.6.harmonic"),
    _claim("lemA.6.harmonic", _HARMONIC),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_techniques"))
