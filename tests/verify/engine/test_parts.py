"""Single parts of proofs: signs, drafts, spaces, certificates of equations and extremes."""

import sys

import pytest
import sympy as sp
from flint import fmpq

from tests.verify.engine.simple import of
from tests.verify.engine.test_draft import draft
from tests.verify.engine.test_signs import polynomial, same, signs_with
from verify.check_proof import Refused, check
from verify.engine.certificates import prove, store
from verify.engine.certificates.field import Field
from verify.engine.certificates.question import Induction, Question, Undecided
from verify.engine.certificates.recheck import Rejected, _opaque, recheck
from verify.engine.model.expressions import Excess, Least, common_terms_out, spelled_out
from verify.engine.proof import prover
from verify.engine.proof.extremes import excess_tree, plain
from verify.engine.proof.prover import derived
from verify.engine.proof.sizes import _certified, _differ, formula_at, sizes_of, slack_at
from verify.engine.search.points import meeting_point, proposed
from verify.engine.tactics.prove import proved

x, y, z = sp.symbols("x y z", real=True)
a, b = sp.symbols("a b", positive=True)
n = sp.Symbol("n", integer=True, positive=True)

# ------------------------------------------------------------------------------------------------------- signs


def test_no_more_facts_are_put_in_than_asked_for():
    """x = y and y = z: two substitutions turn x into z, which is nonnegative."""
    chain = (["=", "x", "y"], ["=", "y", "z"])
    for depth in (0, 1):
        signs = signs_with(*chain)
        assert signs.by_insertion(polynomial(signs, "x"), depth) is None
    signs = signs_with(*chain)
    same(signs, "x", signs.by_insertion(polynomial(signs, "x"), 2))


@pytest.mark.parametrize(
    ("formula", "fact"),
    [
        (["+", ["-", "q", ["*", "p", "q", "x"]], "z"], ["<=", ["*", "p", "x"], "1"]),
        (["+", ["-", ["*", "p", "q", "x"], "q"], "z"], ["<=", "1", ["*", "p", "x"]]),
        (["+", ["-", ["*", "4", "q"], ["*", "p", "p", "q", "x", "x"]], "z"], ["=", ["*", "p", "x"], "-2"]),
    ],
)
def test_facts_with_slopes_of_either_sign_are_put_in(formula, fact):
    signs = signs_with(fact)
    same(signs, formula, signs.by_insertion(polynomial(signs, formula), 2))


def test_a_square_may_need_a_fact():
    formula = ["+", ["^", "x", "2"], ["*", "2", "x", "y"], "z"]
    for depth, enough in ((0, False), (1, False), (2, True), (4, True)):
        signs = signs_with(["<=", ["*", "2", "p", ["^", "y", "2"]], ["*", "p", "z"]])
        found = signs.by_square(polynomial(signs, formula), depth)
        assert (found is not None) == enough
        if enough:
            same(signs, formula, found)


def test_formulas_of_factors_have_the_value_of_their_polynomial():
    signs = signs_with()
    for formula in (
        "3",
        "x",
        ["-", "x", "y"],
        ["*", "6", "x"],
        ["^", ["+", "x", "y"], "2"],
        ["-", ["*", "x", "y"], "x"],
    ):
        found = signs.factored(polynomial(signs, formula))
        assert (signs.checked.value(found) - signs.checked.value(formula)).top.is_zero()
    assert signs.factored(polynomial(signs, "x")) == "x"
    assert signs.factored(polynomial(signs, "7")) == "7"
    assert signs.factored(polynomial(signs, ["^", "x", "2"])) == ["^", "x", "2"]
    assert signs.factored(polynomial(signs, ["*", "5", "x"])) == ["*", "5", "x"]


def test_a_monomial_is_its_factor_and_its_powers():
    signs = signs_with()
    places = {name: signs.checked.names[name] for name in ("x", "p")}
    powers = [0] * (1 + max(places.values()))
    assert signs.monomial(powers) == "1"
    assert signs.monomial(powers, fmpq(3, 2)) == "3/2"
    powers[places["x"]] = 1
    assert signs.monomial(powers) == "x"
    powers[places["p"]] = 3
    assert sorted(map(str, signs.monomial(powers, fmpq(2))[1:])) == ["2", "['^', 'p', '3']", "x"]


