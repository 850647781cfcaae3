"""CFL: corrected versions of Theorems 4.1, 4.4 and 4.7 on losses of any curvature, for runs of any length."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl import nonconvex_runs as b
from bounds.cfl.nonconvex import loss_next, loss_now
from bounds.cfl.runs import played, played_next
from bounds.cfl.symbols import D2, G2, eta, f0
from bounds.relations import le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import Claim, claims_about
from verify.engine.model.scene import Scene
from verify.facts import descent
from verify.scenes.cfl import nonconvex_runs as r
from verify.scenes.cfl.descent_ways import DESCENT, MEAN_OF_C
from verify.scenes.cfl.round_sums import GROWN, MOVED, PAST, PULLED, SIZED, STARTED, STRAYED, WALKED

_claim = claims_about("cfl", bound)
_ROUND = (MOVED, PULLED, STRAYED, STARTED, SIZED, GROWN, WALKED, PAST)
_LATER = {
    b.grads: b.grads_next,
    b.spreads: b.spreads_next,
    b.losses: b.losses_next,
    played: played_next,
    loss_now: loss_next,
}


def _induction(*names: sp.Symbol) -> Induction:
    """Induction over rounds for these quantities. Sums start at 0, and the loss starts at its initial value."""
    first = {now: f0 if now == loss_now else sp.Integer(0) for now in names}
    return Induction("r", {now: _LATER[now] for now in names}, first)


def _theorem(number: str, runs: Scene, proof: str) -> Claim:
    bowls = r.bowls(runs)
    return _claim(
        *(f"thm{number}.nc/repaired", runs, bound, proof),
        beside=(free_lunch(statement("cfl.nc.runs.free"), bowls), placebos(r.placebos_of(bowls)), needed),
    )


CLAIMS = (
    _claim(
        "nc.runs.round",
        r.RUNS.of_class("smooth losses", MEAN_OF_C, descent(statement("cfl.eq25").relation)),
        bound,
        statement("cfl.nc.downhill/repaired").compared,
        *_ROUND,
        baseline=loss_now,
        through=DESCENT,
    ),
    _claim("nc.runs.step", r.RUNS, bound, "nc.runs.round", *b.GROWN, b.STRAYS, b.SHAKES, baseline=loss_now),
    _claim(
        "nc.runs.invariant",
        r.RUNS,
        bound,
        "nc.runs.step",
        b.GROWN[-1],
        baseline=f0,
        induction=_induction(*_LATER),
    ),
    _claim(
        *("nc.runs.mean", r.RUNS, bound, "nc.runs.invariant", "nc.runs.step", b.GROWN[-1], *b.MEANT),
        baseline=f0,
    ),
    _claim("nc.runs.rate", r.RUNS, bound, "nc.runs.mean"),
    _claim(
        *("nc.runs.fed.step", r.FED_RUNS, bound, "nc.runs.step", *r.FORGETFUL),
        baseline=loss_now,
        through=(
            le(eta * (b.losses_next - b.losses), 0),
            le(b.strays * (b.spreads_next - b.spreads), b.strays * (G2 + D2)),
        ),
    ),
    _claim(
        *("nc.runs.fed.invariant", r.FED_RUNS, bound, "nc.runs.fed.step", b.GROWN[-1]),
        baseline=f0,
        induction=_induction(b.grads, played, loss_now),
    ),
    _claim(
        *("nc.runs.fed.mean", r.FED_RUNS, bound, "nc.runs.fed.invariant", "nc.runs.fed.step"),
        *(b.GROWN[-1], b.MEANT[0], b.MEANT[-1]),
        baseline=f0,
    ),
    _claim("nc.runs.fed.rate", r.FED_RUNS, bound, "nc.runs.fed.mean"),
    _claim(
        "nc.runs.free",
        r.STILL.of_class("smooth losses", descent(statement("cfl.nc.runs.free").compared)),
        bound,
    ),
    _theorem("4.1", r.CFL_RUNS, "nc.runs.rate"),
    _theorem("4.4", r.FED_RUNS_LONG, "nc.runs.fed.rate"),
    _theorem("4.7", r.CFL_RUNS, "nc.runs.rate"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_nonconvex_runs"))
