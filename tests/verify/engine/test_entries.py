"""Numbers, single entries and symbols in single functions of the engine."""

import os
import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
import torch

from tests.verify.engine.simple import LINE, QUICK, about, at, column, of, u, v, w, x, y
from verify.engine import topics
from verify.engine.certificates import prove
from verify.engine.certificates.formulas import Untranslatable
from verify.engine.certificates.question import Induction, Undecided, _over_rounds
from verify.engine.certificates.question import Question as Claimed
from verify.engine.certificates.recheck import Checked
from verify.engine.checks import attack as attacks
from verify.engine.checks import conclusions
from verify.engine.checks.applicability import _implied
from verify.engine.checks.vacuity import needed
from verify.engine.coq.vectors import Vectors
from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene
from verify.engine.model.validation import _symbols
from verify.engine.proof.recursion import _last_apart
from verify.engine.proof.sizes import _differ
from verify.engine.records.files import digest, with_seal
from verify.engine.search.adversary import _rows, _without_rounding, admissible
from verify.engine.search.along import POINTS, _inside, along
from verify.engine.search.constants import _dependent_quantities
from verify.engine.search.mutants import _changes
from verify.engine.search.points import meeting_point
from verify.engine.search.tape import Replayed, _same
from verify.engine.search.witness import _without_zeros, confirm
from verify.engine.tactics.growth import _Writer, order_proof
from verify.engine.tactics.numbers import Numbers
from verify.engine.tactics.signs import Signs
from verify.engine.work import processes
from verify.report.wording import sentence


def test_between_zeros_and_between_whole_numbers_there_is_no_rounding():
    values = {"u": np.array([0.0, 1.0, 0.0, 1.0]), "v": np.array([0.0, 0.0, 1.0, 1.0])}
    assert _without_rounding(of(sp.Le, u, v), values, np.zeros(4), 4).tolist() == [True, False, False, False]
    for margin in (0.0, np.nan):
        assert not _without_rounding(of(sp.Lt, u, v), values, np.full(4, margin), 4).any()
    whole = {"u": 2, "v": 3}
    assert _without_rounding(of(sp.Le, u, v), whole, np.array([-0.2, 0.0, 0.2]), 3).tolist() == [1, 1, 0]


def test_a_line_keeps_to_the_ranges_of_all_but_the_room():
    names = ("a", "room", "z")
    scene = Scene(
        "rooms", ({"d": 1},), lambda s: dict.fromkeys(names, Box(0, 1)), lambda s, x: {}, room="room"
    )
    question = Question("rooms", of(sp.Le, u, v), (), scene)
    far = column(-1, 0.5, 2)
    moved = {name: _inside(question, at(**dict.fromkeys(names, 0)), name, far).tolist() for name in names}
    assert moved == {"a": [0, 0.5, 1], "room": [-1, 0.5, 2], "z": [0, 0.5, 1]}


def test_a_line_passes_through_tables_of_numbers():
    """Each of the 3 times 2 numbers moves in the direction of the sum, in proportion to its range."""
    scene = Scene(
        "table", ({"d": 1},), lambda s: {"A": Box(-1, 1, (3, 2))}, lambda s, x: {"v": x["A"].sum(dim=(1, 2))}
    )
    start = Instance({"d": 1}, {"A": np.full((3, 2), Fraction(0), dtype=object)}, {})
    line = along(Question("table", of(sp.Le, v, 7), (), scene), start)
    assert line["small"] == pytest.approx(np.linspace(-6, 6, POINTS))


def test_what_is_no_number_twice_is_the_same():
    nothing = column(1, float("nan"))
    assert _same(nothing, nothing.clone())
    assert not _same(nothing, column(1, 2))
    assert not _same(column(1, 2), column(1))
    assert _same(3, 3)


@pytest.mark.parametrize(("side", "number"), [(0, 0), (-1, 1), (1, 1), (2, 1)])
def test_a_number_is_halved_and_zero_is_left(side, number):
    assert len(list(_changes(sp.Integer(side)))) == number
    assert [changed for _, changed in _changes(sp.Integer(side))] == [sp.Rational(side, 2)] * number


def test_sides_differ_by_their_size():
    for size in (1, 10**6):
        assert _differ(sp.Eq(size * x, size * x * (1 + sp.Rational(1, 10**5)), evaluate=False))
        assert not _differ(sp.Eq(size * x, size * x * (1 + sp.Rational(1, 10**8)), evaluate=False))
    assert _differ(sp.Eq(x, x + sp.Rational(1, 10**5), evaluate=False))


