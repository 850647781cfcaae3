"""FedMeS: the content of the memory (Section 4.1), and prediction by its nearest samples (Section 4.3)."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.fedmes.inference import KERNEL, LINE, MEMORY, MIXTURE, PASSES, PROBABILITIES, ROOMY

_claim = claims_about("fedmes", identity)
_claims = for_each(_claim)
CLAIMS = (
    _claim("memory", MEMORY, inequality),
    _claim("memory.fifo", MEMORY),
    _claim("memory.each", MEMORY, inequality),
    _claim("memory.each/room", ROOMY, inequality),
    _claim("memory.compact", MEMORY),
    *_claims("memory.compact/room memory.compact/equal memory.compact/balanced", ROOMY),
    _claim("alg1.memory", MEMORY),
    _claim("alg1.inference", MEMORY, agreement),
    _claim("eq8", LINE, inequality),
    _claim("eq8.unique", LINE),
    _claim("eq9", MIXTURE),
    _claim("eq9.kernel", KERNEL, agreement),
    _claim("eq9.kernel/laplacian", KERNEL),
    _claim("eq10", MIXTURE, entailment),
    _claim("eq10/probabilities", PROBABILITIES, identity, "eq9", "eq10.sum"),
    _claim("eq10.sum", MIXTURE),
    _claim("inference.free", PASSES, agreement),
    _claim("remark2-3.helps", PROBABILITIES, inequality),
    _claim("remark2-3.unseen", None, inequality),
    _claim("remark2-3.oblivious", LINE),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_inference"))
