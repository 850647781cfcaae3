"""Lower bounds for CFL's theorems: below every run, and attained; orders distinguish logarithms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch

from bounds.catalogue import statement
from bounds.cfl.floors import MEMORY, REMEMBERING
from bounds.cfl.rates import RATE_SC
from bounds.cfl.symbols import CFL, eps
from bounds.cfl.theorems import CLEARED, FULL_SC, ITSELF, REACHED, _terms_at_rounds
from bounds.hypotheses import Hypothesis
from bounds.statement import Statement
from tests.verify.judging import drawn, proved
from verify.cfl_theorems import CLAIMS
from verify.engine.certificates.question import Undecided
from verify.engine.checks.order import order
from verify.engine.checks.relation import identity
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.model.scene import quantities
from verify.engine.proof.basis import basis_of, question_of
from verify.engine.tactics.prove import prove
from verify.engine.verdict import Verdict
from verify.report.wording import sentence
from verify.scenes.cfl.floors import least
from verify.scenes.cfl.rate import RUN, run_sizes
from verify.scenes.cfl.theorems import CFL_STRONG, FED_STRONG, SHARED_STRONG, floor


def test_floor_is_the_floor_ever_of_runs() -> None:
    h, start, client = 0.8, 2.0, 1.5
    values = {
        name: torch.tensor([x]).double() for name, x in (("h", h), ("start", start), ("client", client))
    }
    lowest = float(floor({"N": 1}, values)["floor_ever"])
    errors = []
    for step in np.linspace(0.001, 1.2, 400):
        for sign in (1, -1):
            model, path = start, []
            for _ in range(200):
                model -= step * (h * model - sign * client)
                path.append(model)
            errors.append(h * np.square(path) / 2)
    pairs = np.mean(np.array(errors).reshape(400, 2, 200), axis=1)
    assert pairs.min() >= lowest - 1e-12
    assert pairs.min() == pytest.approx(lowest, rel=1e-2)


def test_the_floor_ever_is_that_of_a_fine_grid() -> None:
    rng = np.random.default_rng(0)
    h, start2, spread, kept = (torch.as_tensor(rng.uniform(0, 1, 50)) for _ in range(4))
    rho = kept + (1 - kept) * torch.linspace(0, 1, 4001, dtype=torch.float64)[:, None]
    errors = h / 2 * (rho**2 * start2 + (1 - rho) ** 2 * spread)
    torch.testing.assert_close(errors.amin(0), least(h, start2, spread, kept), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("T", [2, 5])
def test_no_run_of_new_clients_ends_below_the_floor(T: int) -> None:
    """Exact moments of runs with the weights of Lemma B.4, without noise and loss, at steps up to the limit."""
    shape = run_sizes(T=T, N=2)
    p = drawn(RUN, shape, batch=64)
    p |= {name: 0 * p[name] for name in ("lost", "sigma")}
    p["h"] = p["h"] + 0.1
    rates = torch.linspace(0.002, 0.1076, 64, dtype=torch.float64)
    p |= {"start": p["start"].abs() + 0.1, "time": p["time"] + 0.05}
    sizes = {"eta_g": torch.ones(64).double(), "eta_l": rates / p["h"][:, 0]}
    after = quantities(RUN, shape, {**p, **sizes}, sizes)["after2"][:, -1] * p["h"][:, 0] / 2
    names = ("h", "start", "client", "time")
    same = {name: p[name][:, 0] for name in names} | dict.fromkeys(("lost", "target", "room"), 0 * rates)
    there = {"T": T, "N": 2, "K": 1, "hidden": 1, "memory": 1, "quiet": 0, "returning": 0}
    floor_after = quantities(CFL_STRONG, there, {**same, "stiff": rates / rates}, {})["floor_after"]
    assert (after >= floor_after * (1 - 1e-12)).all()
    assert (after < 3 * floor_after).any()


def test_without_memory_the_floor_falls_like_one_over_the_rounds() -> None:
    numbers = {
        "h": 1.0,
        "start": 1e6,
        "client": 0.0,
        "time": 1.0,
        "lost": 0.0,
        "stiff": 1.0,
        "target": 1.0,
        "room": 0.0,
    }
    values = {name: torch.tensor([x]).double() for name, x in numbers.items()}
    shape = {**FED_STRONG.shapes[0], "T": 400, "hidden": 1}
    assert float(quantities(FED_STRONG, shape, values, {})["floor_after"]) == pytest.approx(1 / 800, rel=1e-3)


def test_a_dropped_logarithm_is_found() -> None:
    printed = statement("cfl.B44.sc.rate.first")
    T = next(v for v in printed.relation.variables if v.name == "T")
    kept = replace(printed, relation=replace(printed.relation, claimed=printed.relation.claimed * sp.log(T)))
    judged = [order(Claim(s, (order,)), BUDGETS["quick"], 0) for s in (printed, kept)]
    assert [finding.verdict for finding in judged] == [Verdict.GAP, Verdict.PROVED]
    assert "too large in T" in sentence(judged[0].reason)


def test_what_drifts_share_is_not_averaged_away() -> None:
    """A larger shared part leaves a higher floor, for which Theorem 4.7 does not require more rounds; without it,
    Theorem 4.1 applies.
    """
    one = torch.ones(2, dtype=torch.float64)
    values = {"h": one, "start": one, "time": 10 * one, "client": 0 * one, "lost": 0 * one, "stiff": one}
    values |= {"target": one / 4, "room": 0 * one, "common": torch.tensor([0.0, 0.5], dtype=torch.float64)}
    shape = {**SHARED_STRONG.shapes[0], "T": 200}
    shared, alone = SHARED_STRONG.compute(shape, values), CFL_STRONG.compute(shape, values)
    assert shared["floor_after"][0] == alone["floor_after"][0]
    assert shared["floor_after"][1] > 10 * shared["floor_after"][0]
    assert shared["eps"][1] <= shared["eps"][0]
    torch.testing.assert_close(shared["F2"] + shared["M2"], shared["D2"])


@pytest.mark.parametrize("reached", REACHED, ids=lambda reached: reached.id)
def test_a_term_at_its_rounds_is_computed(reached: Statement) -> None:
    """The relation contains the number of rounds; doubling it changes the value."""
    left = reached.relation.lhs
    assert left != eps
    assert sp.simplify(left.doit()) == eps
    found = identity(Claim(reached, (identity,)), BUDGETS["quick"], 0)
    assert (found.verdict, found.method) == (Verdict.PROVED, "symbolic")


@pytest.mark.parametrize("name", sorted(FULL_SC.keys() & RATE_SC.keys()))
def test_a_wrong_number_of_rounds_is_refuted(name: str) -> None:
    (wrong,) = _terms_at_rounds("wrong", {name: 2 * FULL_SC[name]}, {name: RATE_SC[name]}, "Theorem B.5", "")
    assert identity(Claim(wrong, (identity,)), BUDGETS["quick"], 0).verdict is Verdict.REFUTED


@pytest.mark.parametrize("cleared", CLEARED, ids=lambda cleared: cleared.id)
def test_a_floor_follows_from_both_of_its_halves(cleared: Statement) -> None:
    """For all sizes, by certificates through the maximum that selects the remainder of the start."""
    claims = {claim.statement.id: claim for claim in CLAIMS}
    for id in (cleared.id, cleared.uses[-1]):
        found = basis_of(claims[id], BUDGETS["quick"])
        assert found.proof is not None
        assert (found.outcome, found.proof["sizes"]) == ("proved", None)


@pytest.mark.parametrize("step", [MEMORY, *REMEMBERING], ids=lambda step: step.id)
def test_what_remembered_drifts_come_to_is_proved(step: Statement) -> None:
    claims = {claim.statement.id: claim for claim in CLAIMS}
    assert proved(claims[step.id])


def test_a_smaller_share_of_remembered_drifts_is_not_proved() -> None:
    """Time drifts alone, remembered without loss for 9 rounds, leave 9/10 of the claimed value, which 4/5 does not
    allow.
    """
    relation = MEMORY.compared
    given = {"G2": 0, "D2": 1, "R2": 0, "T": 9}
    small, large = (side.subs({s: given[s.name] for s in side.free_symbols}) for side in relation.args)
    assert small / large == sp.Rational(9, 10)
    less = replace(MEMORY, relation=relation.func(relation.lhs, sp.Rational(4, 5) * relation.rhs))
    claim = next(claim for claim in CLAIMS if claim.statement.id == MEMORY.id)
    assert isinstance(prove(question_of(replace(claim, statement=less)), 12), Undecided)


@pytest.mark.parametrize("theorem", ITSELF, ids=lambda theorem: theorem.id)
def test_the_letter_of_a_floor_is_not_that_of_an_error(theorem: Statement) -> None:
    """The lower bound of an error has its own letter, because the error may be large where its lower bound is small."""
    assert "lower bound" in CFL[str(theorem.lhs)].meaning
    assert "lower bound" in theorem.says
    assert r"\mathbb E f" not in theorem.latex()


@pytest.mark.parametrize("cleared", CLEARED, ids=lambda cleared: cleared.id)
def test_no_floor_is_offered_in_place_of_a_theorem(cleared: Statement) -> None:
    assert "/" not in cleared.id
    assert cleared.hypotheses == (Hypothesis.NEW_CLIENTS,)


MEMORY_LASTS = [theorem for theorem in ITSELF if "/returning" in theorem.id]


@pytest.mark.parametrize("theorem", MEMORY_LASTS, ids=lambda theorem: theorem.id)
def test_the_same_clients_refute_a_theorem_on_memory(theorem: Statement) -> None:
    claim = next(claim for claim in CLAIMS if claim.statement == theorem)
    found = claim.checks[0](claim, BUDGETS["quick"], 0)
    assert found.verdict is Verdict.REFUTED
    assert found.witness is not None
    assert found.witness.instance.shape["returning"] == found.witness.instance.shape["N"]


@pytest.mark.parametrize(
    "number", ["4.1.sc", "4.1.gc", "4.4.sc", "4.4.gc", "B.5.sc", "B.5.gc", "B.6.sc", "B.6.gc"]
)
def test_a_printed_theorem_is_judged_with_returning_clients_too(number: str) -> None:
    """The same clients refute it as well."""
    claim = next(claim for claim in CLAIMS if claim.statement.id == f"cfl.thm{number}")
    assert claim.scene is not None
    shapes = tuple(shape for shape in claim.scene.shapes if shape["returning"] == shape["N"])
    assert 0 < len(shapes) < len(claim.scene.shapes)
    alone = replace(claim, scene=replace(claim.scene, shapes=shapes))
    assert claim.checks[0](alone, BUDGETS["quick"], 0).verdict is Verdict.REFUTED
