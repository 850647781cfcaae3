"""Limits of numbers, sizes, names and times in single functions of searches, records and reports."""

import ast
import ctypes
import os
from fractions import Fraction
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
import torch

from bounds.statement import Scaling
from nqm.kinds import INTERVALS
from tests.verify.engine.simple import LINE, QUICK, about, at, column, of, u, v, w
from verify.engine import theorem, topics
from verify.engine.checks import attack as attacks
from verify.engine.checks import relation as relations
from verify.engine.checks.attack import Attack
from verify.engine.checks.order import _within
from verify.engine.checks.sharpest import _along, _climbed, best_ratios
from verify.engine.judge import record_of
from verify.engine.model.extent import is_empty, speaks_of
from verify.engine.model.instance import fractions_near, sides
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene
from verify.engine.records.files import fingerprint
from verify.engine.search.adversary import Search, instance_at
from verify.engine.search.along import POINTS, along
from verify.engine.search.degenerate import unusual, zeros
from verify.engine.search.simpler import breaks
from verify.engine.search.sweep import _margin
from verify.engine.search.witness import mere_rounding
from verify.engine.work import processes
from verify.engine.work.progress import shown_width

# ------------------------------------------------------------------------------------------------- sharpness


def climbing(compute):
    scene = Scene("hill", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, x: {"v": compute(x["u"])})
    return about("hill", of(sp.Le, v, 1), scene=scene)


@pytest.mark.parametrize("sign", [1, -1, 0])
def test_slopes_without_a_size_move_nothing(sign):
    """At 0 the slope of the root is infinite or undefined, while 100 u^2 would grow on both sides."""
    root = lambda x: sign * x.clamp(min=0).sqrt() if sign else (0 * x).sqrt()  # noqa: E731
    claim = climbing(lambda x: 1 + 100 * x**2 + root(x))
    found = _climbed(claim, {"d": 1}, {"u": column(0)}, ("u",), iterations=5)
    assert found.tolist() == [1]


def test_points_climb_for_as_many_steps_as_they_may():
    claim = climbing(lambda x: 1 + x)
    for steps in (1, 2, 4):
        found = _climbed(claim, {"d": 1}, {"u": column(0, -0.5)}, ("u",), iterations=steps)
        assert found.tolist() == pytest.approx([1 + 0.03 * (steps - 1), 0.5 + 0.03 * (steps - 1)])
    still = _climbed(climbing(lambda x: 1 + 0 * x.detach()), {"d": 1}, {"u": column(0)}, ("u",))
    assert still.tolist() == [1]
    falls = _climbed(climbing(lambda x: -1 + 0 * x), {"d": 1}, {"u": column(0)}, ("u",))
    assert falls.tolist() == [0]


def test_a_mask_of_worlds_speaks_of_all_entries():
    mask = torch.tensor([True, False])
    assert _along(mask, torch.zeros(2)).shape == (2,)
    assert _along(mask, torch.zeros(2, 3, 5)).shape == (2, 1, 1)


def test_points_with_several_coordinates_are_tried():
    scene = Scene(
        "points",
        ({"d": 2},),
        lambda s: {"c": Box(1, 2), "u": Box(-1, 1, (2,)), "s": Box(-1, 1, levels=(-1, 1))},
        lambda s, x: {"v": x["c"] * (1 - ((x["u"] - 0.3) ** 2).sum(dim=1)) * (2 + x["s"]) / 3, "L": x["c"]},
    )
    claim = about("sharp", of(sp.Le, v, sp.Symbol("L", real=True)), scene=scene)
    ratios = best_ratios(claim, {"d": 2}, ("u", "s"), np.random.default_rng(0), 16)
    assert ratios.shape == (16,)
    assert ratios == pytest.approx(np.ones(16), abs=0.02)
    few = best_ratios(claim, {"d": 2}, ("u", "s"), np.random.default_rng(0), 64, points=0)
    assert few.min() < 0.9


# ------------------------------------------------------------------------------------------ lines and instances


