"""C-FLAG: adaptive rates (Section 5, Table 1, Lemmas 6 and 7) and the algorithms that use them (Algorithms 1 and 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag_adaptive import Lam_i, a2
from bounds.cflag_symbols import fd2
from verify.engine.adaptive import (
    APART,
    IN_TIME,
    MEMORIES,
    MEMORIES_APART,
    ONE_RATE,
    PROJECTED,
    PROJECTED_ONE_RATE,
    SQUARES,
    SUMS,
)
from verify.engine.adaptive_rates import LINES, OWN_RATES, OWN_RATES_APART, PAIR, PAIR_APART
from verify.engine.adaptive_rounds import AGAIN, AGAIN_ONE_RATE, ROUND, ROUND_ONE_RATE, SCALED
from verify.engine.adaptive_rounds import OWN_RATES as PLAYED_OWN_RATES
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.claim import Claim
from verify.engine.main import main
from verify.engine.scene import Scene

SETTINGS = {"Table 5, learning rate 0.0001 and L = 5": {"alpha": 1e-4, "L": 5.0}}
"""Reported hyper-parameters; the constant m is not among them."""

CAUCHY_SCHWARZ = sp.Le(Lam_i**2, fd2 * a2)


def _claim(id: str, check: Callable[..., Any], scene: Scene | None = None, *premises: str) -> Claim:
    return Claim(statement(id), (check,), scene, tuple(statement(premise).compared for premise in premises))


def _case(number: str) -> tuple[Claim, ...]:
    """What the appendix says of one client's term."""
    return (
        _claim(f"cflag.{number}.minimum", inequality, SQUARES, f"cflag.{number}.square"),
        _claim(f"cflag.{number}.square", identity, SQUARES),
        _claim(f"cflag.{number}.value", identity),
        _claim(f"cflag.{number}.below_zero", inequality, SUMS),
        _claim(f"cflag.{number}.negative_rate", inequality, SUMS),
        _claim(f"cflag.{number}.negative_rate/strict", inequality, SUMS),
        _claim(f"cflag.{number}.monotone", inequality, SUMS),
    )


def _lemmas(case: str, sums: Scene, own: Scene, few: Scene) -> tuple[Claim, ...]:
    """Lemmas 6 and 7 and the steps of their proofs in one case."""
    return (
        _claim(f"cflag.lem6.{case}", inequality, ONE_RATE),
        _claim(f"cflag.lem6.{case}/other-rate", inequality, SUMS),
        _claim(f"cflag.lem6.{case}/descent", inequality, ONE_RATE),
        _claim(
            f"cflag.lem7.{case}", inequality, own, *(f"cflag.eq{number}.{case}" for number in range(196, 201))
        ),
        _claim(f"cflag.lem7.{case}/round", inequality, few),
        _claim(f"cflag.lem7.{case}/sent", inequality, few),
        _claim(f"cflag.lem7.{case}/loss", inequality, PLAYED_OWN_RATES),
        _claim(f"cflag.eq195.{case}", identity, few),
        _claim(f"cflag.eq196.{case}", identity, own),
        _claim(f"cflag.eq197.{case}", inequality, own),
        _claim(f"cflag.eq198.{case}", inequality, own),
        _claim(f"cflag.eq199.{case}", identity, own),
        _claim(f"cflag.eq200.{case}", identity, sums),
    )


