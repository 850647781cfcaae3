"""Where PEPit's documentation differs from its code, example by example, with both numbers.

All 97 examples of PEPit (commit 27dbd73 of 2026-03-11; the files of release 0.5.1 are equal) were read: the formula of the
documentation, the code under it, and the worst case where it is known. In the others no difference was seen.
"""

from __future__ import annotations

HEAD = ("example of PEPit", "documentation", "code", "both numbers")

FALSE = (
    (
        "unconstrained optimized_gradient, low-dimensional optimized_gradient",
        "bounds f(x_n)",
        "evaluates f(y_n)",
        "L = n = 1: 1/8 printed, the worst case of f(x_1) - f* is 1/6",
    ),
    (
        "nonconvex gradient_descent, low-dimensional gradient_descent",
        "4 L/(3 n) for gamma <= 1/L",
        "the same",
        "L = n = 1, gamma = 1/2: 4/3 printed, the worst case is 16/7",
    ),
    (
        "composite bregman_proximal_point",
        "D_{f_1}",
        "D_{f_2}",
        "f_1 = max(x, 0), f_2 = x^2/2, x_0 = 2, gamma = n = 1: 0 printed, f_1(x_1) = 1",
    ),
    (
        "composite douglas_rachford_splitting_contraction",
        "|w_1 - w_1'|^2",
        "|w_n - w_n'|^2",
        "mu = 1/10, L = 1, alpha = 3, n = 2: 0.350 printed, the worst case of w_1 is 0.592",
    ),
    (
        "continuous accelerated_gradient_flow_strongly_convex, second P",
        "4/3 sqrt(mu) beside the diagonal",
        "2/3 sqrt(mu)",
        "mu = 1, f = x^2/2, x = 0, v = 1: -2/3 printed, dV/dt = 2/3",
    ),
    (
        "online_follow_regularized_leader",
        "eta/2 |x - x_1|^2 with eta = D/(M sqrt n)",
        "|x - x_1|^2/(2 eta)",
        "M = 1, n = 2, D = 100: 141.4 printed, losses of slope 1 give a regret of 199.98",
    ),
    (
        "unconstrained subgradient_method",
        "no step size",
        "any step size, the same bound",
        "M = 1, n = 3, gamma = 1/8: 1/2 printed, |x| gives 5/8",
    ),
    (
        "fixed-point krasnoselskii_mann_constant_step_sizes",
        "(gamma - 1)^(2n)",
        "(2 gamma - 1)^(2n)",
        "n = gamma = 1, A = -1: 0 printed, 1 attained",
    ),
    (
        "unconstrained triple_momentum",
        "rho^(2(n+1))",
        "rho^(2n)",
        "kappa = 4, L = n = 1: 1/8 printed, 1/2 attained",
    ),
    (
        "unconstrained robust_momentum",
        "kappa = mu/L; alpha with 1 - rho^2; gamma with rho^2; y_{t+1} = y_t + ...; q_t with f(x_t) and |.|^2 inside (L - mu)(...)",
        "kappa = L/mu; (1 - rho)^2; rho^3; y_t = x_t + ...; f(y_t) and |.|^2 outside",
        "mu = 1/10, L = 1, lambda = 1/5: alpha = 8.14 printed, 1.29 in the code",
    ),
    (
        "nonconvex gradient_descent_quadratic_lojasiewicz, 3 files",
        "Theorem 3 of its source",
        "a bracket is closed too late for gamma < 1/L: a + b^2/c^2 for ((a + b)/c)^2",
        "L = n = 1, mu = 1/5, gamma = 1/2: 0.852 in the code, 0.833 with the bracket moved, 0.821 by its program",
    ),
)
"""Formulas that are false, or that differ between documentation and code."""

LETTERS = (
    (
        "composite improved_interior_algorithm",
        "4 L/(c n^2)",
        "4 L/(c (n + 1)^2)",
        "L = c = n = 1: 4 printed, 1 in the code, 0.379 by its program",
    ),
    (
        "inexact accelerated_inexact_forward_backward",
        "gamma^2 |x_{t+1} - y_t + gamma v|^2",
        "|x_{t+1} - (y_t - gamma f'(y_t)) + gamma v|^2/2",
        "an accuracy, no bound",
    ),
    ("monotone three_operator_splitting", "- C x_{t+1}", "- alpha C x_{t+1}", "no bound"),
    (
        "monotone accelerated_proximal_point",
        "tau bounds |x_n - y_n|^2",
        "|x_n - y_{n-1}|^2, as the guarantee",
        "n = 1: x_1 = y_1, so 0 for 1",
    ),
    (
        "unconstrained information_theoretic_exact_method",
        "beta_{t+1}, delta_{t+1} from A_t, A_{t+1}",
        "beta_t, delta_t",
        "beta_0 is undefined",
    ),
    ("unconstrained gradient_descent_silver_stepsize_strongly_convex", "exp(-n^1.27/kappa)", "((1 - z)/(1 + z))^2",
     "kappa = 10, n = 1: 0.905 printed, 0.669 in the code; both hold"),
    ("stochastic point_saga", "V with f_i'(x)", "V with the stored g_i", "other functions V"),
    ("online_gradient_descent", "no projection on Q", "projects", "the bound holds for both"),
    (
        "unconstrained accelerated_gradient_convex_simplified, inexact_accelerated_gradient",
        "(t - 1)/(t + 2), y_{k+1}",
        "t counts from 1",
        "from t = 0 the first factor is -1/2",
    ),
    (
        "gradient_descent_qg_convex_decreasing; optimal_strongly_monotone_proximal_point; accelerated_proximal_gradient_simplified",
        "u_t; N - 1; i/(i + 3)",
        "u_n; n - 1; t/(t + 3)",
        "letters without a meaning",
    ),
)  # fmt: skip
"""Formulas that hold, with letters, factors or indices that the code does not have."""


def lines() -> list[str]:
    """The section of docs/errata.md."""
    text = ["", "## PEPit's documentation and code", ""]
    for says, rows in (
        ("False, or different in documentation and code:", FALSE),
        ("Slips in letters, factors and indices:", LETTERS),
    ):
        text += [says, "", "| " + " | ".join(HEAD) + " |", "|---|---|---|---|"]
        text += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
        text.append("")
    return text[:-1]
