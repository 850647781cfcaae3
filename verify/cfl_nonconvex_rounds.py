"""CFL: Theorems 4.1, 4.4 and 4.7 on losses of any curvature."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound, inequality
from verify.engine.model.claim import claims_about
from verify.scenes.cfl.nonconvex_rounds import (
    CFL_LOSSLESS,
    CFL_ROUNDS,
    FED_ROUNDS,
    SHARED_ALONE,
    SHARED_ROUNDS,
)

_claim = claims_about("cfl", bound)
CLAIMS = (
    _claim("thm4.1.nc", CFL_ROUNDS),
    _claim("thm4.1.nc/lossless", CFL_LOSSLESS),
    _claim("thm4.4.nc", FED_ROUNDS),
    _claim("thm4.7.nc", SHARED_ROUNDS),
    _claim("thm4.7.nc/shared", SHARED_ALONE),
    _claim("thm4.1.nc.order", None, order),
    _claim("thm4.1.nc.uniform", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_nonconvex_rounds"))
