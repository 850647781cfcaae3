"""SPECIAL, Appendix C and Corollary D.1: the auxiliary lemmas, each with the steps of its proof."""

from __future__ import annotations

import sympy as sp

from bounds.special.lemmas import D_before, het2, lip2, noise2
from bounds.special.symbols import L, sigma_G2, sigma_L2
from verify.commands.main import main
from verify.engine.checks.relation import identity, inequality
from verify.engine.claim import claims_about
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

_inserted = (sp.Ge(sigma_L2, noise2), sp.Ge(sigma_G2, het2), sp.Le(lip2, L**2 * D_before))

_claim = claims_about("special", inequality)
CLAIMS = (
    _claim("lemC.1", SMOOTH),
    _claim("lemC.2", WEIGHTED),
    _claim("lemC.2.equality", WEIGHTED, identity),
    _claim("lemC.3", RANDOM),
    _claim("lemC.4", CENTRED),
    _claim("lemC.4/uncorrelated", INDEPENDENT, identity),
    _claim("lemC.5", LOCAL),
    _claim("eq15", LOCAL),
    _claim("l1", LOCAL, inequality, "eq15", *_inserted),
    _claim("l2", None, identity),
    _claim("eq15.last"),
    _claim("eq16", LOCAL),
    _claim("l3", INTEGERS),
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
