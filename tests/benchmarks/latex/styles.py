"""Formulas in further notations: momentum, variance reduction, regret, compression, privacy, generalisation, aligned chains.

Each names the kind of lemma whose notation it follows. The meanings are written by hand, without the reader.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from bounds.relations import eq, ge, gt, le, lt
from tests.benchmarks.latex.corpus import (
    D,
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
    b,
    beta,
    c,
    d,
    delta,
    ell,
    eps,
    eta,
    eta_g,
    eta_l,
    ex,
    f,
    fs,
    g,
    gamma,
    grad,
    half,
    i,
    k,
    largest,
    least,
    m,
    mean,
    mu,
    n,
    n2,
    q,
    s,
    sigma,
    sigma_g,
    t,
    theta,
    u,
    up,
    v,
    val,
    w,
    ws,
    x,
    xs,
    xt,
    xt1,
    y,
)
from tests.benchmarks.latex.formula import Formula, adder_to
from verify.latex.heads import Apply, BigO, Expect, Inner, Norm, SoftO

STYLES: list[Formula] = []


_add = adder_to(STYLES)


def _number(name: str) -> Any:
    return sp.Symbol(name, nonnegative=True)


_C, _m, _e, _Delta, _B, _S = (
    sp.Symbol("C_mathcal"),
    sp.Symbol("m"),
    sp.Symbol("e"),
    *map(_number, ("Delta", "B", "S")),
)
_err, _errs = ex(n2(at(_m, t) - grad(xt))), ex(n2(at(_m, t - 1) - grad(at(x, t - 1))))
_wik, _wbar = up("w", t, i, k, ups=2), at(sp.Symbol("w_bar"), t)

_add(
    "momentum",
    r"m_{t+1} = \beta m_t + (1-\beta)\nabla f(x_t;\xi_t)",
    eq(at(_m, t + 1), beta * at(_m, t) + (1 - beta) * grad(xt).func(f, xt, at("xi", t))),
    declared="m: vector",
)
_add(
    "momentum",
    r"\mathbb E\big\|m_t-\nabla f(x_t)\big\|^2 \leq (1-\alpha)\,\mathbb E\big\|m_{t-1}-\nabla f(x_{t-1})\big\|^2"
    r" + \frac{L^2}{\alpha}\mathbb E\|x_t-x_{t-1}\|^2+\alpha^2\sigma^2",
    le(_err, (1 - alpha) * _errs + L**2 / alpha * ex(n2(xt - at(x, t - 1))) + alpha**2 * sigma**2),
    declared="m: vector",
)
_add(
    "non-convex rates",
    r"\frac1T\sum_{t=1}^T \mathbb E\left[\|\nabla f(x_t)\|^2\right] \leq \mathcal O\left(\sqrt{\frac{L\Delta\sigma^2}{T}}+\frac{L\Delta}{T}\right)",
    le(mean(ex(n2(grad(xt))), t, 1, T) / T, BigO(sp.sqrt(L * _Delta * sigma**2 / T) + L * _Delta / T)),
    declared=r"\Delta: nonnegative",
)
_add(
    "variance reduction",
    r"\mathbb E[\|v_k-\nabla f(x_k)\|^2]\le \frac{L^2}{b}\sum_{i=0}^{k-1}\mathbb E[\|x_{i+1}-x_i\|^2]",
    le(ex(n2(at(v, k) - grad(at(x, k)))), L**2 / b * mean(ex(n2(at(x, i + 1) - at(x, i))), i, 0, k - 1)),
    declared="b: real",
)
_add(
    "variance reduction",
    r"\mathbb{E}\lVert g_t - \nabla f(x_t) \rVert^2 \le 4L\left[f(x_t)-f(x^\star)+f(\tilde x)-f(x^\star)\right]",
    le(ex(n2(at(g, t) - grad(xt))), 4 * L * (val(xt) - 2 * val(xs) + val(sp.Symbol("x_tilde")))),
)
_add(
    "variance reduction",
    r"\mathbb E_{i}\left[\|\nabla f_i(x)-\nabla f_i(x^*)\|^2\right]\le 2L\,(f(x)-f(x^*))",
    le(Expect(n2(grad(x, at(f, i)) - grad(xs, at(f, i))), sp.Symbol("i")), 2 * L * (val(x) - val(xs))),
)
_add(
    "variance reduction",
    r"\frac1n\sum_{i=1}^n\|\nabla f_i(x)-\nabla f_i(y)\|^2\leqslant \overline L^2\|x-y\|^2",
    le(
        mean(n2(grad(x, at(f, i)) - grad(y, at(f, i))), i, 1, n) / n,
        sp.Symbol("L_overline", positive=True) ** 2 * n2(x - y),
    ),
)
_add(
    "variance reduction",
    r"\mathbb E f(\tilde x_s)-f^* \le \left(\frac{1}{\mu\eta(1-2L\eta)m}+\frac{2L\eta}{1-2L\eta}\right)\mathbb E[f(\tilde x_{s-1})-f^*]",
    le(
        ex(val(at("x_tilde", s))) - fs,
        (1 / (mu * eta * (1 - 2 * L * eta) * m) + 2 * L * eta / (1 - 2 * L * eta))
        * ex(val(at("x_tilde", s - 1)) - fs),
    ),
)
_add(
    "regret",
    r"\sum_{t=1}^T \ell_t(w_t)-\min_{w\in\mathcal W}\sum_{t=1}^T\ell_t(w)\le DG\sqrt{T}",
    le(
        mean(val(at(w, t), at(ell, t)), t, 1, T)
        - least(mean(val(w, at(ell, t)), t, 1, T), w, sp.Symbol("W_mathcal")),
        D * G * sp.sqrt(T),
    ),
    declared=r"\mathcal{W}: set",
)
_add(
    "regret",
    r"\text{Regret}_T \le \frac{D^2}{2\eta}+\frac{\eta}{2}\sum_{t=1}^{T}\|g_t\|_2^2",
    le(at(_number("Regret"), T), D**2 / (2 * eta) + eta / 2 * mean(n2(at(g, t)), t, 1, T)),
    declared=r"\mathrm{Regret}: nonnegative",
)
_add(
    "regret",
    r"\sum_{t=1}^T\langle g_t,w_t-u\rangle\le\frac{\|u\|^2}{2\eta}+\frac\eta2\sum_{t=1}^T\|g_t\|^2 \quad\text{for all } u\in\mathbb R^d",
    le(
        mean(Inner(at(g, t), at(w, t) - u), t, 1, T),
        n2(u) / (2 * eta) + eta / 2 * mean(n2(at(g, t)), t, 1, T),
    ),
)
_add(
    "forgetting",
    r"\Big\langle \nabla \ell_t(w), \nabla \ell_k(w)\Big\rangle \geq 0,\quad \forall k<t",
    ge(Inner(grad(w, at(ell, t)), grad(w, at(ell, k))), 0),
    lt(k, t),
)
_add(
    "compression",
    r"\mathbb E\|\mathcal C(x)-x\|^2\le(1-\delta)\|x\|^2",
    le(ex(n2(Apply(_C, x) - x)), (1 - delta) * n2(x)),
    declared=r"\mathcal{C}: map",
)
_add(
    "compression",
    r"\mathbb E\|e_{t+1}\|^2\le \frac{4(1-\delta)}{\delta^2}\eta^2\sigma^2",
    le(ex(n2(at(_e, t + 1))), 4 * (1 - delta) / delta**2 * eta**2 * sigma**2),
    declared="e: vector",
)
_add(
    "privacy",
    r"\epsilon \ge \frac{\Delta\sqrt{2\ln(1.25/\delta)}}{\sigma}",
    ge(eps, _Delta * sp.sqrt(2 * sp.log(sp.Rational(5, 4) / delta)) / sigma),
    declared=r"\Delta: nonnegative",
)
_add(
    "privacy",
    r"\sigma\geq c\frac{q\sqrt{T\log(1/\delta)}}{\epsilon}",
    ge(sigma, c * q * sp.sqrt(T * sp.log(1 / delta)) / eps),
    declared="c, q: real",
)
_add(
    "privacy",
    r"\mathbb E[F(\bar w_T)]-F^\star=\tilde{\mathcal O}\left(\frac{\sqrt d}{n\epsilon}\right)",
    eq(ex(val(at("w_bar", T), F)) - Fs, SoftO(sp.sqrt(d) / (n * eps))),
)
_add(
    "generalisation",
    r"\epsilon_{\mathrm{stab}}\leq\frac{2L^2}{n}\sum_{t=1}^T\eta_t",
    le(sp.Symbol("epsilon_stab", positive=True), 2 * L**2 / n * mean(at(eta, t), t, 1, T)),
)
_add("local steps", r"\big\|\nabla F_i(w_t^{i,k})\big\|^2\le G^2", le(n2(grad(_wik, at(F, i))), G**2))
_add(
    "local steps",
    r"\frac1{NK}\sum_{i=1}^N\sum_{k=0}^{K-1}\mathbb E\|w_t^{i,k}-\bar w_t\|^2\le"
    r" 5K\eta_l^2(\sigma_l^2+6K\sigma_g^2)+30K^2\eta_l^2\|\nabla F(\bar w_t)\|^2",
    le(
        mean(mean(ex(n2(_wik - _wbar)), k, 0, K - 1), i, 1, N) / (N * K),
        5 * K * eta_l**2 * (_number("sigma_l") ** 2 + 6 * K * sigma_g**2)
        + 30 * K**2 * eta_l**2 * n2(grad(_wbar, F)),
    ),
)
_add(
    "local steps",
    r"w_{t+1}=w_t-\frac{\eta}{NK}\sum_{i,k}\nabla F_i(w_t^{i,k})",
    eq(at(w, t + 1), at(w, t) - eta / (N * K) * mean(mean(grad(_wik, at(F, i)), k, 0, K - 1), i, 1, N)),
    declared="i: index 1..N; k: index 0..K-1",
)
_add(
    "dissimilarity",
    r"\mathbb E_{i\sim\mathcal U[N]}\|\nabla F_i(w)\|^2\le G^2+B^2\|\nabla F(w)\|^2",
    le(Expect(n2(grad(w, at(F, i))), sp.Symbol(r"i\sim\mathcal U[N]")), G**2 + _B**2 * n2(grad(w, F))),
    declared="B: nonnegative",
)
_add(
    "dissimilarity",
    r"\frac1N\sum_{i=1}^N\|\nabla F_i(w)-\nabla F(w)\|^2\le\sigma_g^2 \quad\forall w",
    le(mean(n2(grad(w, at(F, i)) - grad(w, F)), i, 1, N) / N, sigma_g**2),
)
_add(
    "descent",
    r"F(w_{t+1})\le F(w_t)-\frac\eta2\|\nabla F(w_t)\|^2-\frac{\eta}{2}(1-L\eta)\|g_t\|^2+\frac\eta2\|\nabla F(w_t)-g_t\|^2",
    le(
        val(at(w, t + 1), F),
        val(at(w, t), F)
        - eta / 2 * n2(grad(at(w, t), F))
        - eta / 2 * (1 - L * eta) * n2(at(g, t))
        + eta / 2 * n2(grad(at(w, t), F) - at(g, t)),
    ),
)
_add(
    "one step",
    r"\mathbb E\left[\|\bar v_{t+1}-w^*\|^2\right]\le(1-\eta_t\mu)\mathbb E\left[\|\bar w_t-w^*\|^2\right]+\eta_t^2B",
    le(ex(n2(at("v_bar", t + 1) - ws)), (1 - at(eta, t) * mu) * ex(n2(_wbar - ws)) + at(eta, t) ** 2 * _B),
    declared="B: nonnegative",
)
_add(
    "step sizes",
    r"\eta_l\le\min\left\{\frac1{8LK},\frac{\eta_g}{KL}\right\}",
    le(eta_l, sp.Min(1 / (8 * L * K), eta_g / (K * L))),
)
_add(
    "step sizes",
    r"0<\eta\leq\tfrac{1}{8KL}\quad\text{and}\quad K\ge1",
    (lt(0, eta), le(eta, 1 / (8 * K * L)), ge(K, 1)),
)
_add(
    "aligned chains",
    r"\begin{aligned} \|x_{t+1}-x^*\|^2 &= \|x_t-x^*\|^2-2\eta\langle\nabla f(x_t),x_t-x^*\rangle+\eta^2\|\nabla f(x_t)\|^2\\[2pt]"
    r" &\overset{(i)}{\le} (1-\mu\eta)\|x_t-x^*\|^2 . \end{aligned}",
    (
        eq(n2(xt1 - xs), n2(xt - xs) - 2 * eta * Inner(grad(xt), xt - xs) + eta**2 * n2(grad(xt))),
        le(
            n2(xt - xs) - 2 * eta * Inner(grad(xt), xt - xs) + eta**2 * n2(grad(xt)),
            (1 - mu * eta) * n2(xt - xs),
        ),
    ),
)
_add(
    "aligned chains",
    r"\begin{split}\mathbb{E}_t[f(x_{t+1})]&\leq f(x_t)-\eta\langle\nabla f(x_t),\mathbb E_t[g_t]\rangle+\frac{L\eta^2}{2}\mathbb{E}_t\|g_t\|^2\end{split}",
    le(
        Expect(val(xt1), sp.Symbol("t")),
        val(xt)
        - eta * Inner(grad(xt), Expect(at(g, t), sp.Symbol("t")))
        + L * eta**2 / 2 * Expect(n2(at(g, t)), sp.Symbol("t")),
    ),
)
_add(
    "averages",
    r"f(\bar x_T)-f(x_\star)\leqslant\frac{\lVert x_0-x_\star\rVert^2}{2\eta T}+\frac{\eta\sigma^2}2",
    le(val(at("x_bar", T)) - val(xs), n2(at(x, 0) - xs) / (2 * eta * T) + eta * sigma**2 / 2),
)
_add("scalars", r"(1-\mu/L)^T\leq e^{-\mu T/L}", le((1 - mu / L) ** T, sp.exp(-mu * T / L)))
_add(
    "scalars",
    r"\prod_{s=t+1}^{T}(1-\eta_s\mu)\le\exp\left(-\mu\sum_{s=t+1}^T\eta_s\right)",
    le(sp.Product(1 - at(eta, s) * mu, (s, t + 1, T)), sp.exp(-mu * mean(at(eta, s), s, t + 1, T))),
)
_add(
    "scalars",
    r"\log(1+a)\le a\quad\text{for } a>-1",
    le(sp.log(1 + sp.Symbol("a", real=True)), sp.Symbol("a", real=True)),
    gt(sp.Symbol("a", real=True), -1),
    declared="a: real",
)
_add(
    "scalars",
    r"\sum_{t=0}^{T-1}\frac1{\sqrt{t+1}}\le2\sqrt T",
    le(mean(1 / sp.sqrt(t + 1), t, 0, T - 1), 2 * sp.sqrt(T)),
)
_add(
    "conditioning",
    r"\mathbb E\left[\left.\|g_t\|^2\right|x_t\right]\le\sigma^2+\|\nabla f(x_t)\|^2",
    le(Expect(n2(at(g, t)), sp.Symbol("."), sp.Symbol("x_{t}")), sigma**2 + n2(grad(xt))),
)
_add(
    "growth",
    r"\frac{\mu}{2}\,\|w-w^{\ast}\|_{2}^{2}\le F(w)-F(w^{\ast})\le\frac1{2\mu}\|\nabla F(w)\|_2^2",
    (le(mu / 2 * n2(w - ws), val(w, F) - val(ws, F)), le(val(w, F) - val(ws, F), n2(grad(w, F)) / (2 * mu))),
)
_add(
    "vectors",
    r"\|u+v\|^2\le(1+\tfrac1\gamma)\|u\|^2+(1+\gamma)\|v\|^2\qquad\text{for any }\gamma>0",
    le(n2(u + v), (1 + 1 / gamma) * n2(u) + (1 + gamma) * n2(v)),
    gt(gamma, 0),
)
_add(
    "vectors",
    r"\left\|\sum_{i=1}^{n}x_i\right\|^2\le n\sum_{i=1}^n\|x_i\|^2",
    le(n2(mean(at(x, i), i, 1, n)), n * mean(n2(at(x, i)), i, 1, n)),
)
_add(
    "vectors",
    r"2\langle u,v\rangle=\|u\|^2+\|v\|^2-\|u-v\|^2",
    eq(2 * Inner(u, v), n2(u) + n2(v) - n2(u - v)),
)
_add(
    "vectors",
    r"\frac12\|x'-x\|^2+\langle x'-x,u\rangle\ge-\frac12\|u\|^2",
    ge(half * n2(sp.Symbol("x_prime") - x) + Inner(sp.Symbol("x_prime") - x, u), -half * n2(u)),
)
_add(
    "adaptive steps",
    r"\|\hat g_t\|_\infty\leqslant\max_{1\le s\le t}\|g_s\|_\infty",
    le(Norm(at("g_hat", t), sp.Symbol(r"\infty")), largest(Norm(at(g, s), sp.Symbol(r"\infty")), s, 1, t)),
)
_add(
    "sampling",
    r"\mathbb E\left\|\tfrac1M\sum_{i=1}^M \theta_i^t\right\|^2\le\frac{K\sigma^2}{M}+\|\bar\theta^t\|^2",
    le(ex(n2(mean(up("theta", i, t), i, 1, M) / M)), K * sigma**2 / M + n2(up("theta_bar", t))),
)
_add(
    "definitions",
    r"\theta_{t+1} := \theta_t - \eta_g\,\mathbb E[g_t]",
    eq(at(theta, t + 1), at(theta, t) - eta_g * ex(at(g, t))),
)
