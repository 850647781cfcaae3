"""Solutions of least distance: the expected error after all tasks, for all numbers of tasks and dimensions."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.minnorm.task import TASK

_claim = claims_about("minnorm", identity)
CLAIMS = (
    _claim("thm4.1.step", TASK, decided),
    _claim("thm4.1.step/least", TASK, decided),
    _claim("thm4.1.step/noiseless", TASK, decided),
    _claim("thm4.1"),
    _claim("thm4.1/equal"),
    _claim("forgets", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="minnorm_theorem"))
