"""C-FLAG, Section 7: Acc and Forget against each other and against the metrics of SPECIAL."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cflag.metrics import PARTS
from verify.commands.main import main
from verify.engine.checks.relation import agreement, identity, inequality
from verify.engine.claim import Claim
from verify.scenes.cflag.metrics import ACCURACIES

CLAIMS = (
    Claim(statement("cflag.acc"), (agreement,), ACCURACIES),
    Claim(statement("cflag.forget"), (agreement,), ACCURACIES),
    Claim(statement("cflag.forget.parts"), (identity,), ACCURACIES),
    Claim(statement("cflag.forget.acc"), (inequality,), ACCURACIES, (PARTS,)),
    Claim(statement("cflag.forget.negative"), (inequality,), ACCURACIES),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_metrics"))
