"""C-FLAG, Section 7: Acc and Forget compared with each other and with the metrics of SPECIAL."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import agreement, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag.metrics import ACCURACIES

_claim = claims_about("cflag", inequality)
CLAIMS = (
    *for_each(_claim)("acc forget", ACCURACIES, agreement),
    _claim("forget.parts", ACCURACIES, identity),
    _claim("forget.acc", ACCURACIES, inequality, "forget.parts"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_metrics"))
