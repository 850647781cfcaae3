"""Checks of relations: the report of a proof, of a search, of a counterexample, and of no instance at all."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from nqm.fields import abs_, sq
from tests.verify import known as k
from tests.verify.engine.simple import LINE, QUICK, about, found, n, of, u, v, x, y
from verify import facts
from verify.engine.checks import relation as checks
from verify.engine.checks.attack import Attack, at_point, attack, beyond
from verify.engine.model.claim import BUDGETS
from verify.engine.model.scene import Box, Scene
from verify.engine.proof.basis import Basis, basis_of
from verify.engine.proof.prover import derived
from verify.engine.search.adversary import Search
from verify.engine.search.misses import why_none
from verify.engine.verdict import Verdict
from verify.report.wording import sentence

# ---------------------------------------------------------------------------------------------- what is said


def test_a_proof_says_so_and_how_tight_the_relation_is():
    finding = found(about("proof", x * y <= (x**2 + y**2) / 2))
    assert (finding.verdict, finding.method) == (Verdict.PROVED, "symbolic")
    assert sentence(finding.reason).startswith(
        "follows from its conditions, for all sizes; largest lhs/rhs seen"
    )
    assert finding.tightness == pytest.approx(1, abs=0.02)
    assert finding.trials > 0
    assert finding.proof["rests_on"] == {"conditions": [], "premises": [], "textbook": [], "defined": []}
    assert finding.witness.relation.holds


def test_instances_where_an_equation_is_undefined_are_left_out():
    """A root of a negative number once ended the check of an equation in an error."""
    equation = of(sp.Eq, 2 * sp.sqrt(u - 1), sp.sqrt(4 * u - 4))
    line = Scene("line", ({"d": 1},), lambda shape: {"u": Box(-8, 8)}, lambda shape, v: {})
    finding = found(about("roots", equation, scene=line, check=checks.identity))
    assert finding.verdict is not Verdict.REFUTED


def test_how_tight_what_is_proved_is_comes_from_the_search_and_of_equations_is_said():
    loose = found(about("loose", x * y <= x**2 + y**2))
    assert loose.tightness == pytest.approx(0.5, abs=0.02)
    assert sentence(loose.reason).endswith(f"largest lhs/rhs seen {loose.tightness:.4g}")
    equal = found(about("equal", of(sp.Eq, (x + y) ** 2, x**2 + 2 * x * y + y**2), check=checks.identity))
    assert (equal.verdict, equal.tightness, equal.witness) == (Verdict.PROVED, 1.0, None)


def test_a_proof_from_premises_holds_as_they_do_and_names_them():
    premise = sp.Le(k.length, k.lengths)
    finding = found(about("from", k.length <= k.lengths + 1, scene=k.VECTORS, premises=(premise,)))
    assert finding.verdict is Verdict.UNREFUTED
    assert finding.details["derived_from"] == [str(premise)]
    assert sentence(finding.reason).startswith("derived from its premises")


def test_a_refutation_shows_both_sides_and_the_sizes():
    finding = found(about("false", v <= u, scene=LINE))
    assert finding.verdict is Verdict.REFUTED
    assert " > " in sentence(finding.reason)
    assert "with d=1" in sentence(finding.reason)
    low, high = finding.witness.relation.small[0], finding.witness.relation.large[0]
    assert finding.tightness == (low / high if high > 0 else None)
    above = found(about("above", v + 3 <= 2, scene=LINE))
    assert above.tightness == above.witness.relation.small[0] / 2 >= 1.5
    equation = found(about("equal", of(sp.Eq, v, u), scene=LINE, check=checks.identity))
    assert " != " in sentence(equation.reason)
    assert equation.tightness is None
    assert equation.details == {}
    differ = found(about("differ", of(sp.Eq, v, u), scene=LINE, check=checks.agreement))
    assert differ.verdict is Verdict.INCONSISTENT


@pytest.mark.parametrize(
    ("check", "verdict"),
    [(checks.inequality, Verdict.REFUTED), (checks.bound, Verdict.REFUTED), (checks.entailment, Verdict.GAP)],
)
def test_a_counterexample_means_what_the_check_asks(check, verdict):
    finding = found(about("false", v <= u, scene=LINE, check=check))
    assert (finding.verdict, finding.check) == (verdict, check.__name__)
    assert found(about("true", v >= 0, scene=LINE, check=check)).verdict in (
        Verdict.UNREFUTED,
        Verdict.PROVED,
    )


def test_what_survives_says_how_often_it_was_tried():
    claim = about("survives", k.length <= k.lengths, scene=k.VECTORS)
    finding = found(claim)
    assert finding.verdict is Verdict.UNREFUTED
    assert finding.trials == 128
    assert "not broken in 128 instances, largest lhs/rhs 1" in sentence(finding.reason)
    assert finding.details["search"][-1]["ratio"] == pytest.approx(1)
    ratios = [step["ratio"] for step in finding.details["search"]]
    assert ratios == sorted(set(ratios))
    assert "no kind of derivation" not in str(finding.details) or finding.details["no proof"]


def test_nothing_is_said_of_nothing():
    nobody = about("nobody", v <= 2, of(sp.Ge, u, 3), scene=LINE)
    finding = found(nobody)
    assert finding.verdict is Verdict.NOT_JUDGED
    assert "u >= 3 is met by 0 of 512 random instances" in sentence(finding.reason)
    none = about("none", v <= 2, of(sp.Ge, sp.Symbol("d", integer=True, positive=True), 5), scene=LINE)
    assert "no size that the scene 'line' lists meets d >= 5" in sentence(found(none).reason)
    same = replace(LINE, compute=lambda s, w: {"v": w["u"]}, covers="all")
    assert found(about("same", of(sp.Eq, u, v), scene=same, check=checks.identity)).verdict is Verdict.PROVED
    empty = about("empty", of(sp.Eq, u, v), of(sp.Ge, u, 3), scene=same, check=checks.identity)
    assert found(empty).verdict is Verdict.NOT_JUDGED


def test_misses_name_the_rarest_condition():
    question = about("miss", v <= 2, of(sp.Le, u, 1), of(sp.Ge, u, 3), scene=LINE).question
    text = sentence(why_none(question, 0))
    assert text.startswith("u >= 3 is met by 0 of 512 random instances; nearest: left side 1, right side 3")
    narrower = replace(LINE, space=lambda s: {"u": Box(-1, 1 / s["d"])})
    question = about("miss", v <= 2, of(sp.Ge, u, 3), scene=narrower).question
    assert "nearest: left side 1, right side 3" in sentence(why_none(question, 0))
    infinite = replace(LINE, compute=lambda s, w: {"v": w["u"] * np.inf})
    for met in ((), (of(sp.Le, u, 1),), (of(sp.Le, u, 1), of(sp.Ge, u, -1))):
        question = about("inf", v <= 2, *met, scene=infinite).question
        assert sentence(why_none(question, 0)) == "in no instance is every quantity finite and in its domain"


# ---------------------------------------------------------------------------------------------- identities


SQUARES = Scene(
    "squares",
    ({"d": 1}, {"d": 2}, {"d": 3}),
    lambda s: {"a": Box(-1, 1, (s["d"],)), "b": Box(-1, 1, (s["d"],))},
    lambda s, w: {"u": sq(w["a"] + w["b"]) + sq(w["a"] - w["b"]), "v": 2 * sq(w["a"]) + 2 * sq(w["b"])},
    covers="the same in every coordinate",
)


def test_an_identity_between_vectors_is_proved_in_every_dimension():
    finding = found(about("parallelogram", of(sp.Eq, u, v), scene=SQUARES, check=checks.identity))
    assert finding.verdict is Verdict.PROVED
    assert finding.proof["sizes"] is None
    assert sentence(finding.reason) == "at all sizes: between vectors of any dimension"


def test_an_identity_is_proved_at_its_sizes_with_certificates():
    scene = replace(
        SQUARES, compute=lambda s, w: {n: v + w["a"][:, 0] for n, v in SQUARES.compute(s, w).items()}
    )
    finding = found(about("parallelogram", of(sp.Eq, u, v), scene=scene, check=checks.identity))
    assert finding.verdict is Verdict.PROVED
    assert finding.trials == 3
    assert finding.proof["sizes"] == [{"d": 1}, {"d": 2}, {"d": 3}]
    assert finding.proof["uncertified"] == 0
    assert sentence(finding.reason) == "at d <= 3: the same in every coordinate"


@pytest.mark.parametrize("changed", [lambda w: 2 * w["v"], lambda w: w["v"] + 1, lambda w: -w["v"]])
def test_sides_that_differ_are_no_identity(changed):
    """The sum of both sides is no more zero than each side."""

    def compute(s, w):
        values = SQUARES.compute(s, w)
        return {**values, "v": changed(values)}

    claim = about("not", of(sp.Eq, u, v), scene=replace(SQUARES, compute=compute), check=checks.identity)
    assert found(claim).verdict is Verdict.REFUTED


def test_an_identity_that_is_not_covered_is_tried_in_fractions():
    claim = about("tried", of(sp.Eq, u, v), scene=replace(SQUARES, covers=""), check=checks.identity)
    finding = found(claim)
    assert (finding.verdict, finding.method, finding.tightness) == (Verdict.UNREFUTED, "exact", 1.0)
    assert sentence(finding.reason) == f"equal in {64 * 3} float instances and 4 instances in exact fractions"
    assert finding.trials == 64 * 3 + 4
    assert "search" not in finding.details
    assert finding.witness is None


def test_an_identity_that_fails_beyond_its_sizes_is_none():
    def compute(s, w):
        values = SQUARES.compute(s, w)
        return {**values, "v": values["v"] + (w["a"][:, 0] if s["d"] > 3 else 0 * w["a"][:, 0])}

    claim = about("beyond", of(sp.Eq, u, v), scene=replace(SQUARES, compute=compute), check=checks.identity)
    finding = found(claim)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness.instance.shape == {"d": 4}


def test_beyond_tries_larger_sizes_and_gives_up_where_nothing_is_computed():
    question = about("larger", of(sp.Eq, u, v), scene=SQUARES).question
    assert beyond(question, 0).search.trials == 32

    def fails(s, w):
        if s["d"] > 3:
            raise IndexError
        return SQUARES.compute(s, w)

    assert beyond(replace(question, scene=replace(SQUARES, compute=fails)), 0) is None


# ---------------------------------------------------------------------------------------------- attacks


def test_an_attack_counts_and_stops_at_a_usual_counterexample():
    result = attack(about("true", v <= 1, scene=LINE).question, QUICK, 0)
    assert (result.search.trials, result.witness, result.unconfirmed) == (128, None, 0)
    assert result.course[-1][1] == pytest.approx(1)
    assert result.details["search"][-1] == {
        "trials": result.course[-1][0],
        "ratio": result.course[-1][1],
        "at": {"d": 1},
    }
    broken = attack(about("false", v <= u, scene=LINE).question, QUICK, 0)
    assert broken.witness.unusual == 0
    assert broken.search.trials == 64
    assert Attack(result.search, None, 0).details == {}


def test_suspicions_that_are_rounding_are_counted():
    rounding = Scene(
        "rounding",
        ({"d": 1},),
        lambda s: {"u": Box(0.5, 1)},
        lambda s, w: {"v": (w["u"] * 3**34 + 1) - w["u"] * 3**34},
    )
    result = attack(about("rounding", v <= 1, scene=rounding).question, QUICK, 0)
    assert result.witness is None
    assert result.unconfirmed == 1
    assert "1 apparent counterexamples failed in exact arithmetic" in sentence(
        found(about("rounding", v <= 1, scene=rounding)).reason
    )


def test_a_point_is_a_counterexample_only_where_everything_is_free():
    question = about("numbers", x <= y, of(sp.Le, x, 5)).question
    assert at_point(question, {"x": Fraction(2), "y": Fraction(1)}).relation.fails
    assert at_point(question, {"x": Fraction(1), "y": Fraction(2)}) is None
    assert at_point(question, {"x": Fraction(6), "y": Fraction(2)}) is None
    assert at_point(question, {"x": Fraction(2)}) is None
    counted = about("counted", x <= n).question
    assert at_point(counted, {"x": Fraction(4), "n": Fraction(3)}).instance.shape == {"n": 3}
    assert at_point(counted, {"x": Fraction(4)}) is None
    computed = about("computed", u <= v, scene=LINE).question
    assert at_point(computed, {"u": Fraction(1, 2), "v": Fraction(0)}) is None


def test_what_a_premise_or_a_textbook_fact_leaves_out_is_tried_too():
    """(y + 11)^2 > 0 fails at y = -11 only, where neither the premise nor the textbook lemma is defined."""
    relation, premise = of(sp.Lt, 0, (u + 11) ** 2), of(sp.Le, 0, 1 / (u + 11) ** 2)
    cited = facts.logarithm(1 / (u + 11) ** 2)
    for claim in (about("n", relation, premises=(premise,)), about("n", relation, facts=(cited,))):
        finding = found(claim)
        assert finding.verdict is Verdict.REFUTED
        assert finding.witness.instance.parameters["u"] == -11


def test_exponents_of_either_parity_are_tried_far_away():
    m = sp.Symbol("m", integer=True, positive=True)
    for exponent in (m + n, m - n):
        assert found(about("n", of(sp.Le, 0, (u + 11) ** exponent))).verdict is Verdict.REFUTED


def test_only_a_complete_proof_between_numbers_shortens_the_search_after_it():
    budget = BUDGETS["default"]

    def largest(claim, basis, trials=1):
        rest = checks._for_the_rest(claim, budget, basis, Attack(Search(trials), None, 0))
        return rest.ascents, rest.moves, rest.largest

    full, free = (
        (budget.ascents, budget.moves, budget.largest),
        about("free", of(sp.Le, x, y), of(sp.Lt, x, y)),
    )
    short = largest(free, Basis("proved"))
    assert all(few < many for few, many in zip(short, full, strict=True))
    for basis in (Basis("unknown"), Basis("proved", premises=("x <= y",)), Basis("proved", cited=("lemma",))):
        assert largest(free, basis) == full
    assert largest(free, Basis("proved"), trials=0) == full
    assert largest(about("line", v <= 1, scene=LINE), Basis("proved")) == full


def test_simpler_numbers_that_break_a_relation_refute_it():
    """The search only comes near; rounded to small denominators, its instance is a counterexample."""
    scene = Scene(
        "needle", ({"d": 1},), lambda s: {"u": Box(0, 2)}, lambda s, w: {"v": 1 - abs_(w["u"] - 1) / 100}
    )
    claim = about("needle", v <= 1 - sp.Rational(1, 10**9), scene=scene)
    finding = found(claim)
    assert finding.verdict is Verdict.REFUTED
    assert finding.witness.instance.parameters["u"] == 1


# ---------------------------------------------------------------------------------------------- proofs


def test_a_contradiction_is_told_from_a_proof():
    both = (of(sp.Lt, x, y), of(sp.Lt, y, x))
    assert derived(of(sp.Le, x, y), both).outcome == "contradiction"
    assert derived(of(sp.Le, x, y), (of(sp.Lt, x, y),)).outcome == "proved"
    assert derived(of(sp.Le, x, y), (of(sp.Le, x, y), of(sp.Le, y, x))).outcome == "proved"
    assert derived(of(sp.Le, x, 5)).outcome == "countermodel"
    claim = about("both", of(sp.Le, x, y), *both)
    assert found(claim).verdict in (Verdict.VACUOUS, Verdict.NOT_JUDGED)
    assert basis_of(claim, QUICK).outcome == "contradiction"


def test_a_proof_that_uses_nothing_is_no_contradiction():
    both = (of(sp.Lt, x, y), of(sp.Lt, y, x))
    assert derived(of(sp.Le, 0, x), both).outcome in ("proved", "contradiction")


def test_what_lacks_is_said():
    claim = about("lacks", of(sp.Le, x, y), of(sp.Le, x, 3))
    basis = basis_of(claim, QUICK)
    assert basis.outcome == "countermodel"
    assert "they hold and the relation fails" in sentence(basis.lacks)
    assert basis_of(about("proved", of(sp.Le, 0, x)), QUICK).lacks == []
    power = of(sp.Le, (1 + x) ** y, sp.exp(x * y) + sp.log(1 + x))  # true, but no law compares all three
    unknown = basis_of(about("unknown", power), QUICK)
    assert unknown.outcome == "unknown"
    assert unknown.lacks