def test_what_divides_a_fact_is_multiplied_out():
    """x/y >= 0 gives x y >= 0 for y of unknown sign, and -x >= 0 for y < 0."""
    for given, says in (([], ["*", "x", "y"]), ([["<", "y", "0"]], ["-", "x"])):
        signs = signs_with(*given)
        checked = signs.checked
        checked.learn(["!=", "y", "0"])
        checked.learn(["<=", "0", ["/", "x", "y"]])
        signs.learn(checked.value(["/", "x", "y"]), ["slack", len(checked.facts) - 1], zero=False)
        known = signs.known[-1]
        assert known.polynomial == polynomial(signs, says)
        assert (checked.value(known.formula) - checked.value(says)).top.is_zero()
    before = len(signs.known)
    signs.learn(checked.value("3"), "3", zero=False)
    signs.learn(checked.value(["*", "2", "x"]), ["*", "2", "x"], zero=False)
    signs.learn(checked.value(["*", "2", "x"]), ["*", "2", "x"], zero=False)
    assert len(signs.known) == before + 1


# ------------------------------------------------------------------------------------------------------ drafts


@pytest.mark.parametrize(
    ("formula", "given", "shown"),
    [
        (["/", "x", ["/", "p", "q"]], [], []),
        (["/", "x", "y"], [["<", "0", ["*", "2", "y"]]], []),
        (["/", "x", ["/", "y", "p"]], [["<", "0", ["/", "y", "p"]]], []),
        (["/", "x", ["/", "y", "p"]], [["<", "0", ["*", "2", ["/", "y", "p"]]]], ["!="]),
        (["/", "x", ["+", ["/", "y", "p"], "1"]], [["<", "0", ["+", "y", "p"]]], ["<"]),
    ],
    ids=str,
)
def test_only_what_hides_that_it_is_not_zero_gets_a_line(formula, given, shown):
    made = draft(*given)
    before = len(made.lines)
    made.define(["<=", formula, "1"])
    assert [line["show"][0] for line in made.lines[before:]] == shown


def test_what_is_divided_by_has_a_known_sign_or_is_squared():
    made = draft(["<", "y", "0"])
    signs, top = made.signs(), made.checked.value("z").top

    def below(formula):
        bottom = made.checked.value(formula).top
        return bottom, *made.below(signs, top, bottom)

    assert below("2")[1:] == ("1", top * (1 / below("2")[0].leading_coefficient()))
    assert below("p")[1:] == ("p", top)
    bottom, formula, above = below("y")
    assert (made.checked.value(formula).top, above) == (-bottom, -top)
    bottom, formula, above = below("x")
    assert (formula, above) == (["^", "x", "2"], top * bottom)


def test_rooms_grow_with_what_is_spoken_of(monkeypatch):
    rooms = []

    def refused(symbols, steps, room, assumable):
        rooms.append((steps, room))
        raise Rejected("no more")

    monkeypatch.setattr(sys.modules[proved.__module__], "Draft", refused)
    claim, root = ["<=", ["abs", "x"], ["max", "x", "1"]], ["<=", ["root", "2", "1"], "1"]
    with pytest.raises(Rejected):
        proved({"x": "real"}, claim, [(["<=", "x", "1"], "a")] * 2, 7, [root])
    assert rooms == [(7, 30 + 3 * 3 + 2 * 2)]
    over_rounds = Question(of(sp.Le, x, y), ((of(sp.Le, x, z), "premise"),), Induction("t", {x: z}, {x: y}))
    assert isinstance(prove(over_rounds, 5), Undecided)
    assert rooms[1:] == [(5, 60 + 6 * 4)]
    assert _opaque([{"show": ["<=", ["max", "x", ["abs", "y"]], ["^", "x", "n"]]}]) == 6
    assert _opaque(["^", "x", ["+", "n", "1"]]) == 3
    assert _opaque({"a": ["root", "2", "x"], "b": "abs"}) == 3


def test_a_certificate_answers_no_question_that_gives_less():
    asked = Question(of(sp.Le, x, 2), ((of(sp.Le, x, 1), "condition"),))
    certificate = prove(asked)
    store.answers(asked, certificate)
    with pytest.raises(Refused, match="assumes what is not given"):
        store.answers(Question(asked.relation), certificate)
    with pytest.raises(Refused, match="proves another relation"):
        store.answers(Question(of(sp.Le, x, 3), asked.given), certificate)
    swap = {x: sp.Symbol("x", positive=True)}
    narrower = Question(asked.relation.xreplace(swap), tuple((r.xreplace(swap), by) for r, by in asked.given))
    with pytest.raises(Refused, match="takes x to be real"):
        store.answers(narrower, certificate)


