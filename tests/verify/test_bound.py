"""`python -m verify bound`: its output, files and errors."""

import csv
import json

import pytest

from figures.bound import draw
from verify.commands.main import main

VALUES = "K=4 E=5 L=2 B=1 M=8 N=4 T=20 gamma_G=1/5 gamma_L=0.01 f0=3 fstar=0 G0=0.3 sigma_L2=0.1 sigma_G2=0.2 sigma_T2=0.3 lam=0.5"
ASKED = ["bound", "special.thm4.10", *VALUES.split()]


def test_the_formula_comes_without_numbers(capsys):
    assert main(["bound", "special.thm4.10"]) == 0
    out = capsys.readouterr().out
    assert "min_grad2 <= lead + psi_samp_G" in out
    assert "gamma_L    positive     local learning rate" in out
    assert max(map(len, out.splitlines())) <= 80


def test_value_and_terms(capsys, tmp_path):
    assert main([*ASKED, "--json", str(tmp_path / "out.json")]) == 0
    out = capsys.readouterr().out
    assert "bound 71.866" in out
    assert "lead dominates" in out
    content = json.loads((tmp_path / "out.json").read_text())
    assert content["bound"] == pytest.approx(71.866, rel=1e-5)
    assert sum(content["terms"].values()) == pytest.approx(content["bound"])


def test_a_failing_condition_is_printed_with_its_remedy(capsys):
    assert main([*ASKED, "gamma_L=0.1"]) == 0
    assert "nearest that meets it: L = 0.25; or gamma_L = 0.0125" in " ".join(capsys.readouterr().out.split())


def test_best_says_which_condition_limits_it(capsys):
    assert main([*ASKED, "--best", "gamma_L"]) == 0
    out = capsys.readouterr().out
    assert "smallest bound 60.353 at gamma_L = 0.0125" in out
    assert "at the limit of gamma_L <= 1/(8*E*L)" in out


def test_a_sweep_as_table_csv_and_picture(capsys, tmp_path):
    table, picture = tmp_path / "sweep.csv", tmp_path / "sweep.png"
    sweep = ["--sweep", "T=1:1e4:9", "--against", "special.thm4.10/free.start"]
    assert main([*ASKED, *sweep, "--csv", str(table), "--plot", str(picture)]) == 0
    assert "T from 1 to 10000: special.thm4.10/free.start is smaller" in capsys.readouterr().out
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [float(row["T"]) for row in rows] == [1, 3, 10, 32, 100, 316, 1000, 3162, 10000]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_bound_without_a_value_is_printed_as_such(capsys):
    assert main([*ASKED, "K=1"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "bound no value" in out
    assert "K >= 2 nearest that meets it: K = 2" in out
    assert main([*ASKED, "lam=1e-999999999"]) == 0
    assert "psi_drift_B no value lead 40" in " ".join(capsys.readouterr().out.split())


def test_a_sweep_across_a_point_without_a_value(capsys, tmp_path):
    picture = tmp_path / "sweep.png"
    assert main([*ASKED, "--sweep", "lam=0:1:3", "--plot", str(picture)]) == 0
    first = next(line for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["0"])
    assert first.split() == ["0", "no", "value", "psi_drift_B", "fail"]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_second_bound_may_have_quantities_of_its_own(capsys):
    own = ["F_0=3", "eps=0.1", "t=5", "--against", "special.thm4.7"]
    assert main([*ASKED, *own]) == 0
    out = capsys.readouterr().out
    assert "special.thm4.7: 3" in out
    assert "fails: gamma_G <= 1/(sqrt(N)*(K - 1))" in out
    assert main([*ASKED, *own, "--sweep", "T=1:100:3"]) == 0
    assert "met         3  fail" in capsys.readouterr().out


def test_a_sweep_along_a_quantity_of_the_second_bound(capsys):
    own = ["F_0=0", "eps=0.1", "--against", "special.thm4.7", "--sweep", "t=1:100:3"]
    assert main([*ASKED, *own]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if " met " in line]
    assert [row[0] for row in rows] == ["1", "50", "100"]
    assert len({row[1] for row in rows}) == 1 < len({row[4] for row in rows})


def test_a_page_chooses_the_values_that_are_not_given(capsys, tmp_path):
    assert main(["bound", "special.thm4.10", "K=4", "--page", str(tmp_path / "bound.html")]) == 0
    assert '"name": "K"' in (tmp_path / "bound.html").read_text()


def test_eleven_terms_have_eleven_fills():
    terms = {f"term {i}": [1.0, 1.0] for i in range(11)}
    sweep = {"name": "T", "points": [1.0, 2.0], "bound": [11.0, 11.0], "met": [True, True], "terms": terms}
    _, shares = draw({"id": "mine", "sweep": sweep}).axes
    fills = {(tuple(area.get_facecolor()[0]), area.get_hatch()) for area in shares.collections}
    assert len(fills) == 11


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["special.thm4.1"], "did you mean special.thm4.10"),
        (["special.THM4.10"], "did you mean special.thm4.10"),
        (["special.thm4.10", "K=1e400"], "must be a number such as 5, 0.01, 1/8 or 1e4, below 1e308"),
        (["special.thm4.10", "K=1e999999999"], "below 1e308"),
        ([*ASKED[1:], "q=3", "--against", "special.thm4.7"], "`q` is no quantity"),
        ([*ASKED[1:], "--best", "gamma_L", "--within", "lam=0:1"], "--within needs quantities of --best"),
        ([*ASKED[1:], "--sweep", "T=1:3", "--plot", "x.foo"], "cannot write x.foo"),
        (["special.thm4.10", "K=four"], "must be a number such as 5, 0.01, 1/8 or 1e4"),
        (["special.thm4.10", "K"], "must be given as NAME=NUMBER"),
        (["special.thm4.10", "K=4"], "needs a value for"),
        (["special.thm4.10", "K=4", "--csv", "x.csv"], "need --sweep"),
        (["special.thm4.10", "--sweep", "T=5"], "NAME=LOW:HIGH"),
        (["special.thm4.10", "--sweep", "T=5:1"], "LOW < HIGH and a whole number N >= 2, got 'T=5:1'"),
        ([*ASKED[1:], "--best", "gama_L"], "did you mean `gamma_L`?"),
        ([*ASKED[1:], "--json", "/proc/x.json"], "cannot write /proc/x.json"),
        (["special.thm4.10", "--sweep", "q=1:5"], "`q` is no quantity"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments, message, capsys):
    assert main(["bound", *arguments]) == 2
    assert message in capsys.readouterr().err
