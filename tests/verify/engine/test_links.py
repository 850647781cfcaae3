"""References between records: chains of derivations, sizes of premises, lower bounds, steps of proofs."""

from unittest.mock import ANY

from verify.engine.links import missing_statements, suppliers_of_derived, with_final_verdicts
from verify.engine.model.extent import verdict_with_sizes
from verify.engine.verdict import because
from verify.engine.work.lines import Lines, final_verdict, premises_first
from verify.report.wording import sentence

IDENTITY, SHOWN = because("unjudged", why="an identity"), because("unjudged", why="shown")


def record(
    id, verdict, *, derived=(), cites=None, facts=None, sizes=None, uses=(), rests=None, tight=None, says=ANY
):
    evidence = [{"check": "bound", "verdict": verdict, "reason": [], "tightness": tight}]
    if derived:
        evidence[0]["details"] = {"derived_from": list(derived), "facts": facts or {}}
    proof = {"certificate": {}, "sizes": sizes, "rests_on": {"premises": rests or []}}
    return {
        "id": id,
        "verdict": verdict,
        "statement": {"relation": says, "conditions": []},
        "kind": "bound",
        "reason": [],
        "uses": list(uses),
        "evidence": evidence,
        "cites": cites or {},
        "proof": proof,
    }


def by(*same, other=(), own=(), own_sizes=None):
    return {"same": list(same), "other": list(other), "own": list(own), "own_sizes": own_sizes}


def sizes_shown(*records):
    return {one["id"]: one["sizes"] for one in with_final_verdicts(records)}


def verdicts(*records):
    return {one["id"]: one["verdict"] for one in with_final_verdicts(records)}


def test_a_chain_of_derivations_is_proved_from_its_end():
    a = record("a", "unrefuted", derived=["P"], cites={"P": by("b")}, tight=0.5)
    b = record("b", "unrefuted", derived=["Q"], cites={"Q": by("c")})
    assert verdicts(a, b, record("c", "proved")) == {"a": "proved", "b": "proved", "c": "proved"}
    assert verdicts(a, b, record("c", "unrefuted")) == {"a": "unrefuted", "b": "unrefuted", "c": "unrefuted"}
    assert verdicts(a, b)["b"] == "unrefuted"
    reason = sentence(with_final_verdicts([a, b, record("c", "proved")])[0]["reason"])
    assert reason == "derived by real arithmetic from b (proved); largest lhs/rhs seen 0.5"


def test_what_a_verdict_turns_on_is_awaited_and_nothing_else():
    a = record("a", "unrefuted", derived=["P", "Q", "R"], facts={"R": SHOWN})
    a["cites"] = {"P": by("b", other=["c"]), "Q": by("b", own=IDENTITY), "R": by("d"), "not used": by("e")}
    assert missing_statements([a]) == ["b", "c"]
    assert missing_statements([a, record("b", "proved", uses=["s"])]) == ["c"]
    refuted = record("a", "refuted", derived=["P"], cites={"P": by("b")})
    assert missing_statements([refuted]) == []
    outgrown = record("o", "gap")
    outgrown["evidence"][0].update(details={"outgrown by": "f"})
    assert missing_statements([outgrown]) == ["f"]


def test_a_verdict_is_final_when_all_that_it_turns_on_is_there():
    a = record("a", "unrefuted", derived=["P"], cites={"P": by("b")})
    b = record("b", "unrefuted", derived=["R"], facts={"R": SHOWN}, sizes=[{"d": 1}, {"d": 2}])
    c, d = record("c", "refuted", uses=["a"]), record("d", "not judged")
    assert [final_verdict(one["id"], {one["id"]: one}) for one in (b, c, d)] == [
        "proved (d <= 2)",
        "refuted",
        "not judged",
    ]
    assert final_verdict("a", {"a": a}) is None
    every = {one["id"]: one for one in (a, b, c, d)}
    assert [final_verdict(id, every) for id in every] == [
        verdict_with_sizes(one) for one in with_final_verdicts([a, b, c, d])
    ]


def test_premises_come_before_what_rests_on_them():
    suppliers = {"a": ["b", "e"], "b": ["c"], "c": ["a"]}
    assert premises_first(["a", "d", "b", "c"], suppliers) == ["c", "b", "a", "d"]
    assert premises_first(["d", "a"], suppliers) == ["d", "a"]


def test_a_line_waits_for_what_it_turns_on(capsys, monkeypatch):
    monkeypatch.setattr("verify.engine.work.progress.EVERY", 0)
    a = record("a", "unrefuted", derived=["P"], cites={"P": by("b")})
    b = record("b", "unrefuted", derived=["R"], facts={"R": SHOWN}, sizes=[{"d": 1}, {"d": 2}])
    lines = Lines()
    lines.expect([], 1)
    lines.add(a, "searched")
    assert capsys.readouterr().err == ""
    lines.expect([], 1)
    lines.add(b, "searched")
    assert capsys.readouterr().err.splitlines() == [
        "[1/2] a: proved (d <= 2) (searched)",
        "[2/2] b: proved (d <= 2) (searched)",
    ]


def test_a_supplier_must_say_the_premise_under_conditions_that_are_met():
    a = record("a", "unrefuted", derived=["P"], cites={"P": by("b")})
    b = record("b", "proved", says="P")
    assert verdicts(a, b)["a"] == "proved"
    assert verdicts(a, record("b", "proved", says="Q"))["a"] == "unrefuted"
    b["statement"]["conditions"] = ["x > 0"]
    assert verdicts(a, b)["a"] == "unrefuted"
    a["cites"]["P"]["implied"] = {"b": []}
    assert verdicts(a, b)["a"] == "proved"


