"""More of the corpus: stochastic, federated and continual learning."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le
from tests.benchmarks.latex.corpus import (
    BOTTOU,
    FEDPROX,
    HANDBOOK,
    KHALED,
    LI,
    NOVA,
    SCAFFOLD,
    STICH,
    WOODWORTH,
    E,
    F,
    Fs,
    G,
    K,
    L,
    M,
    N,
    T,
    alpha,
    at,
    beta,
    delta,
    eps,
    eta,
    eta_g,
    eta_l,
    ex,
    fi,
    fs,
    g,
    gamma,
    grad,
    i,
    k,
    kappa,
    least,
    m,
    mean,
    mu,
    n,
    n2,
    r,
    rho,
    s,
    sigma,
    sigma_star,
    t,
    tau,
    up,
    val,
    w,
    ws,
    x,
    xi,
    xs,
    xt,
    y,
    z,
)
from tests.benchmarks.latex.formula import Formula, adder_to
from verify.latex.heads import BigO, Expect, Grad, Inner, Loss

MORE: list[Formula] = []


_add = adder_to(MORE)

wt, wt1, gt_ = at(w, t), at(w, t + 1), at(g, t)
given_t = (sp.Symbol("."), sp.Symbol(r"\mathcal{F}_{t}"))
xbt, xbT = at(sp.Symbol("x_bar"), t), at(sp.Symbol("x_bar"), T)
wbt, wbt1 = at(sp.Symbol("w_bar"), t), at(sp.Symbol("w_bar"), t + 1)
gradF, half = grad(wt, F), sp.Rational(1, 2)
Fs_ = sp.Symbol("F_star", real=True)
Gam, Del, C, B = (sp.Symbol(name, positive=True) for name in ("Gamma", "Delta", "C", "B"))
A = sp.Symbol("a", real=True)
S, St = sp.Symbol("S_mathcal"), at(sp.Symbol("S_mathcal"), t)
p = sp.Symbol("p", nonnegative=True)

# Stochastic gradients
_add(
    f"{BOTTOU}, Lemma 4.2",
    r"\mathbb E_{\xi_k}[F(w_{k+1})]-F(w_k)\le-\mu\alpha_k\|\nabla F(w_k)\|^2+\frac12\alpha_k^2LM",
    le(
        Expect(val(at(w, k + 1), F), sp.Symbol(r"\xi_k")) - val(at(w, k), F),
        -mu * at(alpha, k) * n2(grad(at(w, k), F)) + at(alpha, k) ** 2 * L * M / 2,
    ),
)
_add(
    f"{BOTTOU}, Theorem 4.6",
    r"\mathbb E[F(w_k)-F_*]\le\frac{\alpha LM}{2c\mu}+(1-\alpha c\mu)^{k-1}\left(F(w_1)-F_*-\frac{\alpha LM}{2c\mu}\right)",
    le(
        ex(val(at(w, k), F) - Fs_),
        alpha * L * M / (2 * sp.Symbol("c", positive=True) * mu)
        + (1 - alpha * sp.Symbol("c", positive=True) * mu) ** (k - 1)
        * (val(at(w, 1), F) - Fs_ - alpha * L * M / (2 * sp.Symbol("c", positive=True) * mu)),
    ),
    declared="c: positive; F_*: real",
)
_add(
    f"{BOTTOU}, Theorem 4.7",
    r"\mathbb E[F(w_k)-F_{\inf}]\le\frac{\nu}{\gamma+k}",
    le(ex(val(at(w, k), F) - sp.Symbol("F_inf", real=True)), sp.Symbol("nu", positive=True) / (gamma + k)),
    declared=r"\nu: positive; F_{\mathrm{inf}}: real",
)
_add(
    f"{BOTTOU}, Theorem 4.8",
    r"\mathbb E\left[\frac1K\sum_{k=1}^K\|\nabla F(w_k)\|^2\right]\le\frac{\alpha LM}{\mu}+\frac{2(F(w_1)-f^*)}{K\mu\alpha}",
    le(
        ex(mean(n2(grad(at(w, k), F)), k, 1, K) / K),
        alpha * L * M / mu + 2 * (val(at(w, 1), F) - fs) / (K * mu * alpha),
    ),
)
_add(
    f"{BOTTOU}, (4.3)",
    r"F(w)\le F(\bar w)+\nabla F(\bar w)^\top(w-\bar w)+\tfrac12L\|w-\bar w\|_2^2",
    le(
        val(w, F),
        val(sp.Symbol("w_bar"), F)
        + Inner(grad(sp.Symbol("w_bar"), F), w - sp.Symbol("w_bar"))
        + L * n2(w - sp.Symbol("w_bar")) / 2,
    ),
)
_add(
    f"{BOTTOU}, (4.8)",
    r"\mathbb E[\|g_k\|_2^2]\le M+M_G\|\nabla F(w_k)\|_2^2",
    le(ex(n2(at(g, k))), M + sp.Symbol("M_G", positive=True) * n2(grad(at(w, k), F))),
    declared="M_G: positive",
)
_add(
    "Ghadimi, Lan, 2013, Theorem 2.1",
    r"\mathbb E\|\nabla f(x_R)\|^2\le\frac{2(f(x_1)-f^*)}{\gamma N}+L\gamma\sigma^2",
    le(
        ex(n2(grad(at(x, sp.Symbol("R", integer=True, positive=True))))),
        2 * (val(at(x, 1)) - fs) / (gamma * N) + L * gamma * sigma**2,
    ),
    declared="R: count",
)
_add(
    f"{HANDBOOK}, Definition 4.16",
    r"\sigma_*^2=\frac1n\sum_{i=1}^n\|\nabla f_i(x^*)\|^2",
    eq(sigma_star**2, mean(n2(grad(xs, fi)), i, 1, n) / n),
)
_add(
    f"{HANDBOOK}, Lemma 4.19",
    r"\mathbb E\left[\|\nabla f_i(x)\|^2\right]\le4L(f(x)-f^*)+2\sigma_*^2",
    le(ex(n2(grad(x, fi))), 4 * L * (val(x) - fs) + 2 * sigma_star**2),
)
_add(
    f"{HANDBOOK}, Theorem 5.8",
    r"\mathbb E\|x^t-x^*\|^2\le(1-\gamma\mu)^t\|x^0-x^*\|^2+\frac{2\gamma}{\mu}\sigma_*^2",
    le(ex(n2(up("x", t) - xs)), (1 - gamma * mu) ** t * n2(up("x", 0) - xs) + 2 * gamma / mu * sigma_star**2),
)
_add(
    "Moulines, Bach, Non-Asymptotic Analysis of Stochastic Approximation, 2011",
    r"\delta_n\le(1-2\mu\gamma_n+2L^2\gamma_n^2)\delta_{n-1}+2\sigma^2\gamma_n^2",
    le(
        at(delta, n),
        (1 - 2 * mu * at(gamma, n) + 2 * L**2 * at(gamma, n) ** 2) * at(delta, n - 1)
        + 2 * sigma**2 * at(gamma, n) ** 2,
    ),
)
_add(
    "Gower et al., SGD: General Analysis and Improved Rates, 2019, Theorem 3.1",
    r"\mathbb E\|r^k\|^2\le(1-\gamma\mu)^k\|r^0\|^2+\frac{2\gamma\sigma^2}\mu",
    le(ex(n2(up("r", k))), (1 - gamma * mu) ** k * n2(up("r", 0)) + 2 * gamma * sigma**2 / mu),
    declared="r: vector",
)
_add(
    "Vaswani, Bach, Schmidt, Fast and Faster Convergence of SGD, 2019, (1)",
    r"\mathbb E_i\|\nabla f_i(w)\|^2\le\rho\|\nabla f(w)\|^2",
    le(Expect(n2(grad(w, fi)), sp.Symbol("i")), rho * n2(grad(w))),
)
_add(
    "Johnson, Zhang, Accelerating SGD by Variance Reduction, 2013, Theorem 1",
    r"\mathbb E f(\tilde w_s)-f(w_*)\le\alpha^s[f(\tilde w_0)-f(w_*)]",
    le(
        ex(val(at(sp.Symbol("w_tilde"), s))) - val(sp.Symbol("w_star")),
        alpha**s * (val(at(sp.Symbol("w_tilde"), 0)) - val(sp.Symbol("w_star"))),
    ),
)
_add(
    "Defazio, Bach, Lacoste-Julien, SAGA, 2014, Theorem 1",
    r"\mathbb E\|x^k-x^*\|^2\le\left(1-\frac{\mu}{2(\mu n+L)}\right)^k\left[\|x^0-x^*\|^2+\frac{n}{\mu n+L}\left[f(x^0)-f(x^*)\right]\right]",
    le(
        ex(n2(up("x", k) - xs)),
        (1 - mu / (2 * (mu * n + L))) ** k
        * (n2(up("x", 0) - xs) + n / (mu * n + L) * (val(up("x", 0)) - val(xs))),
    ),
)

# Federated learning
_add(
    f"{LI}, Assumption 3",
    r"\mathbb E\|\nabla F_k(w_t^k,\xi_t^k)-\nabla F_k(w_t^k)\|^2\le\sigma_k^2",
    le(
        ex(n2(Grad(at(F, k), up("w", t, k), up("xi", t, k)) - Grad(at(F, k), up("w", t, k)))),
        at(sigma, k) ** 2,
    ),
)
_add(
    f"{LI}, Assumption 4",
    r"\mathbb E\|\nabla F_k(w_t^k,\xi_t^k)\|^2\le G^2",
    le(ex(n2(Grad(at(F, k), up("w", t, k), up("xi", t, k)))), G**2),
)
_add(
    f"{LI}, Lemma 1",
    r"\mathbb E\|\bar w_{t+1}-w^\star\|^2\le(1-\eta_t\mu)\mathbb E\|\bar w_t-w^\star\|^2+\eta_t^2B",
    le(ex(n2(wbt1 - ws)), (1 - at(eta, t) * mu) * ex(n2(wbt - ws)) + at(eta, t) ** 2 * B),
    declared="B: positive",
)
_add(
    f"{LI}, Lemma 2",
    r"\mathbb E\|g_t-\bar g_t\|^2\le\sum_{k=1}^Np_k^2\sigma_k^2",
    le(ex(n2(gt_ - at(sp.Symbol("g_bar"), t))), mean(at(p, k) ** 2 * at(sigma, k) ** 2, k, 1, N)),
    declared="p: nonnegative",
)
_add(
    f"{LI}, Lemma 3",
    r"\mathbb E\left[\sum_{k=1}^Np_k\|\bar w_t-w_k^t\|^2\right]\le4\eta_t^2(E-1)^2G^2",
    le(ex(mean(at(p, k) * n2(wbt - up("w", k, t)), k, 1, N)), 4 * at(eta, t) ** 2 * (E - 1) ** 2 * G**2),
    declared="p: nonnegative",
)
_add(
    f"{LI}, Theorem 1",
    r"\mathbb E[F(w_T)]-F^*\le\frac{\kappa}{\gamma+T-1}\left(\frac{2B}\mu+\frac{\mu\gamma}2\mathbb E\|w_1-w^*\|^2\right)",
    le(
        ex(val(at(w, T), F)) - Fs,
        kappa / (gamma + T - 1) * (2 * B / mu + mu * gamma / 2 * ex(n2(at(w, 1) - ws))),
    ),
    declared="B: positive",
)
_add(
    f"{LI}, (4)",
    r"\Gamma=F^*-\sum_{k=1}^Np_kF_k^*",
    eq(Gam, Fs - mean(at(p, k) * at(Fs, k), k, 1, N)),
    declared=r"p: nonnegative; \Gamma: positive",
)
_add(
    f"{SCAFFOLD}, (A1)",
    r"\frac1N\sum_{i=1}^N\|\nabla f_i(x)\|^2\le G^2+B^2\|\nabla f(x)\|^2",
    le(mean(n2(grad(x, fi)), i, 1, N) / N, G**2 + B**2 * n2(grad(x))),
    declared="B: positive",
)
_add(
    f"{SCAFFOLD}, Lemma 4",
    r"\mathbb E\left\|\sum_{i=1}^\tau\Xi_i\right\|^2\le\left\|\sum_{i=1}^\tau\xi_i\right\|^2+\tau\sigma^2",
    le(ex(n2(mean(at(sp.Symbol("Xi"), i), i, 1, tau))), n2(mean(at(xi, i), i, 1, tau)) + tau * sigma**2),
    declared=r"\Xi: vector",
)
_add(
    f"{SCAFFOLD}, Lemma 5",
    r"\langle\nabla h(x),z-y\rangle\ge h(z)-h(y)+\frac\mu4\|y-z\|^2-\beta\|z-x\|^2",
    ge(
        Inner(grad(x, sp.Symbol("h")), z - y),
        val(z, sp.Symbol("h")) - val(y, sp.Symbol("h")) + mu / 4 * n2(y - z) - beta * n2(z - x),
    ),
    declared="h: loss",
)
_add(
    f"{SCAFFOLD}, Lemma 8",
    r"\mathcal E_r\le\frac{8\eta^2\sigma^2}{K}+\frac14\|\nabla f(x)\|^2",
    le(at(sp.Symbol("E_mathcal", nonnegative=True), r), 8 * eta**2 * sigma**2 / K + n2(grad(x)) / 4),
    declared=r"\mathcal{E}: nonnegative",
)
_add(
    f"{SCAFFOLD}, Theorem 1",
    r"\eta_l\le\frac1{(1+B^2)6\beta K\eta_g}",
    le(eta_l, 1 / ((1 + B**2) * 6 * beta * K * eta_g)),
    declared="B: positive",
)
_add(
    f"{KHALED}, Lemma 6",
    r"\mathbb E\|r_{t+1}\|^2\le(1-\gamma\mu)\mathbb E\|r_t\|^2+\frac{2\gamma^2\sigma^2}M-\frac\gamma2\mathbb E[f(\hat x_t)-f(x_*)]+2\gamma L\mathbb E[V_t]",
    le(
        ex(n2(at(sp.Symbol("r"), t + 1))),
        (1 - gamma * mu) * ex(n2(at(sp.Symbol("r"), t)))
        + 2 * gamma**2 * sigma**2 / M
        - gamma / 2 * ex(val(at(sp.Symbol("x_hat"), t)) - val(xs))
        + 2 * gamma * L * ex(at(sp.Symbol("V", nonnegative=True), t)),
    ),
    declared="r: vector; V: nonnegative",
)
_add(
    f"{KHALED}, (5)",
    r"V_t=\frac1M\sum_{m=1}^M\|x_t^m-\hat x_t\|^2",
    eq(
        at(sp.Symbol("V", nonnegative=True), t),
        mean(
            n2(up("x", t, sp.Symbol("m", integer=True)) - at(sp.Symbol("x_hat"), t)),
            sp.Symbol("m", integer=True),
            1,
            M,
        )
        / M,
    ),
    declared="V: nonnegative; m: index",
)
_add(
    f"{STICH}, Lemma 3.1",
    r"\mathbb E\|\bar x_{t+1}-x^\star\|^2\le(1-\mu\eta_t)\mathbb E\|\bar x_t-x^\star\|^2+\eta_t^2\frac{\sigma^2}{K}-\frac12\eta_te_t+2\eta_tL\,\mathbb E\|\bar x_t-x_t\|^2",
    le(
        ex(n2(at(sp.Symbol("x_bar"), t + 1) - xs)),
        (1 - mu * at(eta, t)) * ex(n2(xbt - xs))
        + at(eta, t) ** 2 * sigma**2 / K
        - at(eta, t) * at(sp.Symbol("e", nonnegative=True), t) / 2
        + 2 * at(eta, t) * L * ex(n2(xbt - xt)),
    ),
    declared="e: nonnegative",
)
_add(
    f"{STICH}, Lemma 3.3",
    r"\frac1K\sum_{k=1}^K\mathbb E\|\bar x_t-x_t^k\|^2\le4H^2\eta_t^2G^2",
    le(
        mean(ex(n2(xbt - up("x", t, k))), k, 1, K) / K,
        4 * sp.Symbol("H", integer=True, positive=True) ** 2 * at(eta, t) ** 2 * G**2,
    ),
    declared="H: count",
)
_add(
    f"{FEDPROX}, Definition 3",
    r"\mathbb E_k\left[\|\nabla F_k(w)\|^2\right]\leq\|\nabla f(w)\|^2B^2",
    le(Expect(n2(grad(w, at(F, k))), sp.Symbol("k")), n2(grad(w)) * B**2),
    declared="B: positive",
)
_add(
    f"{FEDPROX}, Theorem 4",
    r"\mathbb E_{S_t}\left[f(w^{t+1})\right]\le f(w^t)-\rho\|\nabla f(w^t)\|^2",
    le(Expect(val(up("w", t + 1)), sp.Symbol("S_t")), val(up("w", t)) - rho * n2(grad(up("w", t)))),
)
_add(
    f"{FEDPROX}, Theorem 6",
    r"T=\mathcal O\left(\frac\Delta{\rho\epsilon}\right)",
    eq(T, BigO(Del / (rho * eps))),
    declared=r"\Delta: positive",
)
_add(
    f"{FEDPROX}, (2)",
    r"h_k(w;w^t)=F_k(w)+\frac\mu2\|w-w^t\|^2",
    eq(Loss(at(sp.Symbol("h"), k), w, up("w", t)), val(w, at(F, k)) + mu / 2 * n2(w - up("w", t))),
    declared="h: loss",
)
_add(
    f"{WOODWORTH}, Theorem 1",
    r"\mathbb E[F(\hat x)]-F^*\le\frac{HB^2}{KR}+\frac{\sigma B}{\sqrt{MKR}}",
    le(
        ex(val(sp.Symbol("x_hat"), F)) - Fs,
        sp.Symbol("H", positive=True) * B**2 / (K * sp.Symbol("R", integer=True, positive=True))
        + sigma * B / sp.sqrt(M * K * sp.Symbol("R", integer=True, positive=True)),
    ),
    declared="H, B: positive; R: count",
)
_add(
    f"{NOVA}, Assumption 3",
    r"\sum_{i=1}^mw_i\|\nabla F_i(x)\|^2\le\beta^2\left\|\sum_{i=1}^mw_i\nabla F_i(x)\right\|^2+\kappa^2",
    le(
        mean(at(sp.Symbol("w", nonnegative=True), i) * n2(grad(x, at(F, i))), i, 1, m),
        beta**2 * n2(mean(at(sp.Symbol("w", nonnegative=True), i) * grad(x, at(F, i)), i, 1, m)) + kappa**2,
    ),
    declared="w: nonnegative",
)
_add(
    f"{NOVA}, Theorem 1",
    r"\min_{t\in[T]}\mathbb E\|\nabla\tilde F(\tilde x^{(t,0)})\|^2\le\epsilon",
    le(least(ex(n2(grad(up("x_tilde", t, 0, ups=2), sp.Symbol("F_tilde")))), t, 1, T), eps),
)
_add(
    f"{NOVA}, (7)",
    r"x^{(t+1,0)}-x^{(t,0)}=-\eta\sum_{i=1}^mp_ig_i^{(t)}",
    eq(up("x", t + 1, 0, ups=2) - up("x", t, 0, ups=2), -eta * mean(at(p, i) * up("g", i, t), i, 1, m)),
    declared="p: nonnegative",
)