def test_a_line_shows_the_worst_of_several_entries():
    two = Scene("two", ({"d": 1},), lambda s: {"u": Box(-1, 1), "w": Box(-1, 1, (2,))}, lambda s, x: {})
    line = along(Question("two", of(sp.Le, w, u), (), two), at(u="1/4", w=("1/8", "1/2")))
    middle = POINTS // 2
    assert (line["small"][middle], line["large"][middle]) == pytest.approx((0.5, 0.25))
    assert line["small"][0] < line["small"][-1]
    apart = along(Question("two", of(sp.Eq, w, u), (), two), at(u="1/4", w=("-1/2", "1/2")))
    assert apart["small"][middle] == pytest.approx(-0.5)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_line_does_not_follow_a_slope_without_a_size(sign):
    edge = Scene(
        "edge",
        ({"d": 1},),
        lambda s: {"u": Box(-1, 1), "w": Box(-1, 1)},
        lambda s, x: {"v": sign * x["u"].clamp(min=0).sqrt() + x["w"]},
    )
    line = along(Question("edge", of(sp.Le, v, 2), (), edge), at(u=0, w=0))
    assert line["small"][POINTS // 2 :: 20] == pytest.approx([0, 0.5, 1])
    none = Scene("none", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, x: {"v": 1 / (0 * x["u"])})
    assert set(along(Question("none", of(sp.Le, v, 2), (), none), at(u=0))["small"]) == {None}


def test_margins_are_relative_and_least_where_nothing_is_told():
    left, right = np.array([0, 1, 3, np.inf, -1, 0.0]), np.array([0, 3, 1, 1, -1, 2.0])
    assert _margin(of(sp.Le, u, v), left, right).tolist() == [-1, -0.5, 0.5, -1, 0, -1]
    assert _margin(of(sp.Gt, u, v), left, right).tolist() == [-1, 0.5, -0.5, -1, 0, 1]
    assert _margin(of(sp.Eq, u, v), left, right).tolist() == [-1, 0.5, 0.5, -1, 0, 1]


def test_a_proof_speaks_of_the_sizes_at_which_it_was_checked():
    sizes = [{"n": 2, "k": 1}, {"n": 4, "k": 1}, {"n": 3, "k": 2}]
    for n in (2, 4):
        assert speaks_of(sizes, {"n": n, "k": 1, "other": 9})
    assert not speaks_of(sizes, {"n": 1, "k": 1})
    assert not speaks_of(sizes, {"n": 5, "k": 1})
    assert not speaks_of(sizes, {"n": 3, "k": 1})
    assert speaks_of(sizes, {"n": 3})
    assert speaks_of(None, {"n": 9})
    assert not is_empty(sizes)
    assert is_empty([])
    assert not is_empty(None)


def test_a_size_that_is_a_plain_number_is_taken_as_it_is():
    taken = instance_at({"d": 1}, {"u": column(1, 2)}, {"h": 0.5, "g": column(0.25, 0.75)}, 1)
    assert (taken.sizes["h"], taken.sizes["g"]) == (Fraction(1, 2), Fraction(3, 4))


def test_what_has_no_entries_is_zero_everywhere():
    values = {"u": torch.zeros((3, 0), dtype=torch.float64)}
    assert zeros(of(sp.Le, u, 1), values, 3)["u"].tolist() == [True] * 3
    assert unusual(of(sp.Le, u, 1), values, 3).tolist() == [1] * 3
    shared = {"u": 1e-13, "v": column(1e-7, 1, 1e7), "w": np.float64(1e6)}
    assert zeros(of(sp.Le, u, v), shared, 3)["u"].tolist() == [True] * 3
    assert unusual(of(sp.Le, u * w, v), shared, 3).tolist() == [2, 1, 2]


def test_the_side_that_is_shown_is_the_one_that_may_be_worst():
    def boxes(*ends):
        row = np.empty((1, len(ends)), dtype=object)
        row[0] = [INTERVALS.mpf(end) for end in ends]
        return row

    values = {"u": boxes([0, 3], [1, 2], [1, 2]), "v": boxes([4, 4], [4, 4], [4, 4])}
    assert sides(of(sp.Le, u, v), values, "interval").small == (0, 3)
    values = {"u": boxes([1, 1], [1, 1]), "v": boxes([3, 9], [4, 4])}
    assert sides(of(sp.Le, u, v), values, "interval").large == (3, 9)


@pytest.mark.parametrize("largest", [1, 2, 4, 8, 10, 16, 64, 100, 1000, 10000, 1000000])
def test_simpler_numbers_have_all_these_denominators(largest):
    for k in range(1, 40):
        x = Fraction(314159265358979 * k + 1, 10**14 + k)
        found = fractions_near(x)
        assert x.limit_denominator(largest) in found
        assert found[-1] == x
        assert found[:7] == [Fraction(n, 2) for n in (0, 2, -2, 4, -4, 1, -1)]
        later = found[7:-1]
        assert later == sorted(later, key=lambda one: (one.denominator, abs(one.numerator)))


@pytest.mark.parametrize(
    ("x", "digits"), [("314.159", [300, 310, 314]), ("0.0271828", ["0.03", "0.027", "0.0272"])]
)
def test_simpler_numbers_have_few_digits(x, digits):
    assert {Fraction(d) for d in digits} <= set(fractions_near(Fraction(x)))


# ------------------------------------------------------------------------------------------------- confirming


def test_what_is_no_number_breaks_nothing():
    scene = Scene("none", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, x: {"v": x["u"] / x["u"]})
    assert breaks(Question("none", of(sp.Le, v, 0), (), scene), [at(u=0), at(u=1)], 0.0) == [False, True]


def test_an_equation_broken_either_way_is_no_rounding():
    free = Scene("free", ({"d": 1},), lambda s: {"u": Box(-1, 1), "v": Box(-1, 1)}, lambda s, x: {})
    tried = [at(u=0, v="1/2"), at(u="1/2", v=0)]
    assert mere_rounding(Question("free", of(sp.Eq, u, v), (), free), tried) == [False, False]
    assert mere_rounding(Question("free", of(sp.Le, u, v), (), free), tried) == [True, False]
    assert mere_rounding(Question("free", of(sp.Lt, u, v), (), free), tried) == [False, False]
    sums = Scene("sums", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, x: {"v": (x["u"] + 0.1) + 0.2})
    rounded = Question("sums", of(sp.Le, v, u + sp.Rational(3, 10)), (), sums)
    assert mere_rounding(rounded, []) == []


def test_an_attack_keeps_the_most_usual_counterexample(monkeypatch):
    monkeypatch.setattr(attacks, "_confirmed", lambda question, suspects: suspects[0] if suspects else None)

    def fought(*strange):
        searches = [Search(1, suspects=() if s is None else (SimpleNamespace(unusual=s),)) for s in strange]
        return attacks._attack_of(None, searches, Attack(Search(), None, 0))

    assert fought(2, 1, 1, 3).witness.unusual == 1
    assert fought(1, 2, 2).witness.unusual == 1
    assert fought(3, 0, 1).search.trials == 2
    monkeypatch.setattr(attacks, "MORE", 3)
    assert fought(None, 2, None, None, None, None, 0).search.trials == 5
    assert fought(None, None).witness is None


def test_what_is_not_proved_is_searched_further(monkeypatch):
    asked = []
    monkeypatch.setattr(relations, "further", lambda *args: asked.append(1) or args[-1])
    claim = about("further", of(sp.Le, v, 1), scene=LINE)
    assert relations.inequality(claim, QUICK, 0).verdict.value == "unrefuted"
    assert asked == [1]


def test_seconds_have_three_digits():
    evidence = [
        {
            "check": "c",
            "verdict": "unrefuted",
            "tightness": None,
            "method": "sampled",
            "witness": None,
            "reason": [],
        }
    ]
    found = record_of(about("timed", of(sp.Le, u, v)), evidence, {}, 0.0, "quick", 0)["seconds"]
    assert round(found, 3) == found > 0


# ------------------------------------------------------------------------------------------- names and machines


def test_versions_of_all_packages_are_noted():
    found = fingerprint()
    assert {"python", "sources", "numpy", "scipy", "sympy", "torch", "z3-solver"} == found.keys()
    assert found["numpy"] == np.__version__


def test_a_line_of_a_terminal_leaves_one_place(monkeypatch):
    monkeypatch.setattr(os, "get_terminal_size", lambda file: os.terminal_size((50, 20)))
    assert shown_width(SimpleNamespace(fileno=lambda: 1)) == 49
    monkeypatch.undo()
    assert shown_width(SimpleNamespace(fileno=lambda: os.open(os.devnull, os.O_RDONLY))) == 79
    assert not StringIO().isatty()


def test_free_memory_is_given_back_where_the_system_takes_it(monkeypatch):
    asked = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(malloc_trim=asked.append))
    monkeypatch.setattr(processes.sys, "platform", "linux")
    processes.give_back()
    assert asked == [0]
    for elsewhere in ("darwin", "win32"):
        monkeypatch.setattr(processes.sys, "platform", elsewhere)
        processes.give_back()
    assert asked == [0]


