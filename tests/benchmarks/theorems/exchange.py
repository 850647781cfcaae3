"""Exchanged messages: compression, mixing, personal models, robust means, clipping."""

from __future__ import annotations

from itertools import combinations, product

import sympy as sp

from nqm.fields import abs_, amax, amin, dot, maximum, norm, sq, stack
from tests.benchmarks.theorems.cases import Collection
from verify import Box, Branching, Scene, facts
from verify.engine.model.sums import Sums
from verify.facts.known import Known
from verify.facts.vectors import JORDAN

EXCHANGE = Collection("exchange")
notes = EXCHANGE.notes

# Compression of a vector with n entries to k
n, k = notes.count("n k")
v1, v2, vmax, rand2, rand_error2, top_error2, sign_error2, tern2 = notes.nonnegative(
    "v1 v2 vmax rand2 rand_error2 top_error2 sign_error2 tern2"
)


def compressed(shape, values):
    v, n, k = values["v"], shape["n"], shape["k"]
    kept = [list(s) for s in combinations(range(n), k)]
    inside = stack([sq(v[:, s]) for s in kept], 1)
    rest = stack([sq(v)] * len(kept), 1) - inside
    largest, length = amax(abs_(v), 1), abs_(v).sum(axis=1)
    shares = abs_(v) / largest[:, None]
    tern = 0 * length
    for outcome in product((0, 1), repeat=n):
        chance, number = 1 + 0 * length, sum(outcome)
        for i, kept_one in enumerate(outcome):
            chance = chance * (shares[:, i] if kept_one else 1 - shares[:, i])
        tern = tern + chance * number * largest**2
    return {
        "v1": length,
        "v2": sq(v),
        "vmax": largest,
        "rand2": inside.sum(axis=1) * n**2 / (k**2 * len(kept)),
        "rand_error2": ((n - k) ** 2 * inside / k**2 + rest).sum(axis=1) / len(kept),
        "top_error2": amin(rest, 1),
        "sign_error2": sq(abs_(v) - (length / n)[:, None]),
        "tern2": tern,
    }


on_compressed = EXCHANGE.on(
    Scene(
        "compressed vectors",
        tuple({"n": n, "k": k} for n, k in ((1, 1), (2, 1), (3, 1), (3, 2))),
        lambda s: {"v": Box(-2, 2, (s["n"],))},
        Branching(compressed, "any vectors of up to three entries"),
    )
)
SPARSE = "Stich, Cordonnier, Jaggi, Sparsified SGD with memory (2018), "
on_compressed(
    "random-k",
    SPARSE + "Definition 2.1 scaled to be unbiased",
    sp.Eq(rand2, n / k * v2),
    wrong=(sp.Eq(rand2, k / n * v2), sp.Eq(rand2, n**2 / k**2 * v2), sp.Eq(rand2, v2)),
)
on_compressed(
    "random-k-error",
    "Horvath et al., Stochastic distributed learning with gradient quantization (2019), rand-k",
    sp.Eq(rand_error2, (n / k - 1) * v2),
    wrong=(sp.Eq(rand_error2, (1 - k / n) * v2), sp.Eq(rand_error2, n / k * v2)),
)
on_compressed(
    "top-k",
    SPARSE + "Lemma A.1",
    top_error2 <= (1 - k / n) * v2,
    wrong=(top_error2 <= (1 - k / n) ** 2 * v2, top_error2 <= (1 - k / n) * v2 / k),
)
on_compressed(
    "sign",
    "Karimireddy, Rebjock, Stich, Jaggi, Error feedback fixes SignSGD (2019), Lemma 8",
    sp.Eq(sign_error2, v2 - v1**2 / n),
    wrong=(sp.Eq(sign_error2, v2 - v1**2), sp.Eq(sign_error2, (1 - 1 / n) * v2)),
)
on_compressed(
    "ternary",
    "Wen et al., TernGrad (2017), Section 3",
    sp.Eq(tern2, vmax * v1),
    wrong=(sp.Eq(tern2, v2), sp.Eq(tern2, vmax**2), sp.Eq(tern2, n * v2)),
)

