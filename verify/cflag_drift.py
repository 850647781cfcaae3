"""C-FLAG: local steps along delayed gradients, their error and the drift of the clients (Eq. 4, 5, 17-22; Lemmas 12-16).

Clients are compared at every local step, for every order in which the samples may be drawn. The proofs use that
single samples are smooth; the readings ``/ass1`` take Assumption 1 as it stands, which speaks of clients only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bounds.catalogue import statement
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.worst_case import worst_case
from verify.engine.claim import Claim
from verify.engine.delayed_identities import ANY, ANY_WEIGHTS, TOY, TWICE
from verify.engine.delayed_norms import CLIENTS, CLIENTS_SUMS, LONG, LONG_SUMS, POINTS, ROUND, SUMS
from verify.engine.main import main
from verify.engine.scene import Scene


def _in(scene: Scene | None, check: Callable[..., Any], *ids: str) -> tuple[Claim, ...]:
    return tuple(Claim(statement(f"cflag.{id}"), (check,), scene) for id in ids)


def _from(scene: Scene, check: Callable[..., Any], id: str, *premises: str) -> Claim:
    """A line that follows from other lines."""
    given = tuple(statement(f"cflag.{premise}").compared for premise in premises)
    return Claim(statement(f"cflag.{id}"), (check,), scene, given)


def _beside_worst_case(quantity: str, claim: Claim) -> Claim:
    return replace(claim, checks=(*claim.checks, worst_case(quantity, ((1, 3), (2, 3), (3, 3)))))


CLAIMS = (
    *_in(POINTS, bound, "ass1", "ass1.samples"),
    *_in(CLIENTS, entailment, "ass1.implied"),
    *_in(POINTS, inequality, "ass1.mean"),
    *_in(ANY, identity, "eq4", "eq5", "eq5.start"),
    *_in(None, inequality, "eq5.cost"),
    *_in(TOY, identity, "eq5.toy.k1", "eq5.toy.k2"),
    *_in(TWICE, agreement, "eq5.toy.label"),
    *_in(ANY, identity, "eq17", "eq18", "eq19", "eq20", "eq21.zero"),
    *_in(ANY_WEIGHTS, identity, "eq21", "eq21.zero/weights"),
    *_in(ANY, identity, "eq22", "eq31", "eq32"),
    *_in(ROUND, inequality, "eq94.a", "eq94.smooth"),
    *_in(CLIENTS, inequality, "eq94.smooth/ass1"),
    _from(ROUND, inequality, "eq94", "eq94.a", "eq94.smooth"),
    *_in(ANY, identity, "eq95"),
    *_in(ROUND, inequality, "eq96", "eq97"),
    _from(ROUND, inequality, "eq98", "eq94", "eq96", "eq97"),
    *_in(ROUND, identity, "eq99", "eq100"),
    *_in(ROUND, inequality, "eq101.e"),
    _from(ROUND, inequality, "eq101", "eq98", "eq99", "eq100", "eq101.e"),
    *_in(ROUND, inequality, "eq102"),
    *_in(ROUND, inequality, "eq103", "eq103/own", "eq104.away"),
    _from(ROUND, inequality, "eq105", "eq103/own", "eq104.away", "eq105.largest"),
    *_in(ROUND, inequality, "eq105.largest", "eq106.sum"),
    _from(ROUND, inequality, "eq106", "eq101", "eq106.sum"),
    *_in(ROUND, inequality, "eq107", "eq107/norm", "eq107.sum"),
    _from(ROUND, inequality, "eq108", "eq106", "eq107.sum"),
    *_in(ROUND, inequality, "eq109.sum"),
    _from(LONG, bound, "lem12", "eq108", "eq109.sum"),
    *_in(CLIENTS, bound, "lem12/ass1"),
    *_in(ROUND, inequality, "eq113", "eq114.smooth"),
    _from(ROUND, inequality, "eq115", "eq113", "eq114.smooth"),
    _from(ROUND, inequality, "eq116", "eq115", "lem12"),
    _from(ROUND, inequality, "eq117", "eq116"),
    *_in(ROUND, inequality, "eq119"),
    *_in(ROUND, identity, "eq120"),
    *_in(None, entailment, "eq120.four"),
    *_in(None, identity, "eq123"),
    *_in(None, entailment, "eq124", "eq125", "eq126"),
    _beside_worst_case("drift", _from(LONG, bound, "lem13")),
    _from(ROUND, inequality, "lem13.E", "lem13"),
    *_in(CLIENTS, bound, "lem13/ass1"),
    *_in(ROUND, inequality, "eq129.drift", "eq129"),
    _from(ROUND, inequality, "eq129/brackets", "lem12", "eq129.drift"),
    *_in(None, entailment, "eq130", "eq130/brackets"),
    _beside_worst_case("e", _from(LONG, bound, "cor14", "eq129/brackets")),
    *_in(CLIENTS, bound, "cor14/ass1"),
    *_in(SUMS, inequality, "eq133", "eq134", "eq135.b"),
    _from(SUMS, inequality, "eq135", "eq134", "eq135.b"),
    *_in(SUMS, inequality, "eq136.c"),
    _from(SUMS, inequality, "eq136", "eq135", "eq136.c"),
    *_in(SUMS, inequality, "eq137.d", "eq137.d/small-steps"),
    *_in(SUMS, bound, "lem15.I"),
    _beside_worst_case("rho", _from(SUMS, bound, "lem15.I/small-steps", "eq136", "eq137.d/small-steps")),
    *_in(CLIENTS_SUMS, bound, "lem15.I/ass1"),
    *_in(SUMS, inequality, "eq139"),
    *_in(SUMS, identity, "eq140"),
    *_in(SUMS, inequality, "eq141.young"),
    _from(SUMS, inequality, "eq141", "eq139", "eq140", "eq141.young"),
    *_in(SUMS, inequality, "eq142.b"),
    _from(SUMS, inequality, "eq142", "eq141", "eq142.b"),
    *_in(SUMS, inequality, "eq143.c"),
    _from(SUMS, inequality, "eq143", "eq142", "eq143.c"),
    *_in(SUMS, inequality, "eq144.d", "eq144.d/small-steps"),
    *_in(SUMS, bound, "lem15.II"),
    _from(SUMS, inequality, "lem15.II/small-steps", "eq143", "eq144.d/small-steps"),
    *_in(SUMS, inequality, "eq147", "eq147.cor14", "eq147.cor14/small-steps"),
    *_in(SUMS, bound, "lem16"),
    _beside_worst_case(
        "ebar", _from(LONG_SUMS, bound, "lem16/small-steps", "eq147", "eq147.cor14/small-steps")
    ),
    *_in(CLIENTS_SUMS, bound, "lem16/ass1"),
    *_in(ROUND, inequality, "eq97/sharp", "eq101/sharp"),
    _from(ROUND, inequality, "lem12/sharp", "eq94", "eq97/sharp", "eq101/sharp"),
    *_in(ROUND, inequality, "eq117/sharp"),
    *_in(None, entailment, "eq126/sharp"),
    *_in(ROUND, bound, "lem13/sharp"),
    *_in(ROUND, inequality, "eq101.path/sharp"),
    _from(ROUND, inequality, "cor14/sharp", "eq94", "eq97/sharp", "eq101.path/sharp"),
    *_in(SUMS, bound, "lem15.I/sharp", "lem16/sharp"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_drift"))
