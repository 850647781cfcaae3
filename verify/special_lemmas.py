"""SPECIAL, Appendix C and Corollary D.1: the auxiliary lemmas, each with the steps of its proof."""

from __future__ import annotations

from bounds.special.symbols import E
from verify.commands.main import main
from verify.engine.checks.relation import identity, inequality
from verify.engine.claim import claims_about
from verify.facts import falling_to_e
from verify.scenes.special.lemmas import (
    CENTRED,
    INDEPENDENT,
    INTEGERS,
    LOCAL,
    PAIR,
    RANDOM,
    SMOOTH,
    VECTORS,
    WEIGHTED,
)
from verify.scenes.special.local_drift import INSERTED

_claim = claims_about("special", inequality)
CLAIMS = (
    _claim("lemC.1", SMOOTH),
    _claim("lemC.2", WEIGHTED),
    _claim("lemC.2.equality", WEIGHTED, identity),
    _claim("lemC.3", RANDOM),
    _claim("lemC.4", CENTRED),
    _claim("lemC.4/above", INDEPENDENT),
    _claim("lemC.4/below", INDEPENDENT),
    _claim("lemC.4/uncorrelated", INDEPENDENT, identity, "lemC.4/above", "lemC.4/below"),
    _claim("lemC.5", LOCAL),
    _claim("eq15", LOCAL),
    _claim("l1", LOCAL, inequality, "eq15", *INSERTED),
    _claim("l2", None, identity),
    _claim("eq15.last"),
    _claim("eq16", LOCAL),
    _claim("l3", INTEGERS, facts=(falling_to_e(E - 1),)),
    _claim("lemC.6", VECTORS, identity),
    _claim("l4", PAIR, identity),
    _claim("l4/corrected", PAIR, identity),
    _claim("lemC.7", VECTORS, identity),
    _claim("lemC.7.expectation", VECTORS, identity),
    _claim("lemC.7.inclusion", VECTORS, identity),
    _claim("lemC.7.pairs", VECTORS, identity),
    _claim("l5", PAIR, identity),
    _claim("lemC.8", VECTORS, identity),
    _claim("corD.1"),
    _claim("corD.1.square", None, identity),
    _claim("corD.1.max"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_lemmas"))
