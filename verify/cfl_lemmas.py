"""CFL, Appendices B.1 to B.3: gradients of clients and rounds that drift, and the Taylor approximation of past losses."""

from __future__ import annotations

from bounds.cfl import lemmas as b
from bounds.cfl.correlated import SPLIT
from bounds.cfl.symbols import D2, F2
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.model.claim import claims_about
from verify.facts import mean_value
from verify.facts.numbers import smaller
from verify.scenes.cfl.lemmas import BETWEEN, CLIENT, DEPENDENT, DRIFTS, EXPANDED, FREE, NOW
from verify.scenes.cfl.uncorrelated_sums import INDEPENDENT, ONCE_CLIENT, ONCE_SPLIT, ONCE_TIME

_BENT = EXPANDED.of_class("smooth losses", mean_value(le(b.loss_norm, b.bend * b.from_point)))
_NO_OVERLAP = (smaller(F2, D2),)

_claim = claims_about("cfl", inequality)
CLAIMS = (
    _claim("rem3.2", None, entailment, facts=_NO_OVERLAP),
    _claim("rem3.3", EXPANDED, entailment),
    _claim("rem3.3/ball", _BENT, entailment),
    _claim("lemB.1", CLIENT, inequality, "lemB.1.split"),
    _claim("lemB.1.split", CLIENT, identity),
    _claim("lemB.1.last", CLIENT),
    _claim("lemB.2.1", NOW, inequality, "lemB.2.1.split"),
    _claim("lemB.2.1/dependent", DEPENDENT, entailment),
    _claim("lemB.2.1/dependent-doubled", DEPENDENT),
    _claim("lemB.2.1.split", NOW, identity),
    _claim("lemB.2.2", DRIFTS, inequality, SPLIT.compared, INDEPENDENT),
    _claim("lemB.2.3", DRIFTS, inequality, ONCE_SPLIT, ONCE_CLIENT, ONCE_TIME),
    _claim("lemB.2.weights", FREE, entailment),
    _claim("lemB.2.reduces", None, agreement),
    _claim("lemB.2.proof", DRIFTS, identity),
    _claim("lemB.2.proof/corrected", DRIFTS, identity),
    _claim("lemB.3", _BENT),
    _claim("lemB.3.mean-value", BETWEEN, identity),
    _claim("lemB.3.point", EXPANDED, agreement),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_lemmas"))
