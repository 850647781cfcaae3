"""FedMeS, Section 5.1: its average accuracies and forgetting rate: formulas compared with the text and with other metrics."""

from __future__ import annotations

from bounds.fedmes import metrics as printed
from verify.commands.main import main
from verify.engine.checks.relation import agreement, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.fedmes.metrics import AFTER_TASK, AT_THE_END, OF_ALL

_claim = claims_about("fedmes", identity)
_claims = for_each(_claim)
CLAIMS = (
    _claim("A", AFTER_TASK, agreement),
    _claim("A/included", AFTER_TASK),
    _claim("acc_client", AT_THE_END, agreement),
    *_claims("acc_client.before acc_client.before_lacks acc_client.end_lacks", AT_THE_END),
    _claim("acc_client.gap", AT_THE_END, inequality, printed.BEFORE, printed.BEFORE_LACKS, printed.END_LACKS),
    _claim("acc_task", OF_ALL),
    *_claims("acc_all acc_all/index acc_all/final", OF_ALL, agreement),
    *_claims("forget forget/learnt", AFTER_TASK, agreement),
    _claim("forget.parts", AFTER_TASK),
    _claim("forget.most", AFTER_TASK, inequality, printed.PARTS),
    _claim("forget.acc", AFTER_TASK, inequality, printed.PARTS, printed.INCLUDED),
    _claim("forget.averaged", AFTER_TASK, inequality, printed.ROOM, printed.MOST),
    _claim("forget.risen", AT_THE_END),
    _claim("forget.cflag", AT_THE_END, inequality, printed.RISEN),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_metrics"))
