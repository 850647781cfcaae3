"""A report names the version, commit, date and command that made it."""

from verify.report.provenance import commit, provenance


def test_a_report_says_where_it_comes_from(monkeypatch):
    monkeypatch.setattr("sys.argv", ["verify", "report", "special.eq4*", "--out", "a b.html"])
    found = provenance()
    assert found.command == "python -m verify report special.eq4* --out 'a b.html'"
    assert found.date.endswith(" UTC")
    assert found.says.startswith("fcl-theory ")


def test_outside_a_clone_there_is_no_commit(tmp_path):
    assert commit(tmp_path) == ""
