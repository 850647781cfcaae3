"""Errors of SPECIAL, CFL, C-FLAG and FedMeS: as in the catalogue, and stated again from the paper's formulas."""

from __future__ import annotations

import sympy as sp

from bounds.relations import ge, le
from nqm.fields import dot, maximum, minimum, sq
from tests.benchmarks.errata.cases import Errata, catalogued
from verify import Box, Branching, Scene

PAPERS = Errata("papers")
add, encoding, notes = PAPERS.add, PAPERS.encoding, PAPERS.notes
ONE = ({"d": 1},)
SPECIAL, CFL = "SPECIAL (arXiv:2601.22274v2), ", "CFL (Guo, Lin, Tang), "
CFLAG, FEDMES = "C-FLAG, ", "FedMeS, "

# ------------------------------------------------------------------------------------- SPECIAL
moved, unrolled, reversed_ = notes.real("moved unrolled reversed_")


def recursion(shape, values):
    """theta' = (theta + Delta + lam theta_0)/(1 + lam), from theta_0 = 0, T rounds."""
    delta, divisor, rounds = values["delta"], 1 + values["lam"], shape["T"]
    theta = 0 * divisor
    for k in range(rounds):
        theta = (theta + delta[:, k]) / divisor
    return {
        "moved": theta,
        "unrolled": sum(delta[:, k] / divisor ** (k + 1) for k in range(rounds)),
        "reversed_": sum(delta[:, k] / divisor ** (rounds - k) for k in range(rounds)),
    }


ROUNDS = Scene(
    "rounds of the server", tuple({"T": T} for T in (1, 2, 3)),
    lambda s: {"delta": Box(-2, 2, (s["T"],)), "lam": Box(0.125, 4)}, Branching(recursion, "up to three rounds"),
)  # fmt: skip
add(
    "special-27",
    SPECIAL + "Eq. (27)",
    "unrolled, the oldest update has the largest weight",
    "the newest update has it",
    catalogued("special.eq27", "special.eq27/corrected"),
    encoding("special-27.run", "a run", sp.Eq(moved, unrolled), sp.Eq(moved, reversed_), scene=ROUNDS),
)
a2, b2, c2 = notes.nonnegative("a2 b2 c2")
ab = notes.real("ab")
add(
    "special-43",
    SPECIAL + "Eq. (43), first line",
    "|A|^2 is at most 2 |first part|^2 + |second part|^2",
    "2 |first part|^2 + 2 |second part|^2",
    catalogued("special.eq43.split", "special.eq43.split/corrected"),
    encoding(
        "special-43.numbers",
        "free numbers: squares and product of the parts",
        a2 + 2 * ab + b2 <= 2 * a2 + b2,
        a2 + 2 * ab + b2 <= 2 * a2 + 2 * b2,
        ab**2 <= a2 * b2,
    ),
)

# ------------------------------------------------------------------------------------- CFL
D2, F2, G2, R2 = notes.nonnegative("D2 F2 G2 R2")
n = notes.count("n")
left_over, printed_rest, shared_rest = notes.real("left_over printed_rest shared_rest")


def correlated(shape, values):
    """Variance left of drifts with covariance min(D^2, F^2) by the weights of Theorem 4.7, over t rounds."""
    t, D, F, R = shape["t"], values["D2"], values["F2"], values["R2"]
    M = maximum(D - F, 0 * D)
    below = t * M + (t - 1) * R
    now, past = (M + (t - 1) * R) / below, M / below
    square = now**2 + (t - 1) * past**2
    shared = minimum(D, F)
    objective = (1 - now) ** 2 * R + D * square + shared * (1 - square)
    least = M * (M + (t - 1) * R) / below
    return {"left_over": objective, "printed_rest": least, "shared_rest": least + shared, "below": below}


