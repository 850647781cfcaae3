"""Rare cases of single parts of the engine: other orders, errors by name, stored answers, early exits."""

from __future__ import annotations

import json
import os
import sys
import threading
from fractions import Fraction
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
import sympy as sp

from tests.verify.engine.simple import of
from verify import Box, Scene
from verify.engine import judge
from verify.engine.certificates import Rejected, Undecided, prove, recheck, store
from verify.engine.certificates.field import Field, Undefined
from verify.engine.certificates.formulas import Untranslatable
from verify.engine.certificates.question import Induction, Question
from verify.engine.model.scene import Fact
from verify.engine.records import files as records
from verify.engine.search.points import suspected_contradiction
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.numbers import Numbers, certified
from verify.engine.tactics.rounds import inducted
from verify.engine.tactics.sums import form_shown
from verify.engine.theorem import claim_in, theorems_in
from verify.engine.work import items
from verify.engine.work.backends import Backend
from verify.engine.work.errors import UsageError
from verify.engine.work.processes import at_most

x, y, z, w = sp.symbols("x y z w", real=True)
p, q = sp.symbols("p q", positive=True)


# ---------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"name": "dask"}, "needs `--scheduler ADDRESS`"),
        ({"name": "loky", "scheduler": "tcp://x"}, "is for dask and slurm, got 'tcp://x'"),
        ({"name": "slurm", "scheduler": "tcp://x"}, "must be slurm or local, got 'tcp://x'"),
    ],
    ids=str,
)
def test_wrong_places_to_work_are_refused(options, told):
    with pytest.raises(UsageError, match=told):
        Backend(**options)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("none.py", None, "there is no file"),
        *((name, b"CLAIMS = []", "is no theorem file") for name in ("mine", "mine.txt", "mine.pyc")),
        ("folder.py", "folder", "there is no file"),
        ("zero.py", b"CLAIMS = []\0", "null bytes|a file is Python in UTF-8"),
        ("wrong.py", b"x = 1\nCLAIMS = = []", "wrong.py:2: .*CLAIMS = = "),
        ("latin.py", 'x = "\xe9"'.encode("latin-1"), "can't decode byte 0xe9"),
    ],
)
def test_files_that_hold_no_theorems_are_named(tmp_path, name, content, told):
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=told) as refused:
        theorems_in(path)
    assert name in str(refused.value)


STATED = (
    "from verify import Notes\nnotes = Notes('mine')\nx = notes.positive('x')\n"
    "for k in (1, 2):\n    notes.claim(str(k), x >= k)\nCLAIMS = notes.claims\n"
)


