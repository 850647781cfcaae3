"""Measure in what time Coq accepts the certificates of the page of landmarks, and store the times in docs/coq.json.

    python docs/hooks/coq_times.py [PAPER ...]

Only certificates without a stored time are measured; `make docs` leaves times of other certificates out.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from verify.engine.coq.export import file_of, theorem
from verify.engine.records.files import write_json
from verify.report.site import certificates_digest
from verify.report.stored import stored_entries
from verify.report.values import certificates_in

DOCS = Path(__file__).resolve().parents[1]
TIMES = DOCS / "coq.json"


def coq_milliseconds(content: str) -> int:
    """CPU milliseconds in which Coq accepts a file.

    Raises
    ------
    subprocess.CalledProcessError
        If Coq refuses it.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "one.v").write_text(content)
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["coqc", "-q", "one.v"], cwd=folder, check=True, capture_output=True, text=True)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(1000 * (end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime))


def main(papers: list[str]) -> None:
    """Measure what has no stored time, with a file without theorems subtracted."""
    known = json.loads(TIMES.read_text()) if TIMES.is_file() else {}
    loading = coq_milliseconds(file_of([]))
    listed = re.findall(r"<!-- landmarks: (.+?) -->", (DOCS / "landmarks.md").read_text())
    for paper in papers or " ".join(listed).split():
        for entry in stored_entries(paper)[0]:
            found = certificates_in(entry.record["proof"] or {})
            made = certificates_digest(found)
            if found and known.get(entry.id, {}).get("of") != made:
                theorems = [theorem(f"{entry.id} {k}", one) for k, one in enumerate(found)]
                milliseconds = coq_milliseconds(file_of(theorems)) - loading
                known[entry.id] = {"of": made, "ms": max(milliseconds, 1)}
                print(entry.id, known[entry.id]["ms"], flush=True)
                write_json(TIMES, dict(sorted(known.items())))


if __name__ == "__main__":
    main(sys.argv[1:])