below = notes.nonnegative("below")
SHARED = Scene(
    "drifts of t rounds that share a part", tuple({"t": t} for t in (2, 3)),
    lambda s: {"D2": Box(0, 4), "F2": Box(0, 4), "R2": Box(0.125, 4)}, Branching(correlated, "two and three rounds"),
)  # fmt: skip
add(
    "cfl-4.7-variance",
    CFL + "Theorem 4.7; Remark 4.8",
    "with optimal weights the noise is that of M^2 = D^2 - F^2, so shared drifts reduce it",
    "min(D^2, F^2) is added, which no weights reduce",
    catalogued("cfl.thm4.7.variance", "cfl.thm4.7.variance/corrected"),
    encoding(
        "cfl-4.7-variance.run",
        "weights of two and three rounds",
        sp.Eq(left_over, printed_rest),
        sp.Eq(left_over, shared_rest),
        below > 0,
        scene=SHARED,
    ),
)
A2, B2, C2, share = notes.nonnegative("A2 B2 C2 share")
add(
    "cfl-4.7-constant",
    CFL + "Theorem 4.7, c_O",
    "1 + A^2 + max(B^2, C^2) bounds 1 + B^2 + A^2 q + C^2 (1 - q), 0 <= q <= 1",
    "1 + B^2 + max(A^2, C^2) is a bound: the paper exchanged A and B",
    catalogued("cfl.thm4.7.c_O", "cfl.thm4.7.c_O/corrected"),
    encoding(
        "cfl-4.7-constant.numbers",
        "free numbers",
        1 + B2 + A2 * share + C2 * (1 - share) <= 1 + A2 + sp.Max(B2, C2),
        1 + B2 + A2 * share + C2 * (1 - share) <= 1 + B2 + sp.Max(A2, C2),
        share <= 1,
    ),
)
z1, z2, z3 = notes.real("z1 z2 z3")
alpha = notes.nonnegative("alpha")
FORM = R2 * (z1 + z2) ** 2 + D2 * (
    z1**2 + z2**2 + z3**2 + 2 * alpha * (z1 * z2 + z2 * z3) + 2 * alpha**2 * z1 * z3
)
add(
    "cfl-definite",
    CFL + "Lemma B.9, Eq. (34)",
    "Q is positive definite for alpha < 1",
    "it is for D > 0; for D = 0 it is singular",
    catalogued("cfl.lemB.9", "cfl.lemB.9/corrected"),
    encoding(
        "cfl-definite.numbers",
        "free numbers, three rounds",
        FORM > 0,
        (FORM > 0, alpha < 1, z1**2 + z2**2 + z3**2 > 0, D2 > 0),
        alpha < 1,
        z1**2 + z2**2 + z3**2 > 0,
    ),
)
ratio, weight = notes.nonnegative("ratio weight")
q, cB = notes.nonnegative("q"), notes.nonnegative("cB")
add(
    "cfl-step-ratio",
    CFL + "Appendix B.4.2, line 771",
    "the factor of the local drift, (1 + 4 eta L c)/(1 - 4 (K L eta_l)^2 c), is below 1/12",
    "it is at least 1, and at most 5/4",
    catalogued("cfl.step.ratio", "cfl.step.ratio/repaired"),
    encoding(
        "cfl-step-ratio.numbers",
        "free numbers: q = (K L eta_l)^2 c and cB = eta L c",
        le((1 + 4 * cB) / (1 - 4 * q), sp.Rational(1, 12)),
        ge((1 + 4 * cB) / (1 - 4 * q), sp.S.One),
        4 * q < 1,
    ),
)

# ------------------------------------------------------------------------------------- C-FLAG
s2, ds, beta, L, rate = notes.nonnegative("s2"), notes.real("ds"), *notes.positive("beta L rate")
f_after, forgetting_all, forgetting_late = notes.real("f_after forgetting_all forgetting_late")


def _forgets(factor, first):
    """Change of the loss L x^2/2 of a memory by E steps along s_k, after its own step; sums begin at `first`."""

    def of(shape, values):
        steps = values["s"][:, first:]
        total = steps.sum(axis=1) if shape["E"] > first else 0 * values["x"]
        slope = values["L"] * values["x"]
        return (
            factor * values["L"] * values["beta"] ** 2 * total**2
            - values["beta"] * (1 - values["L"] * values["rate"]) * slope * total
        )

    return of


def two_updates(shape, values):
    x, curve = values["x"], values["L"]
    own = x - values["rate"] * curve * x
    end = own - values["beta"] * values["s"].sum(axis=1)
    loss = lambda y: curve * y**2 / 2  # noqa: E731
    return {
        "f_after": loss(end) - loss(own),
        "forgetting_all": _forgets(0.5, 0)(shape, values),
        "forgetting_late": _forgets(0.5, 1)(shape, values),
        "forgetting_text": _forgets(1, 0)(shape, values),
    }


forgetting_text = notes.real("forgetting_text")
UPDATES = Scene(
    "a memory with a quadratic loss, E steps on current data", tuple({"E": E} for E in (1, 2)),
    lambda s: {"x": Box(-2, 2), "L": Box(0.25, 2), "rate": Box(0.125, 0.5), "beta": Box(0.125, 1), "s": Box(-2, 2, (s["E"],))},
    Branching(two_updates, "up to two steps"),
)  # fmt: skip
add(
    "cflag-first-step",
    CFLAG + "Lemma 1 and Eq. (58): sums from k = 1",
    "Gamma(t) sums the local steps from k = 1",
    "it sums them from k = 0",
    catalogued("cflag.eq58", "cflag.eq58/all-steps"),
    encoding(
        "cflag-first-step.run",
        "a round, quadratic memory",
        sp.Eq(f_after, forgetting_late),
        sp.Eq(f_after, forgetting_all),
        scene=UPDATES,
    ),
)
add(
    "cflag-lemma-1",
    CFLAG + "Lemma 1, Eq. (8) to (10)",
    "descent with sums from k = 1 and the factor L of the text",
    "descent with sums from k = 0 and L/2",
    catalogued("cflag.lem1", "cflag.lem1/all-steps"),
    encoding(
        "cflag-lemma-1.run",
        "what a round forgets, with the factor of the text",
        sp.Eq(f_after, forgetting_text),
        sp.Eq(f_after, forgetting_all),
        scene=UPDATES,
    ),
)
moved2, long = notes.nonnegative("moved2 long")
add(
    "cflag-square",
    CFLAG + "Lemma 1, Eq. (48)",
    "L/2 |x' - x|^2 is L/2 times the length of the update",
    "it is L/2 times its square",
    catalogued("cflag.eq48", "cflag.eq48/squared"),
    encoding(
        "cflag-square.numbers",
        "free numbers",
        sp.Eq(L / 2 * moved2, L / 2 * long),
        sp.Eq(L / 2 * moved2, L / 2 * long**2),
        sp.Eq(moved2, long**2),
    ),
)

