"""CFL: Theorems 4.1, 4.4 and 4.7 on losses of any curvature."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound, inequality
from verify.engine.model.claim import claims_about
from verify.scenes.cfl import nonconvex_rounds as scenes

_claim = claims_about("cfl", bound)
CLAIMS = (
    _claim("thm4.1.nc", scenes.CFL_ROUNDS),
    _claim("thm4.1.nc/lossless", scenes.CFL_LOSSLESS),
    _claim("thm4.4.nc", scenes.FED_ROUNDS),
    _claim("thm4.7.nc", scenes.SHARED_ROUNDS),
    _claim("thm4.7.nc/shared", scenes.SHARED_ALONE),
    _claim("thm4.1.nc.order", None, order),
    _claim("thm4.1.nc.uniform", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_nonconvex_rounds"))
