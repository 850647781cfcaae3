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
from verify.scenes.special import reported, tables


def _of_means(id: str, of: TaskTable) -> Claim:
    return Claim(statement(id), (table(tables.means(of)),), tables.MEANS)


def _possible(id: str, rows: tables.Rows) -> Claim:
    return within_room(statement(f"special.{id}"), rows, "bwt_printed", -100, 100)


_claim = printed_in("special")
_READ_77 = {**ROUNDS, ("PACS", "FedProx"): Fraction(77)}
CLAIMS = (
    _claim("notation.E", reported.steps_and_epochs()),
    _claim("config.datasets", reported.datasets()),
    _claim("table12.rows", reported.lines()),
    within_room(
        statement("special.table8.learnt"), reported.longest_drops(), "worst_printed", -100, 0, ASKED
    ),
    _claim("table2.best", reported.best_baseline(), power=of_marks),
    _claim("table3.marks/7", reported.marks(), power=of_marks),
    _claim("table3.marks/77", reported.marks(_READ_77), power=of_marks),
    _possible("table9.possible", reported.rooms("final_most")),
    _possible("table9.possible.gain", reported.rooms("final_least")),
    _claim("table15.model", reported.model_memory()),
    _claim("table15.models", reported.models_held()),
    _claim("table21.participation", reported.with_more_clients(), failing=ASKED),
    _claim("table1.outliers", reported.beside_other_samples(), failing=ASKED),
    _claim("table3.rounds", tables.rounds_needed()),
    _claim("table6.rounds", tables.rounds_again()),
    _claim("table6.images", tables.images_again()),
    _claim("table6.lambda", tables.grid_points()),
    _of_means("special.table2", EXCERPT),
    _claim("table2.rows", tables.repeated()),
    _possible("table8", tables.worst_drops()),
    *(_of_means(f"special.table{of.number}", of) for of in BY_TASK),
    *(_claim(f"table{of.number}.main", tables.against_main(of)) for of in BY_TASK),
    _claim("table13.lambda", tables.swept_against("0.2", tables.VARIANT), failing=ASKED),
    _claim("table13.fedavg", tables.swept_against("0", "FedAvg"), failing=ASKED),
    _claim("table1.bold", tables.bold(), power=of_marks),
    _possible("table1.possible", tables.possible()),
    _claim("emp.acc-best", tables.best_accuracy(), power=of_marks),
    _claim("emp.server-vs-client", tables.server_and_client(), power=of_marks),
    _claim("emp.server-vs-client.slightly", tables.slightly_lower(), failing=ASKED),
    _claim("emp.perdomain", tables.by_domain(), power=of_marks),
    _claim("emp.cost.rounds/7", tables.rounds(ROUNDS)),
    _claim("emp.cost.rounds/77", tables.rounds(_READ_77)),
    _claim("emp.cost.time", tables.faster(PLAIN)),
    _claim("emp.cost.time/others", tables.faster((*PLAIN, tables.VARIANT))),
    _claim("emp.nlp", tables.best_of_two(LANGUAGE), power=of_marks),
    _claim("emp.cil", tables.best_of_two(NEW_CLASSES), power=of_marks),
    _claim("emp.specialc-lam", tables.rising()),
    counted_shares(statement("special.table9.counted"), tables.on_usps(FRACTION_DIGIT)),
    counted_shares(statement("special.table9.counted/rounded-first"), tables.on_usps(2 * FRACTION_DIGIT)),
    possible_spreads(statement("special.table1.deviations"), tables.with_deviations()),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_tables"))