@pytest.mark.parametrize("by", ["condition", "premise", "textbook a fact", "case"])
def test_whatever_the_right_nothing_is_assumed_that_is_not_given(by):
    asked = Question(of(sp.Le, x, 2), ((of(sp.Le, x, 1), by),))
    certificate = prove(asked)
    store.answers(asked, certificate)
    with pytest.raises(Refused, match="assumes what is not given"):
        store.answers(Question(asked.relation), certificate)


def test_answers_are_kept_beside_the_others_or_instead_of_them(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "FOLDER", tmp_path)
    store.entries.cache_clear()
    store.keep("toy", {"a": {"undecided": "one"}}, whole=True)
    store.keep("toy", {"b": {"undecided": "two"}}, whole=False)
    assert [path.name for path in store.files()] == ["toy.json"]
    assert store.entries() == {"a": {"undecided": "one"}, "b": {"undecided": "two"}}
    store.keep("toy", {"c": {"undecided": "three"}}, whole=True)
    store.entries.cache_clear()
    assert store.entries() == {"c": {"undecided": "three"}}
    assert (tmp_path / "toy.json").read_text() == '{"c":{"undecided":"three"}}\n'
    asked = Question(of(sp.Le, x, 2))
    assert store.stored_answer(asked) is None
    store.keep("toy", {asked.digest: {"undecided": "long ago"}}, whole=False)
    store.entries.cache_clear()
    assert store.stored_answer(asked) == Undecided("long ago")
    store.entries.cache_clear()


def test_squares_are_taken_among_other_assumptions():
    given = tuple((of(sp.Le, s, 7), "condition") for s in (z, a, b))
    claim = of(sp.Le, sp.Abs(x) + 0 * z, sp.sqrt(x**2 + y**2))
    found = prove(Question(claim, given))
    assert not isinstance(found, Undecided), found.tried
    check(dict(found))
    recheck(found)


def test_only_what_contradicts_itself_is_a_contradiction():
    assert derived(of(sp.Le, x, 2), (of(sp.Le, x, 1),)).outcome == "proved"
    assert derived(of(sp.Le, x, 2), (of(sp.Lt, x, 1), of(sp.Lt, 1, x))).outcome == "contradiction"


def test_a_contradiction_is_searched_only_where_the_solver_finds_no_point(monkeypatch):
    asked = []

    def searched(question, *limits):
        asked.append(question.relation)
        return prove(question, *limits)

    monkeypatch.setattr(prover, "prove", searched)
    derived(of(sp.Le, x, 2), (of(sp.Le, x, 1),))
    assert prover.ABSURD not in asked
    derived(of(sp.Le, x, 3), (of(sp.Lt, x, 1), of(sp.Lt, 1, x)))
    assert prover.ABSURD in asked


def test_counts_that_a_solver_proposes_are_whole():
    between = (of(sp.Ge, 2 * n, 3), of(sp.Le, 2 * n, 5))
    assert next(proposed(between, None, 200_000), None) == {"n": 2}
    assert meeting_point((of(sp.Ge, 4 * n, 9), of(sp.Le, 4 * n, 15), of(sp.Ge, 7 * n, 17))) == {"n": 3}


def test_roots_that_a_solver_proposes_are_roots():
    c = sp.Symbol("c", nonnegative=True)
    for power, value in (
        (sp.Rational(1, 2), 3),
        (sp.Rational(3, 2), 27),
        (sp.Rational(-1, 2), sp.Rational(1, 3)),
    ):
        assert next(proposed((of(sp.Eq, c, 9), of(sp.Eq, y, c**power)), None, 200_000), None) == {
            "c": 9,
            "y": value,
        }
    assert (
        next(proposed((of(sp.Eq, y, sp.sqrt(c)), of(sp.Eq, c, 2)), None, 200_000), None) is None
    )  # no fraction


@pytest.mark.parametrize(("vector", "family"), [("a", "f"), ("f", "a")])
def test_the_names_of_vectors_do_not_matter(vector, family):
    field = Field({"n": "count", vector: "vector", family: "family n"})
    one = field.value(["each", "n", family, vector])
    assert (one - field.value(["dot", ["total", family], vector])).top.is_zero()
    assert (one - field.value(["each", "n", vector, family])).top.is_zero()
    assert {str(formula) for formula in field.formulas if isinstance(formula, list)} == {
        str(
            [
                "dot",
                *sorted(
                    [["total", family], vector], key=lambda end: "total" if isinstance(end, list) else end
                ),
            ]
        )
    }


