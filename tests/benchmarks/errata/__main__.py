"""Judge every published error in both encodings, and its correction; print the table."""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.errata.audit import lines as audited
from tests.benchmarks.errata.cases import Encoding, Erratum
from tests.benchmarks.errata.documentation import DOCUMENTATION
from tests.benchmarks.errata.federated import FEDERATED
from tests.benchmarks.errata.nonsmooth import NONSMOOTH
from tests.benchmarks.errata.optimisers import OPTIMISERS
from tests.benchmarks.errata.orders import ORDERS
from tests.benchmarks.errata.papers import PAPERS
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.records.files import fingerprint, read_json, write_json
from verify.engine.run import run
from verify.engine.topics import index
from verify.engine.verdict import Verdict

LONGEST = 300
"""Characters of a counterexample in the tables."""
COLLECTIONS = (OPTIMISERS, ORDERS, DOCUMENTATION, NONSMOOTH, FEDERATED, PAPERS)
DAMAGING = {verdict.value for verdict in Verdict if verdict.damaging}
HEAD = ("erratum", "encoding", "found", "counterexample", "correction", "seconds")


@dataclass(frozen=True)
class Row:
    """The results for one encoding.

    Attributes
    ----------
    claimed, corrected : str
        Verdicts of the published statement and of its correction.
    counterexample : str
        The numbers that break the published statement; empty if none was found.
    seconds : float
        Time of both.
    """

    erratum: Erratum
    encoding: Encoding
    claimed: str
    corrected: str
    counterexample: str
    seconds: float

    @property
    def found(self) -> bool:
        return self.claimed in DAMAGING

    @property
    def wrong(self) -> bool:
        """Whether the correction is refuted, too."""
        return self.corrected in DAMAGING

    def cells(self) -> tuple[str, ...]:
        return (
            self.erratum.id,
            self.encoding.how,
            self.claimed if self.found else f"missed ({self.claimed})",
            self.counterexample,
            self.corrected + (" (WRONG)" if self.wrong else ""),
            f"{self.seconds:.1f}",
        )


def selected(patterns: Sequence[str]) -> list[Erratum]:
    """Errata whose ids match any pattern."""
    every = [one for collection in COLLECTIONS for one in collection.found]
    return [one for one in every if any(fnmatch.fnmatch(one.id, pattern) for pattern in patterns)]


def judged(erratum: Erratum, encoding: Encoding, budget: str, seed: int) -> Row:
    """Verdicts of the published statement and of its correction in one encoding."""
    start = time.process_time()
    record = _record(encoding.claimed, budget, seed)
    corrected = _record(encoding.corrected, budget, seed)
    return Row(
        erratum,
        encoding,
        record["verdict"],
        corrected["verdict"],
        _counterexample(encoding.claimed, record),
        time.process_time() - start,
    )


def _record(claim: Claim, budget: str, seed: int) -> dict[str, Any]:
    """The record of a claim; for claims of the catalogue from stored evidence, which is checked again."""
    if claim.statement.id not in index():
        return judge(claim, budget, seed)
    with TemporaryDirectory() as folder:
        (record,) = run([claim.statement.id], Path(folder), "default", 0)
    return record


def _counterexample(claim: Claim, record: dict) -> str:
    """Sizes and parameters of the instance that breaks a claim; the verdict alone if there is no instance."""
    witness = record.get("witness")
    if record["verdict"] not in DAMAGING or not witness:
        return record["verdict"] if record["verdict"] in DAMAGING else ""
    numbers = {**witness.get("shape", {}), **witness.get("parameters", {}), **witness.get("steps", {})}
    speaks = {str(symbol) for symbol in claim.statement.symbols}
    shown = {n: v for n, v in numbers.items() if claim.scene is not None or n in speaks}
    text = ", ".join(f"{name} = {_short(value)}" for name, value in shown.items() if name != "room")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _short(value: object) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(map(_short, value)) + ")"
    return str(value)