def test_a_statement_is_found_by_its_id_or_the_others_are_named(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(STATED)
    assert str(claim_in(path, "mine.2").relation) == "x >= 2"
    with pytest.raises(UsageError, match=r"has no statement 'mine.3'; it has mine.1, mine.2"):
        claim_in(path, "mine.3")


def test_what_only_a_fact_can_be_is_asked_for():
    scene = Scene("s", ({},), lambda shape: {"x": Box(0, 1)}, lambda shape, values: {}, covers="all")
    with pytest.raises(ValueError, match="must be an equation, <, <=, > or >=, got Ne"):
        Fact(sp.Ne(x, 2), scene)


def test_errors_of_checks_say_which_statement_they_are_of():
    class Claimed:
        class statement:
            id = "toy.1"

        checks = (lambda claim, budget, seed: 1 / 0,)

    with pytest.raises(ZeroDivisionError) as raised:
        judge.judge(Claimed, "quick", 0)
    if sys.version_info >= (3, 11):  # which has notes
        assert raised.value.__notes__ == ["while judging toy.1"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(UsageError, match=r"cannot write into .*file/in.*: Not a directory"),
        items.alone(tmp_path / "file" / "in", "0a"),
    ):
        pass


def test_without_locks_work_goes_on(tmp_path, monkeypatch):
    def refused(*asked):
        raise OSError("no locks here")

    monkeypatch.setattr(items, "lockf", refused)
    inside = []
    with items.alone(tmp_path, "0a"):
        inside.append(os.listdir(tmp_path))
    assert inside == [[items.LOCKS]]


def test_packages_that_are_absent_are_said_to_be(monkeypatch):
    def version(package):
        if package == "torch":
            raise PackageNotFoundError(package)
        return f"{package} 1"

    monkeypatch.setattr(records, "version", version)
    found = records.fingerprint.__wrapped__("verify/engine")
    assert {name: found[name] for name in ("numpy", "scipy", "sympy", "torch", "z3-solver")} == {
        "numpy": "numpy 1",
        "scipy": "scipy 1",
        "sympy": "sympy 1",
        "torch": "absent",
        "z3-solver": "z3-solver 1",
    }
    assert found["sources"] == records.digest("verify/engine") != records.digest("verify/engine/checks")


def test_other_threads_have_no_alarm():
    ended = []

    def long():
        with at_most(1e-3):
            ended.append(sum(range(10**5)))

    thread = threading.Thread(target=long)
    thread.start()
    thread.join()
    assert ended == [sum(range(10**5))]


def test_what_no_solver_speaks_of_is_no_contradiction():
    assert not suspected_contradiction((sp.Le(sp.exp(x), y),))
    assert suspected_contradiction((sp.Le(x, 0), sp.Lt(1, x)))


# ----------------------------------------------------------------------------------------- numbers


def test_numbers_that_would_not_end_are_undefined():
    field = Field({}, room=0)
    with pytest.raises(Undefined, match="the exponent 1000 is too large"):
        field.value(["^", "2", "1000"])
    with pytest.raises(Undefined, match="a number is too large"):
        field.value(["^", ["^", ["^", "7", "99"], "99"], "99"])
    assert field.value(["^", "2", "999"]).constant == 2**999
    assert field.value(["^", "2", "-999"]).constant * 2**999 == 1


def test_members_of_sequences_are_single_numbers():
    series = sp.IndexedBase("D", real=True)
    pair = {"D": np.array([[Fraction(1), Fraction(2)]], dtype=object)}
    with pytest.raises(Untranslatable, match="sequences of vectors"):
        list(Numbers(pair).relations(of(sp.Le, series[0], 5)))
    assert certified(of(sp.Le, series[0], 5), pair) == [None]


def test_what_is_no_domain_of_both_is_refused():
    count = sp.Symbol("z", positive=True)
    with pytest.raises(ValueError, match="must say over what to induct"):
        inducted(Draft({"x": "real"}, 1, 0), Question(of(sp.Le, x, y)))
    both = Question(of(sp.Le, x, count), (), Induction("t", {x: count}, {x: y}))
    assert isinstance(prove(both, 5), Undecided)


# ------------------------------------------------------------------------------- certificates kept


@pytest.fixture
def kept_here(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "FOLDER", tmp_path)
    store.entries.cache_clear()
    yield
    store.entries.cache_clear()


def test_a_stored_answer_is_found_by_its_question_and_checked(kept_here, capsys):
    shown, open_ = Question(of(sp.Le, x, x**2 + 1)), Question(of(sp.Le, x, y))
    certificate = prove(shown)
    wrong = Question(of(sp.Le, x, x**2 + 2))
    entries = {
        shown.digest: {"certificate": certificate},
        open_.digest: {"undecided": "far"},
        wrong.digest: {"certificate": certificate},
    }
    store.keep("toy", entries, whole=True)
    assert store.stored_answer(shown) == json.loads(json.dumps(certificate))
    assert store.stored_answer(open_) == Undecided("far")
    assert store.stored_answer(Question(of(sp.Le, x, x**2 + 3))) is None
    assert store.stored_answer(wrong) is None
    assert "proves another relation" in capsys.readouterr().err
    store.checked_again(certificate)
    with pytest.raises(Rejected):
        store.checked_again({**certificate, "claim": ["<=", "x", "0"]})
    assert store.entries().keys() == entries.keys()


# -------------------------------------------------------------------------------------------- sums

MANY = {"n": "count", "u": "family n", "v": "family n", "c": "real"}


def products(u, v):
    return ["each", "n", u, v]


def test_products_without_a_square_may_have_either_sign():
    found = form_shown(MANY, ["<=", "0", products("u", "v")])
    assert isinstance(found, Undecided)
    assert "has no square, but products with others" in found.tried


@pytest.mark.parametrize("sign", ["<=", "<"])
def test_weights_are_as_positive_as_is_given(sign):
    claim = ["<=", "0", ["*", "c", products("u", "u")]]
    found = form_shown(MANY, claim, ((["<=", "0", "c"], "condition"),))
    recheck(found)
    assert [line["by"] for line in found["lines"] if "given" in line] == ["condition"]
    assert isinstance(form_shown(MANY, claim), Undecided)
    assert isinstance(form_shown(MANY, claim, (([sign, "-1", "c"], "condition"),)), Undecided)