# ------------------------------------------------------------------------------------- FedMeS
after, before, allowed = notes.real("after before allowed")
conflict = notes.real("conflict")


def correction(shape, values):
    """A correction of FedMeS, Eq. (6): the current gradient minus its part along the memory's gradient, quadratic
    memory.
    """
    x, current, curve, size = values["x"], values["g"], values["L"], values["size"]
    memory = curve[:, None] * x
    kept = current - (dot(current, memory) / sq(memory))[:, None] * memory
    loss = lambda y: curve * sq(y) / 2  # noqa: E731
    return {
        "conflict": dot(current, memory),
        "before": loss(x),
        "after": loss(x - size[:, None] * kept),
        "allowed": loss(x) + curve * size**2 * sq(kept) / 2,
        "memory2": sq(memory),
    }


memory2 = notes.nonnegative("memory2")
CORRECTION = Scene(
    "a correction", tuple({"d": d} for d in (1, 2)),
    lambda s: {"x": Box(-2, 2, (s["d"],)), "g": Box(-2, 2, (s["d"],)), "L": Box(0.25, 2), "size": Box(0.125, 1)},
    Branching(correction, "up to two dimensions"),
)  # fmt: skip
add(
    "fedmes-theorem-1",
    FEDMES + "discussion of Theorem 1",
    "every correction decreases the loss on the memory",
    "a correction raises it by at most L/2 times the squared step",
    catalogued("fedmes.thm1.text", "fedmes.thm1.rises-little"),
    encoding(
        "fedmes-theorem-1.step", "a correction", after < before, after <= allowed, conflict < 0, memory2 > 0,
        scene=CORRECTION,
    ),
)  # fmt: skip
add(
    "fedmes-16",
    FEDMES + "Eq. (16)",
    "without conflict a step along the current gradient does not raise the memory loss",
    "this holds for short steps",
    catalogued("fedmes.eq16", "fedmes.eq16/small-steps"),
    encoding(
        "fedmes-16.numbers",
        "free numbers: a parabola",
        L * (rate - beta * s2) ** 2 / 2 <= L * rate**2 / 2,
        (L * (rate - beta * s2) ** 2 / 2 <= L * rate**2 / 2, beta * s2 <= 2 * rate),
    ),
)
A, eta = notes.nonnegative("A"), notes.positive("eta")
mean2, noise = notes.nonnegative("mean2 noise")
Mg, mu = notes.positive("Mg mu")
add(
    "fedmes-34",
    FEDMES + "Eq. (34), third line",
    "terms are collected with a minus sign before L A eta M_G/2",
    "the sign is plus: the term reduces the descent",
    catalogued("fedmes.eq34.third", "fedmes.eq34.third/corrected"),
    encoding(
        "fedmes-34.numbers",
        "free numbers",
        sp.Eq(
            -A * eta * mu * mean2 + L * A**2 * eta**2 * Mg * mean2 / 2,
            A * eta * mean2 * (-mu - A * L * Mg * eta / 2),
        ),
        sp.Eq(
            -A * eta * mu * mean2 + L * A**2 * eta**2 * Mg * mean2 / 2,
            A * eta * mean2 * (-mu + A * L * Mg * eta / 2),
        ),
    ),
)
add(
    "fedmes-40",
    FEDMES + "Eq. (40), with the rate (35)",
    "A eta c mu <= c mu^2/(L M_G^2)",
    "c mu^2/(L M_G)",
    catalogued("fedmes.eq40", "fedmes.eq40/corrected"),
    encoding(
        "fedmes-40.numbers",
        "free numbers",
        A * eta * mu <= mu**2 / (L * Mg**2),
        A * eta * mu <= mu**2 / (L * Mg),
        A * eta <= mu / (L * Mg),
    ),
)
gradient, apart = notes.real("gradient apart")
pull = notes.positive("pull")
add(
    "fedmes-5",
    FEDMES + "Eq. (5)",
    "the minimiser of (2) is a fixed point of the local step, which adds lambda times the length of w - v",
    "it is with lambda times the vector w - v",
    catalogued("fedmes.eq5.fixed", "fedmes.eq5.fixed/gradient"),
    encoding(
        "fedmes-5.numbers",
        "free numbers: the step at the minimiser, one dimension",
        sp.Eq(gradient + pull * sp.Abs(apart), 0),
        sp.Eq(gradient + pull * apart, 0),
        sp.Eq(gradient, -pull * apart),
    ),
)