# Mixing on a ring of four
spread_before, spread_after = notes.nonnegative("spread_before spread_after")
mean_before, mean_after = notes.real("mean_before mean_after")


def mixed(shape, values):
    x = values["x"]
    new = stack([x[:, i] / 2 + x[:, (i + 1) % 4] / 4 + x[:, i - 1] / 4 for i in range(4)], 1)
    means = x.sum(axis=1) / 4, new.sum(axis=1) / 4
    return {
        "mean_before": means[0],
        "mean_after": means[1],
        "spread_before": sq(x - means[0][:, None]),
        "spread_after": sq(new - means[1][:, None]),
    }


on_ring = EXCHANGE.on(
    Scene("a ring of four", ({},), lambda s: {"x": Box(-2, 2, (4,))}, Branching(mixed, "any numbers"))
)
BOYD = "Xiao, Boyd, Fast linear iterations for distributed averaging (2004)"
on_ring("gossip-mean", BOYD, sp.Eq(mean_after, mean_before), wrong=(sp.Eq(mean_after, mean_before / 2),))
on_ring(
    "gossip-spread",
    BOYD,
    spread_after <= spread_before / 4,
    wrong=(spread_after <= spread_before / 16, spread_before <= spread_after),
)

# Personal models, clipping, robust means; one dimension
envelope, meta, at, robust2, worst2, average2 = notes.nonnegative("envelope meta at robust2 worst2 average2")
slope, pull = notes.real("slope pull")
h, lam, alpha = notes.positive("h lam alpha")


def personal(shape, v):
    h, lam, c, x, alpha = (v[name] for name in ("h", "lam", "c", "x", "alpha"))

    def solved(x):
        return (h * c + lam * x) / (h + lam)

    def envelope(x):
        return h / 2 * (solved(x) - c) ** 2 + lam / 2 * (solved(x) - x) ** 2

    good = v["good"] - x[:, None]
    three = stack([good[:, 0], good[:, 1], v["bad"] - x], 1)
    median = three.sum(axis=1) - amax(three, 1) - amin(three, 1)
    return {
        "envelope": envelope(x),
        "slope": (envelope(x + 1) - envelope(x - 1)) / 2,
        "pull": lam * (x - solved(x)),
        "at": h / 2 * (x - c) ** 2,
        "meta": h / 2 * (x - alpha * h * (x - c) - c) ** 2,
        "robust2": median**2,
        "worst2": amax(good**2, 1),
        "average2": (three.sum(axis=1) / 3) ** 2,
    }


on_personal = EXCHANGE.on(
    Scene(
        "personal models",
        ({},),
        lambda s: {
            **{name: Box(-2, 2) for name in ("c", "x")},
            **{name: Box(0.1, 4) for name in ("h", "lam")},
            "alpha": Box(0.01, 1),
            "good": Box(-2, 2, (2,)),
            "bad": Box(-100, 100),
        },
        Branching(personal, "any losses and models in one dimension"),
    )
)
PFEDME = "Dinh, Tran, Nguyen, Personalized federated learning with Moreau envelopes (2020), "
on_personal(
    "envelope",
    PFEDME + "Proposition 1, for a quadratic",
    sp.Eq(envelope, lam / (h + lam) * at),
    wrong=(sp.Eq(envelope, h / (h + lam) * at), sp.Eq(envelope, (lam / (h + lam)) ** 2 * at)),
)
on_personal(
    "envelope-slope",
    PFEDME + "Proposition 1",
    sp.Eq(slope, pull),
    wrong=(sp.Eq(slope, 2 * pull), sp.Eq(slope, pull / lam)),
)
on_personal(
    "envelope-below",
    "Moreau, Proximite et dualite dans un espace hilbertien (1965)",
    envelope <= at,
    wrong=(at <= envelope, envelope <= h / (h + lam) * at),
)
on_personal(
    "meta",
    "Fallah, Mokhtari, Ozdaglar, Personalized federated learning: a meta-learning approach (2020), (3), for a quadratic",
    sp.Eq(meta, (1 - alpha * h) ** 2 * at),
    wrong=(sp.Eq(meta, (1 - alpha * h) * at), sp.Eq(meta, (1 - alpha) ** 2 * at)),
)
on_personal(
    "median",
    "Yin, Chen, Ramchandran, Bartlett, Byzantine-robust distributed learning (2018); Minsker (2015)",
    robust2 <= worst2,
    wrong=(average2 <= worst2, robust2 <= average2),
)

