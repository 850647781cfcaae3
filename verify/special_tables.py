"""SPECIAL, Section 5 and Appendix F: do its tables of results agree with each other and with the text?"""

from __future__ import annotations

from fractions import Fraction

from bounds.catalogue import statement
from bounds.special.side_tables import LANGUAGE, NEW_CLASSES, PLAIN, ROUNDS
from bounds.special.tables import FRACTION_DIGIT
from bounds.special.task_tables import BY_TASK, EXCERPT, TaskTable
from verify.commands.main import main
from verify.engine.checks.power import of_marks
from verify.engine.checks.table import ASKED, printed_in, table
from verify.engine.model.claim import Claim
from verify.scenes.printed import counted_shares, possible_spreads, within_room
from verify.scenes.special.reported import (
    beside_other_samples,
    best_baseline,
    datasets,
    lines,
    longest_drops,
    marks,
    model_memory,
    models_held,
    rooms,
    steps_and_epochs,
    with_more_clients,
)
from verify.scenes.special.tables import (
    MEANS,
    VARIANT,
    Rows,
    against_main,
    best_accuracy,
    best_of_two,
    bold,
    by_domain,
    faster,
    grid_points,
    images_again,
    means,
    on_usps,
    possible,
    repeated,
    rising,
    rounds,
    rounds_again,
    rounds_needed,
    server_and_client,
    slightly_lower,
    swept_against,
    with_deviations,
    worst_drops,
)


def _of_means(id: str, of: TaskTable) -> Claim:
    return Claim(statement(id), (table(means(of)),), MEANS)


def _possible(id: str, rows: Rows) -> Claim:
    return within_room(statement(f"special.{id}"), rows, "bwt_printed", -100, 100)


_claim = printed_in("special")
_READ_77 = {**ROUNDS, ("PACS", "FedProx"): Fraction(77)}
CLAIMS = (
    _claim("notation.E", steps_and_epochs()),
    _claim("config.datasets", datasets()),
    _claim("table12.rows", lines()),
    within_room(statement("special.table8.learnt"), longest_drops(), "worst_printed", -100, 0, ASKED),
    _claim("table2.best", best_baseline(), power=of_marks),
    _claim("table3.marks/7", marks(), power=of_marks),
    _claim("table3.marks/77", marks(_READ_77), power=of_marks),
    _possible("table9.possible", rooms("final_most")),
    _possible("table9.possible.gain", rooms("final_least")),
    _claim("table15.model", model_memory()),
    _claim("table15.models", models_held()),
    _claim("table21.participation", with_more_clients(), failing=ASKED),
    _claim("table1.outliers", beside_other_samples(), failing=ASKED),
    _claim("table3.rounds", rounds_needed()),
    _claim("table6.rounds", rounds_again()),
    _claim("table6.images", images_again()),
    _claim("table6.lambda", grid_points()),
    _of_means("special.table2", EXCERPT),
    _claim("table2.rows", repeated()),
    _possible("table8", worst_drops()),
    *(_of_means(f"special.table{of.number}", of) for of in BY_TASK),
    *(_claim(f"table{of.number}.main", against_main(of)) for of in BY_TASK),
    _claim("table13.lambda", swept_against("0.2", VARIANT), failing=ASKED),
    _claim("table13.fedavg", swept_against("0", "FedAvg"), failing=ASKED),
    _claim("table1.bold", bold(), power=of_marks),
    _possible("table1.possible", possible()),
    _claim("emp.acc-best", best_accuracy(), power=of_marks),
    _claim("emp.server-vs-client", server_and_client(), power=of_marks),
    _claim("emp.server-vs-client.slightly", slightly_lower(), failing=ASKED),
    _claim("emp.perdomain", by_domain(), power=of_marks),
    _claim("emp.cost.rounds/7", rounds(ROUNDS)),
    _claim("emp.cost.rounds/77", rounds(_READ_77)),
    _claim("emp.cost.time", faster(PLAIN)),
    _claim("emp.cost.time/others", faster((*PLAIN, VARIANT))),
    _claim("emp.nlp", best_of_two(LANGUAGE), power=of_marks),
    _claim("emp.cil", best_of_two(NEW_CLASSES), power=of_marks),
    _claim("emp.specialc-lam", rising()),
    counted_shares(statement("special.table9.counted"), on_usps(FRACTION_DIGIT)),
    counted_shares(statement("special.table9.counted/rounded-first"), on_usps(2 * FRACTION_DIGIT)),
    possible_spreads(statement("special.table1.deviations"), with_deviations()),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_tables"))
