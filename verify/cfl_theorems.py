"""CFL: Theorems 4.1, 4.4, 4.7, B.5 and B.6 on convex losses: their numbers of rounds, and lower bounds for all runs."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.floors import ALIKE, BEST, FORGOTTEN, LEFT, LIMIT, REMEMBERED, forgets, spread
from bounds.cfl.kept import all_gap, all_grad2, any_gap, prior
from bounds.cfl.rates import c_A, c_B, fed_A
from bounds.cfl.symbols import D2, R2, H, L, N, T, eps, mu
from bounds.cfl.theorems import FULL_GC, FULL_SC, REACHED, floor_after
from bounds.relations import ge, le
from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import Claim, claims_about, for_each
from verify.engine.model.scene import Condition, Scene, Textbook
from verify.facts.functions import in_order, steep
from verify.facts.numbers import forgetting, shrinking
from verify.scenes.cfl import theorems as scenes
from verify.scenes.cfl.any_method import ANY_METHOD, MINIMAX
from verify.scenes.cfl.kept import ANY, KEPT, PLACEBOS

_claim = claims_about("cfl", bound)
_claims = for_each(_claim)
_STEPS, _TAIL = LIMIT * mu / L, mu * H / eps
_CURVED = "smooth strongly convex losses", in_order(le(mu, L))
_LOGARITHM, _FALLING = forgetting(_STEPS, T, _TAIL)


def _whole(id: str, scene: Scene) -> Claim:
    """A lower bound from its two halves. The term that a theorem allows for information loss is not needed."""
    halves = (f"{id}.start", f"{id}.drifts")
    return _claim(*(id, scene, bound, BEST, "floor.parts", *halves), through=(le(floor_after, eps),))


def _logarithm(
    number: str, scene: Scene, drifts: tuple[Condition | str, ...], through: tuple[Condition, ...]
) -> tuple[Claim, ...]:
    """The lower bound for a strongly convex theorem with a logarithm, from its two halves.

    The variant with drifts goes `through` statements that bound the contribution of the drifts.
    """
    id = f"floor.{number}.logarithm"
    return (
        _claim(f"{id}.start", scene.of_class(*_CURVED), bound, LEFT, FORGOTTEN, facts=(_LOGARITHM, _FALLING)),
        _claim(*(f"{id}.drifts", scene, bound, *drifts), facts=(_LOGARITHM,), through=through),
        _whole(id, scene),
    )


def _scale(
    number: str, scene: Scene, drifts: tuple[Condition | str, ...], through: tuple[Condition, ...]
) -> tuple[Claim, ...]:
    """The lower bound for a convex theorem whose first term has the factor L, from its two halves."""
    id = f"floor.{number}.scale"
    forgotten = (ge(T, 100 * L * H / eps), ge(forgets, T * _STEPS), le(mu * H, eps * (1 + forgets)))
    return (
        _claim(
            *(f"{id}.start", scene.of_class(*_CURVED), bound, LEFT, FORGOTTEN),
            facts=(shrinking(_STEPS, T),),
            through=forgotten,
        ),
        _claim(f"{id}.drifts", scene, bound, *drifts, through=through),
        _whole(id, scene),
    )


_FORGETFUL_LOG = (le(100 * fed_A, mu * T * eps), le(mu * spread, eps))
_FORGETFUL_SCALED = (
    ge(T, 100 * fed_A * H / eps**2),
    le(100 * fed_A * H, T * eps**2),
    le(mu**2 * H * spread, eps**2),
)


def _claims_of_small_drifts(
    id: str, scene: Scene, asked: Mapping[str, sp.Expr], start: sp.Expr, small: sp.Expr, *facts: Textbook
) -> tuple[Claim, ...]:
    """Claims that drifts add little to the lower bounds of Theorem B.5; `start` and `small` are square roots of the factors."""
    root = D2 ** sp.Rational(3, 2)
    part, whole = 100 * root * start, T * small * (D2 + R2)
    squared = (le(part**2, part * whole), le(part * whole, whole**2), le(part**2, whole**2))
    return (
        _claim(
            *(f"{id}.spread", scene, bound, REMEMBERED, "floor.memory"),
            through=(le(N * mu**2 * T**2 * spread, 2 * T * c_A + 2 * c_B),),
        ),
        _claim(
            f"{id}.c_A",
            scene,
            facts=facts,
            through=(ge(T, 100 * asked["c_A"]), le(100 * c_A * start**2, T * small**2)),
        ),
        _claim(
            f"{id}.c_B",
            scene,
            facts=facts,
            through=(ge(T, 100 * asked["c_B"]), le(part, whole), le(root * part, root * whole), *squared),
        ),
    )


CLAIMS = (
    *(Claim(claimed, (identity,)) for claimed in REACHED),
    _claim("thm4.1.sc", scenes.CFL_STRONG),
    _claim("thm4.1.kept.gradient", KEPT, identity),
    _claim("thm4.1.kept.spread", KEPT),
    _claim(
        "thm4.1.sc/kept",
        KEPT.of_class("strongly convex losses", steep(le(2 * mu * all_gap, all_grad2))),
        bound,
        "thm4.1.kept.gradient",
        "thm4.1.kept.spread",
        beside=(free_lunch(statement("cfl.thm4.1.kept.free"), KEPT), placebos(PLACEBOS), needed),
    ),
    _claim("thm4.1.kept.floor", ANY),
    _claim("thm4.1.kept.methods", ANY_METHOD),
    _claim(
        "thm4.1.kept.minimax",
        MINIMAX,
        bound,
        "thm4.1.kept.methods",
        through=(le(D2 * prior / (2 * mu * (prior + 1) * (prior**2 + prior)), any_gap),),
    ),
    _claim("thm4.1.gc", scenes.CFL_CONVEX),
    _claim("thm4.7.sc", scenes.SHARED_STRONG),
    _claim("thm4.7.gc", scenes.SHARED_CONVEX),
    _claim("thm4.4.sc", scenes.FED_STRONG),
    _claim("thm4.4.gc", scenes.FED_CONVEX),
    _claim("thmB.5.sc", scenes.FULL_STRONG),
    *(
        _claim(f"thm{number}/{variant}", scene)
        for number, scene in (
            ("4.1.sc", scenes.CFL_STRONG),
            ("4.1.gc", scenes.CFL_CONVEX),
            ("B.5.sc", scenes.FULL_STRONG),
            ("B.5.gc", scenes.FULL_CONVEX),
        )
        for variant in ("returning", "returning.lossy")
    ),
    _claim("thmB.5.gc", scenes.FULL_CONVEX),
    _claim("thmB.6.sc", scenes.FULL_FED_STRONG),
    _claim("thmB.6.gc", scenes.FULL_FED_CONVEX),
    *_claims("thm4.1.sc.order thm4.1.sc.lossless thm4.1.sc.speedup thm4.1.gc.order", None, order),
    *_claims("thm4.1.gc.lossless thm4.1.sc.lossless/kept thm4.1.sc.speedup/kept", None, order),
    *_claims("thm4.4.sc.speedup/kept thm4.4.sc.order thm4.4.sc.speedup thm4.4.gc.order", None, order),
    *_claims(
        "thm4.1.sc.uniform thm4.1.gc.uniform thm4.4.sc.uniform thm4.4.gc.uniform",
        scenes.ANY_CONSTANTS,
        inequality,
    ),
    *_claims("thmB.5.sc.start thmB.5.sc.longest", scenes.FORGETTING, entailment),
    _claim("thmB.5.gc.longest", scenes.STARTING, entailment),
    _claim("thm4.4.sc/returning", scenes.FLOOR),
    *_claims("floor.parts floor.memory", None, inequality),
    *_logarithm("4.4.sc", scenes.FED_LOG, (ALIKE,), _FORGETFUL_LOG),
    *_scale("4.4.gc", scenes.FED_SCALED, (ALIKE,), _FORGETFUL_SCALED),
    *_logarithm("B.6.sc", scenes.FULL_FED_LOG, (ALIKE,), _FORGETFUL_LOG),
    *_scale("B.6.gc", scenes.FULL_FED_SCALED, (ALIKE,), _FORGETFUL_SCALED),
    _claim("thm4.1.sc/logarithm", scenes.CFL_LOG),
    _claim("thm4.1.gc/scale", scenes.CFL_SCALED),
    *_claims_of_small_drifts(
        "floor.B.5.sc.logarithm", scenes.FULL_LOG, FULL_SC, sp.S.One, sp.sqrt(mu) * sp.sqrt(eps), _LOGARITHM
    ),
    *_claims_of_small_drifts("floor.B.5.gc.scale", scenes.FULL_SCALED, FULL_GC, sp.sqrt(H), eps),
    *_logarithm(
        "B.5.sc",
        scenes.FULL_LOG,
        tuple(f"floor.B.5.sc.logarithm.{part}" for part in ("spread", "c_A", "c_B")),
        (le(N * mu**2 * T**2 * spread, T**2 * mu * eps * sp.Rational(101, 5000)), le(mu * spread, eps)),
    ),
    *_scale(
        "B.5.gc",
        scenes.FULL_SCALED,
        tuple(f"floor.B.5.gc.scale.{part}" for part in ("spread", "c_A", "c_B")),
        (
            le(N * mu**2 * T**2 * H * spread, T**2 * eps**2 * sp.Rational(101, 5000)),
            le(mu**2 * H * spread, eps**2),
        ),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_theorems"))