def test_claims_are_those_of_a_paper_or_of_all(monkeypatch):
    claims = {"one_a": ("x", "z", "y"), "one_b": ("w",), "two_a": ("t",)}
    monkeypatch.setattr(topics, "topics", lambda: tuple(claims))
    monkeypatch.setattr(topics, "paper_of", lambda topic: topic.partition("_")[0])
    monkeypatch.setattr(
        topics, "claims_of", lambda topic: tuple(about(id, of(sp.Le, u, v)) for id in claims[topic])
    )
    read = topics.claims.__wrapped__
    names = lambda paper: [id.rpartition(".")[2] for id in read(paper)]  # noqa: E731
    assert names("") == ["x", "z", "y", "w", "t"]
    assert names("one") == ["x", "z", "y", "w"]
    assert names("two") == ["t"]
    known = {f"known.{id}": SimpleNamespace(topic=topic) for topic, ids in claims.items() for id in ids}
    monkeypatch.setattr(topics, "index", lambda: known)
    assert [topics.claim_of(id).statement.id for id in known] == list(known)
    assert topics.claim_of("known.nothing") is None
    claims["two_a"] = ("t", "x")
    assert len(read("one")) == 4
    with pytest.raises(ValueError, match=r"x` is judged twice, the second time in two_a"):
        read("")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = b", {"a"}),
        ("a, b = c.d", {"a", "b"}),
        ("a.b = c", set()),
        ("a[b] = c", set()),
        ("def f(x):\n    y = x", {"f", "y"}),
        ("async def f(): pass", {"f"}),
        ("class C: pass", {"C"}),
        ("import a.b", {"a"}),
        ("import a.b as c", {"c"}),
        ("from a import b, c as d", {"b", "d"}),
        ("from a import *", {"*"}),
        ("print(a)", set()),
    ],
)
def test_names_that_a_statement_would_have_bound(text, names):
    assert theorem._bound(ast.parse(text).body[0]) == names


