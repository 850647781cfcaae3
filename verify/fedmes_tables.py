"""FedMeS: does Table 1 agree with its metrics and with the text?"""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.fedmes.tables import ABLATION, METHOD, TASKS
from verify.commands.main import main
from verify.engine.checks.power import of_marks
from verify.engine.checks.table import printed_in
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import Claim
from verify.scenes.fedmes.tables import (
    NOT_PRINTED,
    STATE_OF_THE_ART,
    accuracies,
    against_baselines,
    compared,
    core50,
    fused,
    largest,
    possible,
    rates,
    splits,
    with_deviations,
    with_few_samples,
    with_memory,
    with_unequal_memories,
)
from verify.scenes.printed import possible_spreads, within_room

_claim = printed_in("fedmes")
POSSIBLE = tuple(f"fedmes.tab1.possible{variant}" for variant in ("", "/mixed", "/averaged"))
NO_INFERENCE = compared(accuracies(METHOD, *TASKS), accuracies(ABLATION, *TASKS))
CLAIMS = (
    *(within_room(statement(id), possible(), "printed_forget", -1, 1) for id in POSSIBLE),
    _claim("tab1.outperforms.acc", against_baselines(lambda result: result.acc), power=of_marks),
    _claim("tab1.outperforms.forget", against_baselines(lambda result: result.forget, -1), power=of_marks),
    _claim(
        "tab1.outperforms.forget/ties", against_baselines(lambda result: result.forget, -1), power=of_marks
    ),
    _claim(
        "tab1.fedweit.acc",
        largest(compared(accuracies(METHOD, "MiniImageNet"), accuracies(STATE_OF_THE_ART, "MiniImageNet"))),
    ),
    _claim("tab1.fedweit.forget", compared(rates(STATE_OF_THE_ART, "CORe50"), rates(METHOD, "CORe50"))),
    _claim("tab1.lip", NO_INFERENCE),
    _claim("tab1.lip/points", NO_INFERENCE),
    possible_spreads(statement("fedmes.tab1.deviations"), with_deviations()),
    _claim("tab1.memory", with_memory()),
    _claim("tab1.memory/deviation", with_memory()),
    _claim("data.classes", splits()),
    _claim("data.classes/core50", core50()),
    _claim("data.fusion", fused()),
    _claim("fig9.clients", with_unequal_memories()),
    _claim("fig9.least", with_few_samples()),
    *(Claim(statement(f"fedmes.{id}"), (unjudged(reason),)) for id, reason in NOT_PRINTED.items()),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_tables"))
