"""Theorems of other papers on continual learning, for all numbers of tasks and in every dimension."""

import math

import pytest

from bounds.evron.symbols import k
from bounds.evron.two_tasks import WORST
from verify.agem_theorem import CLAIMS as AGEM
from verify.check_proof import check
from verify.engine.certificates.recheck import recheck
from verify.engine.claim import BUDGETS
from verify.engine.verdict import Finding, Verdict
from verify.evron_cyclic import CLAIMS as CYCLIC
from verify.evron_two_tasks import CLAIMS as TWO_TASKS
from verify.ewc_theorem import CLAIMS as EWC
from verify.gem_theorem import CLAIMS as GEM
from verify.kaczmarz_theorem import CLAIMS as KACZMARZ
from verify.minnorm_theorem import CLAIMS as MINNORM
from verify.mirzadeh_theorem import CLAIMS as MIRZADEH

LINEAR = (*TWO_TASKS, *CYCLIC, *MINNORM, *KACZMARZ)
BY_ID = {claim.statement.id: claim for claim in (*GEM, *AGEM, *EWC, *MIRZADEH, *LINEAR)}


def judged(id: str) -> Finding:
    claim = BY_ID[id]
    return claim.checks[0](claim, BUDGETS["quick"], 0)


@pytest.mark.parametrize(
    "id",
    [
        "agem.eq10",
        "agem.eq11.descends",
        "agem.eq11.safe/bounded",
        "ewc.sum",
        "ewc.separate/error",
        "evron.loss",
        "evron.turn",
        "evron.turn.sum",
        "evron.contraction",
        "evron.fall",
        "evron.nearest",
        "minnorm.thm4.1.step",
        "kaczmarz.thm2",
        "mirzadeh.eq5",
    ],
)
def test_a_true_statement_is_proved_at_all_sizes(id: str) -> None:
    finding = judged(id)
    assert finding.verdict is Verdict.PROVED, finding.reason
    assert finding.proof is not None
    assert finding.proof["sizes"] is None
    found = finding.proof
    for certificate in found["certificates"] if "certificates" in found else [found["certificate"]]:
        check(dict(certificate))
        recheck(certificate)


@pytest.mark.parametrize(
    "id",
    [
        "gem.eq4",
        "gem.eq4.violated",
        "agem.eq11.safe",
        "agem.eq11.safe/third",
        "agem.eq11.descends/same",
        "ewc.separate",
        "evron.thm10/half",
        "evron.cycle/less",
        "minnorm.thm4.1/equal",
        "minnorm.forgets",
        "kaczmarz.thm2/ahead",
        "mirzadeh.eq5/third",
        "mirzadeh.eq5/local",
    ],
)
def test_a_false_statement_is_refuted(id: str) -> None:
    assert judged(id).verdict is Verdict.REFUTED


@pytest.mark.parametrize("steps", [2, 4, 10, 100])
def test_no_angle_forgets_more_than_the_worst_one(steps: int) -> None:
    worst = float(WORST.subs(k, steps))
    forgotten = [x ** (steps - 1) * (1 - x) / 2 for x in (number / 1000 for number in range(1001))]
    assert worst * 0.999 <= max(forgotten) <= worst * (1 + 1e-12)
    assert worst <= 1 / (2 * math.e * (steps - 1))
