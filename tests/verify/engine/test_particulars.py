"""Single functions at the ends of their ranges, and their error messages."""

import re
from fractions import Fraction

import pytest
import sympy as sp

from nqm.fields import sqrt
from tests.verify import known as k
from tests.verify.engine.simple import LINE, QUICK, about, found, of, u, v, x, y
from tests.verify.engine.test_draft import draft
from tests.verify.engine.test_edges import at
from verify.engine.certificates.formulas import Untranslatable
from verify.engine.certificates.recheck import Rejected
from verify.engine.checks.attack import PATIENCE, _confirmed, attack
from verify.engine.checks.relation import identity
from verify.engine.checks.table import claimed_of, row, table
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene
from verify.engine.model.validation import validate
from verify.engine.records.files import LARGEST, read_json
from verify.engine.search.along import POINTS, along
from verify.engine.search.witness import mere_rounding
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.numbers import _root, certified
from verify.engine.tactics.prove import _is_number, _terms, _without_other_terms
from verify.engine.tactics.signs import Signs
from verify.engine.verdict import Verdict
from verify.engine.work.errors import UsageError
from verify.report.wording import sentence

# --------------------------------------------------------------------------------------- roots and powers


@pytest.mark.parametrize("root", [0, 1, 3, Fraction(1, 2), Fraction(2, 3), Fraction(7, 5)])
def test_square_roots_of_squares_are_fractions(root):
    assert _root(Fraction(root) ** 2, "2") == root


@pytest.mark.parametrize(
    ("value", "degree"), [(-1, "2"), (2, "2"), (Fraction(1, 2), "2"), (8, "3"), (1, "3"), (-4, "2")]
)
def test_other_roots_are_not(value, degree):
    with pytest.raises(Untranslatable, match=rf"root {degree} of {value}"):
        _root(Fraction(value), degree)


ROOT, POWER, SQUARE = ["root", "2", "x"], ["^", "2", "n"], ["^", "x", "2"]


def test_roots_and_powers_that_a_claim_does_not_speak_of_are_left_out():
    assert _terms(["<=", ["+", ROOT, ["*", POWER, SQUARE]], "1"]) == [ROOT, POWER]
    assert _terms(["<=", ["^", "x", "-3"], ["abs", "x"]]) == []
    assert _terms(["<=", ["^", "x", ["/", "1", "3"]], "1"]) == [["^", "x", ["/", "1", "3"]]]
    given = [
        (["<=", part, "1"], name) for part, name in ((ROOT, "root"), (POWER, "power"), (SQUARE, "square"))
    ]
    assert [by for _, by in _without_other_terms(["<=", "x", "1"], given)] == ["square"]
    assert [by for _, by in _without_other_terms(["<=", POWER, "x"], given)] == ["power", "square"]
    both = [(["<=", ROOT, POWER], "both")]
    assert _without_other_terms(["<=", POWER, "x"], both) == []


def test_whole_numbers_have_digits_and_a_sign():
    assert all(map(_is_number, ("0", "12", "-3")))
    assert not any(map(_is_number, ("n", "1/2", "", "-", ["^", "2", "2"])))


# --------------------------------------------------------------------------------------- drafts


def test_a_number_between_two_bounds_that_meet_is_known():
    made = draft(["<=", "x", "y"], ["<=", "y", "x"])
    assert made.show(["=", "x", "y"])
    assert "both inequalities of an equation" in made.tried
    assert not draft(["<=", "x", "y"]).show(["=", "x", "y"], (0,), ())
    of_equations = draft(["=", ["^", "x", "2"], "2"])
    assert not of_equations.show(["=", "x", "y"], (0,), ())
    assert "both inequalities of an equation" not in of_equations.tried


def test_positive_formulas_are_one_facts_variables_and_products_of_the_first_six():
    letters = "abcdefg"
    made = Draft(dict.fromkeys(letters, "positive"), 400, 40)
    made.checked.value(["+", *letters])
    formulas = made._positive(Signs(made.checked, 400))
    assert formulas[0] == "1"
    assert sorted(formulas[1:8]) == list(letters)
    first = formulas[1:7]
    pairs = [["*", one, other] for place, one in enumerate(first) for other in formulas[1 : place + 2]]
    assert formulas[8:] == pairs
    strict = draft(["<", "0", "x"], ["<=", "0", "y"])
    assert strict._positive(Signs(strict.checked, 400))[:2] == ["1", ["slack", 0]]


def test_a_case_too_few_or_too_many_is_refused():
    goal, by = [">=", ["max", "x", "y"], "x"], ["max", "x", "y"]
    case = [{"show": goal, "as": ["-", by, "x"]}]
    for parts in ([], [case], [case, case, case]):
        with pytest.raises(Rejected, match="a case is missing"):
            draft().checked.line({"show": goal, "split": by, "parts": parts})
    draft().checked.line({"show": goal, "split": by, "parts": [case, case]})
    none = [">=", "x", "x"]
    with pytest.raises(Rejected, match="a case is missing"):
        draft().checked.line({"show": none, "split": ["max"], "parts": []})


