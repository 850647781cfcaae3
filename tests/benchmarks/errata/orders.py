"""Products of matrices in random order: the noncommutative inequality of the arithmetic and the geometric mean.

The family below was found by a numerical search. With a = 6, b = 1, c = 5 the mean of five matrices is 20 I, and the mean of
their products over all orders has the eigenvalue -(19/16) 20^5.
"""

from __future__ import annotations

from itertools import combinations

from nqm.fields import maximum
from tests.benchmarks.errata.cases import Errata
from verify import Box, Branching, Scene

ORDERS = Errata("orders")
add, encoding, notes = ORDERS.add, ORDERS.encoding, ORDERS.notes
n = notes.count("n")
along_one = notes.real("along_one")
mean_power, image2, mean_image2 = notes.nonnegative("mean_power image2 mean_image2")


def _times(k, vector, a, b, c):
    """A_k w for A_k = v v' + c (4 (I - e e') - u u'), where e is the k-th unit vector, u = 1 - e and v = a e + b u.

    For up to five dimensions A_k is positive semidefinite if c >= 0, since |u|^2 <= 4.
    """
    rest = sum(x for i, x in enumerate(vector) if i != k)
    along = a * vector[k] + b * rest
    return [a * along if i == k else b * along + c * (4 * x - rest) for i, x in enumerate(vector)]


def _in_random_order(vector, a, b, c):
    """The mean over all orders of A_1 ... A_n w."""
    size = len(vector)
    found = {(): vector}
    for length in range(1, size + 1):
        for chosen in combinations(range(size), length):
            parts = [_times(k, found[tuple(i for i in chosen if i != k)], a, b, c) for k in chosen]
            found[chosen] = [sum(entries) / length for entries in zip(*parts, strict=True)]
    return found[tuple(range(size))]


def _mean(vector, a, b, c):
    parts = [_times(k, vector, a, b, c) for k in range(len(vector))]
    return [sum(entries) / len(vector) for entries in zip(*parts, strict=True)]


def _product(u, w):
    return sum(x * y for x, y in zip(u, w, strict=True))


def orders(shape, values):
    """Every permutation of the coordinates keeps the mean and the mean product: 1 and e_1 - e_2 are eigenvectors."""
    size, numbers = shape["n"], (values["a"], values["b"], values["c"])
    nothing = 0 * values["a"]
    one, apart = [nothing + 1] * size, [nothing + 1, nothing - 1, *[nothing] * (size - 2)]
    image = _in_random_order(one, *numbers)
    norm = maximum(*(_product(u, _mean(u, *numbers)) / _product(u, u) for u in (one, apart)))
    return {
        "along_one": _product(one, image) / size,
        "mean_power": norm**size,
        "image2": _product(image, image),
        "mean_image2": norm ** (2 * size) * size,
    }


MATRICES = Scene(
    "positive semidefinite matrices that permutations of the coordinates carry into each other",
    ({"n": 2}, {"n": 5}),
    lambda s: {"a": Box(-8, 8), "b": Box(-2, 2), "c": Box(0, 8)},
    Branching(orders, "two and five matrices"),
)
add(
    "random-orders",
    "Recht, Re 2012, conjecture; Lai, Lim 2020; De Sa 2020",
    "the mean product of n positive semidefinite matrices over all orders is no longer than the n-th power of their mean",
    "this is true for two matrices",
    encoding(
        "random-orders.eigenvalue",
        "the eigenvalue at the vector of ones",
        along_one >= -mean_power,
        (along_one >= -mean_power, n <= 2),
        scene=MATRICES,
    ),
    encoding(
        "random-orders.length",
        "the squared length of the image of this vector",
        image2 <= mean_image2,
        (image2 <= mean_image2, n <= 2),
        scene=MATRICES,
    ),
)