# Clipping to length c, as multiples s and t of the vectors
c, s, t = notes.positive("c s t")
a1, b1, gap1, clipped1, clipped_gap1 = notes.nonnegative("a1 b1 gap1 clipped1 clipped_gap1")
a2, b2, gap2, clipped_gap2 = notes.nonnegative("a2 b2 gap2 clipped_gap2")
ab = notes.real("ab")


def clipped(shape, v):
    a, b = v["a"], v["b"]
    s, t = (v["c"] / maximum(norm(x), v["c"]) for x in (a, b))
    gap = a * s[:, None] - b * t[:, None]
    return {
        "s": s,
        "t": t,
        "ab": dot(a, b),
        "a1": norm(a),
        "a2": sq(a),
        "b1": norm(b),
        "b2": sq(b),
        "gap1": norm(a - b),
        "gap2": sq(a - b),
        "clipped1": norm(a * s[:, None]),
        "clipped_gap1": norm(gap),
        "clipped_gap2": sq(gap),
    }


def of_multiples():
    """|s a - t b|^2 = s^2 |a|^2 + t^2 |b|^2 - 2 s t <a, b>."""
    relation = sp.Eq(clipped_gap2, s**2 * a2 + t**2 * b2 - 2 * s * t * ab)
    gap = ["-", ["*", "s", "a"], ["*", "t", "b"]]
    products = {clipped_gap2: (gap, gap), a2: ("a", "a"), b2: ("b", "b"), ab: ("a", "b")}
    means = {letter: ["dot", *pair] for letter, pair in products.items()}
    proof = Sums(relation, means, {"a": "vector", "b": "vector"})
    return Known("square of a difference of multiples", relation, JORDAN, proof=proof)


LENGTHS = tuple(
    facts.length(*pair) for pair in ((a1, a2), (b1, b2), (gap1, gap2), (clipped_gap1, clipped_gap2))
)
PRODUCTS = (facts.squared_difference(gap2, a2, b2, ab), facts.cauchy_schwarz(ab, a2, b2), of_multiples())
SPACE = (
    ({"d": 1}, {"d": 2}),
    lambda s: {"a": Box(-2, 2, (s["d"],)), "b": Box(-2, 2, (s["d"],)), "c": Box(0.1, 2)},
)
on_clipped = EXCHANGE.on(Scene("clipped vectors", *SPACE, Branching(clipped, "any vectors and lengths")))
on_multiples = EXCHANGE.on(
    Scene("multiples of vectors", *SPACE, clipped, textbook=PRODUCTS).of_class(
        "vectors and their lengths", *LENGTHS
    )
)
ABADI = "Abadi et al., Deep learning with differential privacy (2016), Algorithm 1"
on_clipped("clip", ABADI, clipped1 <= c, wrong=(a1 <= c, clipped1 <= c**2))
on_multiples(
    "clip-nonexpansive",
    "Bauschke, Combettes, Convex analysis and monotone operator theory (2011), Proposition 4.8: balls are convex",
    clipped_gap1 <= gap1,
    sp.Eq(s, c / sp.Max(a1, c)),
    sp.Eq(t, c / sp.Max(b1, c)),
    facts=(*LENGTHS, *PRODUCTS),
    through=(s <= 1, t <= 1, (s * a1 - t * b1) ** 2 <= (a1 - b1) ** 2, ab <= a1 * b1, clipped_gap2 <= gap2),
    wrong=(gap1 <= clipped_gap1, clipped_gap1 <= c),
)
