"""Formulas of published lemmas, each with its source, its declarations and its meaning as SymPy relations.

The formulas are written in the notation of their sources. The meanings are written by hand, without the reader.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from bounds.relations import eq, ge, gt, le, lt
from tests.benchmarks.latex.formula import Formula, adder_to
from verify.latex.heads import Expect, Extreme, Grad, Inner, Loss, Norm

CORPUS: list[Formula] = []
_add = adder_to(CORPUS)


def _all(names: str, **assumptions: bool) -> Any:
    return sp.symbols(names, **assumptions)


N, M, T, K, E, n, m, d = _all("N M T K E n m d", integer=True, positive=True)
i, j, k, t, s, tau, l, r = _all("i j k t s tau l r", integer=True)
L, mu, eta, gamma, alpha, beta, eps, delta, lam, rho, kappa = _all(
    "L mu eta gamma alpha beta epsilon delta lambda rho kappa", positive=True
)
eta_l, eta_g, L_0, L_1 = _all("eta_l eta_g L_0 L_1", positive=True)
sigma, zeta, G, D, sigma_g, sigma_star = _all("sigma zeta G D sigma_g sigma_star", nonnegative=True)
a, b, c, fs, Fs, e0, q = _all("a b c f_star F_star e_0 q", real=True)
x, y, z, w, u, v, g, theta, xi = _all("x y z w u v g theta xi")
xs, ws, f, F, ell = _all("x_star w_star f F ell")


def at(name: Any, *indices: Any) -> Any:
    """A member of a family."""
    return sp.IndexedBase(name)[indices]


def up(name: str, *indices: Any, ups: int = 1, **assumptions: bool) -> Any:
    """A member of a family whose last indices are superscripts."""
    return sp.IndexedBase(sp.Symbol(f"{name}_up{ups}", **assumptions))[indices]


def n2(vector: Any) -> Any:
    return Norm(vector) ** 2


def ex(value: Any) -> Any:
    return Expect(value)


def val(point: Any, loss: Any = f) -> Any:
    return Loss(loss, point)


def grad(point: Any, loss: Any = f) -> Any:
    return Grad(loss, point)


def mean(body: Any, index: Any, low: Any, high: Any) -> Any:
    return sp.Sum(body, (index, low, high))


def least(body: Any, *limits: Any) -> Any:
    return Extreme(sp.Symbol("min"), body, sp.Tuple(*limits))


def largest(body: Any, *limits: Any) -> Any:
    return Extreme(sp.Symbol("max"), body, sp.Tuple(*limits))


half = sp.Rational(1, 2)
xt, xt1, x0 = at(x, t), at(x, t + 1), at(x, 0)
fi = at(f, i)

NESTEROV = "Nesterov, Lectures on Convex Optimization, 2018"
BUBECK = "Bubeck, Convex Optimization: Algorithms and Complexity, 2015"
BOTTOU = "Bottou, Curtis, Nocedal, Optimization Methods for Large-Scale Machine Learning, 2018"
HANDBOOK = "Garrigos, Gower, Handbook of Convergence Theorems, 2023"
LI = "Li et al., On the Convergence of FedAvg on Non-IID Data, 2020"
SCAFFOLD = "Karimireddy et al., SCAFFOLD, 2020"
KHALED = "Khaled, Mishchenko, Richtarik, Tighter Theory for Local SGD, 2020"
STICH = "Stich, Local SGD Converges Fast and Communicates Little, 2019"
GUIDE = "Wang et al., A Field Guide to Federated Optimization, 2021"
REDDI = "Reddi et al., Adaptive Federated Optimization, 2021"
FEDPROX = "Li et al., Federated Optimization in Heterogeneous Networks, 2020"
NOVA = "Wang et al., Tackling the Objective Inconsistency Problem, 2020"
KOLOSKOVA = "Koloskova et al., A Unified Theory of Decentralized SGD, 2020"
WOODWORTH = "Woodworth et al., Minibatch vs Local SGD, 2020"
GEM = "Lopez-Paz, Ranzato, Gradient Episodic Memory, 2017"
CHAUDHRY = "Chaudhry et al., Riemannian Walk for Incremental Learning, 2018"
EVRON = "Evron et al., How Catastrophic Can Catastrophic Forgetting Be, 2022"
HARDY = "Hardy, Littlewood, Polya, Inequalities, 1934"
EWC = "Kirkpatrick et al., Overcoming Catastrophic Forgetting, 2017"

# Smooth and convex functions
_add(
    f"{NESTEROV}, (1.2.8)",
    r"\|\nabla f(x)-\nabla f(y)\| \le L\|x-y\|",
    le(Norm(grad(x) - grad(y)), L * Norm(x - y)),
)
_add(
    f"{NESTEROV}, Lemma 1.2.3",
    r"|f(y)-f(x)-\langle\nabla f(x),y-x\rangle|\le\frac L2\|y-x\|^2",
    le(sp.Abs(val(y) - val(x) - Inner(grad(x), y - x)), L / 2 * n2(y - x)),
)
_add(
    f"{NESTEROV}, (2.1.2)",
    r"f(y)\geq f(x)+\langle\nabla f(x),\,y-x\rangle",
    ge(val(y), val(x) + Inner(grad(x), y - x)),
)
_add(
    f"{NESTEROV}, (2.1.10)",
    r"f(x)+\langle\nabla f(x),y-x\rangle+\frac{1}{2L}\|\nabla f(x)-\nabla f(y)\|^2\le f(y)",
    le(val(x) + Inner(grad(x), y - x) + n2(grad(x) - grad(y)) / (2 * L), val(y)),
)
_add(
    f"{NESTEROV}, (2.1.11)",
    r"\frac1L\|\nabla f(x)-\nabla f(y)\|^2\le\langle\nabla f(x)-\nabla f(y),x-y\rangle",
    le(n2(grad(x) - grad(y)) / L, Inner(grad(x) - grad(y), x - y)),
)
_add(
    f"{NESTEROV}, (2.1.9)",
    r"0\le\langle\nabla f(x)-\nabla f(y),x-y\rangle\le L\|x-y\|^2",
    (le(0, Inner(grad(x) - grad(y), x - y)), le(Inner(grad(x) - grad(y), x - y), L * n2(x - y))),
)
_add(
    f"{NESTEROV}, Definition 2.1.3",
    r"f(y)\ge f(x)+\langle\nabla f(x),y-x\rangle+\tfrac12\mu\|y-x\|^2",
    ge(val(y), val(x) + Inner(grad(x), y - x) + mu * n2(y - x) / 2),
)
_add(
    f"{NESTEROV}, Theorem 2.1.12",
    r"\langle\nabla f(x)-\nabla f(y),x-y\rangle\ge\frac{\mu L}{\mu+L}\|x-y\|^2+\frac1{\mu+L}\|\nabla f(x)-\nabla f(y)\|^2",
    ge(Inner(grad(x) - grad(y), x - y), mu * L / (mu + L) * n2(x - y) + n2(grad(x) - grad(y)) / (mu + L)),
)
_add(
    f"{NESTEROV}, Theorem 2.1.14",
    r"f(x_k)-f^*\le\frac{2L\|x_0-x^*\|^2}{k+4}",
    le(val(at(x, k)) - fs, 2 * L * n2(x0 - xs) / (k + 4)),
)
_add(
    f"{NESTEROV}, Theorem 2.1.15",
    r"\|x_k-x^*\|\le\left(\frac{L-\mu}{L+\mu}\right)^k\|x_0-x^*\|",
    le(Norm(at(x, k) - xs), ((L - mu) / (L + mu)) ** k * Norm(x0 - xs)),
)
_add(
    f"{NESTEROV}, Theorem 2.1.7",
    r"f(x_k)-f^*\ge\frac{3L\|x_0-x^*\|^2}{32(k+1)^2}",
    ge(val(at(x, k)) - fs, 3 * L * n2(x0 - xs) / (32 * (k + 1) ** 2)),
)
_add(
    f"{BUBECK}, Theorem 3.2",
    r"f\left(\frac1t\sum_{s=1}^t x_s\right)-f(x^*)\le\frac{RL}{\sqrt t}",
    le(val(mean(at(x, s), s, 1, t) / t) - val(xs), sp.Symbol("R", positive=True) * L / sp.sqrt(t)),
    declared="R: positive",
)
_add(
    f"{BUBECK}, Theorem 3.3",
    r"f(x_t)-f(x^*)\le\frac{2\beta\|x_1-x^*\|^2}{t-1}",
    le(val(xt) - val(xs), 2 * beta * n2(at(x, 1) - xs) / (t - 1)),
)
_add(
    f"{BUBECK}, Lemma 3.5",
    r"f(x)-f(y)\le\nabla f(x)^\top(x-y)-\frac1{2\beta}\|\nabla f(x)-\nabla f(y)\|^2",
    le(val(x) - val(y), Inner(grad(x), x - y) - n2(grad(x) - grad(y)) / (2 * beta)),
)
_add(
    f"{BUBECK}, Theorem 3.10",
    r"\|x_{t+1}-x^*\|^2\le\exp\left(-\frac{t}{\kappa}\right)\|x_1-x^*\|^2",
    le(n2(xt1 - xs), sp.exp(-t / kappa) * n2(at(x, 1) - xs)),
)
_add(
    f"{BUBECK}, Theorem 3.12",
    r"f(x_{t+1})-f(x^*)\le\frac{\beta}{2}\exp\left(-\frac{4t}{\kappa+1}\right)\|x_1-x^*\|^2",
    le(val(xt1) - val(xs), beta / 2 * sp.exp(-4 * t / (kappa + 1)) * n2(at(x, 1) - xs)),
)
_add(
    "Polyak, Gradient Methods for the Minimisation of Functionals, 1963",
    r"\frac{1}{2}\|\nabla f(x)\|^2\geq\mu(f(x)-f^*)",
    ge(n2(grad(x)) / 2, mu * (val(x) - fs)),
)
_add(
    "Karimi, Nutini, Schmidt, Linear Convergence under the PL Condition, 2016, Theorem 1",
    r"f(x_k)-f^*\le\Bigl(1-\frac\mu L\Bigr)^k(f(x_0)-f^*)",
    le(val(at(x, k)) - fs, (1 - mu / L) ** k * (val(x0) - fs)),
)
_add(
    "Karimi, Nutini, Schmidt, 2016, Appendix A",
    r"f(x)-f^*\ge\frac{\mu}{2}\|x^*-x\|^2",
    ge(val(x) - fs, mu / 2 * n2(xs - x)),
)
_add(
    "Drori, Teboulle, Performance of First-Order Methods, 2014, Theorem 3.1",
    r"f(x_N)-f(x^*)\le\frac{L\|x_0-x^*\|^2}{4N+2}",
    le(val(at(x, N)) - val(xs), L * n2(x0 - xs) / (4 * N + 2)),
)
_add(
    f"{HANDBOOK}, Lemma 2.28",
    r"\frac1{2L}\|\nabla f(x)\|^2\le f(x)-\inf f",
    le(n2(grad(x)) / (2 * L), val(x) - sp.Symbol("f_inf", real=True)),
    declared=r"\inf f: real",
)
_add(
    f"{HANDBOOK}, Lemma 2.29",
    r"\|\nabla f(x)\|^2\le 2L\left(f(x)-f^*\right)",
    le(n2(grad(x)), 2 * L * (val(x) - fs)),
)
_add(
    f"{HANDBOOK}, Theorem 3.4",
    r"f(x^t)-f^*\le\frac{\|x^0-x^*\|^2}{2\gamma t}",
    le(val(up("x", t)) - fs, n2(up("x", 0) - xs) / (2 * gamma * t)),
)
_add(
    f"{HANDBOOK}, Theorem 3.6",
    r"\|x^{t+1}-x^*\|^2\le(1-\gamma\mu)^{t+1}\|x^0-x^*\|^2",
    le(n2(up("x", t + 1) - xs), (1 - gamma * mu) ** (t + 1) * n2(up("x", 0) - xs)),
)
_add(
    f"{HANDBOOK}, Theorem 5.5",
    r"\mathbb E\left[f(\bar x^T)-\inf f\right]\le\frac{\|x^0-x^*\|^2}{\gamma T}",
    le(ex(val(up("x_bar", T)) - sp.Symbol("f_inf", real=True)), n2(up("x", 0) - xs) / (gamma * T)),
    declared=r"\inf f: real",
)
_add(
    f"{HANDBOOK}, Lemma 2.14",
    r"f(y)-f(x)\le\langle\nabla f(y),y-x\rangle-\frac\mu2\|y-x\|^2",
    le(val(y) - val(x), Inner(grad(y), y - x) - mu / 2 * n2(y - x)),
)
_add(
    f"{HANDBOOK}, Definition 2.15",
    r"f(\alpha x+(1-\alpha)y)\le\alpha f(x)+(1-\alpha)f(y)-\mu\frac{\alpha(1-\alpha)}2\|x-y\|^2",
    le(
        val(alpha * x + (1 - alpha) * y),
        alpha * val(x) + (1 - alpha) * val(y) - mu * alpha * (1 - alpha) / 2 * n2(x - y),
    ),
)
_add(
    "Beck, Teboulle, A Fast Iterative Shrinkage-Thresholding Algorithm, 2009, Theorem 4.4",
    r"F(x_k)-F(x^*)\le\frac{2\alpha L\|x_0-x^*\|^2}{(k+1)^2}",
    le(val(at(x, k), F) - val(xs, F), 2 * alpha * L * n2(x0 - xs) / (k + 1) ** 2),
)
_add(
    "Zinkevich, Online Convex Programming, 2003, Theorem 1",
    r"\sum_{t=1}^T f_t(x_t)-\sum_{t=1}^T f_t(u)\le\frac{D^2\sqrt T}2+\left(\sqrt T-\frac12\right)G^2",
    le(
        mean(val(xt, at(f, t)), t, 1, T) - mean(val(u, at(f, t)), t, 1, T),
        D**2 * sp.sqrt(T) / 2 + (sp.sqrt(T) - half) * G**2,
    ),
)
_add(
    "Hazan, Introduction to Online Convex Optimization, 2016, Theorem 3.1",
    r"\sum_{t=1}^{T}f_t(x_t)-\min_{x\in\mathcal X}\sum_{t=1}^{T}f_t(x)\le\frac32GD\sqrt T",
    le(
        mean(val(xt, at(f, t)), t, 1, T) - least(mean(val(x, at(f, t)), t, 1, T), x, sp.Symbol("X_mathcal")),
        sp.Rational(3, 2) * G * D * sp.sqrt(T),
    ),
)

# Inequalities
_add(
    f"{HARDY}, Theorem 61",
    r"ab\le\frac{a^2}{2c}+\frac{cb^2}2, \quad \forall c>0",
    le(a * b, a**2 / (2 * sp.Symbol("c", positive=True)) + sp.Symbol("c", positive=True) * b**2 / 2),
    gt(sp.Symbol("c", positive=True), 0),
    declared="a, b: real; c: positive",
)
_add(
    f"{HARDY}, Theorem 7", r"|\langle x,y\rangle|\le\|x\|\,\|y\|", le(sp.Abs(Inner(x, y)), Norm(x) * Norm(y))
)
_add(
    f"{HARDY}, Theorem 16",
    r"\left\|\frac1n\sum_{i=1}^n x_i\right\|^2\le\frac1n\sum_{i=1}^n\|x_i\|^2",
    le(n2(mean(at(x, i), i, 1, n) / n), mean(n2(at(x, i)), i, 1, n) / n),
)
_add(
    f"{SCAFFOLD}, Lemma 3",
    r"\|u+v\|^2\le(1+c)\|u\|^2+\left(1+\tfrac1c\right)\|v\|^2",
    le(
        n2(u + v),
        (1 + sp.Symbol("c", positive=True)) * n2(u) + (1 + 1 / sp.Symbol("c", positive=True)) * n2(v),
    ),
    declared="c: positive",
)
_add(
    f"{SCAFFOLD}, Lemma 3 (2)",
    r"\biggl\|\sum_{i=1}^\tau v_i\biggr\|^2\le\tau\sum_{i=1}^\tau\|v_i\|^2",
    le(n2(mean(at(v, i), i, 1, tau)), tau * mean(n2(at(v, i)), i, 1, tau)),
)
_add(
    "Jensen, Sur les fonctions convexes, 1906",
    r"\|\mathbb E[X]\|^2\le\mathbb E[\|X\|^2]",
    le(n2(ex(sp.Symbol("X"))), ex(n2(sp.Symbol("X")))),
    declared="X: vector",
)
_add(
    "Stich, Karimireddy, The Error-Feedback Framework, 2020, Remark 7",
    r"\langle u,v\rangle=\frac12\|u\|^2+\frac12\|v\|^2-\frac12\|u-v\|^2",
    eq(Inner(u, v), n2(u) / 2 + n2(v) / 2 - n2(u - v) / 2),
)
_add(
    "Bernoulli, Positiones arithmeticae, 1689",
    r"(1+q)^n\ge 1+nq, \quad q\in[-1,1]",
    ge((1 + q) ** n, 1 + n * q),
    ge(q, -1),
    le(q, 1),
    declared="q: real",
)
_add(
    "Mitrinovic, Analytic Inequalities, 1970, 3.6.1",
    r"1+q\le e^q\quad\text{for all }q\in\mathbb R",
    le(1 + q, sp.exp(q)),
    declared="q: real",
)
_add(
    "Mitrinovic, 1970, 3.6.2",
    r"(1-\alpha)^T\leq\exp(-\alpha T) \text{ if } 0<\alpha<1",
    le((1 - alpha) ** T, sp.exp(-alpha * T)),
    lt(0, alpha),
    lt(alpha, 1),
)
_add(
    "Ward, Wu, Bottou, AdaGrad Stepsizes, 2019, Lemma 3.2",
    r"\sum_{l=1}^{T}\frac{a_l}{\sum_{i=1}^{l}a_i}\le\log\left(\sum_{i=1}^{T}a_i\right)+1",
    le(
        mean(
            at(sp.Symbol("a", positive=True), l) / mean(at(sp.Symbol("a", positive=True), i), i, 1, l),
            l,
            1,
            T,
        ),
        sp.log(mean(at(sp.Symbol("a", positive=True), i), i, 1, T)) + 1,
    ),
    declared="a: positive",
)
_add(
    "Auer, Cesa-Bianchi, Gentile, Adaptive Online Learning, 2002, Lemma 3.5",
    r"\sum_{t=1}^T\frac{a_t}{\sqrt{\sum_{s=1}^ta_s}}\le2\sqrt{\sum_{t=1}^Ta_t}",
    le(
        mean(
            at(sp.Symbol("a", positive=True), t)
            / sp.sqrt(mean(at(sp.Symbol("a", positive=True), s), s, 1, t)),
            t,
            1,
            T,
        ),
        2 * sp.sqrt(mean(at(sp.Symbol("a", positive=True), t), t, 1, T)),
    ),
    declared="a: positive",
)
_add(
    "Knuth, The Art of Computer Programming 1, 1.2.7",
    r"\sum_{t=1}^T\frac1t\le1+\ln T",
    le(mean(1 / t, t, 1, T), 1 + sp.log(T)),
)
_add(
    "Graham, Knuth, Patashnik, Concrete Mathematics, 1994, (2.25)",
    r"\sum_{k=0}^{n-1}\rho^k=\frac{1-\rho^n}{1-\rho}, \quad\text{if }\rho<1",
    eq(mean(rho**k, k, 0, n - 1), (1 - rho**n) / (1 - rho)),
    lt(rho, 1),
)
_add(
    f"{BUBECK}, proof of Theorem 3.9",
    r"\sum_{t=1}^T\frac1{\sqrt t}\le2\sqrt T",
    le(mean(1 / sp.sqrt(t), t, 1, T), 2 * sp.sqrt(T)),
)
_add(
    "Robbins, Siegmund, A Convergence Theorem for Nonnegative Almost Supermartingales, 1971",
    r"\mathbb E[V_{t+1}\mid\mathcal F_t]\le(1+\alpha_t)V_t-U_t+\beta_t",
    le(
        Expect(at(sp.Symbol("V", nonnegative=True), t + 1), sp.Symbol("."), sp.Symbol(r"\mathcal{F}_{t}")),
        (1 + at(alpha, t)) * at(sp.Symbol("V", nonnegative=True), t)
        - at(sp.Symbol("U", nonnegative=True), t)
        + at(beta, t),
    ),
    declared="U, V: nonnegative",
)
