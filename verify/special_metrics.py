"""SPECIAL, Section 5: its metrics and how they bound each other."""

from __future__ import annotations

from typing import Any

from bounds.catalogue import statement
from bounds.special.metrics import ABOVE, CHANGE, KEPT, LEARNT, MISSED
from verify.commands.main import main
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import Claim
from verify.scenes.special.metrics import ACCURACIES


def _claim(word: str, check: Any, *premises: Any) -> Claim:
    return Claim(statement(f"special.{word}"), (check,), ACCURACIES, premises)


CLAIMS = (
    _claim("eq10", identity),
    _claim("eq10.missed", identity),
    _claim("eq10.acc", inequality, MISSED),
    _claim("eq10.change", identity),
    _claim("eq10.kept", identity),
    _claim("eq10.learnt", identity),
    _claim("eq10.bwt", inequality, CHANGE, KEPT, LEARNT),
    _claim("eq10.relative", inequality, CHANGE),
    _claim("worstdrop.above", identity),
    _claim("worstdrop", inequality, ABOVE),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_metrics"))
