"""Published rates: the true ones are proved, stronger ones are refuted, and never the reverse."""

import pytest
import sympy as sp

import tests.benchmarks.pepit.all  # noqa: F401
from tests.benchmarks.pepit.__main__ import SHARES, judged
from tests.benchmarks.pepit.rate import RATES, Rate

FEW = (
    "gradient_by_gap",
    "heavy_ball_growth",
    "line_search",
    "polyak_values",
    "subgradient",
    "accelerated_proximal_gradient",
    "douglas_rachford",
    "frank_wolfe",
    "halpern",
    "resolvent",
    "sampling",
    "noise",
    "saga",
    "coordinates",
    "no_lips",
)
"""One example of each kind: class, oracle, and kind of proof."""


def verdicts(rate: Rate) -> list[str]:
    return [judged(rate, share) for share in (SHARES if rate.tight else SHARES[:1])]


@pytest.mark.parametrize("rate", [r for r in RATES if r.run.__name__ in FEW], ids=lambda r: r.run.__name__)
def test_a_rate_of_each_kind_is_decided(rate: Rate) -> None:
    assert verdicts(rate) == ["proved", "refuted", "refuted"][: 3 if rate.tight else 1]


@pytest.mark.slow
@pytest.mark.parametrize("rate", RATES, ids=lambda r: r.run.__name__)
def test_every_rate_is_decided(rate: Rate) -> None:
    assert verdicts(rate) == ["proved", "refuted", "refuted"][: 3 if rate.tight else 1]


def test_there_are_sixty_rates_with_different_names() -> None:
    assert len({rate.run.__name__ for rate in RATES}) == len(RATES) >= 60


def test_a_line_search_is_no_counterexample_unless_it_stays_on_its_line() -> None:
    """Orthogonality of gradients, the only recorded property of a line search, also holds for points off the line."""
    rate = next(r for r in RATES if r.run.__name__ == "line_search")
    claim = rate.claim(sp.Rational(24, 25))
    from verify.engine.model.claim import BUDGETS

    witness = claim.checks[0](claim, BUDGETS["quick"], 0).witness
    assert witness is not None
    assert witness.broken
    assert len(witness.instance.parameters["searched"]) == 1
