"""Local SGD on heterogeneous data: lemmas and the theorem for convex losses, for all numbers of clients, local steps and rounds."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.localsgd.sampled import SAMPLED, WAY

_claim = claims_about("localsgd", decided)
CLAIMS = (
    _claim("dif.gradient", SAMPLED),
    _claim("dif.gradient/quarter", SAMPLED),
    _claim("dif.product", SAMPLED),
    _claim("dif.product/half", SAMPLED),
    _claim("dif.step", None, inequality),
    _claim("dif.gradients", SAMPLED),
    _claim("dif.way", WAY),
    _claim("dif.summed", None, inequality),
    _claim("dif.count", None, inequality),
    _claim("dif.strayed", None, inequality),
    _claim("dif.sum", None, inequality),
    _claim("dif.thm", None, inequality),
    _claim("dif.thm/tenth", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="localsgd_heterogeneous"))