# ----------------------------------------------------------------------------------------- equations and slacks


def test_equations_are_certified_at_once_or_by_search():
    alike = _certified(of(sp.Eq, (x + 1) ** 2, x**2 + 2 * x + 1), {})
    assert [line.get("as") for line in alike["lines"]] == ["0"]
    assert _certified(of(sp.Eq, x, 1), {}) is None


def test_sides_differ_where_they_do_at_a_point():
    assert _differ(sp.Eq(x + y, x * y, evaluate=False))
    assert _differ(sp.Eq(x, x + sp.Rational(1, 10**4), evaluate=False))
    assert not _differ(sp.Eq(x, x + sp.Rational(1, 10**8), evaluate=False))
    assert not _differ(sp.Eq((x + y) ** 2, x**2 + 2 * x * y + y**2, evaluate=False))


def accepted(certificate):
    if certificate is None:
        return False
    check(dict(certificate))
    recheck(certificate)
    return True


def test_the_least_of_slacks_is_one_in_each_case():
    assert accepted(slack_at(sp.Max(a, b), a + b, Least(a, b), {}))
    assert slack_at(sp.Max(a, 2 * b), a + b, Least(a, b), {}) is None


def test_slacks_may_rest_on_what_is_meant():
    spare = sp.Symbol("spare", nonnegative=True)
    right = (sp.Ge(sp.Symbol("spare"), 0),)
    certificate = slack_at(x, y, spare, {spare: (y - x, right)})
    assert accepted(certificate)
    assert certificate["lines"][0]["by"] == "condition spare >= 0"
    assert slack_at(x, y, 2 * spare, {spare: (y - x, right)}) is None
    assert slack_at(x, y, spare, {}) is None


def test_letters_are_replaced_but_heads_are_not():
    assert formula_at(["max", "max", ["+", "x", "y"]], {"max": "1", "x": ["slack", 0]}) == [
        "max",
        "1",
        ["+", ["slack", 0], "y"],
    ]


def test_sizes_that_are_letters_are_any():
    t = sp.Symbol("t")
    assert sizes_of([{"d": 2, "t": t}, {"d": 5, "t": t}, {"d": 2, "t": 3}]) == [{"d": 2}, {"d": 5}]
    assert sizes_of([{"d": 2, "t": 1}, {"d": t, "t": t}]) is None


# ------------------------------------------------------------------------------------------- lengths and extremes


def test_excesses_and_least_are_what_they_mean():
    assert spelled_out(Excess(x, y)) == sp.Max(x, y) - x
    assert Excess(x, y).spelled_out() == sp.Max(x, y) - x
    least = spelled_out(Least(a, a * b))
    for values in ({a: 2, b: 3}, {a: 2, b: sp.Rational(1, 3)}):
        assert least.subs(values) == min(2, 2 * values[b])
    assert Least(a, b).is_nonnegative
    assert not Least(a, x).is_nonnegative
    assert spelled_out(sp.Abs(y - x)) == spelled_out(sp.Abs(x - y))
    assert spelled_out(sp.Abs(2 * x)) == 2 * sp.Abs(x)


def test_shared_terms_are_taken_out():
    assert common_terms_out(sp.Max(x - z, y - z)) == sp.Max(x, y) - z
    assert common_terms_out(sp.Max(x + 3 * z, y + z)) == sp.Max(x + 2 * z, y) + z
    assert common_terms_out(sp.Min(x + z, y + z)) == sp.Min(x, y) + z
    assert common_terms_out(sp.Max(x, y)) == sp.Max(x, y)


def test_a_largest_has_more_than_its_first():
    assert excess_tree(Excess(x, y)) == ["-", ["max", "x", "y"], "x"]
    assert excess_tree(Excess(a, a + b)) == "b"
    assert excess_tree(Excess(a + b, a)) == "0"
    assert excess_tree(Excess(x + z, y + z)) == ["-", ["max", "x", "y"], "x"]
    below = excess_tree(Excess(x, y, x + a))
    assert below[0] == "+"
    assert below[2] == "a"
    assert plain(sp.Max(x - z, y - z)) == sp.Max(x, y) - z
