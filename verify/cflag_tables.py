"""C-FLAG: do its tables of results agree with each other, with their metrics and with the text?"""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cflag.tables import CLASS_INCREMENTAL, MAIN, TASK_INCREMENTAL
from verify.commands.main import main
from verify.engine.checks.power import of_marks
from verify.engine.checks.table import ASKED, printed_in
from verify.engine.model.claim import Claim
from verify.scenes.cflag import tables as rows
from verify.scenes.printed import Rows, counted_shares, possible_spreads, within_room

_claim = printed_in("cflag")


def _possible(id: str, found: Rows) -> Claim:
    return within_room(statement(f"cflag.{id}"), found, "printed_forget", -100, 100)


CLAIMS = (
    _claim("tab2", rows.repeated("non-IID")),
    _claim("tab3", rows.repeated("IID")),
    _claim("tab2.bold", rows.bold({"non-IID": MAIN["non-IID"]}), power=of_marks),
    _claim("tab3.bold", rows.bold({"IID": MAIN["IID"]}), power=of_marks),
    _claim("tab6.bold", rows.bold(TASK_INCREMENTAL), power=of_marks),
    _claim("tab7.bold", rows.bold(CLASS_INCREMENTAL), power=of_marks),
    _claim("tab6.distinct", rows.distinct(TASK_INCREMENTAL), failing=ASKED),
    _claim("tab7.distinct", rows.distinct(CLASS_INCREMENTAL), failing=ASKED),
    _possible("tab6.possible", rows.possible(TASK_INCREMENTAL)),
    _possible("tab7.possible", rows.possible(CLASS_INCREMENTAL)),
    counted_shares(statement("cflag.tab6.counted"), rows.counted()),
    possible_spreads(statement("cflag.tab6.deviations"), rows.with_deviations()),
    _possible("tab8.possible", rows.possible_by_clients()),
    _claim("tab8.same", rows.five_clients()),
    _claim("tab8.same/deviation", rows.five_clients()),
    _claim(
        "tab2.outperforms",
        rows.of_ours(rows.only("Acc", rows.only(", non-IID", rows.scores(MAIN)))),
        power=of_marks,
    ),
    _claim(
        "tab3.outperforms",
        rows.of_ours(rows.only("Acc", rows.only(", IID", rows.scores(MAIN)))),
        power=of_marks,
    ),
    _claim("tab6.outperforms", rows.of_ours(rows.scores(TASK_INCREMENTAL)), power=of_marks),
    _claim("tab7.outperforms", rows.most_beaten()),
    _claim("tab7.outperforms/every", rows.beaten(), failing=ASKED),
    _claim("fig6", rows.in_figure_6(), power=of_marks),
    _claim("tab8.robust", rows.more_clients()),
    _claim(
        "tab8.robust/forget", {name: pair for name, pair in rows.more_clients().items() if "Forget" in name}
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_tables"))
