"""Missing packages are named with the extra that installs them; searches continue without gradients and say so."""

import sys
from pathlib import Path

import pytest

from verify.engine import topics
from verify.engine.checks.attack import Attack
from verify.engine.search.adversary import Search
from verify.engine.work import extras
from verify.engine.work.ending import exit_status
from verify.engine.work.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((Path(__file__).resolve().parents[3] / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow"}


@pytest.mark.parametrize("package", extras.EXTRAS)
def test_each_extra_installs_its_package(package):
    listed = PROJECT["optional-dependencies"][extras.EXTRAS[package]]
    assert any(line.startswith(f"{DISTRIBUTIONS.get(package, package)}>") for line in listed)


def test_checking_a_lemma_installs_neither_networks_nor_figures():
    heavy = ("torch", "scikit-learn", "seaborn", "matplotlib", "pygraphviz")
    assert not [line for line in PROJECT["dependencies"] if line.startswith(heavy)]


@pytest.fixture
def without_torch(monkeypatch):
    extras.gradients.cache_clear()
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    yield
    extras.gradients.cache_clear()


def test_a_missing_package_is_named_with_its_extra(without_torch, capsys):
    def command():
        raise ModuleNotFoundError("No module named 'sklearn'", name="sklearn.datasets")

    assert exit_status("verify", command, UsageError, "") == 2
    assert capsys.readouterr().err == (
        "verify: this command needs the package sklearn; install it by: pip install 'fcl-theory[networks]'\n"
    )


def test_another_missing_module_stays_an_error(without_torch):
    def command():
        raise ModuleNotFoundError("No module named 'mine'", name="mine")

    with pytest.raises(ModuleNotFoundError):
        exit_status("verify", command, UsageError, "")


def test_a_search_without_gradients_says_so(without_torch, capsys):
    assert Attack(Search(), None, 0).details == {"without gradients": "PyTorch is not installed"}
    assert "searches go without gradients" in capsys.readouterr().err


def test_without_torch_only_topics_about_networks_are_left_out(monkeypatch):
    monkeypatch.setattr(topics, "find_spec", lambda name: None)
    left_out = set(topics.topics()) - set(topics._importable())
    assert left_out == {name for name in topics.topics() if name.startswith("networks_")}


def test_a_claim_whose_code_needs_a_missing_package_fits_no_stored_answer(without_torch, monkeypatch):
    def fails(package):
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)

    monkeypatch.setattr("verify.engine.records.digests.digest_of_question", fails)
    assert topics._digests("torch") == ("", "")
    with pytest.raises(ModuleNotFoundError):
        topics._digests("mine")
