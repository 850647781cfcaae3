"""CFL: clients that take part in several rounds: statements that hold for all clients, and those that fail for returning ones."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl import returning as b
from bounds.cfl import runs
from bounds.cfl.convex import SIZE, after2, dist2, g2_start, gap
from bounds.cfl.rates import forgotten, gap_mean
from bounds.cfl.symbols import H, L, N, eps, eta, mu, sigma2
from bounds.relations import le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound, identity
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import Claim, claims_about
from verify.engine.model.scene import Condition
from verify.scenes.cfl import returning as r
from verify.scenes.cfl.convex_sums import UNBIASED
from verify.scenes.cfl.rate import RETURN
from verify.scenes.cfl.round_sums import SIZED
from verify.scenes.cfl.runs import GAPS, KEEP, KEPT_ON, MEANT, RUNS, WEIGHT

_claim = claims_about("cfl", bound)
_LATER = {
    runs.gaps: (runs.gaps_next, 0),
    b.offs: (b.offs_next, 0),
    runs.weight: (runs.weight_next, 0),
    runs.kept: (runs.kept_next, H),
    dist2: (after2, H),
}


def _induction(*names: sp.Symbol) -> Induction:
    """Induction over rounds for these quantities: their names one round later, and their initial values."""
    return Induction(
        "r", {now: _LATER[now][0] for now in names}, {now: sp.sympify(_LATER[now][1]) for now in names}
    )


_ROUND = (
    le(-2 * eta * r.slope_along, -2 * eta * gap - eta * mu * dist2),
    le(-2 * eta * r.off_along, eta * mu / 2 * dist2 + 2 * eta / mu * b.off2),
    le(eta**2 * r.pull2, 2 * eta**2 * g2_start + 2 * eta**2 * b.off2),
    le(2 * eta**2 * g2_start, 4 * eta**2 * L * gap),
    le(4 * eta**2 * L * gap, eta * gap),
    le(eta**2 * r.stir2, eta**2 * sigma2 / N),
)
_gaps, _left = MEANT[0], MEANT[3]


def _theorem(number: str, *premises: str | Condition) -> Claim:
    """A theorem about any clients, also checked for vacuity."""
    return _claim(
        *(f"thm{number}/any-clients", r.LONG, bound, *premises),
        beside=(free_lunch(statement("cfl.runs.free"), r.LONG), placebos(r.placebos_of(r.LONG)), needed),
    )


CLAIMS = (
    _claim("onestep.unbiased", RETURN, identity),
    _claim("onestep.unbiased/new", RUNS, identity, UNBIASED),
    _claim(
        *("back.round", r.BACK.of_class("smooth strongly convex losses", *r.CONVEX), bound),
        *(r.STEPPED, r.PARTED, r.YOUNG, r.STIRRED, SIZED),
        through=_ROUND,
    ),
    _claim("back.keep", r.BACK, bound, KEEP, SIZED, through=(le(L * SIZE, 1), le(mu * SIZE, 1))),
    _claim("back.step", r.BACK, bound, "back.round", GAPS, r.OFFS, KEEP),
    _claim(
        *("back.invariant", r.BACK, bound, "back.step", KEPT_ON, WEIGHT, "back.keep"),
        induction=_induction(*_LATER),
    ),
    _claim(
        *("back.left", r.BACK, bound, KEPT_ON, WEIGHT, KEEP), induction=_induction(runs.kept, runs.weight)
    ),
    _claim("back.left.next", r.BACK, bound, "back.left", KEPT_ON, WEIGHT, KEEP),
    _claim("back.weight", r.BACK, bound, WEIGHT, "back.keep"),
    _claim(
        *("back.mean", r.BACK, bound, "back.invariant", "back.step", KEPT_ON, WEIGHT, "back.keep"),
        *(_gaps, r.OFF_MEAN),
        through=(
            le(eta * runs.gaps_next, runs.kept_next + b.EACH * b.offs_next + b.NOISE * runs.weight_next),
        ),
    ),
    _claim(
        *("back.rate", r.BACK, bound, "back.mean", "back.weight", _left, *b.ERRORS),
        through=(
            le(b.EACH * b.off_mean, eta * b.drift_error),
            le(b.NOISE, eta * b.noise_error),
            le(runs.kept_next, eta * forgotten * runs.weight_next),
            le(
                eta * gap_mean * runs.weight_next,
                eta * (forgotten + b.drift_error + b.noise_error) * runs.weight_next,
            ),
        ),
    ),
    _claim(
        *("back.vanishes", r.BACK.of_class("exponentials", r.VANISHES), bound),
        *("back.left.next", "back.weight", _left),
        through=(
            le(3 * mu * H * runs.kept_next, 2 * eps * (H - runs.kept_next)),
            le(3 * mu * H * runs.kept_next, eps * mu * eta * H * runs.weight_next),
            le(3 * runs.kept_next, eps * eta * runs.weight_next),
        ),
    ),
    _claim("back.off", r.BACK),
    _claim("back.off.lossless", r.BACK),
    *(_theorem(number, "back.rate", *b.ERRORS) for number in ("B.5.sc", "B.6.sc")),
    *(_theorem(number, "back.rate", "back.vanishes") for number in ("4.1.sc", "4.4.sc")),
    *(
        _claim(f"thm{number}/repaired.returning", r.SAME[memory])
        for number, memory in (
            ("4.1.sc", 1),
            ("4.1.gc", 1),
            ("4.4.sc", 0),
            ("4.4.gc", 0),
            ("B.5.sc", 1),
            ("B.5.gc", 1),
            ("B.6.sc", 0),
            ("B.6.gc", 0),
        )
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_returning"))