def test_only_chains_of_relations_have_a_remedy():
    chain = TypeError("cannot determine truth value of Relational: x < y")
    assert theorem._remedy(chain).startswith("; claim `a < b < c` as notes.chain(")
    assert theorem._remedy(TypeError("another")) == ""


def test_what_a_file_holds_is_shown_briefly():
    assert theorem._value_text(3) == "int 3"
    assert theorem._value_text("a" * 58) == f"str '{'a' * 58}'"
    assert theorem._value_text("a" * 59) == f"str '{'a' * 56}..."
    assert theorem.error_line(ValueError("a\n b")) == "ValueError: a b"
    assert theorem.error_line(ValueError()) == "ValueError"
    assert theorem.error_line(ValueError("a" * 5000)) == f"ValueError: {'a' * theorem.LONGEST}…"
    assert theorem.place_of("f", "3") == "f:3"
    assert theorem.place_of("f", "") == "f"


def test_only_statements_that_there_are_are_in_the_catalogue(monkeypatch):
    monkeypatch.setattr(theorem, "papers", lambda: ("known",))
    monkeypatch.setattr(theorem, "statement", {"known.a": "said", "b": "said"}.__getitem__)
    assert theorem._in_catalogue("known.a")
    assert not theorem._in_catalogue("known.b")
    assert not theorem._in_catalogue("b")
    assert theorem._future(ast.parse("from __future__ import annotations\nimport a")) != 0
    assert theorem._future(ast.parse("from a import b\nfrom A import B")) == 0


# ----------------------------------------------------------------------------------------------------- orders


def test_terms_of_an_order_are_taken_at_its_steps_all_at_once():
    T, K, a = (sp.Symbol(name, positive=True) for name in ("T", "K", "a"))
    scaling = Scaling(
        terms={"none": sp.S.Zero, "below": -a / T, "turned": a * K / T**2},
        claimed=1 / T,
        variables=(T,),
        steps={a: K, K: a},
    )
    found = _within(scaling, {"T": sp.Integer(-1)}, {})
    assert list(found.proof["letters"]) == ["below", "turned"]
    assert found.verdict.value == "proved"
    assert found.proof["letters"]["below"]["a0"] == "-K"
    assert "K*a" in found.proof["letters"]["turned"].values()
