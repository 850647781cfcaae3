"""The skeleton of a new paper is short and can be judged unchanged; one paper can be judged alone."""

import sys
from pathlib import Path

import pytest

from bounds import catalogue
from verify.commands.main import main
from verify.commands.new import PARTS
from verify.engine import topics

CACHED = (
    catalogue.papers,
    catalogue.statement,
    catalogue.statements,
    topics.topics,
    topics.claims,
    topics.claims_of,
    topics.index,
)


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "bounds").mkdir()
    (tmp_path / "verify").mkdir()
    (tmp_path / "bounds" / "statement.py").touch()
    return tmp_path


@pytest.fixture
def discovered(checkout, monkeypatch):
    """Papers and topics of the checkout are discovered beside those of the toolkit."""
    import bounds
    import verify

    for package in (bounds, verify):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(checkout / package.__name__)])
    for name in [name for name in sys.modules if name.startswith(("bounds.zeta", "verify.zeta"))]:
        monkeypatch.delitem(sys.modules, name)  # a module of another test's paper with this name
    for cached in CACHED:
        cached.cache_clear()
    yield
    for cached in CACHED:
        cached.cache_clear()


def test_a_new_paper_with_one_theorem_takes_at_most_150_lines(checkout, discovered, capsys):
    assert main(["new", "--paper", "zeta", "--root", str(checkout)]) == 0
    written = [checkout / place.replace("THIS_PAPER", "zeta") for place in PARTS.values()]
    assert sum(len(file.read_text().splitlines()) for file in written) <= 150
    for cached in CACHED:
        cached.cache_clear()
    options = ["--jobs", "1", "--budget", "quick", "--out", str(checkout / "records")]
    assert main(["paper", "zeta", *options]) == 0
    shown = capsys.readouterr().out
    assert "1 refuted, 1 proved" in shown
    assert "zeta.thm1 " in shown


def test_a_paper_that_is_there_stays(checkout, capsys):
    assert main(["new", "--paper", "zeta", "--root", str(checkout)]) == 0
    before = (checkout / PARTS["statements.txt"].replace("THIS_PAPER", "zeta")).read_text()
    assert main(["new", "--paper", "zeta", "--root", str(checkout)]) == 2
    assert (checkout / PARTS["statements.txt"].replace("THIS_PAPER", "zeta")).read_text() == before
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new"], "needs either a file"),
        (["new", "mine.py", "--paper", "zeta"], "needs either a file"),
        (["new", "--paper", "Zeta_1"], "lower-case letters and digits"),
        (["new", "--paper", "zeta", "--root", "nowhere"], "no bounds/statement.py"),
        (["new", "--paper", "cfl"], "must be new"),
        (["paper", "speciall"], "did you mean special?"),
    ],
)
def test_what_is_wrong_is_said(arguments, message, capsys, monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_one_paper_is_judged_alone(capsys):
    assert main(["paper", "fedmes", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("fedmes.") for line in lines)
