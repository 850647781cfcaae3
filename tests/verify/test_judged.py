"""Records as objects, and the notebooks that use them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bounds.special import RATE
from examples.young import CLAIMS
from verify import judge
from verify.engine.work.errors import UsageError

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.py"))


def test_a_record_has_attributes_and_is_a_mapping():
    found = judge(CLAIMS[1], "quick")
    assert found.verdict == found["verdict"] == "refuted"
    assert found.witness["parameters"].keys() == {"a", "b", "c"}
    with pytest.raises(AttributeError, match="a record has no 'verdicts'; it has id"):
        _ = found.verdicts


def test_a_notebook_shows_both_sides():
    shown = judge(CLAIMS[1], "quick")._repr_markdown_()
    assert "**young.young/third**: refuted" in shown
    left, right = (
        next(line for line in shown.splitlines() if f"{side} side" in line) for side in ("left", "right")
    )
    assert float(left.split("|")[2]) > float(right.split("|")[2])


def test_a_notebook_shows_a_record_as_html_and_latex():
    found = judge(CLAIMS[1], "quick")
    shown = found._repr_html_()
    assert "<td>left side</td>" in shown
    assert shown.count("<rect") == 2
    assert found.statement["latex"] in found._repr_latex_()


def test_a_notebook_shows_a_claim_as_its_statement():
    assert CLAIMS[0]._repr_latex_() == CLAIMS[0].statement._repr_latex_()
    assert CLAIMS[0].statement.says in CLAIMS[0]._repr_markdown_()


def test_a_notebook_shows_a_statement_as_html():
    shown = RATE._repr_html_()
    assert shown.count("<math") == 1 + len(RATE.conditions) + len(RATE.terms)
    assert "<td>psi_local</td>" in shown
    assert "$" not in shown
    assert CLAIMS[0]._repr_html_() == CLAIMS[0].statement._repr_html_()


def test_a_notebook_shows_the_finding_of_every_check():
    found = judge(CLAIMS[1], "quick")
    finding = found.evidence[0]
    assert (finding.check, finding.verdict) == ("inequality", "refuted")
    assert finding._repr_markdown_().startswith("**inequality: refuted (exact; ")
    assert "| right side |" in finding._repr_markdown_()
    assert finding._repr_html_().count("<rect") == 2
    assert repr(finding).startswith("<inequality: refuted, ")
    assert json.loads(json.dumps(found))["evidence"] == found["evidence"]


def test_an_unknown_budget_is_refused():
    with pytest.raises(UsageError, match="`budget` must be one of quick, default, full"):
        judge(CLAIMS[0], "huge")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook):
    run = subprocess.run([sys.executable, str(notebook)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr
