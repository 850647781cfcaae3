"""Vacuity of a statement: a proved trivial bound, a certificate that it is never better, implied conditions."""

import json

import pytest
import sympy as sp

from tests.verify.engine.simple import LINE, of, v
from tests.verify.engine.test_links import by, record
from verify import Notes, free_lunch, inequality
from verify.engine.judge import judge
from verify.engine.links import missing_statements, with_final_verdicts
from verify.engine.model.textbook import declaration_of
from verify.engine.records import standing
from verify.engine.topics import claim_of
from verify.facts.known import Known
from verify.report.wording import sentence


def verdicts(notes):
    claims = notes.claims
    return {
        r["id"].partition(".")[2]: r["verdict"]
        for r in with_final_verdicts([judge(claim, "quick", 0, claims) for claim in claims])
    }


@pytest.mark.parametrize(
    ("needs", "claimed", "limit", "expected"),
    [
        (None, 3, None, "vacuous"),
        (None, 1, None, "proved"),  # better
        (2, 3, None, "proved"),  # the trivial bound has a further condition
        (2, 3, 1, "vacuous"),  # which follows
        (2, 3, 4, "proved"),  # which does not follow
    ],
    ids=["worse", "better", "needs more", "follows", "does not follow"],
)
def test_what_is_free_counts_where_its_conditions_follow(needs, claimed, limit, expected):
    notes = Notes("n")
    x, y = notes.positive("x y")
    free = notes.claim("free", x * y / (1 + y) <= 2 * x, *(() if needs is None else (y <= needs,)))
    notes.claim(
        "worse",
        x * y / (1 + y) <= claimed * x,
        *(() if limit is None else (y <= limit,)),
        checks=(inequality, free_lunch(free.statement)),
    )
    assert verdicts(notes) == {"free": "proved", "worse": expected}


def test_what_is_free_requires_is_shown_by_certificates_that_are_checked(monkeypatch):
    notes = Notes("n")
    x, y = notes.positive("x y")
    free = notes.claim("free", x * y / (1 + y) <= 2 * x, y <= 2)
    worse = notes.claim(
        "worse", x * y / (1 + y) <= 3 * x, y <= 1, checks=(inequality, free_lunch(free.statement))
    )
    monkeypatch.setattr(standing, "statement", {free.statement.id: free.statement}.__getitem__)
    evidence = json.loads(json.dumps(judge(worse, "quick", 0, notes.claims)["evidence"]))[
        1:
    ]  # the comparison
    assert standing.doubt(worse, evidence, 0) == ""
    compared = evidence[0]["details"]["comparison"]
    (condition,) = compared["requires"]
    for forged in ({}, {condition: evidence[0]["proof"]["certificate"]}):
        compared["requires"] = forged
        assert standing.doubt(worse, evidence, 0) != ""


def test_a_free_bound_that_is_refuted_makes_nothing_vacuous():
    notes = Notes("n")
    x, y = notes.positive("x y")
    free = notes.claim("free", x * y <= 2 * x)
    notes.claim("worse", x * y <= 3 * x, y <= 1, checks=(inequality, free_lunch(free.statement)))
    assert verdicts(notes) == {"free": "refuted", "worse": "proved"}


def test_points_alone_make_nothing_vacuous():
    """That the other bound is smaller, ln x + 1 <= x, is known at points only."""
    notes = Notes("n")
    import sympy as sp

    x = notes.positive("x")
    left = notes.real("left")
    free = notes.claim("free", left <= sp.log(x) + 1, left <= sp.log(x))
    worse = notes.claim(
        "worse", left <= x, left <= sp.log(x), checks=(inequality, free_lunch(free.statement))
    )
    found = judge(worse, "quick", 0, notes.claims)
    assert [f["verdict"] for f in found["evidence"]] == ["proved", None]
    assert "which is no proof" in sentence(found["evidence"][1]["reason"])


def said(id, verdict, relation="Q"):
    """A record of a statement without conditions and restrictions."""
    stated = {"relation": relation, "conditions": [], "hypotheses": [], "restrictions": {}}
    return {**record(id, verdict), "statement": stated}


def compared(premises=(), facts=(), **cites):
    one = {**said("a", "proved"), "cites": cites}
    one["evidence"].append(
        {
            "check": "free lunch",
            "verdict": None,
            "method": "symbolic",
            "reason": [{"code": "unjudged", "why": "never better"}],
            "proof": {"certificate": {}, "sizes": None},
            "details": {"comparison": {"with": "f", "premises": list(premises), "facts": dict(facts)}},
        }
    )
    return one


@pytest.mark.parametrize(
    ("one", "others", "expected"),
    [
        (compared(), [said("f", "proved")], "vacuous"),
        (compared(), [said("f", "unrefuted")], "proved"),
        (compared(), [], "proved"),
        (compared(["P"], P=by("p")), [said("f", "proved"), said("p", "proved", "P")], "vacuous"),
        (compared(["P"], P=by("p")), [said("f", "proved"), said("p", "unrefuted", "P")], "proved"),
        (compared(["P"], {"P": "a fact"}), [said("f", "proved")], "vacuous"),
        (compared(["P"]), [said("f", "proved")], "proved"),
    ],
)
def test_all_that_a_comparison_rests_on_must_be_proved(one, others, expected):
    assert with_final_verdicts([one, *others])[0]["verdict"] == expected
    assert "f" in missing_statements([one])
    assert ("p" in missing_statements([one])) == ("P" in one["cites"])


def test_a_condition_of_a_class_needs_no_proof_where_it_is_declared_and_instances_meet_it():
    def declared(relation, said=None):
        fact = Known("least value", relation if said is None else said, "by definition", about="class")
        return declaration_of(relation, LINE.of_class("losses with a least value", fact))

    met, broken = of(sp.Ge, v, 0), of(sp.Ge, v, 1)
    assert sentence(declared(met)) == "losses with a least value: least value (by definition)"
    assert declared(broken) == declared(met, said=broken) == []
    assert declaration_of(met, LINE) == declaration_of(met, None) == []
    premises = claim_of("special.thm4.10").premises
    assert any(declaration_of(premise, claim_of("special.thm4.10").scene) for premise in premises)
