"""SPECIAL: which worlds meet Assumptions 4.1 to 4.6, how sharp the reported constants are, and what the assumptions imply.

An assumption is neither true nor false. `nqm.constants` reports the constants; the record also contains the largest value that
a search over points finds.
"""

from __future__ import annotations

from bounds.catalogue import statement
from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import inequality
from verify.engine.checks.sharpness import sharpness
from verify.engine.model.claim import Claim, claims_about
from verify.scenes.special.assumptions import FAMILIES, FREE, LARGEST, POINTS, STRONG
from verify.scenes.special.implied import GRADIENTS, NOISE

SHARP = sharpness(POINTS, dict(zip(FAMILIES, LARGEST, strict=True)), places=("near", "far", "aside"))
_assumed = claims_about("special", assumption)
_PART_OF_MEAN = statement("special.ass4.5.implied/sharp").compared

CLAIMS = (
    *(_assumed(f"ass4.{number}", FREE, beside=(SHARP,)) for number in (1, 2, 4, 5, 6)),
    _assumed("ass4.3", FREE),
    Claim(statement("special.ass4.4.implied"), (inequality,), GRADIENTS, NOISE),
    Claim(statement("special.ass4.5.implied"), (inequality,), GRADIENTS, (_PART_OF_MEAN,)),
    Claim(statement("special.ass4.5.implied/sharp"), (inequality,), GRADIENTS),
    Claim(statement("special.ass4.6.implied"), (inequality,), GRADIENTS),
    Claim(statement("special.ass4.1.quadratics"), (inequality,), STRONG),
    Claim(statement("special.ass4.6.monotone"), (inequality,)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_assumptions"))
