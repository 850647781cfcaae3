"""C-FLAG: adaptive rates (Section 5, Table 1, Lemmas 6 and 7) and the algorithms that use them (Algorithms 1 and 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bounds.catalogue import statement
from verify.engine.adaptive import (
    APART,
    MEMORIES,
    MEMORIES_APART,
    ONE_RATE,
    PROJECTED,
    PROJECTED_ONE_RATE,
    SUMS,
)
from verify.engine.adaptive_rates import LINES, OWN_RATES, OWN_RATES_APART
from verify.engine.adaptive_rounds import AGAIN, AGAIN_ONE_RATE, ROUND, SCALED
from verify.engine.adaptive_rounds import OWN_RATES as PLAYED_OWN_RATES
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.claim import Claim
from verify.engine.main import main
from verify.engine.scene import Scene

SETTINGS = {"Table 5, learning rate 0.0001 and L = 5": {"alpha": 1e-4, "L": 5.0}}
"""Reported hyper-parameters; the constant m is not among them."""


def _claim(id: str, check: Callable[..., Any], scene: Scene | None = None, *premises: str) -> Claim:
    return Claim(statement(id), (check,), scene, tuple(statement(premise).compared for premise in premises))


def _case(number: str) -> tuple[Claim, ...]:
    """What the appendix says of one client's term."""
    return (
        _claim(f"cflag.{number}.minimum", inequality, SUMS),
        _claim(f"cflag.{number}.value", identity),
        _claim(f"cflag.{number}.below_zero", inequality, SUMS),
        _claim(f"cflag.{number}.negative_rate", inequality, SUMS),
        _claim(f"cflag.{number}.negative_rate/strict", inequality, SUMS),
        _claim(f"cflag.{number}.monotone", inequality, SUMS),
    )


def _lemmas(case: str, sums: Scene, own: Scene) -> tuple[Claim, ...]:
    """Lemmas 6 and 7 and the steps of their proofs in one case."""
    return (
        _claim(f"cflag.lem6.{case}", inequality, ONE_RATE),
        _claim(f"cflag.lem6.{case}/other-rate", inequality, SUMS),
        _claim(f"cflag.lem6.{case}/descent", inequality, ONE_RATE),
        _claim(f"cflag.lem7.{case}", inequality, own),
        _claim(f"cflag.lem7.{case}/round", inequality, own),
        _claim(f"cflag.lem7.{case}/sent", inequality, own),
        _claim(f"cflag.lem7.{case}/loss", inequality, PLAYED_OWN_RATES),
        _claim(f"cflag.eq195.{case}", identity, own),
        _claim(f"cflag.eq196.{case}", identity, own),
        _claim(f"cflag.eq197.{case}", inequality, own),
        _claim(f"cflag.eq198.{case}", inequality, own),
        _claim(f"cflag.eq199.{case}", identity, own),
        _claim(f"cflag.eq200.{case}", identity, sums),
    )


CLAIMS = (
    _claim("cflag.eq14", inequality, SUMS),
    _claim("cflag.eq14.feasible", inequality, SUMS),
    _claim("cflag.eq14.guarantee", inequality, SUMS),
    _claim("cflag.eq15", identity, SUMS),
    Claim(statement("cflag.eq15.positive"), (entailment, applicability(SETTINGS))),
    _claim("cflag.eq15.positive/any-m", entailment),
    _claim("cflag.eq15.positive/adapted", inequality, SUMS),
    _claim("cflag.eq15.transference", inequality, SUMS),
    _claim("cflag.eq15.transference/negative", inequality, SUMS),
    _claim("cflag.eq15.interference", inequality, SUMS),
    _claim("cflag.eq15.learning", inequality, ROUND),
    _claim("cflag.eq15.learning/rate", inequality, ROUND),
    _claim("cflag.eq15.current", inequality, ROUND),
    _claim("cflag.eq15.forgetting", inequality, ROUND),
    _claim("cflag.eq16", inequality, SUMS),
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
    _claim("cflag.eq187", identity, SUMS),
    _claim("cflag.eq188.a", inequality, SUMS),
    _claim("cflag.eq188.apart", identity, SUMS),
    _claim("cflag.eq188", inequality, SUMS, "cflag.eq188.apart"),
    _claim("cflag.eq189", identity, SUMS),
    _claim("cflag.eq190.definition", agreement, SUMS),
    _claim("cflag.eq190", inequality, SUMS, "cflag.eq187", "cflag.eq188", "cflag.eq189"),
    _claim("cflag.eq191", inequality, MEMORIES),
    *_case("eq191"),
    _claim("cflag.eq192", inequality, SUMS),
    _claim("cflag.eq193", inequality, SUMS),
    _claim("cflag.eq194", inequality, SUMS),
    *_lemmas("average", APART, OWN_RATES_APART),
    *_lemmas("worst", ONE_RATE, OWN_RATES),
    _claim("cflag.eq198.average/capped", inequality, SUMS),
    _claim("cflag.tab1.positive", entailment, SUMS),
    _claim("cflag.tab1.defined.interference", entailment, SUMS),
    _claim("cflag.tab1.defined.transference", entailment, SUMS),
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
    _claim("cflag.alg3.interference", inequality, LINES),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_adaptive"))
