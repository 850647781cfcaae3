"""CFL, Section 5.1: the noisy quadratic model, the numbers that the text gives, Table 3, and what is said of them.

The text leaves open the dimension, the number of clients, of local steps and of rounds, the start, B, the spectrum
between mu and L, the weights of CFL, the penalty of FedProx, and the number of repetitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from bounds.cfl.problem import limit
from bounds.cfl.symbols import CFL, R2, K, L, T, at, eta_l, mu, t
from bounds.relations import eq, ge, gt, le, lt

_nonnegative, _real = CFL.nonnegative, CFL.real


# ------------------------------------------------------------------------------------------- printed numbers


@dataclass(frozen=True)
class Setting:
    """One of the eight settings: spectrum of A in [mu, L], and E|xi|^2."""

    L: int
    mu: int
    drift2: Fraction


SETTINGS: Mapping[str, Setting] = {
    f"{drift} {size}-{shape}": Setting(largest, least, drift2)
    for drift, drift2 in (("SRD", Fraction(1, 100)), ("BRD", Fraction(100)))
    for shape, least in (("SC", 1), ("GC", 0))
    for size, largest in (("SL", 5), ("LL", 20))
}
"""By the names of Table 3, in its order (lines 341, 350)."""

CLIENT2, NOISE2 = Fraction(1, 100), Fraction(1, 100_000)
"""E|delta|^2 and E|nu|^2 (line 350)."""

LEVELS: Mapping[str, Fraction] = {
    "CFL": Fraction(0),
    "CFL-0.001": Fraction(1, 1000),
    "CFL-0.01": Fraction(1, 100),
}
"""Information loss I by the names of Figure 2 (line 321)."""

_RATES = {
    "FedAvg": "0.03 0.08 0.33 0.09 0.02 0.01 0.09 0.02",
    "FedProx": "0.04 0.07 0.35 0.09 0.02 0.01 0.26 0.02",
    "CFL": "0.2 0.09 0.35 0.09 0.25 0.08 0.3 0.08",
}
BEST_RATES: Mapping[str, Mapping[str, Fraction]] = {
    method: dict(zip(SETTINGS, map(Fraction, row.split()), strict=True)) for method, row in _RATES.items()
}
"""Table 3: best learning rate by method and setting (lines 341-348)."""

# -------------------------------------------------------------------------------------------------- symbols

eig = _nonnegative("nqm_eig", "an eigenvalue of A", r"\lambda")
bend = _real("nqm_bend", "curvature of f along its eigenvector", r"f''")
bend_half = _real("nqm_bend_half", "the same, A halved in f", r"f_{1/2}''")
grad = _real("nqm_grad", "printed gradient without drift and noise", r"A\omega+B")
grad_f = _real("nqm_grad_f", "gradient of f", r"\nabla f(\omega)")
grad_half = _real("nqm_grad_half", "gradient of f, A halved in it", r"\nabla f_{1/2}(\omega)")
least = _nonnegative("nqm_least", "loss at the optimum of f", r"\|A\omega^*+B\|")
least_half = _nonnegative(
    "nqm_least_half", "loss at the optimum of f, A halved in it", r"\|A\omega^*_{1/2}+B\|"
)
far = _nonnegative("nqm_far", "distance from the optimum", r"\|\omega-\omega^*\|")
loss_far = _nonnegative("nqm_loss_far", "loss there", r"\|A\omega+B\|")
lost2 = _nonnegative("nqm_lost2", "square of a drawn information loss", r"\|\Delta\|^2")
level = _nonnegative("nqm_level", "mean of the information loss", "I")
rate_fedavg = _nonnegative("nqm_rate_fedavg", "best learning rate of FedAvg", r"\eta_l^{FedAvg}")
rate_prox = _nonnegative("nqm_rate_prox", "best learning rate of FedProx", r"\eta_l^{FedProx}")
rate_cfl = _nonnegative("nqm_rate_cfl", "best learning rate of CFL", r"\eta_l^{CFL}")
rate = _nonnegative("nqm_rate", "a learning rate of Table 3", r"\eta_l")
loss_printed = _nonnegative(
    "nqm_loss_printed", "squared loss at the rates of Table 3", r"\ell(\eta_l^{best})"
)
loss_other = _nonnegative("nqm_loss_other", "squared loss at another rate", r"\ell(\eta_l)")
best_cfl = _nonnegative("nqm_best_cfl", "squared loss of CFL at its best rate", r"\ell_{CFL}")
best_fedavg = _nonnegative("nqm_best_fedavg", "squared loss of FedAvg at its best rate", r"\ell_{FedAvg}")
start_loss2 = _nonnegative(
    "nqm_start_loss2", "squared loss at the start along an eigenvector of A, eigenvalue > 0"
)
force2 = _nonnegative("nqm_force2", "variance of the mean time drift of the clients along it")
factor_cfl = _nonnegative(
    "nqm_factor_cfl", "|factor of the distance from the optimum after T rounds of CFL|", r"\rho_{CFL}"
)
factor_fedavg = _nonnegative("nqm_factor_fedavg", "the same after T rounds of FedAvg", r"\rho_{FedAvg}")
share = _nonnegative("nqm_share", "weight of the current round", "p_t")
jump_cfl = _nonnegative(
    "nqm_jump_cfl",
    "variance of the change of the gradient Aw + B in a round of CFL",
    r"\mathrm{Var}_{CFL}(A\omega_{t+1}-A\omega_t)",
)
jump_fedavg = _nonnegative(
    "nqm_jump_fedavg",
    "variance of the change of the gradient Aw + B in a round of FedAvg",
    r"\mathrm{Var}_{FedAvg}(A\omega_{t+1}-A\omega_t)",
)
loss_less = _nonnegative("nqm_loss_less", "squared loss of CFL with less information loss")
loss_more = _nonnegative("nqm_loss_more", "squared loss of CFL with more information loss")
mean_less = _nonnegative("nqm_mean_less", "loss_less, the start as likely as its mirror image")
mean_more = _nonnegative("nqm_mean_more", "loss_more, the start as likely as its mirror image")

_SPECTRUM = (ge(eig, mu), le(eig, L), ge(L, mu))
_HALF = "f = w'Aw/2 + B'w + C"
_MODEL, _CLAIMS = "Section 5.1.1", "Section 5.1.2; Table 3, Figure 2"
_FAR = ge(start_loss2, force2)

STATEMENTS = (
    nqm_model_smooth := at(_MODEL, "333")(
        "nqm.model.smooth", "eigenvalues of A up to L make f L-smooth", le(bend, L), conditions=_SPECTRUM
    ),
    nqm_model_smooth.variant("half", le(bend_half, L), changes=_HALF),
    at(_MODEL, "333")(
        "nqm.model.convex",
        "eigenvalues of A from mu on make f mu-strongly convex",
        ge(bend, mu),
        conditions=_SPECTRUM,
    ),
    nqm_gradient := at(_MODEL, "333-337")(
        "nqm.gradient", "the printed gradient, without drift and noise, is that of f", eq(grad, grad_f)
    ),
    nqm_gradient.variant("half", eq(grad, grad_half), changes=_HALF),
    at("Section 5.1.1; Assumption 4", "184, 337-339")(
        "nqm.gradient.ass4",
        "the drawn information loss meets Assumption 4 with an R of twice its mean",
        le(lost2, R2),
        conditions=(ge(R2, 4 * level**2),),
    ),
    nqm_params_loss := at(_MODEL, "333, 352")(
        "nqm.params.loss",
        "the loss |Aw + B| is 0 at the optimum of f",
        eq(least, 0),
        conditions=(gt(eig, 0),),
    ),
    nqm_params_loss.variant("half", eq(least_half, 0), changes=_HALF),
    nqm_params_loss_far := at(_MODEL, "352")(
        "nqm.params.loss.far",
        "the loss |Aw + B| is large far from the optimum: more than 0",
        gt(loss_far, 0),
        conditions=(ge(far, 1),),
    ),
    nqm_params_loss_far.variant(
        "strong",
        ge(loss_far, mu * far),
        says="the loss |Aw + B| is large far from the optimum: mu times the distance",
        conditions=(ge(eig, mu),),
        changes="strongly convex, and large means at least mu times the distance",
    ),
    at("Table 3; Theorem 4.1", "196, 341-348")(
        "nqm.params.step",
        "the rates of CFL in Table 3 meet the step size of Theorem 4.1, with drifts that do not grow (A = B = 0)",
        le(K * eta_l, limit(sp.Integer(1), 6)),
        conditions=(le(K * eta_l, limit(sp.Integer(1), 6)),),
        changes="our own question: the text says that CFL tolerates higher rates, not that its theorem allows them",
    ),
    at("Table 3; Section 5.1.1", "333-352")(
        "tab3",
        "what the text gives of the model entails that the rates of Table 3 are best",
        le(loss_printed, loss_other),
    ),
    at("Table 3; Section 5.1.1", "337-352")(
        "tab3.stable",
        "local steps along the printed gradient do not diverge at the rates of Table 3",
        le(rate * L, 2),
    ),
    at("Table 3; Section 5.1.1", "333-352")(
        "tab3.stable/derivative",
        "local steps along the gradient of the printed f do not diverge at the rates of Table 3",
        le(2 * rate * L, 2),
        changes="the gradient is 2Aw + B, that of the printed f",
    ),
    nqm_claims_rates := at(_CLAIMS, "341-348, 358")(
        "nqm.claims.rates",
        "in Table 3 the best rates of CFL are higher than those of the baselines",
        gt(rate_cfl, sp.Max(rate_fedavg, rate_prox)),
    ),
    nqm_claims_rates.variant(
        "weak",
        ge(rate_cfl, sp.Max(rate_fedavg, rate_prox)),
        says="in Table 3 the best rates of CFL are at least those of the baselines",
        changes="at least as high",
    ),
    at(_CLAIMS, "333-352, 358")(
        "nqm.claims.rates/model",
        "in the model the best rate of CFL is at least that of FedAvg",
        ge(rate_cfl, rate_fedavg),
        changes="the rates are those of the model, in steps of 0.01, instead of those reported",
    ),
    nqm_claims_tolerates := at(_CLAIMS, "358")(
        "nqm.claims.tolerates",
        "CFL tolerates higher rates: the distance from the optimum shrinks more than in FedAvg",
        lt(factor_cfl, factor_fedavg),
        conditions=(gt(eig, 0),),
    ),
    nqm_claims_tolerates.variant(
        "same",
        eq(factor_cfl, factor_fedavg),
        says="CFL and FedAvg tolerate the same rates: the distance from the optimum shrinks alike",
        conditions=(),
        changes="alike instead of more",
    ),
    nqm_claims_outperforms := at(_CLAIMS, "333-352, 359")(
        "nqm.claims.outperforms",
        "in all settings CFL without information loss ends at a smaller loss than FedAvg, each at its best rate",
        le(best_cfl, best_fedavg),
    ),
    nqm_claims_outperforms.variant(
        "long",
        conditions=(ge(T, 20), _FAR),
        changes="at least 20 rounds, and a start whose squared loss in every axis with curvature is at least the drift",
    ),
    nqm_claims_outperforms.variant(
        "lossy",
        says="in all settings CFL ends at a smaller loss than FedAvg, each at its best rate",
        conditions=(ge(T, 20), _FAR),
        changes="CFL-0.01: the information loss is 0.01; 20 rounds and a start far away",
    ),
    at(_CLAIMS, "359")(
        "nqm.claims.smooth",
        "the weighted time drift has no more variance than that of the current round alone",
        le(share**2 + (1 - share) ** 2 / (t - 1), 1),
        conditions=(ge(t, 2), le(share, 1)),
    ),
    at(_CLAIMS, "359")(
        "nqm.claims.smooth.steps",
        "from round to round Aw + B changes with no more variance in CFL than in FedAvg, at the same rate, with which local "
        "steps do not diverge",
        le(jump_cfl, jump_fedavg),
        conditions=(le(rate * L, 2),),
    ),
    nqm_claims_loss := at(_CLAIMS, "359")(
        "nqm.claims.loss",
        "more information loss leads to a loss that is not smaller, at the same rate",
        le(loss_less, loss_more),
    ),
    nqm_claims_loss.variant(
        "centred",
        le(mean_less, mean_more),
        changes="the start is as likely as its mirror image at the optimum",
    ),
)
