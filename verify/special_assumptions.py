"""SPECIAL: which worlds meet Assumptions 4.1 to 4.6, how sharp the constants are that worlds report, what they imply.

An assumption is neither true nor false. A constant is reported by `nqm.constants`; beside it stands how near to it a
search over points comes.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.special.assumptions import client_norm, mean_g2, one_task, other_task, rest_norm, true_g2
from bounds.special.symbols import B, M, client_sup, noise_sup, task_sup
from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import inequality
from verify.engine.checks.sharpness import sharpness
from verify.engine.claim import Claim, claims_about
from verify.scenes.special.assumptions import FAMILIES, FREE, GRADIENTS, LARGEST, POINTS, STRONG

_variance = (sp.Eq(noise_sup, mean_g2 - true_g2), sp.Le(mean_g2, B**2))
_norms = (sp.Le(client_norm, B), sp.Le(rest_norm, B))
_part_of_mean = (sp.Le(client_sup, ((1 - 1 / M) * (client_norm + rest_norm)) ** 2), *_norms)
_pair = (sp.Le(task_sup, (one_task + other_task) ** 2), sp.Le(one_task, B), sp.Le(other_task, B))
SHARP = sharpness(POINTS, dict(zip(FAMILIES, LARGEST, strict=True)), places=("near", "far", "aside"))
_assumed = claims_about("special", assumption)

CLAIMS = (
    *(_assumed(f"ass4.{number}", FREE, beside=(SHARP,)) for number in (1, 2, 4, 5, 6)),
    _assumed("ass4.3", FREE),
    Claim(statement("special.ass4.4.implied"), (inequality,), GRADIENTS, _variance),
    Claim(statement("special.ass4.5.implied"), (inequality,), GRADIENTS, _part_of_mean),
    Claim(statement("special.ass4.5.implied/sharp"), (inequality,), GRADIENTS, _part_of_mean),
    Claim(statement("special.ass4.6.implied"), (inequality,), GRADIENTS, _pair),
    Claim(statement("special.ass4.1.quadratics"), (inequality,), STRONG),
    Claim(statement("special.ass4.6.monotone"), (inequality,)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_assumptions"))
