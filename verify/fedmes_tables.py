"""FedMeS: does Table 1 agree with its metrics and with the text?"""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.fedmes.tables import ABLATION, METHOD, TASKS
from verify.commands.main import main
from verify.engine.checks.power import of_marks
from verify.engine.checks.table import printed_in
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import Claim
from verify.scenes.fedmes import tables as scenes
from verify.scenes.printed import possible_spreads, within_room

_claim = printed_in("fedmes")
POSSIBLE = tuple(f"fedmes.tab1.possible{variant}" for variant in ("", "/mixed", "/averaged"))
NO_INFERENCE = scenes.compared(scenes.accuracies(METHOD, *TASKS), scenes.accuracies(ABLATION, *TASKS))
CLAIMS = (
    *(within_room(statement(id), scenes.possible(), "printed_forget", -1, 1) for id in POSSIBLE),
    _claim("tab1.outperforms.acc", scenes.against_baselines(lambda result: result.acc), power=of_marks),
    _claim(
        "tab1.outperforms.forget", scenes.against_baselines(lambda result: result.forget, -1), power=of_marks
    ),
    _claim(
        "tab1.outperforms.forget/ties",
        scenes.against_baselines(lambda result: result.forget, -1),
        power=of_marks,
    ),
    _claim(
        "tab1.fedweit.acc",
        scenes.largest(
            scenes.compared(
                scenes.accuracies(METHOD, "MiniImageNet"),
                scenes.accuracies(scenes.STATE_OF_THE_ART, "MiniImageNet"),
            )
        ),
    ),
    _claim(
        "tab1.fedweit.forget",
        scenes.compared(scenes.rates(scenes.STATE_OF_THE_ART, "CORe50"), scenes.rates(METHOD, "CORe50")),
    ),
    _claim("tab1.lip", NO_INFERENCE),
    _claim("tab1.lip/points", NO_INFERENCE),
    possible_spreads(statement("fedmes.tab1.deviations"), scenes.with_deviations()),
    _claim("tab1.memory", scenes.with_memory()),
    _claim("tab1.memory/deviation", scenes.with_memory()),
    _claim("data.classes", scenes.splits()),
    _claim("data.classes/core50", scenes.core50()),
    _claim("data.fusion", scenes.fused()),
    _claim("fig9.clients", scenes.with_unequal_memories()),
    _claim("fig9.least", scenes.with_few_samples()),
    *(Claim(statement(f"fedmes.{id}"), (unjudged(reason),)) for id, reason in scenes.NOT_PRINTED.items()),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_tables"))
