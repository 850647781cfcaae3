"""Pages with sliders beside a report, with stored runs of the quadratic lab."""

import json

import pytest

from bounds.catalogue import statement
from tests.report.cases import made
from verify.curves.headlines import drawn_in
from verify.engine.work.errors import UsageError
from verify.report.bound_pages import file_of, has_page, read_run, stored_run, write_pages
from verify.report.html import page as report

RATE = statement("special.thm4.10")
RUN = {
    "methods": [
        {"name": "fedavg"},
        {
            "name": "special:lam=0.3",
            "bound": {
                "id": "special.thm4.10",
                "rounds": [1.0, 2.0],
                "exact": [0.5, 0.25],
                "values": {"K": 2.0, "L": 1.5, "d": 3.0},
            },
        },
    ]
}


def test_most_headline_bounds_have_a_page():
    ids = drawn_in()
    assert sum(has_page(statement(id)) for id in ids) >= 50
    assert not has_page(statement("cflag.thm5"))
    assert not has_page(statement("cflag.thm2"))
    assert not has_page(None)


def test_a_stored_run_gives_values_and_dots(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"methods": [{"name": "other"}]}))
    (tmp_path / "b.json").write_text(json.dumps(RUN))
    (tmp_path / "c.json").write_text("no run")
    values, (dots,) = stored_run(RATE, tmp_path)
    assert values == {"K": 2.0, "L": 1.5, "T": 2.0}
    assert dots == {"name": "T", "points": [1.0, 2.0], "values": [0.5, 0.25], "says": "special:lam=0.3"}
    assert stored_run(statement("special.lem4.9"), tmp_path) == ({}, [])


@pytest.mark.parametrize(
    ("content", "message"),
    [("{}", "must have `methods`"), (json.dumps({"methods": []}), "has no run of special.thm4.10")],
)
def test_a_file_without_such_a_run_is_refused(tmp_path, content, message):
    file = tmp_path / "run.json"
    file.write_text(content)
    with pytest.raises(UsageError, match=message):
        read_run(file, RATE)


def test_a_page_is_written_for_each_bound_that_has_one(tmp_path):
    drift = statement("special.lem4.9/finite")
    written = write_pages([drift], tmp_path / "pages", tmp_path)
    assert written == {drift.id: file_of(drift.id)} == {drift.id: "special.lem4.9_finite.html"}
    assert drift.id in (tmp_path / "pages" / written[drift.id]).read_text()


def test_a_report_links_to_the_pages():
    found = [made("n.thm1"), made("n.thm1/repaired")]
    content = report(found, sliders={"n.thm1": "report-bounds/n.thm1.html"})
    assert '<a href="report-bounds/n.thm1.html">n.thm1</a>' in content
    assert "With sliders" not in report(found)
