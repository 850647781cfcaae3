"""CFL: what is true in place of Theorems 4.1, 4.4, B.5 and B.6 on convex losses: one round, and runs of any length."""

from __future__ import annotations

import sympy as sp

from bounds.cfl import runs as b
from bounds.cfl.convex import after2, dist2
from bounds.cfl.symbols import H, eta, mu
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound
from verify.engine.claim import claims_about
from verify.engine.scene import Condition
from verify.scenes.cfl import runs as r
from verify.scenes.cfl.descent_ways import MEAN_OF_C
from verify.scenes.cfl.first_step import BELOW
from verify.scenes.cfl.nonconvex_facts import GROWN, PAST, PULLED, STARTED, STRAYED, WALKED
from verify.scenes.cfl.round import ROUND
from verify.scenes.cfl.round_facts import ALONG, FALLING, LOST_ALONG, SIZED
from verify.scenes.cfl.server_facts import ALL_STRAYED, UNBIASED
from verify.scenes.cfl.server_ways import ROUND_WAYS

_claim = claims_about("cfl", bound)
_PARTS = ("eq10/corrected", ALONG, FALLING, UNBIASED, ALL_STRAYED, "eq14.noise")
_LENGTHS = (PULLED, STRAYED, STARTED, GROWN, WALKED, PAST, SIZED)
_KEEPS = (SIZED, r.ENOUGH)
_NOT_NEGATIVE = (sp.Le(mu * b.SIZE, 1), sp.Ge(b.KEEPS, 0))


def _induction(*names: str, through: tuple[Condition, ...] = ()) -> Induction:
    """What is one round later what, of these sums and of the distance."""
    pairs = {name: (getattr(b, name), getattr(b, f"{name}_next")) for name in names if name != "distance"}
    first = {now: H if now == b.kept else sp.Integer(0) for now, _ in pairs.values()}
    later = dict(pairs.values())
    if "distance" in names:
        later[dist2], first[dist2] = after2, H
    return Induction("r", later, first, (*_NOT_NEGATIVE, *through))


_ends = lambda *names: tuple(meaning for meaning in r.MEANT if meaning.lhs in names)  # noqa: E731
_WITH = ("runs.invariant", "runs.step", r.KEPT_ON, r.WEIGHT, *_KEEPS)
_WITHOUT = ("runs.fed.invariant", "runs.fed.step", r.KEPT_ON, r.WEIGHT, *_KEEPS)
CLAIMS = (
    *(
        _claim(id, scene, bound, *_PARTS, *_LENGTHS, facts=(LOST_ALONG, BELOW, MEAN_OF_C), through=ROUND_WAYS)
        for id, scene in (("onestep/server", ROUND), ("runs.round", r.RUNS))
    ),
    _claim("runs.step", r.RUNS, bound, "runs.round", r.GAPS, r.LEVELS, r.BIASES),
    _claim(
        "runs.invariant",
        r.RUNS,
        bound,
        *("runs.step", r.KEPT_ON, r.WEIGHT, *_KEEPS),
        induction=_induction("gaps", "levels", "biases", "weight", "kept", "distance"),
    ),
    _claim("runs.kept", r.RUNS, bound, r.KEPT_ON, *_KEEPS, induction=_induction("kept")),
    _claim(
        "runs.left", r.RUNS, bound, r.KEPT_ON, r.WEIGHT, *_KEEPS, induction=_induction("kept", "weight")
    ),
    _claim(
        "runs.forgets",
        r.RUNS,
        bound,
        *("runs.kept", r.KEPT_ON, r.WEIGHT, r.PLAYED, *_KEEPS),
        induction=_induction("kept", "weight", "played"),
    ),
    _claim("runs.fed.step", r.FED_RUNS, bound, "runs.step", *r.FORGETFUL),
    _claim(
        "runs.fed.invariant",
        r.FED_RUNS,
        bound,
        *("runs.fed.step", r.KEPT_ON, r.WEIGHT, *_KEEPS),
        induction=_induction("gaps", "weight", "kept", "distance"),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_runs"))
