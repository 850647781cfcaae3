"""CFL: corrected versions of Theorems 4.1, 4.4, 4.7, B.5 and B.6 on convex losses: one round, and runs of any length."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl import runs as b
from bounds.cfl.convex import SIZE, after2, dist2
from bounds.cfl.rates import bias_mean, forgotten, gap_mean
from bounds.cfl.symbols import D2, G2, H, L, T, eps, eta, mu
from bounds.relations import le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound
from verify.engine.checks.vacuity import Check, free_lunch, needed, placebos
from verify.engine.model.claim import Claim, claims_about
from verify.engine.model.scene import Condition, Scene
from verify.scenes.cfl import runs as r
from verify.scenes.cfl.convex_sums import ALL_STRAYED, ALONG, FALLING, LOST_ALONG, UNBIASED
from verify.scenes.cfl.descent_ways import MEAN_OF_C
from verify.scenes.cfl.first_step import BELOW
from verify.scenes.cfl.round import ROUND
from verify.scenes.cfl.round_sums import GROWN, MOVED_AWAY, PAST, PULLED, SIZED, STARTED, STRAYED, WALKED
from verify.scenes.cfl.server_ways import ROUND_WAYS

_claim = claims_about("cfl", bound)
_PARTS = ("eq10/corrected", ALONG, FALLING, UNBIASED, ALL_STRAYED, MOVED_AWAY)
_LENGTHS = (PULLED, STRAYED, STARTED, GROWN, WALKED, PAST, SIZED)


def _induction(*names: str, through: tuple[Condition, ...] = ()) -> Induction:
    """Induction over rounds for these sums and the distance."""
    pairs = {name: (getattr(b, name), getattr(b, f"{name}_next")) for name in names if name != "distance"}
    first = {now: H if now == b.kept else sp.Integer(0) for now, _ in pairs.values()}
    later = dict(pairs.values())
    if "distance" in names:
        later[dist2], first[dist2] = after2, H
    return Induction("r", later, first, through)


def _meanings_of(*names: sp.Symbol) -> tuple[Condition, ...]:
    return tuple(meaning for meaning in r.MEANT if meaning.lhs in names)


_FED = b.adds * (G2 + D2) + b.stirs
_ON = (r.KEPT_ON, r.WEIGHT, "runs.keep")


def _says(scene: Scene) -> tuple[Check, ...]:
    """Checks for vacuity: against the trivial bound, with clients that learn nothing, and without the conditions."""
    return free_lunch(statement("cfl.runs.free"), scene), placebos(r.placebos_of(scene)), needed


def _rate(
    number: str, scene: Scene, mean: str, adds: sp.Expr, constants: tuple[Condition, ...]
) -> tuple[Claim, ...]:
    """Both parts of Theorem B.5 or B.6; `adds` is the sum of what each round adds."""

    def claim(part: str, premise: str | Condition, start: sp.Expr) -> Claim:
        return _claim(
            f"thm{number}.{part}/repaired",
            scene,
            bound,
            *(mean, "runs.weight", premise, r.ADDS, r.STIRS, *constants),
            beside=_says(scene),
            through=(le(b.kept_next, start * b.weight_next), le(eta * gap_mean, start + adds)),
        )

    (left,) = _meanings_of(b.kept_next)
    return claim("sc", left, eta * forgotten), claim("gc", "runs.alike", H / T)


def _rounds(number: str, scene: Scene, full: str) -> tuple[Claim, ...]:
    """Both parts of Theorem 4.1 or 4.4, derived from the full theorem."""
    return tuple(
        _claim(
            *(f"thm{number}.{part}/repaired", scene, bound, f"thm{full}.sc/repaired", start),
            beside=_says(scene),
        )
        for part, start in (("sc", "runs.vanishes"), ("gc", "runs.soon"))
    )


CLAIMS = (
    *(
        _claim(
            *(id, scene.of_class("smooth convex losses", LOST_ALONG, BELOW, MEAN_OF_C), bound),
            *(*_PARTS, *_LENGTHS),
            through=ROUND_WAYS,
        )
        for id, scene in (("onestep/server", ROUND), ("runs.round", r.RUNS))
    ),
    _claim("runs.keep", r.RUNS, bound, r.KEEP, SIZED, r.ENOUGH, through=(le(L * SIZE, 1), le(mu * SIZE, 1))),
    _claim("runs.step", r.RUNS, bound, "runs.round", r.GAPS, r.LEVELS, r.BIASES, r.ADDS, r.STIRS, r.KEEP),
    _claim(
        "runs.invariant",
        r.RUNS,
        bound,
        *("runs.step", *_ON),
        induction=_induction("gaps", "levels", "biases", "weight", "kept", "distance"),
    ),
    _claim("runs.kept", r.RUNS, bound, r.KEPT_ON, "runs.keep", r.FADES, induction=_induction("kept")),
    _claim("runs.left", r.RUNS, bound, r.KEPT_ON, r.WEIGHT, r.KEEP, induction=_induction("kept", "weight")),
    _claim(
        "runs.forgets",
        r.RUNS,
        bound,
        *("runs.kept", *_ON, r.PLAYED, r.FADES),
        induction=_induction(
            *("kept", "weight", "played"),
            through=(le(b.keep * (b.played * b.kept + b.kept), b.keep * H * b.weight + H),),
        ),
    ),
    _claim("runs.fed.step", r.FED_RUNS, bound, "runs.step", *r.FORGETFUL),
    _claim(
        "runs.fed.invariant",
        r.FED_RUNS,
        bound,
        *("runs.fed.step", *_ON),
        induction=_induction("gaps", "weight", "kept", "distance"),
    ),
    _claim("runs.weight", r.RUNS, bound, r.WEIGHT, "runs.keep"),
    _claim(
        "runs.alike",
        r.RUNS,
        bound,
        "runs.forgets",
        "runs.kept",
        *_ON,
        r.FADES,
        r.PLAYED,
        *_meanings_of(b.played_next),
    ),
    _claim("runs.left.next", r.RUNS, bound, "runs.left", r.KEPT_ON, r.WEIGHT, r.KEEP),
    _claim(
        "runs.mean",
        r.RUNS,
        bound,
        *("runs.invariant", "runs.step", *_ON, *_meanings_of(b.gaps_next, b.levels_next, b.biases_next)),
        through=(
            le(
                eta * b.gaps_next,
                b.kept_next + b.adds * b.levels_next + b.stirs * b.weight_next + eta * b.biases_next,
            ),
        ),
    ),
    _claim(
        "runs.fed.mean",
        r.FED_RUNS,
        bound,
        *("runs.fed.invariant", "runs.fed.step", *_ON, *_meanings_of(b.gaps_next)),
        through=(le(eta * b.gaps_next, b.kept_next + _FED * b.weight_next),),
    ),
    _claim(
        "runs.vanishes",
        r.RUNS.of_class("exponentials", r.VANISHES),
        bound,
        *("runs.left.next", "runs.weight", *_meanings_of(b.kept_next)),
        through=(
            le(3 * mu * H * b.kept_next, 2 * eps * (H - b.kept_next)),
            le(3 * mu * H * b.kept_next, eps * mu * eta * H * b.weight_next),
            le(3 * b.kept_next, eps * eta * b.weight_next),
        ),
    ),
    _claim(
        "runs.soon",
        r.RUNS,
        bound,
        *("runs.alike", "runs.weight", *_meanings_of(b.kept_next)),
        through=(
            le(3 * H, eta * eps * T),
            le(3 * T * b.kept_next, eta * eps * T * b.weight_next),
            le(3 * b.kept_next, eta * eps * b.weight_next),
        ),
    ),
    *_rate("B.5", r.CFL_RUNS, "runs.mean", b.adds * b.level_mean + b.stirs + eta * bias_mean, b.C_MEAN),
    *_rate("B.6", r.FED_RUNS_LONG, "runs.fed.mean", _FED, b.C_FED),
    *_rounds("4.1", r.CFL_RUNS, "B.5"),
    *_rounds("4.4", r.FED_RUNS_LONG, "B.6"),
    *(
        _claim(
            *(f"thm4.7.{part}/repaired", r.CFL_RUNS, bound, f"thm4.1.{part}/repaired"),
            beside=_says(r.CFL_RUNS),
        )
        for part in ("sc", "gc")
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_runs"))
