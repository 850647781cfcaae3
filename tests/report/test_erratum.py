"""Errata: every damaged statement once, with its reason and what is true instead, or the step that resists."""

import copy
import shutil
import subprocess
from functools import partial

import pytest

from tests.report.cases import judged, made
from verify.engine.errors import UsageError
from verify.report.erratum import erratum, written
from verify.report.figures import Figure
from verify.report.wording import again

REPLAY = partial(again, folder="results/records")
BROKEN = [
    made("n.thm1", "refuted", uses=("n.eq1", "n.eq2")),
    made("n.thm1/mild", "proved"),
    made("n.thm1/wild", "refuted"),
    made("n.thm2", uses=("n.eq2",)),
    made("n.eq1"),
    made("n.eq2", "gap"),
    made("n.eq3", "vacuous"),
    made("n.eq3/better", "holds"),
]


def test_theorems_come_first_then_what_else_is_damaged():
    found = erratum(BROKEN, "n")
    assert [c.entry.id for c in found.theorems] == ["n.thm1", "n.thm2"]
    assert [c.entry.id for c in found.others] == ["n.eq2", "n.eq3"]
    assert [c.entry.id for c in found.damaged] == ["n.thm1", "n.eq2", "n.eq3"]
    assert found.repaired == 2


def test_each_says_what_is_true_instead_or_what_resists():
    one, two, gap, void = (
        c for group in ("theorems", "others") for c in getattr(erratum(BROKEN, "n"), group)
    )
    assert [e.id for e in one.instead] == ["n.thm1/mild"]
    assert [e.id for e in one.tried] == ["n.thm1/wild"]
    assert one.resists == ""
    assert (two.fault.path, two.resists) == (("n.thm2", "n.eq2"), "n.eq2")
    assert gap.resists == "n.eq2"
    assert [e.id for e in void.instead] == ["n.eq3/better"]


def test_proved_readings_come_before_those_that_only_hold():
    found = erratum([made("n.thm1", "refuted"), made("n.thm1/a"), made("n.thm1/b", "proved")], "n")
    assert [e.id for e in found.theorems[0].instead] == ["n.thm1/b", "n.thm1/a"]


def test_parts_of_another_reading_are_no_readings():
    found = erratum(
        [
            made("n.thm1", "refuted"),
            made("n.thm1/mild", "proved", uses=("n.thm1/mild.step", "n.thm1/plain")),
            made("n.thm1/mild.step", "proved", uses=("n.thm1/mild.deep",)),
            made("n.thm1/mild.deep", "proved"),
            made("n.thm1/mild.order", "proved"),
            made("n.thm1/plain", "proved"),
        ],
        "n",
    )
    assert [e.id for e in found.theorems[0].instead] == ["n.thm1/mild", "n.thm1/mild.order", "n.thm1/plain"]


def test_an_unknown_paper_is_named_with_those_that_there_are():
    with pytest.raises(UsageError, match=r"no record speaks of 'm'; there are records of n"):
        erratum(BROKEN, "m")


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_every_format_tells_the_same(kind):
    content = written(erratum(judged(), "special"), kind, REPLAY)
    assert "python -m verify replay results/records/special.eq27.json" in content.replace("\\_", "_")
    assert "eq27/corrected" in content
    for entry in judged():
        if entry.damaged and entry.id == entry.printed:
            assert entry.record["statement"]["says"].split("$")[0][:20] in content


def test_no_text_of_a_record_is_markup():
    bad = [made("n.thm1", "refuted", reason="a < b & <script>x_1</script>")]
    bad[0].record["evidence"][0]["reason"] = "a < b & <script>x_1</script>"
    assert "<script>" not in written(erratum(bad, "n"), "html", REPLAY)
    assert "\\<script\\>" in written(erratum(bad, "n"), "markdown", REPLAY)
    assert r"x\_1" in written(erratum(bad, "n"), "latex", REPLAY)


def test_a_theorem_has_its_figure():
    figure = Figure("n.thm1", ("n.thm1",), "both sides", "data:image/png;base64,AAAA")
    content = written(erratum(BROKEN, "n", [figure]), "html", REPLAY)
    assert content.count("data:image/png;base64,AAAA") == 1
    assert 'alt="both sides"' in content


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_compiles_with_a_plain_installation(tmp_path):
    (tmp_path / "e.tex").write_text(written(erratum(judged(), "special"), "latex", REPLAY))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "e.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("kind", ["markdown", "latex", "html"])
def test_numbers_that_are_no_letters_of_the_source_are_explained(kind):
    entries = [copy.deepcopy(entry) for entry in judged()]
    (own,) = (entry for entry in entries if entry.id == "special.eq27")
    witness = next(found["witness"] for found in own.record["evidence"] if found["witness"])
    assert "how far away all begins" not in written(erratum(entries, "special"), kind, REPLAY)
    witness["told"] = {"start": "how far away all begins"}
    assert "start: how far away all begins" in written(erratum(entries, "special"), kind, REPLAY)