@pytest.mark.parametrize("extreme", [sp.Max, sp.Min])
def test_extremes_in_points_are_those_of_all_their_parts(extreme):
    more = sp.Ge if extreme is sp.Max else sp.Le
    less = sp.Lt if extreme is sp.Max else sp.Gt
    whole = extreme(u, v, w, evaluate=False)
    for part in (u, v, w):
        assert meeting_point((of(more, part, 2), of(less, whole, 2))) is None
    assert meeting_point((sp.Eq(whole, 2), *(of(less, part, 2) for part in (u, v, w)))) is None
    assert meeting_point((of(more, u, 2), of(more, whole, 2))) is not None


def test_a_point_meets_all_relations_or_there_is_none():
    assert meeting_point((of(sp.Le, u, v),)) is not None
    assert meeting_point((of(sp.Le, u, v), of(sp.Gt, u, v))) is None


@pytest.mark.parametrize(
    ("large", "small"), [((3, 2), (0, 0)), ((3, 1), (1, 1)), ((4, 0), (1, 0)), ((2, 5), (2, 2))]
)
def test_a_multiple_of_a_monomial_exceeds_it_step_by_step(large, small):
    """s^3 t - s t = (s t + s^2 t) (s - 1), and so on, with `p` and `q` for the parts beyond 1."""
    letters = sp.symbols("s t p q")

    def value(tree):
        if isinstance(tree, str):
            return sp.sympify(tree, dict(zip("stpq", letters, strict=True)))
        head, *parts = tree[0], *map(value, tree[1:])
        return sp.Add(*parts) if head == "+" else sp.Mul(*parts) if head == "*" else sp.Pow(*parts)

    s, t, p, q = letters
    found = value(_Writer(["s", "t"], large).exceeds(large, small, ["p", "q"])).subs({p: s - 1, q: t - 1})
    assert sp.expand(found - s ** large[0] * t ** large[1] + s ** small[0] * t ** small[1]) == 0


def test_digests_have_sixteen_places():
    assert len(digest("verify/check_proof.py")) == 16
    assert len(with_seal({"id": "known"})["digest"]) == 16


def test_a_quantity_of_all_instances_is_taken_row_by_row():
    table = np.arange(12.0).reshape(3, 2, 2)
    assert _rows(table, "float", 3).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert _rows(table, "float", 4) is None
    assert _rows(table, "torch", 3) is None
    assert _rows(2.0, "float", 3) is None
    assert _rows(torch.from_numpy(table).requires_grad_(), "torch", 3).requires_grad is False


@pytest.mark.parametrize(("room", "met"), [(0.01, [1, 1, 0, 0]), (0.0, [1, 1, 1, 0])])
def test_a_quarter_of_the_room_is_asked_of_a_condition(room, met):
    """(u - 1)/(u + 1) is minus a quarter of u's distance from 1 in hundredths, to first order."""
    margin = np.array([-0.0030, -0.0026, -0.0024, 0.001])
    values = {"u": (1 + margin) / (1 - margin), "v": np.ones(4)}
    assert admissible((of(sp.Le, u, v),), values, 4, room).tolist() == met


@pytest.mark.parametrize(
    ("zero", "exactly", "said"),
    [
        ((), True, ""),
        (("u",), True, "u is 0 in all that were found"),
        (("u", "v"), True, "u and v are 0 in all that were found"),
        (("u",), False, "u is 0 or below 1e-12 in all that were found"),
    ],
)
def test_what_is_zero_in_a_counterexample_is_said(zero, exactly, said):
    assert sentence(conclusions._zeros(SimpleNamespace(zero=zero, exactly_zero=exactly))) == said


@pytest.mark.parametrize(("small", "exactly"), [("0", True), ("1/10000000000000", False)])
def test_what_is_too_small_to_tell_is_not_exactly_zero(small, exactly):
    scene = Scene("pair", ({"d": 1},), lambda s: {"u": Box(-1, 1), "w": Box(-1, 1)}, lambda s, x: {})
    witness = confirm(Question("pair", of(sp.Le, w, u), (), scene), at(u=small, w="1/2"))
    assert (witness.zero, witness.exactly_zero) == (("u",), exactly)


@pytest.mark.parametrize(("room", "moved"), [("r", False), (None, True)])
def test_only_the_room_is_not_moved_off_zero(room, moved):
    """u <= r is broken at u = 1, r = 0, where r is zero; it is not broken if r is slightly positive."""
    r = sp.Symbol("r", real=True)
    boxes = {"u": Box(-1, 1), "r": Box(0, 1)}
    scene = Scene("off", ({"d": 1},), lambda s: boxes, lambda s, x: {}, room=room)
    question = Question("off", of(sp.Le, u, r), (), scene)
    found = _without_zeros(question, confirm(question, at(u=1, r=0)))
    assert found.broken
    assert (found.instance.parameters["r"] != 0) == moved


