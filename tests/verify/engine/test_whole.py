"""The complete proof of a claim: its own certificate, those of its premises, and unproved assumptions."""

from __future__ import annotations

import json

import pytest
import sympy as sp

from bounds.statement import Scaling
from tests.verify import known as k
from tests.verify.engine.simple import LINE, QUICK, about, of, x, y
from verify import facts
from verify.engine.certificates import recheck
from verify.engine.checks.order import order
from verify.engine.checks.relation import identity
from verify.engine.judge import judge
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Box, Fact, Proved, Scene
from verify.engine.proof.premises import identity_of
from verify.engine.proof.whole import Whole, found_by, whole_of
from verify.engine.records.pool import digest
from verify.facts.known import Known

u, v, w = sp.symbols("u v w", real=True)
NEXT = of(sp.Le, x, y + 1)
LINK = of(sp.Le, x, y)


def parts(claim, *among):
    found = whole_of(claim, among, QUICK)
    for certificate in found.certificates.values():
        recheck(certificate)
    return list(found.certificates), found.rests_on, found.lacks


def test_a_derivation_without_premises_is_its_own_certificate():
    assert parts(about("c", of(sp.Le, x, x + y))) == (["known.c"], (), ())
    assert whole_of(about("no", of(sp.Le, x, y)), (), QUICK) is None


def test_premises_are_what_others_say_or_lack():
    claim = about("c", NEXT, premises=(LINK, of(sp.Le, y, 7)))
    assert parts(claim) == (["known.c"], (), ("x <= y",))  # the other one is not used
    assert parts(claim, about("o", LINK), about("p", of(sp.Le, y, 7))) == (["known.c"], ("known.o",), ())
    assert parts(claim, claim, about("p", of(sp.Le, y, 7))) == (["known.c"], (), ("x <= y",))


def test_what_another_requires_besides_is_shown():
    narrow = about("o", LINK, of(sp.Le, x, 5), of(sp.Le, x, 6))
    claim = about("c", NEXT, of(sp.Le, x, 4), premises=(LINK,))
    assert parts(claim, narrow) == (
        ["known.c", "known.c: condition 1 of known.o", "known.c: condition 2 of known.o"],
        ("known.o",),
        (),
    )
    assert parts(about("c", NEXT, of(sp.Le, x, 7), premises=(LINK,)), narrow)[1:] == ((), ("x <= y",))
    alike = about("c", NEXT, of(sp.Le, x, 5), premises=(LINK,))
    assert parts(alike, narrow) == (["known.c", "known.c: condition 1 of known.o"], ("known.o",), ())


def test_a_proof_is_kept_by_digests_and_comes_back():
    claim = about("c", NEXT, of(sp.Le, x, 4), premises=(LINK,))
    for among, rests_on, lacks in (((about("o", LINK),), ["known.o"], []), ((), [], ["x <= y"])):
        found = whole_of(claim, among, QUICK)
        named = found.named()
        assert named["certificates"] == {name: digest(c) for name, c in found.certificates.items()}
        assert (named["rests_on"], named["lacks"]) == (rests_on, lacks)
        pool = {digest(certificate): certificate for certificate in found.certificates.values()}
        assert Whole.from_names(json.loads(json.dumps(named)), pool) == found


def test_the_proof_of_a_record_is_that_of_a_check_that_proved_it():
    claim = about("c", of(sp.Le, x, x + 1))
    made = judge(claim, "quick", 0)
    (proof,) = (finding["proof"] for finding in made["evidence"] if "proof" in finding)

    def found(*evidence):
        return found_by(claim, {**made, "evidence": list(evidence)})

    whole = found({"verdict": "unrefuted", "proof": proof})
    assert whole == found_by(claim, made)
    assert whole is not None
    assert found({"verdict": "proved"}, {"verdict": "proved", "proof": proof}) == whole
    for none in ({"verdict": "unrefuted"}, {"verdict": "refuted", "proof": proof}):
        assert found(none) is None


def test_facts_and_identities_of_the_scene_come_with_it():
    space = lambda shape: {"u": Box(-1, 1)}  # noqa: E731
    compute = lambda shape, values: {"u": values["u"], "v": values["u"] ** 2}  # noqa: E731
    anywhere = Scene("anywhere", ({"n": 1}, {"n": 2}), space, compute, covers="any number")
    above = of(sp.Ge, v, 0)
    fact = Fact(
        above,
        anywhere.variant("a square", compute=lambda s, w: {**compute(s, w), "beyond": w["u"] ** 2}),
        "beyond",
    )
    proved = anywhere.variant("of use", compute=Proved(compute, (fact,)), covers="")
    claim = about("c", of(sp.Ge, v, -1), scene=proved, premises=(above,))
    assert parts(claim) == (["known.c", "known.c: v >= 0, 1 of 2", "known.c: v >= 0, 2 of 2"], (), ())
    square = of(sp.Eq, v, u**2)
    own = about("c", of(sp.Le, u**2, v + 1), scene=anywhere.variant("here", covers=""), premises=(square,))
    elsewhere = about("o", square, scene=LINE)
    assert parts(own) == (["known.c"], (), ("Eq(v, u**2)",))
    assert identity_of(square, own.scene, ())["sizes"] == [{"n": 1}, {"n": 2}]
    assert identity_of(of(sp.Eq, v, 2 * u**2), own.scene, ()) is None
    assert identity_of(of(sp.Eq, v, w), own.scene, ()) is None  # not computed by the scene
    names = ["known.c", "known.c: Eq(v, u**2), 1 of 2", "known.c: Eq(v, u**2), 2 of 2"]
    assert parts(own, elsewhere) == (names, (), ())


def test_the_fact_itself_is_all_of_its_proof():
    scene = Scene(
        "s", ({"d": 1},), lambda s: {"u": Box(-1, 1)}, lambda s, w: {"v": w["u"] ** 2}, covers="any"
    )
    assert parts(about("c", of(sp.Eq, v, u**2), scene=scene, check=identity)) == (["known.c"], (), ())


def test_facts_of_textbooks_have_a_certificate_or_are_cited():
    power, tangent = (
        facts.bernoulli(x, k.n),
        Known("a tangent", of(sp.Le, 1 + x, sp.exp(x)), "a book", about="numbers"),
    )
    used = about("c", of(sp.Ge, (1 + x) ** k.n, k.n * x), facts=(power, tangent))
    assert parts(used) == (["known.c", "known.c: Bernoulli's inequality"], (), ())
    cited = about("c", of(sp.Le, x, sp.exp(x)), facts=(power, tangent))
    assert parts(cited) == (["known.c"], (), ("a tangent (a book)",))


@pytest.mark.parametrize("terms", [1, 3])
def test_checks_that_prove_without_a_search_have_parts(terms):
    named = {str(i): i / k.n for i in range(1, terms + 1)}
    claim = Claim(k.known("order", Scaling(named, {}, 1 / k.n, (k.n,))), (order,))
    names = ["known.order"] if terms == 1 else [f"known.order, {i} of {terms}" for i in range(1, terms + 1)]
    assert parts(claim) == (names, (), ())
    outgrown = Claim(k.known("order", Scaling({"a": sp.Integer(1)}, {}, 1 / k.n, (k.n,))), (order,))
    assert whole_of(outgrown, (), QUICK) is None