@pytest.mark.parametrize("by", [["abs", "x"], "x"])
def test_signs_and_lengths_have_two_cases(by):
    goal = [">=", ["^", "x", "2"], "0"]
    case = [{"show": goal, "as": ["^", "x", "2"]}]
    for number in (1, 3):
        with pytest.raises(Rejected, match="a case is missing"):
            draft().checked.line({"show": goal, "split": by, "parts": [case] * number})
    draft().checked.line({"show": goal, "split": by, "parts": [case, case]})


# --------------------------------------------------------------------------------------- checks


def test_a_table_is_exact_where_all_rows_are():
    statement = k.known("roots", of(sp.Le, sp.sqrt(x), y))
    rows = {"exact": row({}, {"x": "4", "y": "2"}), "not": row({}, {"x": "2", "y": "1.5"})}
    methods = {}
    for names in (("exact",), ("not",), ("exact", "not")):
        some = {name: rows[name] for name in names}
        methods[names] = table(some)(claimed_of(statement, some), QUICK, 0).method
    assert methods == {("exact",): "exact", ("not",): "interval", ("exact", "not"): "interval"}


def test_an_identity_without_a_scene_is_tried_in_floats_alone():
    finding = found(
        about(
            "arsinh", of(sp.Eq, sp.log(sp.sqrt(x**2 + 1) + x), -sp.log(sp.sqrt(x**2 + 1) - x)), check=identity
        )
    )
    assert (finding.verdict, finding.method) == (Verdict.UNREFUTED, "interval")
    assert (
        sentence(finding.reason)
        == f"equal in {finding.trials} float instances and 0 instances in exact fractions"
    )
    assert finding.trials > 0
    assert finding.tightness == 1
    assert "search" not in finding.details


def test_numbers_alone_are_certified_too():
    n = sp.Symbol("n", integer=True, positive=True)
    (certificate,) = certified(of(sp.Le, 2**n, 4), {"n": Fraction(2)})
    assert certificate["claim"] == ["<=", "4", "4"]
    assert certified(of(sp.Le, 2**n, 4), {"n": Fraction(3)}) == [None]


def test_a_course_begins_above_zero():
    nothing = Scene("nothing", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, w: {"v": 0 * w["u"]})
    assert attack(Question("nothing", of(sp.Le, v, 1), (), nothing), QUICK, 0).course == ()
    course = attack(Question("square", of(sp.Le, v, 1), (), LINE), QUICK, 0).course
    ratios = [ratio for _, ratio, _ in course]
    assert ratios
    assert ratios == sorted(set(ratios))


def test_sides_that_are_both_zero_break_nothing_in_longer_floats():
    free = Scene("free", ({"d": 1},), lambda s: {"u": Box(-1, 1), "v": Box(-1, 1)}, lambda s, w: {})
    for kind in (sp.Le, sp.Ge, sp.Eq):
        assert mere_rounding(Question("free", of(kind, u, v), (), free), [at(u=0, v=0)]) == [True]


def test_a_line_along_which_nothing_moves_is_flat():
    flat = Scene("flat", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, w: {"v": 0 * w["u"] + 1})
    line = along(Question("flat", of(sp.Le, v, 2), (), flat), at(u=0))
    assert (line["small"], line["large"]) == ([1] * POINTS, [2] * POINTS)


def test_the_size_of_a_file_that_is_too_large_is_told(tmp_path):
    with (tmp_path / "f").open("wb") as stream:
        stream.truncate(LARGEST + (3 << 20))
    with pytest.raises(UsageError, match=r"must be at most 256 MiB, got 259$"):
        read_json(tmp_path / "f")


@pytest.mark.parametrize(
    ("compute", "relation", "all_of_them"),
    [
        (lambda s, w: {"v": sqrt(w["u"])}, of(sp.Eq, v**2, u), False),
        (lambda s, w: {"v": 1 / w["u"]}, of(sp.Eq, v * u, 1), True),
        (
            lambda s, w: {"v": w["u"]},
            of(sp.Eq, 1 / (v - sp.Rational(5, 4)), 1 / (u - sp.Rational(5, 4))),
            True,
        ),
    ],
    ids=["roots", "inverses", "differences"],
)
def test_exact_trials_are_those_in_fractions(compute, relation, all_of_them):
    scene = Scene("numbers", ({"d": 1},), lambda s: {"u": Box(1, 2)}, compute)
    finding = found(about("exact", relation, scene=scene, check=identity))
    floats, exact = map(int, re.findall(r"\d+", sentence(finding.reason)))
    assert finding.trials == floats + exact
    assert (exact == QUICK.exact_trials) is all_of_them
    assert exact < QUICK.exact_trials or all_of_them


def test_plain_numbers_are_quantities_of_all_instances():
    scene = Scene("plain", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, w: {"v": 3.0})
    validate(about("plain", of(sp.Le, u, v), scene=scene))


def test_patience_with_rounding_ends():
    free = Scene("free", ({"d": 1},), lambda s: {"u": Box(-1, 1), "v": Box(-1, 1)}, lambda s, w: {})
    question = Question("free", of(sp.Le, u, v), (), free)
    no_break, broken = at(u=0, v="1/2"), at(u="1/2", v=0)
    assert _confirmed(question, [no_break] * (PATIENCE - 1) + [broken]) is not None
    assert _confirmed(question, [no_break] * PATIENCE + [broken]) is None