def summary(rows: Sequence[Row]) -> list[str]:
    """The number of errors detected in at least one encoding, in both, and the number of refuted corrections."""
    errors = list(dict.fromkeys(row.erratum.id for row in rows))
    by_error = {id: [row for row in rows if row.erratum.id == id] for id in errors}
    any_way = sum(any(row.found for row in own) for own in by_error.values())
    every_way = sum(all(row.found for row in own) for own in by_error.values())
    wrong = [row for row in rows if row.wrong]
    standing = sum(row.corrected == Verdict.PROVED.value for row in rows)
    return [
        f"{any_way} of {len(errors)} published errors found in at least one encoding, {every_way} in both; "
        f"{len(rows)} encodings: {sum(row.found for row in rows)} found, {sum(not row.found for row in rows)} missed",
        f"corrections: {standing} of {len(rows)} proved, {len(wrong)} wrongly accused",
        f"{sum(row.seconds for row in rows):.0f} s of CPU time",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.errata", description=__doc__)
    parser.add_argument("patterns", nargs="*", default=["*"], help="ids or shell patterns; all if none")
    parser.add_argument("--budget", default="default", choices=("quick", "default", "full"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/errata.json"),
        help="rows so far; an interrupted run of the same code goes on from there (default %(default)s)",
    )
    parser.add_argument("--markdown", action="store_true", help="print the page docs/errata.md")
    options = parser.parse_args()
    made = {"versions": fingerprint(), "budget": options.budget, "seed": options.seed}
    known = _read(options.out, made)
    rows = []
    for erratum in selected(options.patterns):
        for encoding in erratum.encodings:
            key = " against ".join(
                f"{one.statement.id}: {one.statement.text()}"
                for one in (encoding.claimed, encoding.corrected)
            )
            if key not in known:
                row = judged(erratum, encoding, options.budget, options.seed)
                known[key] = [row.claimed, row.corrected, row.counterexample, row.seconds]
                write_json(options.out, {**made, "rows": known})
            rows.append(Row(erratum, encoding, *known[key]))
            print(" | ".join(rows[-1].cells()), file=sys.stderr, flush=True)
    print(page(rows) if options.markdown else table(rows))
    return int(any(row.wrong for row in rows))


def _read(file: Path, made: Mapping[str, Any]) -> dict[str, Any]:
    """Rows of an earlier run of the same code, by both statements; none if there is no such run."""
    if not file.is_file():
        return {}
    saved = read_json(file)
    return saved["rows"] if {**saved, "rows": None} == {**made, "rows": None} else {}


def table(rows: Sequence[Row]) -> str:
    """The table for a terminal."""
    lines = [HEAD, *(row.cells() for row in rows)]
    widths = [min(48, max(len(cell) for cell in column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join(cell[:48].ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([*text, "", *summary(rows)])


def page(rows: Sequence[Row]) -> str:
    """The page of the documentation."""
    text = [
        "# Published errors, found",
        "",
        "This benchmark has published statements that are wrong. Each statement and its correction are stated in two ways",
        "(encodings). The toolkit judges them like any other claim, without knowing which of them are wrong.",
        "`python -m tests.benchmarks.errata --markdown` prints this page.",
        "",
        "| term | meaning |",
        "|---|---|",
        "| found | the published statement has a damaging verdict, such as refuted or gap |",
        "| missed | it has no damaging verdict |",
        "| wrongly accused | the correction has a damaging verdict |",
        "",
        "PEPit's documentation was read against its code (last section), and the four papers of the catalogue line by line. The",
        "other errors are stated as in the papers that found them. Several of these state a published claim more generally than",
        "its authors may have meant it.",
        "Encodings from the catalogue check stored evidence again; all others are searched.",
        "",
        *(f"- {line}" for line in summary(rows)),
        "",
    ]
    text += ["| erratum | published in | statement | instead |", "|---|---|---|---|"]
    for erratum in dict.fromkeys(row.erratum for row in rows):
        cells = (erratum.id, erratum.source, erratum.says, erratum.instead)
        text.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    text += ["", "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    text += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row.cells()) + " |" for row in rows]
    return "\n".join([*text, *audited()])


if __name__ == "__main__":
    raise SystemExit(main())
