"""More of the corpus: federated and continual learning, and known rates."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le, lt
from tests.benchmarks.latex.corpus import (
    CHAUDHRY,
    EVRON,
    GEM,
    GUIDE,
    KOLOSKOVA,
    REDDI,
    D,
    F,
    G,
    K,
    L,
    M,
    N,
    T,
    a,
    at,
    eta,
    eta_l,
    ex,
    fi,
    fs,
    g,
    gamma,
    grad,
    i,
    j,
    k,
    largest,
    least,
    m,
    mean,
    mu,
    n,
    n2,
    sigma,
    sigma_g,
    t,
    tau,
    theta,
    up,
    val,
    w,
    x,
    xs,
    xt,
    zeta,
)
from tests.benchmarks.latex.formula import Formula, adder_to
from verify.latex.heads import BigO, Inner, SumOver

REST: list[Formula] = []


_add = adder_to(REST)

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

_add(
    f"{KOLOSKOVA}, Assumption 3",
    r"\frac1n\sum_{i=1}^n\|\nabla f_i(x^\star)\|_2^2\le\bar\zeta^2",
    le(mean(n2(grad(xs, fi)), i, 1, n) / n, sp.Symbol("zeta_bar", nonnegative=True) ** 2),
)
_add(
    f"{KOLOSKOVA}, Lemma 8",
    r"\mathbb E\|\bar x^{(t+1)}-x^\star\|^2\le\left(1-\frac{\eta_t\mu}2\right)\mathbb E\|\bar x^{(t)}-x^\star\|^2+\frac{\eta_t^2\bar\sigma^2}n-\eta_te_t+\eta_t\frac{3L}n\sum_{i=1}^n\|\bar x^{(t)}-x_i^{(t)}\|^2",
    le(
        ex(n2(up("x_bar", t + 1) - xs)),
        (1 - at(eta, t) * mu / 2) * ex(n2(up("x_bar", t) - xs))
        + at(eta, t) ** 2 * sp.Symbol("sigma_bar", nonnegative=True) ** 2 / n
        - at(eta, t) * at(sp.Symbol("e", nonnegative=True), t)
        + at(eta, t) * 3 * L / n * mean(n2(up("x_bar", t) - up("x", i, t)), i, 1, n),
    ),
    declared="e: nonnegative",
)
_add(
    f"{REDDI}, Theorem 1",
    r"\min_{0\le t\le T-1}\mathbb E\|\nabla f(x_t)\|^2\le\mathcal O\left(\frac1{\sqrt{mKT}}\right)",
    le(least(ex(n2(grad(xt))), t, 0, T - 1), BigO(1 / sp.sqrt(m * K * T))),
)
_add(
    f"{REDDI}, Assumption 2",
    r"\frac1m\sum_{i=1}^m\|\nabla F_i(x)-\nabla f(x)\|^2\le\sigma_g^2",
    le(mean(n2(grad(x, at(F, i)) - grad(x)), i, 1, m) / m, sigma_g**2),
)
_add(
    f"{REDDI}, Lemma 3",
    r"\frac1m\sum_{i=1}^m\mathbb E\|x_{i,k}^t-x_t\|^2\le5K\eta_l^2(\sigma_l^2+6K\sigma_g^2)+30K^2\eta_l^2\mathbb E\|\nabla f(x_t)\|^2",
    le(
        mean(ex(n2(up("x", i, k, t) - xt)), i, 1, m) / m,
        5 * K * eta_l**2 * (sp.Symbol("sigma_l", nonnegative=True) ** 2 + 6 * K * sigma_g**2)
        + 30 * K**2 * eta_l**2 * ex(n2(grad(xt))),
    ),
)
_add(
    f"{GUIDE}, Theorem 1",
    r"\mathbb E\left[\frac1{\tau T}\sum_{t=0}^{T-1}\sum_{k=1}^\tau F(\bar x^{(t,k)})-F(x^\star)\right]\le\frac{D^2}{2\eta\tau T}+\frac{\eta\sigma^2}M+4\tau\eta^2L\sigma^2+18\tau^2\eta^2L\zeta^2",
    le(
        ex(mean(mean(val(up("x_bar", t, k, ups=2), F), k, 1, tau), t, 0, T - 1) / (tau * T) - val(xs, F)),
        D**2 / (2 * eta * tau * T)
        + eta * sigma**2 / M
        + 4 * tau * eta**2 * L * sigma**2
        + 18 * tau**2 * eta**2 * L * zeta**2,
    ),
)
_add(
    "Yang, Fang, Liu, Achieving Linear Speedup with Partial Participation, 2021, Lemma 2",
    r"\frac1m\sum_{i=1}^m\mathbb E\|x_{t,k}^i-x_t\|^2\le5K\eta_L^2(\sigma_L^2+6K\sigma_G^2)+30K^2\eta_L^2\|\nabla f(x_t)\|^2",
    le(
        mean(ex(n2(up("x", t, k, i) - xt)), i, 1, m) / m,
        5
        * K
        * sp.Symbol("eta_L", positive=True) ** 2
        * (sp.Symbol("sigma_L", nonnegative=True) ** 2 + 6 * K * sp.Symbol("sigma_G", nonnegative=True) ** 2)
        + 30 * K**2 * sp.Symbol("eta_L", positive=True) ** 2 * n2(grad(xt)),
    ),
)
_add(
    "McMahan et al., Communication-Efficient Learning, 2017, (1)",
    r"f(w)=\frac1n\sum_{i=1}^nf_i(w)",
    eq(val(w), mean(val(w, fi), i, 1, n) / n),
)
_add(
    "McMahan et al., 2017, Section 2",
    r"w_{t+1}=w_t-\eta\sum_{k=1}^K\frac{n_k}ng_k",
    eq(wt1, wt - eta * mean(at(n, k) / n * at(g, k), k, 1, K)),
)
_add(
    "Mohri, Sivek, Suresh, Agnostic Federated Learning, 2019",
    r"\mathcal L(w)\le\max_{k\in[K]}\mathcal L_k(w)",
    le(val(w, sp.Symbol("L_mathcal")), largest(val(w, at(sp.Symbol("L_mathcal"), k)), k, 1, K)),
)
_add(
    "Acar et al., FedDyn, 2021, (1)",
    r"\frac1m\sum_{k\in\mathcal S_t}\nabla L_k(\theta)=0",
    eq(SumOver(grad(theta, at(sp.Symbol("L"), k)), k, St) / m, 0),
    declared="L: loss",
)
_add(
    "Yu, Yang, Zhu, Parallel Restarted SGD, 2019, Theorem 1",
    r"\frac1T\sum_{t=1}^T\mathbb E\left[\|\nabla f(\bar x^{t-1})\|^2\right]\le\frac2{\gamma T}(f(\bar x^0)-f^*)+4\gamma^2I^2G^2L^2+\frac L N\gamma\sigma^2",
    le(
        mean(ex(n2(grad(up("x_bar", t - 1)))), t, 1, T) / T,
        2 / (gamma * T) * (val(up("x_bar", 0)) - fs)
        + 4 * gamma**2 * sp.Symbol("I", integer=True, positive=True) ** 2 * G**2 * L**2
        + L / N * gamma * sigma**2,
    ),
    declared="I: count",
)

# Continual learning
_add(
    f"{GEM}, (1)",
    r"\mathrm{ACC}=\frac1T\sum_{i=1}^TR_{T,i}",
    eq(sp.Symbol("ACC", real=True), mean(at(sp.Symbol("R", real=True), T, i), i, 1, T) / T),
    declared=r"\mathrm{ACC}, R: real",
)
_add(
    f"{GEM}, (2)",
    r"\mathrm{BWT}=\frac1{T-1}\sum_{i=1}^{T-1}(R_{T,i}-R_{i,i})",
    eq(
        sp.Symbol("BWT", real=True),
        mean(at(sp.Symbol("R", real=True), T, i) - at(sp.Symbol("R", real=True), i, i), i, 1, T - 1)
        / (T - 1),
    ),
    declared=r"\mathrm{BWT}, R: real",
)
_add(f"{GEM}, (7)", r"\langle g,g_k\rangle\ge0 \text{ for all } k<t", ge(Inner(g, at(g, k)), 0), lt(k, t))
_add(
    f"{CHAUDHRY}, (3)",
    r"f_j^k=\max_{l\in\{1,\dots,k-1\}}a_{l,j}-a_{k,j}",
    eq(
        up("f", j, k, real=True),
        largest(at(a, sp.Symbol("l", integer=True), j), sp.Symbol("l", integer=True), 1, k - 1) - at(a, k, j),
    ),
    declared="f: real; a: real",
)
_add(
    f"{EVRON}, Theorem 8",
    r"a_k\le\frac1{e(k-1)}",
    le(at(A, k), 1 / (sp.E * (k - 1))),
    declared="a: real; e: constant",
)
_add(
    "Chaudhry et al., Efficient Lifelong Learning with A-GEM, 2019, (9)",
    r"\tilde g=g-\frac{g^\top g_{\mathrm{ref}}}{g_{\mathrm{ref}}^\top g_{\mathrm{ref}}}g_{\mathrm{ref}}",
    eq(
        sp.Symbol("g_tilde"),
        g - Inner(g, sp.Symbol("g_ref")) / Inner(sp.Symbol("g_ref"), sp.Symbol("g_ref")) * sp.Symbol("g_ref"),
    ),
)
