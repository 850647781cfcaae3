"""CFL, Section 5.3 and Appendix C.1: sentences of the text about experiments, tested on the built-in digits.

`verify.scenes.networks.cfl` describes the setting and its choices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from verify.commands.main import main
from verify.engine.model.claim import Claim
from verify.networks.sentences import Law, claim_of_law, side_by_side, variants
from verify.networks.setting import Setting
from verify.networks.trends import RISES
from verify.scenes.networks import cfl as scenes


def _claim(id: str, law: Law, base: Setting = scenes.MILD) -> Claim:
    return claim_of_law(f"cfl.emp.{id}", law, base)


def _readings(id: str, of: Callable[[Any], Law], what: Mapping[str, Any]) -> tuple[Claim, ...]:
    return variants(f"cfl.emp.{id}", of, what, scenes.MILD)


def _above(ours: str, *others: str) -> Law:
    return scenes.FIELD.above(ours, others, scenes.best_rounds)


CORE_SETS = ("core-set", "core-set/small", "icarl", "icarl/small")
HESSIANS = ("regularization", "fisher")
PARTS = {
    "": scenes.CFL,
    "core-set": ("core-set",),
    "regularization": ("regularization",),
    "server": ("server",),
}


CLAIMS = side_by_side(
    (
        _claim("1", scenes.everywhere((scenes.MILD,), CORE_SETS, HESSIANS)),
        _claim("1/naive", scenes.everywhere((scenes.MILD,), CORE_SETS[:2], HESSIANS)),
        _claim("1/large", _above("core-set", *HESSIANS)),
        _claim("1.naive", scenes.FIELD.compared(CORE_SETS, scenes.better_of_both_sizes)),
        _claim("1.naive/small", _above("core-set/small", "icarl/small")),
        _claim("1.naive/large", _above("core-set", "icarl")),
        _claim("2", _above("regularization", "fisher")),
        _claim("2/printed", _above("regularization", "printed")),
        _claim("2/same", _above("regularization/same", "fisher/same")),
        _claim("4", scenes.grows_with_difficulty("regularization")),
        _claim("4/core-set", scenes.grows_with_difficulty("core-set")),
        _claim("4/points", scenes.grows_with_difficulty("regularization", np.subtract)),
        _claim("5", _above("regularization", "full")),
        _claim("5/same", _above("regularization/same", "full/same")),
    ),
    (*_readings("6", scenes.follows_loss, RISES), _claim("6.loss", scenes.loses_less)),
    (
        *_readings(
            "7", lambda ours: scenes.everywhere((scenes.MILD, scenes.STRONG), ours, scenes.BASELINES), PARTS
        ),
        _claim("7/fedavg", scenes.everywhere((scenes.MILD, scenes.STRONG), ("regularization",), ("fedavg",))),
    ),
    (
        _claim("8", _above("server", *scenes.BASELINES), scenes.STATELESS),
        _claim("8/fedavg", _above("server", "fedavg"), scenes.STATELESS),
    ),
    (
        *_readings("9", lambda ours: scenes.everywhere(scenes.OVERLAPS, ours, ("fedavg", "mimelite")), PARTS),
        *_readings(
            "9.overlap", scenes.turns, {"": "fedavg", **{name: name for name in ("mimelite", *scenes.CFL)}}
        ),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="networks_cfl"))
