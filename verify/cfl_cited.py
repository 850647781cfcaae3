"""CFL: the rates of other papers that Table 1 cites, under CFL's assumptions."""

from __future__ import annotations

from bounds.cfl.cited import CITED
from verify.commands.main import main
from verify.engine.checks.relation import bound
from verify.engine.model.claim import Claim
from verify.scenes.cfl.cited import BELOW

CLAIMS = tuple(Claim(statement, (bound,), BELOW[row]) for row, statement in CITED.items())

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_cited"))