def test_a_point_may_leave_numbers_out_that_nothing_asks_for():
    scene = Scene("free", ({"d": 1},), lambda s: {"u": Box(-3, 3), "w": Box(2, 3)}, lambda s, x: {})
    question = Question("free", of(sp.Le, u, 1), (), scene)
    witness = attacks.at_point(question, {"d": Fraction(1), "u": Fraction(2)})
    assert witness is not None
    assert {name: value[()] for name, value in witness.instance.parameters.items()} == {"u": 2, "w": 2}
    assert attacks.at_point(question, {"d": Fraction(1), "u": Fraction(1)}) is None
    assert attacks.at_point(question, {"d": Fraction(1), "w": Fraction(2)}) is None
    assert attacks.at_point(question, {"u": Fraction(2)}) is None


def test_equations_say_what_is_missing_and_nothing_else():
    equation = of(sp.Eq, u, 2 * v)
    assert _implied((equation,), {"v": 1.5}) == {"u": 3.0}
    assert _implied((equation,), {"u": 3.0}) == {"v": 1.5}
    assert _implied((equation,), {}) == {}
    assert _implied((equation,), {"u": 3.0, "v": 1.0}) == {}
    assert _implied((of(sp.Le, u, 2 * v),), {"v": 1.5}) == {}
    assert _implied((of(sp.Eq, u**2, v),), {"v": 4.0}) == {}


def test_threads_are_as_many_as_asked_for_and_as_before():
    before = torch.get_num_threads()
    for number in (before + 1, 1):
        with processes.threads(number):
            assert torch.get_num_threads() == number
            assert {os.environ[name] for name in processes.TOLD_THREADS} == {str(number)}
        assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("symbols", "kinds"),
    [
        ({"p": "positive"}, {}),
        ({"a": "vector"}, {"nat": 1, "vector": ["a"], "nat -> vector": []}),
        (
            {"f": "family n", "g": "family n", "n": "whole"},
            {"nat": 2, "vector": [], "nat -> vector": ["f", "g"]},
        ),
    ],
)
def test_vectors_and_families_are_named_by_their_kind(symbols, kinds):
    vectors = Vectors(symbols, {name: name for name in symbols}, str)
    found = vectors.kinds
    assert {kind: len(names) if kind == "nat" else names for kind, names in found.items()} == kinds
    for name in vectors.single:
        assert vectors.law(["dot", name, name])
        assert not vectors.law(["dot", name, ["*", "2", name]])
    for name, count in vectors.index.items():
        assert vectors.law(["each", count, name, name])


def test_one_quantity_has_one_domain_in_all_rounds():
    now, later = sp.symbols("now later", real=True)
    induction = Induction("t", {now: later}, {now: sp.Integer(1)})
    assert _over_rounds({"now": "real", "later": "real"}, induction)["now"] == "sequence real"
    with pytest.raises(Untranslatable, match="one quantity with two domains"):
        _over_rounds({"now": "real", "later": "positive"}, induction)
    with pytest.raises(Untranslatable, match="counts the rounds"):
        _over_rounds({"now": "real", "t": "real"}, induction)


@pytest.mark.parametrize(
    ("term", "claimed"), [(y, x**2 + y**2), (x, x**2 + y**2), (1, x * y + x**3 + y), (x * y, x * y + y**5)]
)
def test_every_monomial_of_an_order_has_a_letter(term, claimed):
    letters = {part: sp.Symbol(part.name, positive=True) for part in (x, y)}
    top, bottom = (sp.sympify(part).subs(letters) for part in (term, claimed))
    found = order_proof(top, 1 / bottom**-1, tuple(letters.values()))
    assert found is None or len(found.letters) == len(sp.Add.make_args(bottom)) + len(sp.Add.make_args(top))


def test_visible_signs_of_letters_and_lengths_are_noted():
    checked = Checked({"p": "positive", "z": "nonnegative", "x": "real", "o": "real", "m": "real"})
    for formula in ("p", "z", "x", "o", "m", ["abs", "x"]):
        checked.value(formula)
    checked.learn(["=", "o", "0"])
    checked.learn(["<", "m", "0"])
    signs, formulas = Signs(checked, 0), list(checked.formulas)
    assert {str(formulas[place]) for place in signs.positive} == {"p"}
    assert {str(formulas[place]) for place in signs.nonnegative - signs.positive} == {
        "z",
        "o",
        "['abs', 'x']",
    }


def test_an_index_of_a_sum_needs_no_domain():
    k, other, n = sp.Symbol("k"), sp.Symbol("other"), sp.Symbol("n", integer=True, positive=True)
    base = sp.IndexedBase("a")
    relation = of(sp.Le, sp.Sum(base[k], (k, 1, n)), other)
    assert _symbols(relation) == {other, n}


