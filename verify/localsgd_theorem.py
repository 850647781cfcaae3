"""Local SGD on identical data: three lemmas and Theorems 1 and 2, for all numbers of clients, local steps and rounds."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.localsgd.step import CLIENTS, LOCAL, MODELS, PAIRS, STEP

_claim = claims_about("localsgd", decided)
CLAIMS = (
    _claim("lem1", STEP),
    _claim("lem1/long", STEP),
    _claim("lem1/quarter", STEP),
    _claim("lem2.sum", CLIENTS),
    _claim("lem2", None, inequality),
    _claim("lem3.step", PAIRS),
    _claim("lem3.step/all", PAIRS),
    _claim("lem3.step/long", PAIRS),
    _claim("lem3.steps", LOCAL),
    _claim("lem3", None, inequality),
    _claim("thm1", None, inequality),
    _claim("thm1/half", None, inequality),
    _claim("thm2.sum", None, inequality),
    _claim("thm2.mean", MODELS),
    _claim("thm2", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="localsgd_theorem"))
