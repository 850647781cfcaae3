"""The corpus of true statements and false variants: sourced, large enough, and every one can be judged."""

import pytest

from tests.benchmarks.theorems.__main__ import COLLECTIONS
from tests.benchmarks.theorems.continual import CONTINUAL
from tests.benchmarks.theorems.descent import DESCENT
from tests.benchmarks.theorems.exchange import EXCHANGE
from tests.benchmarks.theorems.federated import FEDERATED
from tests.benchmarks.theorems.forgetting import FORGETTING
from tests.benchmarks.theorems.methods import METHODS
from tests.benchmarks.theorems.scalars import SCALARS
from tests.benchmarks.theorems.vectors import VECTORS
from verify.engine.judge import judge
from verify.engine.model.claim import BUDGETS
from verify.engine.model.validation import validate
from verify.engine.proof.basis import basis_of
from verify.engine.verdict import HARMLESS

TRUE = [claim for collection in COLLECTIONS for claim in collection.true]
FALSE = [claim for collection in COLLECTIONS for claim in collection.false]
PAPERS = ("SPECIAL", "Time-Evolving", "C-FLAG", "FedMeS")


def test_there_are_enough_about_federated_and_continual_learning():
    about = (FEDERATED, METHODS, EXCHANGE, CONTINUAL, FORGETTING)
    assert sum(len(collection.true) for collection in about) >= 60
    assert sum(len(collection.false) for collection in about) >= 240


def test_every_true_statement_has_a_source_outside_the_papers():
    for collection in COLLECTIONS:
        for claim in collection.true:
            source = collection.sources[claim.statement.id]
            assert any(character.isdigit() for character in source), source  # a year
            assert not any(paper in source for paper in PAPERS)


def test_every_statement_can_be_judged():
    for claim in (*TRUE[::3], *FALSE[::20]):
        validate(claim)


LONG = {"federated.sampling-rounds", "descent.nearer"}
"""Statements with long searches."""


def named(claims):
    return [
        pytest.param(
            claim, id=claim.statement.id, marks=[pytest.mark.slow] if claim.statement.id in LONG else []
        )
        for claim in claims
    ]


@pytest.mark.parametrize("claim", named(TRUE[::9]))
def test_true_statements_stand(claim):
    assert judge(claim, "quick", 0)["verdict"] in HARMLESS


DESCENTS = ("nearer", "gradient-falls", "sgd-below", "sgd-convex")
ROUNDS = (
    "fedsgd-move",
    "noise-averages",
    "decrease",
    "server-move",
    "sampling-convex",
    "sampling-variance",
    "drift-bounded",
    "moves-bounded",
    "subgradient",
    "subgradient-mean",
)
OF_VECTORS = ("random-k", "top-k", "gossip-spread", "envelope-below", "meta")
CLASSICAL = [
    *(c for c in FEDERATED.true if c.statement.id.split(".")[1] in ROUNDS),
    *(c for c in EXCHANGE.true if c.statement.id.split(".")[1] in OF_VECTORS),
    *VECTORS.true,
    *SCALARS.true,
    *(c for c in DESCENT.true if c.statement.id.split(".")[1] in DESCENTS),
]


@pytest.mark.parametrize("claim", named(CLASSICAL))
def test_classical_lemmas_are_proved(claim):
    assert basis_of(claim, BUDGETS["default"]).outcome == "proved"


@pytest.mark.parametrize("claim", named(FALSE[::20]))
def test_false_variants_fall(claim):
    assert judge(claim, "quick", 0)["verdict"] == "refuted"
