"""Claims that cannot be judged are refused with the name, the rule and the value; premises and names of verdicts."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from sympy.core.cache import clear_cache

from tests.verify import known as k
from tests.verify.engine.simple import LINE, of, u, v
from verify.check_proof import check
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound, inequality
from verify.engine.model.claim import Claim
from verify.engine.model.extent import common, sizes_text, verdict_with_sizes
from verify.engine.model.scene import Box
from verify.engine.model.validation import validate
from verify.engine.proof import premises
from verify.engine.proof.premises import suppliers_of_premises
from verify.engine.proof.sizes import at_sizes, identity_at, proof_at, sizes_of, slack_at
from verify.engine.verdict import Finding, Verdict, overall
from verify.engine.work.errors import UsageError
from verify.report.wording import sentence

x, y, n = k.x, k.y, k.n
z = sp.Symbol("z", nonnegative=True)
d = sp.Symbol("d", integer=True, positive=True)


def about(relation, *conditions, scene=LINE, **more):
    return Claim(k.known("valid", relation, *conditions), (inequality,), scene, **more)


def test_what_can_be_judged_passes():
    validate(about(u <= v))
    validate(about(x <= y, scene=None))
    validate(about(u <= 1, premises=(sp.Le(v, 1),)))
    validate(about(sp.Le(v, 1 / (u + 2))))
    D, i = sp.IndexedBase("D"), sp.Symbol("i")
    series = replace(LINE, compute=lambda s, w: {"D": np.stack([w["u"], w["u"] ** 2]), "v": w["u"]})
    validate(about(of(sp.Le, sp.Sum(D[i], (i, 0, 1)), 2), scene=series))
    validate(about(d <= 2, scene=scene(compute=lambda s, w: {"d": s["d"] + 0 * w["u"]})))


def test_a_claim_can_be_judged_whatever_is_read_after_it():
    claim = about(sp.Le(sp.Symbol("u", real=True), sp.Symbol("v", real=True)))
    clear_cache()

    validate(claim)


def scene(**changes):
    return replace(LINE, **changes)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (lambda: about(of(sp.Ne, u, v)), "must be <=, <, >=, > or Eq where there is a scene, got Ne"),
        (lambda: about(of(sp.Eq, u, v + sp.I)), "`relation` must be between real numbers, got I in Eq"),
        (lambda: about(u <= (0.1 + 0.2) * v), "`relation` must have decimals of at most 15 digits, got 0.30000000000000004"),
        (lambda: about(u <= v, of(sp.Le, u, 1 / 3)), "`conditions` must have decimals of at most 15 digits, got 0.3333333333333333"),
        (lambda: about(u <= 10**400 * v), r"`relation` must have numbers between 1e-300 and 1e\+300, .* about 1e400; choose other units"),
        (lambda: about(u <= v / 10**301), "`relation` must have numbers between .* about 1e-301"),
        (lambda: about(u <= v, of(sp.Eq, u, sp.sqrt(-2))), r"`conditions` must be between real numbers, got sqrt\(2\)\*I"),
        (lambda: about(u <= v, sp.And(u <= 1, v <= 1)), "`conditions` must be .*one relation for each part"),
        (lambda: about(u <= sp.Symbol("free")), "`free` of `relation` must have a domain"),
        (lambda: about(u <= v, premises=(sp.false,)), "`premises` must not be decided"),
        (lambda: about(u <= v, scene="line"), "`scene` must be a Scene"),
        (lambda: about(u <= v, scene=scene(shapes=())), "`shapes` must be a sequence"),
        (lambda: about(u <= v, scene=scene(shapes=({"d": -1},))), "whole number >= 0"),
        (lambda: about(u <= v, scene=scene(shapes=({"d": 1.5},))), "whole number >= 0"),
        (lambda: about(u <= v, scene=scene(space=lambda s: [Box(0, 1)])), "`space` must be a function from sizes"),
        (lambda: about(u <= v, scene=scene(space=lambda s: {"u": (0, 1)})), "must give a Box for 'u'"),
        (lambda: about(u <= v, scene=scene(steps=("g",))), "must give a range for the step size 'g'"),
        (lambda: about(u <= v, scene=scene(compute=lambda s, w: 1 / 0)), "`compute` fails: ZeroDivisionError: division by zero .*line.*d=1"),
        (lambda: about(u <= sp.Symbol("w", real=True)), "`w` must be a quantity of the scene, got none; it computes d, u, v"),
        (lambda: about(u <= v, scene=scene(compute=lambda s, w: {"v": w["u"].sum()})), "`v` must keep the batch"),
        (lambda: about(u <= v, scene=scene(compute=lambda s, w: {"v": w["u"] * np.inf})), "`v` must be finite, got .* in 7 of 7 cases"),
        (lambda: about(d <= 2, scene=scene(compute=lambda s, w: {"d": s["d"] + w["u"]})), "`d` must be the size of that name, got another quantity"),
        (lambda: about(z <= 1, scene=scene(compute=lambda s, w: {"z": w["u"] - 2})), "`z` must be nonnegative as it is declared, got -"),
        (lambda: about(u <= 1, premises=(sp.Le(u, v),)), "`premises` must hold in the scene 'line', but u <= v does not: left side"),
        (lambda: about(u <= v, through=("u <= 1",)), "`through` must be <=, <, >=, >, Eq or Ne, got u <= 1"),
        (lambda: about(u <= v, through=(sp.true,)), "`through` must not be decided"),
        (lambda: about(u <= v, through=u <= 1), "`through` must be a tuple, got LessThan u <= 1"),
        (lambda: about(u <= v, premises=None), "`premises` must be a tuple, got NoneType"),
        (lambda: about(u <= v, through=(sp.Symbol("w", real=True) <= 1,)), "`w` must be a quantity of the scene"),
        (lambda: about(u <= v, through=(of(sp.Le, sp.Symbol("u", positive=True), 1),)), "`u` must be one symbol"),
        (lambda: about(u <= v, facts=("Young",)), "`facts` must be textbook lemmas .*, got 'Young'"),
        (lambda: about(u <= v, induction="n"), "`induction` must be a `verify.Induction`, got 'n'"),
        (lambda: about(u <= v, induction=Induction("d", {u: v}, {u: 0}), scene=None), "`scene` must be given where there is an `induction`"),
        (lambda: about(u <= v, induction=Induction(n, {u: v}, {u: 0})), "`over` of `induction` must be the name of a size, got n"),
        (lambda: about(u <= v, induction=Induction("d", {u: "v"}, {u: 0})), "`later` of `induction` must be a mapping of symbols, got"),
        (lambda: about(u <= v, induction=Induction("d", {u: v}, {"u": 0})), "`first` of `induction` must be a mapping of symbols, got"),
        (lambda: about(u <= v, induction=Induction("d", {u: v}, {u: 0}, u <= 1)), "`through` of `induction` must be a tuple, got u <= 1"),
        (lambda: about(u <= v, induction=Induction("d", {u: v}, {u: 0}, ("x",))), "`through` must be <=, <, >=, >, Eq or Ne, got x"),
    ],
)  # fmt: skip
def test_what_cannot_is_refused_in_a_sentence(claim, said):
    with pytest.raises(UsageError, match=said):
        validate(claim())


def test_a_premise_may_fail_by_rounding_and_outside_of_the_conditions():
    validate(about(u <= 2, premises=(sp.Le(u, 1 - sp.Rational(1, 10**8)),)))
    validate(about(u <= 2, sp.Le(u, 0), premises=(sp.Le(u, v),)))
    with pytest.raises(UsageError, match="premises"):
        validate(about(u <= 2, premises=(sp.Le(u, 1 - sp.Rational(1, 10**4)),)))


def test_a_premise_says_nothing_where_it_is_not_defined():
    validate(about(u <= 2, premises=(sp.Le(u**2 / v, 1),)))  # 0/0 at u = 0
    with pytest.raises(UsageError, match=r"left side 1, right side 0\.5"):
        validate(about(u <= 2, premises=(sp.Le(u**2 / v, sp.Rational(1, 2)),)))


def test_half_of_the_numbers_may_be_infinite():
    some = scene(compute=lambda s, w: {"v": np.where(np.arange(7) < 3, np.inf, 1.0) + 0 * w["u"]})
    validate(about(u <= v, scene=some))
    validate(about(u <= v, scene=scene(compute=lambda s, w: {"v": np.ones((1, 2))})))
    most = scene(compute=lambda s, w: {"v": np.where(np.arange(7) < 4, np.inf, 1.0) + 0 * w["u"]})
    with pytest.raises(UsageError, match="4 of 7"):
        validate(about(u <= v, scene=most))


# ------------------------------------------------------------------------------------------------------- sizes


def test_identities_at_symbols_have_certificates_entry_by_entry():
    import numpy as np

    a, b = sp.symbols("a b", real=True)
    values = {
        "u": np.array([[(a + b) ** 2, a]], dtype=object),
        "v": np.array([[a**2 + 2 * a * b + b**2, a]], dtype=object),
    }
    found = identity_at(of(sp.Eq, u, v), values)
    assert len(found) == 2
    assert None not in found
    assert identity_at(of(sp.Eq, u, -v), values) is None
    assert identity_at(of(sp.Eq, u, v + 1), values) is None
    proof = proof_at([{"d": 1}, {"d": 3}], [found, [None]])
    assert (proof["count"], proof["uncertified"], proof["sizes"]) == (2, 1, [{"d": 1}, {"d": 3}])
    assert sentence(at_sizes(proof, covers="so")) == "at 2 sizes with d <= 3: so"
    assert len(proof["certificates"]) == 2


def test_slacks_are_shown_and_wrong_ones_are_not():
    a, b = sp.symbols("a b", real=True)
    c = sp.Symbol("c", nonnegative=True)
    assert slack_at(2 * a * b, a**2 + b**2, (a - b) ** 2, {}) is not None
    assert slack_at(2 * a * b, a**2 + b**2 + 1, (a - b) ** 2, {}) is None
    assert slack_at(a**2 + b**2, 2 * a * b, -((a - b) ** 2), {}) is None
    above = {c: (b - a, (sp.Le(a, b),))}
    assert slack_at(a, a + c, c, above) is None  # b - a is not c
    found = slack_at(a, b, c, above)
    assert found["lines"][0] == {"given": [">=", ["+", "b", ["*", "-1", "a"]], "0"], "by": "condition a <= b"}


def test_sizes_are_those_of_the_shapes_once_each():
    shapes = [{"n": 2, "d": 1}, {"n": 1, "d": 1}]
    assert sizes_of([*shapes, shapes[0]]) == shapes
    assert sizes_of([]) == []
    ends = [{"K": k, "t": t, "m": 2} for k in (2, 3) for t in (0, 1)]
    assert sizes_text(ends) == "2 <= K <= 3, t <= 1, m = 2"
    assert common([None, None]) is None
    assert verdict_with_sizes({"verdict": "proved", "sizes": [{"n": 1}, {"n": 2}]}) == "proved (n <= 2)"
    assert verdict_with_sizes({"verdict": "unrefuted", "sizes": [{"n": 1}]}) == "unrefuted"
    assert verdict_with_sizes({"verdict": "not judged"}) == "not judged"


# ---------------------------------------------------------------------------------------------- premises, links


def claim(id, relation, *conditions, scene=None, premises=()):
    return k.claim(k.known(id, relation, *conditions), bound, scene, premises=premises)


def test_premises_are_cited_from_the_same_paper_under_no_more_conditions():
    premise = sp.Le(2 * u - 1, v)
    own = claim("own", u <= v + 1, sp.Le(u, 5), scene=LINE, premises=(premise,))
    same = claim("same", premise, scene=LINE)
    free = claim("free", premise)
    other = claim("other", premise, scene=scene(compute=lambda s, w: {"v": w["u"]}))
    more = claim("more", premise, sp.Le(u, 2), scene=LINE)
    alike = claim("alike", premise, sp.Le(u, 5), scene=scene(shapes=({"d": 3},)))
    elsewhere = claim("differs", sp.Ge(2 * u - 1, v), scene=LINE)
    found = suppliers_of_premises(own, [own, same, free, other, more, alike, elsewhere])
    assert found == {
        str(premise): {
            "same": ["known.same", "known.free", "known.alike"],
            "other": ["known.other"],
            "own": [],
        }
    }
    assert suppliers_of_premises(same, [own]) == {}


def test_premises_are_cited_under_conditions_that_follow_and_no_others():
    premise = sp.Le(2 * u - 1, v)
    own = claim("own", u <= v + 1, sp.Le(u, 5), scene=LINE, premises=(premise,))
    weaker, stronger = (
        claim(word, premise, sp.Le(u, most), scene=LINE) for word, most in (("weaker", 6), ("stronger", 4))
    )
    says = suppliers_of_premises(own, [stronger, weaker])[str(premise)]
    assert says["same"] == ["known.weaker"]
    (certificate,) = says["implied"]["known.weaker"]
    check(certificate)
    assert certificate["claim"] == ["<=", "u", "6"]
    assert suppliers_of_premises(own, [stronger])[str(premise)]["same"] == []


def test_an_equation_that_others_say_may_be_an_identity_of_the_own_scene():
    premise = of(sp.Eq, v, u**2)
    covered = scene(covers="all")
    own = claim("own", v <= 1, scene=covered, premises=(premise,))
    other = claim("other", premise, scene=scene(compute=lambda s, w: {"v": w["u"]}))
    says = suppliers_of_premises(own, [other])[str(premise)]
    assert sentence(says["own"]) == "an identity of line at all sizes"
    said = claim("said", premise, scene=covered)
    assert (
        suppliers_of_premises(own, [other, said])[str(premise)]["own"] == []
    )  # about the same quantities, in another claim
    wrong = of(sp.Eq, v, u)
    says = suppliers_of_premises(
        claim("own", v <= 1, scene=covered, premises=(wrong,)),
        [claim("o", wrong, scene=scene(compute=lambda s, w: {"v": w["u"]}))],
    )
    assert says[str(wrong)]["own"] == []


def test_an_equation_is_tried_in_symbols_only_where_no_instance_breaks_it_and_no_further_than_it_is_short(
    monkeypatch,
):
    covered, elsewhere = scene(covers="all"), scene(compute=lambda s, w: {"v": w["u"]})
    wrong, right = of(sp.Eq, v, u), of(sp.Eq, v, u**2)
    own, other = (
        claim("own", v <= 1, scene=covered, premises=(right, wrong)),
        [claim("w", wrong, scene=elsewhere), claim("r", right, scene=elsewhere)],
    )
    tried = []
    values = premises.symbolic_values
    monkeypatch.setattr(
        premises, "symbolic_values", lambda at, shape: tried.append(shape) or values(at, shape)
    )
    assert [sentence(says["own"]) for says in suppliers_of_premises(own, other).values()] == [
        "an identity of line at all sizes",
        "",
    ]
    assert tried == [{}]  # between abstract vectors
    monkeypatch.setattr(premises, "ROOM", 10)
    premises.identity_of.cache_clear()
    assert not any(says["own"] for says in suppliers_of_premises(own, other).values())
    assert tried == [{}, {}, {"d": 1}]


@pytest.mark.parametrize("place", range(7))
def test_the_most_damaging_verdict_is_shown(place):
    order = [
        Verdict.REFUTED,
        Verdict.INCONSISTENT,
        Verdict.GAP,
        Verdict.VACUOUS,
        Verdict.PROVED,
        Verdict.UNREFUTED,
        Verdict.NOT_JUDGED,
    ]
    rest = [Finding("c", verdict, "exact", "") for verdict in order[place:]]
    assert (
        overall([f.record() for f in (*reversed(rest), Finding("c", None, "exact", ""))])["verdict"]
        == order[place]
    )
    assert order[place].damaging == (place < 4)