def test_three_names_that_are_near_are_told():
    near = ["paper.a1", "paper.a2", "paper.a3", "paper.a4"]
    said = topics._unknown("paper.a", near).partition("did you mean ")[2]
    assert len(said.removesuffix("?").split(", ")) == 3
    assert topics._unknown("qqqq", near).endswith("`python -m verify --list` shows all")
    assert topics._unknown("papr", near).endswith("did you mean paper?")


def test_a_sum_is_its_last_term_and_the_rest():
    k, n = sp.symbols("k n", integer=True, nonnegative=True)
    whole = sp.Sum(k**2 + 1, (k, 0, n))
    apart = _last_apart(3 * whole)
    assert apart != 3 * whole
    for number in range(4):
        assert apart.subs(n, number).doit() == 3 * whole.subs(n, number).doit()
    assert apart.coeff(n**2) == 3
    twice = sp.Sum(k, (k, 0, n), (sp.Symbol("j", integer=True), 0, n))
    assert _last_apart(twice) == twice


def test_conditions_are_broken_at_so_many_instances():
    """u <= 0 is not needed for u^2 <= 1: it is broken at about half of 64 instances of each of two sizes."""
    claim = about("not needed", of(sp.Le, v, 1), of(sp.Le, u, 0), scene=LINE)
    finding = needed(claim, QUICK, 0)
    assert 32 <= finding.trials <= 128
    assert f"u <= 0 ({finding.trials} instances)" in sentence(finding.reason)
    finding = needed(
        about("needed", of(sp.Le, u, sp.S.Half), of(sp.Le, v, sp.Rational(1, 4)), scene=LINE), QUICK, 0
    )
    assert (finding.trials, sentence(finding.reason)) == (0, "needed: v <= 1/4")
    assert finding.details["fails at"].keys() == {"v <= 1/4"}


def test_a_course_that_numbers_decide_is_replayed_while_they_decide_alike():
    called = []

    def length(vector):
        called.append(len(vector))
        return (vector.sum() if bool(vector.sum() > 0) else -vector.sum(),)

    replayed = Replayed(length)
    assert [float(*replayed(column(1, k))) for k in range(5)] == [1, 2, 3, 4, 5]
    assert len(called) == 2
    assert float(*replayed(column(-1, -2))) == 3
    assert len(called) == 3


def test_several_values_of_one_quantity_have_names_of_their_own():
    numbers = SimpleNamespace(known={})
    values = (1, 2, 3, 1, 3, 2)
    names = [Numbers._name(numbers, "q", Fraction(value)) for value in values]
    assert names == ["q", "q 1", "q 2", "q", "q 2", "q 1"]


def test_only_what_changes_with_all_that_changes_a_constant_is_made_of_it():
    scene = Scene(
        "made",
        ({"d": 1},),
        lambda s: {"a": Box(1, 2), "c": Box(1, 2, (3,)), "w": Box(1, 2)},
        lambda s, x: {},
        known=lambda s, x: {
            "L": x["a"] * x["c"].max(axis=1),
            "square": (x["a"] * x["c"].max(axis=1)) ** 2,
            "table": x["a"][:, None] * x["c"] + x["w"][:, None],
            "half": x["a"] / 2,
            "other": x["w"],
        },
    )
    names = ("square", "table", "half", "other", "nowhere")
    assert _dependent_quantities(scene, {"d": 1}, "L", names) == {"square", "table"}
    assert _dependent_quantities(scene, {"d": 1}, "half", names) == {"square", "table", "half"}
    assert _dependent_quantities(scene, {"d": 1}, "nowhere", names) == set()


def test_what_is_undecided_is_asked_again_without_roots_that_the_claim_has_not(monkeypatch):
    asked = []

    def undecided_with_roots(symbols, claim, assumptions, steps, through):
        asked.append([by for _, by in assumptions])
        return Undecided("") if "root" in asked[-1] else {"lines": []}

    monkeypatch.setattr(sys.modules[prove.__module__], "proved", undecided_with_roots)
    plain, root = (of(sp.Le, x, y), "plain"), (of(sp.Le, sp.sqrt(x), y), "root")
    claim = of(sp.Le, x, 2 * y)
    assert prove(Claimed(claim, (plain, root))) == {"lines": []}
    assert asked == [["plain", "root"], ["plain"]]
    asked.clear()
    assert isinstance(prove(Claimed(of(sp.Le, sp.sqrt(x), y), (plain, root))), Undecided)
    assert asked == [["plain", "root"]]


def test_a_course_that_a_float_decides_is_replayed_for_the_same_float():
    called = []

    def scaled(vector):
        called.append(len(vector))
        return (vector.sum() * float((vector > 0).sum()),)

    replayed = Replayed(scaled)
    assert [float(*replayed(column(1, k))) for k in range(1, 6)] == [4, 6, 8, 10, 12]
    assert len(called) == 2
    assert float(*replayed(column(-1, 3))) == 2
    assert len(called) == 3