CLAIMS = (
    _claim("cflag.eq14", inequality, SUMS),
    _claim("cflag.eq14.feasible", inequality, SUMS),
    _claim("cflag.eq14.guarantee", inequality, IN_TIME),
    _claim("cflag.eq15", identity, SUMS),
    Claim(statement("cflag.eq15.positive"), (entailment, applicability(SETTINGS))),
    _claim("cflag.eq15.positive/any-m", entailment),
    _claim("cflag.eq15.positive/adapted", inequality, SUMS),
    _claim("cflag.eq15.transference", inequality, SUMS),
    _claim("cflag.eq15.transference/negative", inequality, SUMS),
    _claim("cflag.eq15.interference", inequality, SUMS),
    _claim("cflag.eq15.learning", inequality, ROUND_ONE_RATE),
    _claim("cflag.eq15.learning/rate", inequality, ROUND),
    _claim("cflag.eq15.current", inequality, ROUND_ONE_RATE),
    _claim("cflag.eq15.forgetting", inequality, ROUND_ONE_RATE),
    _claim("cflag.eq16", inequality, SQUARES, "cflag.eq16.square"),
    _claim("cflag.eq16.square", identity, SQUARES),
    _claim("cflag.eq16.value", identity),
    _claim("cflag.eq16.expected", identity, MEMORIES),
    _claim("cflag.eq16.quadratic", identity, ROUND),
    _claim("cflag.eq16.procedure", identity, SCALED),
    _claim("cflag.eq16.procedure/played", identity, AGAIN_ONE_RATE),
    _claim("cflag.eq16/played", inequality, AGAIN),
    _claim("cflag.decomp", identity, SUMS),
    _claim("cflag.decomp.negative", inequality, SUMS),
    _claim("cflag.decomp.positive", inequality, SUMS),
    _claim("cflag.eq184", identity, APART),
    _claim("cflag.eq184.definition", agreement, SUMS),
    _claim("cflag.eq185", identity, MEMORIES_APART),
    *_case("eq184"),
    _claim("cflag.eq184.projection", identity, PROJECTED),
    _claim("cflag.eq184.negation", identity, PROJECTED_ONE_RATE),
    _claim("cflag.eq184.negation/other-rate", identity, PROJECTED),
    _claim("cflag.eq186", identity, SUMS),
    _claim("cflag.eq187", identity, SUMS),
    _claim("cflag.eq188.a", inequality, SUMS, "cflag.eq188.square"),
    _claim("cflag.eq188.square", identity, SUMS),
    _claim("cflag.eq188.apart", identity, SUMS),
    _claim("cflag.eq188", inequality, SUMS, "cflag.eq188.apart"),
    _claim("cflag.eq189", identity, SUMS),
    _claim("cflag.eq190.definition", agreement, SUMS),
    _claim("cflag.eq190", inequality, SUMS, "cflag.eq186", "cflag.eq187", "cflag.eq188", "cflag.eq189"),
    _claim("cflag.eq191", inequality, MEMORIES, "cflag.eq191.apart"),
    _claim("cflag.eq191.apart", identity, MEMORIES),
    *_case("eq191"),
    _claim("cflag.eq192", inequality, SUMS),
    _claim("cflag.eq193", inequality, SUMS),
    _claim("cflag.eq194", inequality, SUMS),
    *_lemmas("average", APART, OWN_RATES_APART, PAIR_APART),
    *_lemmas("worst", ONE_RATE, OWN_RATES, PAIR),
    _claim("cflag.lem7.average/terms", inequality, OWN_RATES_APART),
    _claim("cflag.lem7.worst/terms", inequality, PAIR),
    _claim("cflag.eq198.average/capped", inequality, SUMS),
    _claim("cflag.tab1.positive", entailment, SUMS),
    _claim("cflag.tab1.defined.interference", entailment, SUMS),
    Claim(statement("cflag.tab1.defined.transference"), (entailment,), SUMS, (CAUCHY_SCHWARZ,)),
    _claim("cflag.alg1.eq24", agreement, LINES),
    _claim("cflag.alg1.eq24/displacement", agreement, LINES),
    _claim("cflag.alg1.eq7", agreement, LINES),
    _claim("cflag.alg1.text", agreement, LINES),
    _claim("cflag.alg1.text/eq24", agreement, LINES),
    _claim("cflag.alg3.line2", agreement, LINES),
    _claim("cflag.alg3.line2.line14", agreement, LINES),
    _claim("cflag.alg3.line4", agreement, LINES),
    _claim("cflag.alg3.line4/scaled", agreement, LINES),
    _claim("cflag.alg3.line5", agreement, LINES),
    _claim("cflag.alg3.line5/scaled", agreement, LINES),
    _claim("cflag.alg3.line8", agreement, LINES),
    _claim("cflag.alg3.line8/scaled", agreement, LINES),
    _claim("cflag.alg3.line10", agreement, LINES),
    _claim("cflag.alg3.line10/scaled", agreement, LINES),
    _claim("cflag.alg3.line11", agreement, LINES),
    _claim("cflag.alg3.line13", identity, LINES),
    _claim("cflag.alg3.line14", identity, LINES),
    _claim("cflag.alg3.line14.server", identity, LINES),
    _claim("cflag.alg3.line14.server/common", identity, LINES),
    _claim("cflag.alg3.transference", inequality, LINES),
    _claim("cflag.alg3.interference", inequality, LINES, "cflag.alg3.line10/scaled"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_adaptive"))