def test_a_circle_proves_nothing():
    a = record("a", "unrefuted", derived=["P"], cites={"P": by("b")})
    b = record("b", "unrefuted", derived=["Q"], cites={"Q": by("a")})
    assert verdicts(a, b) == {"a": "unrefuted", "b": "unrefuted"}


def test_every_premise_must_be_proved_and_one_supplier_is_enough():
    a = record("a", "unrefuted", derived=["P", "Q"], cites={"P": by("b", "c"), "Q": by("d")})
    proved, holds = (lambda id: record(id, "proved")), (lambda id: record(id, "unrefuted"))
    assert verdicts(a, holds("b"), proved("c"), proved("d"))["a"] == "proved"
    assert verdicts(a, holds("b"), proved("c"), holds("d"))["a"] == "unrefuted"
    assert verdicts(a, proved("c"))["a"] == "unrefuted"
    assert "from c (proved), d (unrefuted)" in sentence(
        with_final_verdicts([a, holds("b"), proved("c"), holds("d")])[0]["reason"]
    )
    assert (
        verdicts(record("a", "refuted", derived=["P"], cites={"P": by("b")}), proved("b"))["a"] == "refuted"
    )


def test_facts_and_identities_of_the_scene_need_no_supplier():
    facts = record("a", "unrefuted", derived=["P", "Q"], cites={"Q": by(own=IDENTITY)}, facts={"P": SHOWN})
    (found,) = with_final_verdicts([facts])
    assert found["verdict"] == "proved"
    assert "the proved facts Q; P" in sentence(found["reason"])
    assert "; facts: an identity; facts: shown" in sentence(found["reason"])
    (lacks,) = with_final_verdicts([record("a", "unrefuted", derived=["P", "Q"], facts={"P": SHOWN})])
    assert lacks["verdict"] == "unrefuted"
    assert "the fact Q" in sentence(lacks["reason"])


def test_other_quantities_count_only_for_what_follows_from_conditions_alone():
    a = record("a", "unrefuted", derived=["P"], cites={"P": by(other=["b"])})
    assert verdicts(a, record("b", "proved"))["a"] == "proved"
    assert verdicts(a, record("b", "proved", sizes=[{"n": 1}]))["a"] == "unrefuted"
    assert verdicts(a, record("b", "proved", rests=["R"]))["a"] == "unrefuted"
    assert suppliers_of_derived([a, record("b", "proved")]) == {"a": {"P": {"b"}}}


def test_sizes_are_those_of_what_a_proof_rests_on():
    a = record(
        "a", "unrefuted", derived=["P"], cites={"P": by("b", "c")}, sizes=[{"d": 1}, {"d": 2}, {"d": 4}]
    )
    b, c = (
        record("b", "proved", sizes=[{"d": 1, "n": 3}, {"d": 3, "n": 3}]),
        record("c", "proved", sizes=[{"d": 2}]),
    )
    assert sizes_shown(a, b, c) == {
        "a": [{"d": 1, "n": 3}, {"d": 2}],
        "b": b["proof"]["sizes"],
        "c": c["proof"]["sizes"],
    }
    assert with_final_verdicts([record("h", "unrefuted", sizes=[{"d": 1}])])[0]["sizes"] is None


def test_sizes_of_an_identity_of_the_scene_are_those_of_what_rests_on_it():
    at = [{"d": 1}, {"d": 2}]
    a = record("a", "unrefuted", derived=["P"], cites={"P": by(own=IDENTITY, own_sizes=at)})
    assert sizes_shown(a)["a"] == at
    elsewhere = record(
        "a", "unrefuted", derived=["P"], cites={"P": by(other=["b"], own=IDENTITY, own_sizes=at)}
    )
    assert sizes_shown(elsewhere, record("b", "proved"))["a"] is None  # from conditions alone, for all sizes


def test_a_fact_of_the_scene_keeps_its_sizes_whoever_else_says_it():
    a = record(
        "a", "unrefuted", derived=["P"], cites={"P": by("b")}, facts={"P": SHOWN}, sizes=[{"d": 1}, {"d": 2}]
    )
    assert sizes_shown(a, record("b", "proved", sizes=[{"d": 1}]))["a"] == [{"d": 1}, {"d": 2}]


def test_an_order_that_a_proved_floor_outgrows_is_refuted():
    def order(floor):
        found = record("o", "gap")
        found["evidence"][0].update(
            details={"outgrown by": "f"}, reason=because("unjudged", why="false by f")
        )
        return {one["id"]: one for one in with_final_verdicts([found, floor])}["o"]

    assert order(record("f", "proved"))["verdict"] == "refuted"
    assert sentence(order(record("f", "proved"))["reason"]) == "false by f; f is proved"
    assert order(record("f", "unrefuted"))["verdict"] == "gap"


def test_a_theorem_is_linked_to_the_first_step_that_fails_and_the_given_records_stay():
    steps = [record("s1", "proved"), record("s2", "vacuous"), record("s3", "refuted")]
    theorem = record("t", "refuted", uses=["s1", "s2", "s3"])
    found = with_final_verdicts([*steps, theorem])[-1]["proof"]
    assert (found["first_failing_step"], found["its_verdict"], found["conclusion_survives"]) == (
        "s2",
        "vacuous",
        False,
    )
    assert "first_failing_step" not in theorem["proof"]
    survives = with_final_verdicts([*steps, record("t", "proved", uses=["s3"])])[-1]["proof"]
    assert survives["conclusion_survives"]
    assert (
        "first_failing_step"
        not in with_final_verdicts([*steps, record("t", "proved", uses=["s1"])])[-1]["proof"]
    )
