"""The benchmark of published errors: enough of them, each in two encodings; the quick ones are found and their corrections stand."""

import pytest

from tests.benchmarks.errata.__main__ import Row, judged, page, selected, summary, table

EVERY = selected(["*"])
QUICK = (
    "adam",
    "signsgd-stuck",
    "ewc",
    "dissimilarity",
    "gem",
    "fedmes-34",
    "special-27",
    "accelerated-flow",
)


def test_there_are_25_errors_in_two_encodings_each():
    assert len(EVERY) >= 25
    assert len({one.id for one in EVERY}) == len(EVERY)
    assert all(len(one.encodings) == 2 and one.source and one.says and one.instead for one in EVERY)
    assert all(len({encoding.how for encoding in one.encodings}) == 2 for one in EVERY)


@pytest.mark.parametrize("id", QUICK)
def test_an_error_is_found_and_its_correction_is_not_accused(id):
    (erratum,) = selected([id])
    for encoding in erratum.encodings:
        row = judged(erratum, encoding, "quick", 0)
        assert row.found, f"{encoding.how}: {row.claimed}"
        assert not row.wrong, f"{encoding.how}: {row.corrected}"
        assert row.counterexample


def test_the_table_counts_what_is_found_missed_and_wrong():
    (one,) = selected(["ewc"])
    first, second = one.encodings
    rows = [
        Row(one, first, "refuted", "proved", "c = 1", 1.0),
        Row(one, second, "unrefuted", "refuted", "", 2.0),
    ]
    counts = " ".join(summary(rows))
    assert "1 of 1 published errors found in at least one encoding, 0 in both" in counts
    assert "1 found, 1 missed" in counts
    assert "1 wrongly accused" in counts
    assert "missed (unrefuted)" in table(rows)
    assert "(WRONG)" in page(rows)
