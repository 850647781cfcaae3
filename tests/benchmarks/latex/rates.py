"""More of the corpus: rates and lemmas of other texts."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, le, lt
from tests.benchmarks.latex.corpus import (
    D,
    F,
    G,
    L,
    M,
    N,
    T,
    alpha,
    at,
    b,
    beta,
    d,
    delta,
    eta,
    ex,
    fi,
    fs,
    g,
    gamma,
    grad,
    i,
    k,
    lam,
    least,
    m,
    mean,
    mu,
    n,
    n2,
    s,
    sigma,
    t,
    tau,
    theta,
    u,
    up,
    v,
    val,
    w,
    ws,
    x,
    x0,
    xs,
    xt,
    xt1,
    y,
    z,
    zeta,
)
from tests.benchmarks.latex.formula import Formula, adder_to
from verify.latex.heads import Expect, Inner, Loss, Norm, SoftO

RATES: list[Formula] = []


_add = adder_to(RATES)

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

# Rates and lemmas of other texts
NEMIROVSKI = "Nemirovski et al., Robust Stochastic Approximation, 2009"
_add(
    "Nesterov, 2018, Theorem 2.2.2",
    r"f(x_k)-f^*\le\min\left\{\left(1-\sqrt{\frac\mu L}\right)^k,\frac{4L}{(2\sqrt L+k\sqrt{\gamma})^2}\right\}a",
    le(
        val(at(x, k)) - fs,
        sp.Min((1 - sp.sqrt(mu / L)) ** k, 4 * L / (2 * sp.sqrt(L) + k * sp.sqrt(gamma)) ** 2) * A,
    ),
    declared="a: real",
)
_add("Nesterov, 2018, (1.2.5)", r"\|\nabla f(x)\|\le L\|x-x^*\|", le(Norm(grad(x)), L * Norm(x - xs)))
_add(
    "Nesterov, 2018, (2.1.19)",
    r"\frac\mu2\|x-x^*\|^2\le f(x)-f^*\le\frac L2\|x-x^*\|^2",
    (le(mu / 2 * n2(x - xs), val(x) - fs), le(val(x) - fs, L / 2 * n2(x - xs))),
)
_add(
    "Nesterov, 2018, Corollary 2.1.2",
    r"0\le f(x_{k+1})\le f(x_k)-\frac{1}{2L}\|\nabla f(x_k)\|^2",
    (le(0, val(at(x, k + 1))), le(val(at(x, k + 1)), val(at(x, k)) - n2(grad(at(x, k))) / (2 * L))),
)
_add(
    "Cauchy, Methode generale pour la resolution des systemes, 1847",
    r"x_{t+1}=x_t-\eta\nabla f(x_t)",
    eq(xt1, xt - eta * grad(xt)),
)
_add(
    "Polyak, Some Methods of Speeding up the Convergence, 1964",
    r"x_{t+1}=x_t-\eta\nabla f(x_t)+\beta(x_t-x_{t-1})",
    eq(xt1, xt - eta * grad(xt) + beta * (xt - at(x, t - 1))),
)
_add(
    "Robbins, Monro, A Stochastic Approximation Method, 1951",
    r"w_{t+1}=w_t-\eta_tg_t",
    eq(wt1, wt - at(eta, t) * gt_),
)
_add(
    f"{NEMIROVSKI}, (2.18)",
    r"\mathbb E[f(\tilde x_N)-f(x_*)]\le\frac{DM}{\sqrt N}",
    le(ex(val(at(sp.Symbol("x_tilde"), N)) - val(xs)), D * M / sp.sqrt(N)),
)
_add(
    "Shamir, Zhang, SGD for Non-Smooth Optimization, 2013, Theorem 1",
    r"\mathbb E[F(w_T)-F(w^*)]\le\frac{17G^2(1+\log(T))}{\lambda T}",
    le(ex(val(at(w, T), F) - val(ws, F)), 17 * G**2 * (1 + sp.log(T)) / (lam * T)),
)
_add(
    "Shamir, Zhang, 2013, Theorem 2",
    r"\mathbb E[F(w_T)-F(w^*)]\leq\left(\frac{D^2}c+cG^2\right)\frac{2+\log(T)}{\sqrt T}",
    le(
        ex(val(at(w, T), F) - val(ws, F)),
        (D**2 / sp.Symbol("c", positive=True) + sp.Symbol("c", positive=True) * G**2)
        * (2 + sp.log(T))
        / sp.sqrt(T),
    ),
    declared="c: positive",
)
_add(
    "Rakhlin, Shamir, Sridharan, Making Gradient Descent Optimal, 2012, Lemma 1",
    r"\mathbb E\left[\|w_T-w^*\|^2\right]\le\frac{4G^2}{\lambda^2T}",
    le(ex(n2(at(w, T) - ws)), 4 * G**2 / (lam**2 * T)),
)
_add(
    "Rockafellar, Monotone Operators and the Proximal Point Algorithm, 1976",
    r"\|x_{k+1}-x^*\|\le\frac1{1+\lambda\mu}\|x_k-x^*\|",
    le(Norm(at(x, k + 1) - xs), Norm(at(x, k) - xs) / (1 + lam * mu)),
)
_add(
    "Guler, On the Convergence of the Proximal Point Algorithm, 1991, Theorem 2.1",
    r"f(x_n)-f(u)\le\frac{\|u-x_0\|^2}{2\sum_{k=1}^n\lambda_k}",
    le(val(at(x, n)) - val(u), n2(u - x0) / (2 * mean(at(lam, k), k, 1, n))),
)
_add(
    "Parikh, Boyd, Proximal Algorithms, 2014, Section 2.3",
    r"\|y-z\|^2\le\langle x-u,y-z\rangle",
    le(n2(y - z), Inner(x - u, y - z)),
)
_add(
    "Stich, Cordonnier, Jaggi, 2018, Definition 2.1",
    r"\mathbb E\|x-u\|^2\le\left(1-\frac kd\right)\|x\|^2",
    le(ex(n2(x - u)), (1 - k / d) * n2(x)),
)
_add(
    "Alistarh et al., QSGD, 2017, Lemma 3.1",
    r"\mathbb E\left[\|u-v\|_2^2\right]\le\min\left(\frac n{s^2},\frac{\sqrt n}s\right)\|v\|_2^2",
    le(ex(n2(u - v)), sp.Min(n / s**2, sp.sqrt(n) / s) * n2(v)),
)
_add(
    "Reisizadeh et al., FedPAQ, 2020, Assumption 1",
    r"\mathbb E\left[\|u-x\|^2\mid x\right]\le q\|x\|^2",
    le(Expect(n2(u - x), sp.Symbol("."), sp.Symbol("x")), sp.Symbol("q", positive=True) * n2(x)),
    declared="q: positive",
)
_add(
    "Hanzely, Richtarik, Federated Learning of a Mixture, 2020, (2)",
    r"F(x)=f(x)+\frac\lambda{2n}\sum_{i=1}^n\|x_i-\bar x\|^2",
    eq(val(x, F), val(x) + lam / (2 * n) * mean(n2(at(x, i) - sp.Symbol("x_bar")), i, 1, n)),
)
_add(
    "Dinh, Tran, Nguyen, pFedMe, 2020, (3)",
    r"F_i(w)\le f_i(\theta_i)+\frac\lambda2\|\theta_i-w\|^2",
    le(val(w, at(F, i)), val(at(theta, i), fi) + lam / 2 * n2(at(theta, i) - w)),
)
_add(
    "Li et al., Ditto, 2021, (1)",
    r"h_k(v_k;w^*)=F_k(v_k)+\frac\lambda2\|v_k-w^*\|^2",
    eq(Loss(at(sp.Symbol("h"), k), at(v, k), ws), val(at(v, k), at(F, k)) + lam / 2 * n2(at(v, k) - ws)),
    declared="h: loss",
)
_add(
    "Fallah, Mokhtari, Ozdaglar, Per-FedAvg, 2020, (3)",
    r"F(w)=\frac1n\sum_{i=1}^nf_i(w-\alpha\nabla f_i(w))",
    eq(val(w, F), mean(val(w - alpha * grad(w, fi), fi), i, 1, n) / n),
)
_add(
    "Karimireddy et al., Mime, 2021, (A1)",
    r"\mathbb E_i\|\nabla f_i(x)-\nabla f(x)\|^2\le G^2",
    le(Expect(n2(grad(x, fi) - grad(x)), sp.Symbol("i")), G**2),
)
_add(
    "Gorbunov, Hanzely, Richtarik, Local SGD, 2021, (8)",
    r"V_k=\frac1n\sum_{i=1}^n\|x_i^k-\bar x^k\|^2",
    eq(at(sp.Symbol("V", nonnegative=True), k), mean(n2(up("x", i, k) - up("x_bar", k)), i, 1, n) / n),
    declared="V: nonnegative",
)
_add(
    "Glasgow, Yuan, Ma, Sharp Bounds for Federated Averaging, 2022, (3)",
    r"\|\nabla f_i(x)-\nabla f(x)\|\le\zeta, \quad\forall i\in[M]",
    le(Norm(grad(x, fi) - grad(x)), zeta),
    ge(i, 1),
    le(i, M),
)
_add(
    "Wang, Joshi, Cooperative SGD, 2021, Theorem 1",
    r"\eta L+\eta^2L^2\tau(\tau-1)\le1",
    le(eta * L + eta**2 * L**2 * tau * (tau - 1), 1),
)
_add(
    "Reddi, Kale, Kumar, On the Convergence of Adam, 2018, Lemma 4",
    r"\sum_{t=1}^T\beta^{T-t}\le\frac1{1-\beta}\text{ if }\beta<1",
    le(mean(beta ** (T - t), t, 1, T), 1 / (1 - beta)),
    lt(beta, 1),
)
_add(
    "Orabona, A Modern Introduction to Online Learning, 2019, Lemma 2.12",
    r"\langle g_t,x_t-u\rangle\le\frac{\|x_t-u\|^2-\|x_{t+1}-u\|^2}{2\eta}+\frac\eta2\|g_t\|_2^2",
    le(Inner(gt_, xt - u), (n2(xt - u) - n2(xt1 - u)) / (2 * eta) + eta / 2 * n2(gt_)),
)
_add(
    "Duchi, Hazan, Singer, Adaptive Subgradient Methods, 2011, Lemma 4",
    r"\sum_{t=1}^T\langle g_t,x_t-u\rangle\le\frac{D^2}{2\eta}+\frac\eta2\sum_{t=1}^T\|g_t\|^2",
    le(mean(Inner(gt_, xt - u), t, 1, T), D**2 / (2 * eta) + eta / 2 * mean(n2(gt_), t, 1, T)),
)
_add(
    "Cutkosky, Orabona, Momentum-Based Variance Reduction, 2019, Lemma 1",
    r"\mathbb E[f(x_{t+1})-f(x_t)]\le\mathbb E\left[-\frac{\eta_t}4\|\nabla f(x_t)\|^2+\frac{3\eta_t}4\|u_t\|^2\right]",
    le(ex(val(xt1) - val(xt)), ex(-at(eta, t) / 4 * n2(grad(xt)) + 3 * at(eta, t) / 4 * n2(at(u, t)))),
)
_add(
    "Fang et al., SPIDER, 2018, Lemma 1",
    r"\mathbb E\|v_k-\nabla f(x_k)\|^2\le\mathbb E\|v_0-\nabla f(x_0)\|^2+\frac{L^2}S\sum_{i=0}^{k-1}\mathbb E\|x_{i+1}-x_i\|^2",
    le(
        ex(n2(at(v, k) - grad(at(x, k)))),
        ex(n2(at(v, 0) - grad(x0)))
        + L**2
        / sp.Symbol("S", integer=True, positive=True)
        * mean(ex(n2(at(x, i + 1) - at(x, i))), i, 0, k - 1),
    ),
    declared="S: count",
)
_add(
    "Lan, First-Order and Stochastic Optimization Methods, 2020, Lemma 4.1",
    r"\eta\langle g,x-u\rangle+\frac12\|x-u\|^2\ge0",
    ge(eta * Inner(g, x - u) + n2(x - u) / 2, 0),
)
_add(
    "Boyd, Vandenberghe, Convex Optimization, 2004, (9.9)",
    r"f(x)-f^*\le\frac1{2\mu}\|\nabla f(x)\|_2^2",
    le(val(x) - fs, n2(grad(x)) / (2 * mu)),
)
_add(
    "Boyd, Vandenberghe, 2004, Section 3.1.2",
    r"f(\theta x+(1-\theta)y)\le\theta f(x)+(1-\theta)f(y)\quad\text{for }\theta\in[0,1]",
    le(
        val(sp.Symbol("theta", real=True) * x + (1 - sp.Symbol("theta", real=True)) * y),
        sp.Symbol("theta", real=True) * val(x) + (1 - sp.Symbol("theta", real=True)) * val(y),
    ),
    ge(sp.Symbol("theta", real=True), 0),
    le(sp.Symbol("theta", real=True), 1),
    declared=r"\theta: real",
)
_add(
    "Hoeffding, Probability Inequalities, 1963, (4.16)",
    r"\mathbb E[e^{\lambda X}]\le\exp\left(\frac{\lambda^2(b-a)^2}8\right)",
    le(ex(sp.exp(lam * sp.Symbol("X", real=True))), sp.exp(lam**2 * (b - A) ** 2 / 8)),
    declared="a, b, X: real",
)
_add(
    "Bonnabel, Lemaire, Lifelong Learning Bounds, in Pentina, Lampert, 2014, Section 2",
    r"R\le\frac1n\sum_{i=1}^n\hat R_i+\sqrt{\frac{\log(2/\delta)}{2n}}",
    le(
        sp.Symbol("R", real=True),
        mean(at(sp.Symbol("R_hat", real=True), i), i, 1, n) / n + sp.sqrt(sp.log(2 / delta) / (2 * n)),
    ),
    declared="R: real",
)
_add(
    "Lin et al., Theory on Forgetting and Generalization, 2023, (5)",
    r"F_T=\frac1{T-1}\sum_{i=1}^{T-1}\left(\mathcal L_i(w_T)-\mathcal L_i(w_i)\right)",
    eq(
        at(sp.Symbol("F", real=True), T),
        mean(
            val(at(w, T), at(sp.Symbol("L_mathcal"), i)) - val(at(w, i), at(sp.Symbol("L_mathcal"), i)),
            i,
            1,
            T - 1,
        )
        / (T - 1),
    ),
    declared="F: real",
)
_add(
    "Lin et al., 2023, (6)",
    r"G_T=\frac1T\sum_{i=1}^T\mathcal L_i(w_T)",
    eq(at(G, T), mean(val(at(w, T), at(sp.Symbol("L_mathcal"), i)), i, 1, T) / T),
)
_add(
    "Zenke, Poole, Ganguli, Synaptic Intelligence, 2017, (4)",
    r"\tilde{\mathcal L}_m(\theta)=\mathcal L_m(\theta)+c\sum_{k=1}^n\Omega_k\|\theta_k-\tilde\theta_k\|^2",
    eq(
        val(theta, at(sp.Symbol("L_mathcal_tilde"), m)),
        val(theta, at(sp.Symbol("L_mathcal"), m))
        + sp.Symbol("c", positive=True)
        * mean(
            at(sp.Symbol("Omega", nonnegative=True), k) * n2(at(theta, k) - at(sp.Symbol("theta_tilde"), k)),
            k,
            1,
            n,
        ),
    ),
    declared=r"c: positive; \Omega: nonnegative",
)
_add(
    "Doan et al., A Theoretical Analysis of Catastrophic Forgetting, 2021, Definition 1",
    r"\Delta_t\le\sum_{s=1}^{t-1}\|\theta_t-\theta_s\|^2",
    le(at(sp.Symbol("Delta", real=True), t), mean(n2(at(theta, t) - at(theta, s)), s, 1, t - 1)),
    declared=r"\Delta: real",
)
_add(
    "Evron et al., Continual Learning in Linear Classification, 2023, Theorem 3",
    r"\|w_k-w^*\|^2\le\left(1-\frac{\alpha}{T}\right)^k\|w^*\|^2",
    le(n2(at(w, k) - ws), (1 - alpha / T) ** k * n2(ws)),
)
_add(
    "Nesterov, 2018, (2.2.4)",
    r"\|x_{t+1}-x^*\|^2\le\|x_t-x^*\|^2-\eta\left(\frac2L-\eta\right)\|\nabla f(x_t)\|^2",
    le(n2(xt1 - xs), n2(xt - xs) - eta * (2 / L - eta) * n2(grad(xt))),
)
_add(
    "Nesterov, 2018, (1.2.22)",
    r"\min_{0\le i\le k}\|\nabla f(x_i)\|\leq\frac1{\sqrt{k+1}}\left[\frac1{\gamma}L(f(x_0)-f^*)\right]^{1/2}",
    le(least(Norm(grad(at(x, i))), i, 0, k), 1 / sp.sqrt(k + 1) * sp.sqrt(L * (val(x0) - fs) / gamma)),
)
_add(
    "Bubeck, 2015, Theorem 6.1",
    r"\mathbb E\left[f\left(\frac1t\sum_{s=1}^tx_{s+1}\right)\right]-f(x^*)\le D\sigma\sqrt{\frac2t}+\frac{\beta D^2}t",
    le(ex(val(mean(at(x, s + 1), s, 1, t) / t)) - val(xs), D * sigma * sp.sqrt(2 / t) + beta * D**2 / t),
)
_add(
    "Bottou, Curtis, Nocedal, 2018, (4.13)",
    r"0<\alpha\le\frac{\mu}{LM}",
    (lt(0, alpha), le(alpha, mu / (L * M))),
)
_add(
    "Karimireddy et al., SCAFFOLD, 2020, Lemma 1",
    r"\tilde\eta\le\min\left(\frac1{\mu T},\frac1{8\beta}\right)",
    le(sp.Symbol("eta_tilde", positive=True), sp.Min(1 / (mu * T), 1 / (8 * beta))),
)
_add(
    "Koloskova et al., 2020, Lemma 16",
    r"\frac1{T+1}\sum_{t=0}^T\gamma_t\le\frac d{T+1}+\eta\sigma^2",
    le(mean(at(gamma, t), t, 0, T) / (T + 1), d / (T + 1) + eta * sigma**2),
)
_add(
    "Khaled, Mishchenko, Richtarik, 2020, Corollary 1",
    r"\mathbb E[f(\bar x_T)-f(x_*)]=\tilde{\mathcal O}\left(\frac1T+\frac{\sigma^2}{MT}\right)",
    eq(ex(val(at(sp.Symbol("x_bar"), T)) - val(xs)), SoftO(1 / T + sigma**2 / (M * T))),
)
_add(
    "Woodworth et al., 2020, (5)",
    r"\frac1M\sum_{m=1}^M\|\nabla F_m(x^*)\|^2\le\zeta^2",
    le(
        mean(n2(grad(xs, at(F, sp.Symbol("m", integer=True)))), sp.Symbol("m", integer=True), 1, M) / M,
        zeta**2,
    ),
    declared="m: index",
)
