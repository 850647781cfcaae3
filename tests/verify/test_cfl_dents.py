"""Lemma B.2 of CFL at local models is false for convex losses whose drift has a dent on the path of the local models:
in fractions.

The global gradient is x along the first axis, and the drift is +-d(x). Here d = 1 except for a dent of slope 9/10
between the two local models after a step. So both losses are convex, and no drift is longer than 1. The worlds of the
scenes have one such axis.
"""

from __future__ import annotations

from fractions import Fraction

from bounds.catalogue import statement

SLOPE = Fraction(9, 10)
SIGNS = (1, -1)


def dented(x: Fraction, left: Fraction, right: Fraction) -> Fraction:
    """The drift: 1, falling from `left` to `right`, and rising again."""
    return 1 - SLOPE * max(Fraction(0), right - left - abs(x - right))


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def moved(start: Fraction, step: Fraction, longer: int) -> dict[int, Fraction]:
    """First coordinates of both local models after a step, which an information loss may lengthen."""
    after = {sign: start - step * longer * (start + sign) for sign in SIGNS}
    assert after[-1] + (after[-1] - after[1]) <= start  # the dent ends before the start
    return after


def allowed(id: str, step: Fraction) -> bool:
    """The longest local step under the printed condition, with two local steps, L = 1 + 9/10, c = 1 and a short server
    step.
    """
    return not statement(id).failing(K=2, eta_l=float(step), eta_g=1e-3, L=1 + float(SLOPE), c_max=1.0)


def test_drifts_at_local_models_exceed_the_lemma_without_memory() -> None:
    """Eq. (15), first step: one client, two local steps, no noise, no information loss; A = B = 0, G = 1."""
    start, step = Fraction(6), Fraction(1, 50)
    assert allowed("cfl.eq15.mid1/independent", step)
    after = moved(start, step, 1)
    true2 = mean([(start + s) ** 2 for s in SIGNS]) + mean(
        [(x + s * dented(x, after[1], after[-1])) ** 2 for s, x in after.items()]
    )
    bound = start**2 + mean([x**2 for x in after.values()]) + 2
    assert true2 > bound


def test_an_information_loss_against_the_gradient_leaves_no_room() -> None:
    """Eq. (18), intermediate: both outcomes have gradients of the same length, and the loss, of length R, is opposed to
    them.
    """
    start, step, curve = Fraction(8), Fraction(1, 100), Fraction(1, 100)
    assert allowed("cfl.eq18.mid", step)
    after = moved(start, step, 2)
    second = {
        s: start / curve - step * 2 * (start - s) for s in SIGNS
    }  # the drift along the second axis is -s
    lost = {s: (-(start + s), -(start - s)) for s in SIGNS}
    lengths = {loss[0] ** 2 + loss[1] ** 2 for loss in lost.values()}
    assert len(lengths) == 1
    gradients = {
        s: (after[s] + s * dented(after[s], after[1], after[-1]), curve * second[s] - s) for s in SIGNS
    }
    bar2 = mean([sum((g - m) ** 2 for g, m in zip(gradients[s], lost[s], strict=True)) for s in SIGNS])
    grad2 = mean([after[s] ** 2 + (curve * second[s]) ** 2 for s in SIGNS])
    assert bar2 > 2 * grad2 + 2 * 2 + 2 * lengths.pop()  # c_pB = 1, c_pG = G^2 = 2, past weight 1
