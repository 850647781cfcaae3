"""Adaptive rates of C-FLAG: the scenes against plain loops, known results, witnesses."""

from __future__ import annotations

import numpy as np
import pytest

from tests.verify.judging import at_fractions
from verify.cflag_adaptive import CLAIMS
from verify.curves import cflag_adaptive as curve
from verify.engine.judge import judge
from verify.engine.model.scene import quantities
from verify.scenes.cflag.adaptive import APART, MEMORIES, ONE_RATE, PROJECTED, SUMS
from verify.scenes.cflag.adaptive_rates import LINES, OWN_RATES
from verify.scenes.cflag.adaptive_rounds import OWN_RATES as PLAYED_OWN_RATES
from verify.scenes.cflag.adaptive_rounds import ROUND

BY_ID = {claim.statement.id: claim for claim in CLAIMS}


def drawn(scene, shape, seed=0, batch=6):
    """Quantities of a random batch; the rates are their fractions."""
    values = at_fractions(scene, shape, batch, [seed, *shape.values()])
    return [{n: np.asarray(v)[i] if np.ndim(v) else v for n, v in values.items()} for i in range(batch)]


def gamma(L, alpha, beta, p, fd, a):
    """Gamma(t) by its definition."""
    s = sum(w * v for w, v in zip(p, a, strict=True))
    return L / 2 * beta**2 * s @ s - beta * (1 - L * alpha) * fd @ s


SHAPE = {"N": 3, "E": 2, "d": 2}


def weights(v):
    return v["raw"] / v["raw"].sum()


def test_sums_over_clients():
    for v in drawn(SUMS, SHAPE):
        p, fd, a = weights(v), v["fd"], v["delayed"].sum(axis=1)
        L, alpha, beta = v["L"], v["alpha"], v["beta"]
        pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
        expected = {
            "cross": sum(p[i] * p[j] * a[i] @ a[j] for i, j in pairs),
            "q2": sum(w**2 * x @ x for w, x in zip(p, a, strict=True)),
            "Lam": sum(w * fd @ x for w, x in zip(p, a, strict=True)),
            "apart": sum(((p[i] * a[i] - p[j] * a[j]) ** 2).sum() for i, j in pairs if i < j),
            "sum_av": sum(
                w * (L * beta**2 / 2 * w * x @ x - beta * (1 - L * alpha) * fd @ x)
                for w, x in zip(p, a, strict=True)
            ),
            "sum_w": sum(
                w * (L * beta**2 / 2 * w * 3 * x @ x - beta * (1 - L * alpha) * fd @ x)
                for w, x in zip(p, a, strict=True)
            ),
        }
        for name, value in expected.items():
            assert v[name] == pytest.approx(value, abs=1e-9), name


def test_clients_that_do_not_interact():
    for v in drawn(APART, SHAPE):
        assert v["cross"] == pytest.approx(0, abs=1e-6 * (1 + v["q2"]))
        assert v["sum_av"] == pytest.approx(
            v["L"] / 2 * v["beta"] ** 2 * v["s2"] - v["beta"] * (1 - v["L"] * v["alpha"]) * v["ds"], rel=1e-6
        )


def test_expectations_over_two_memories():
    for v in drawn(MEMORIES, {"N": 2, "E": 1, "d": 2}):
        p, a = weights(v), v["delayed"].sum(axis=2)
        each = [gamma(v["L"], v["alpha"], v["beta"], p, v["fd"][r], a[r]) for r in range(2)]
        assert v["mean_Gamma"] == pytest.approx(np.mean(each))


def test_a_round_at_own_rates():
    for v in drawn(OWN_RATES, SHAPE, batch=24):
        p, fd, a = weights(v), v["fd"], v["delayed"].sum(axis=1)
        # the rates of Table 1 jump where Lambda_i = 0, so that rounding would decide
        if not fd.any() or np.abs(a @ fd).min() < 1e-9:
            continue
        L, alpha = v["L"], v["alpha"]
        first = v["delayed"][:, 0]
        shift = p @ first - first
        for name, factor in (("av", 1), ("w", 3)):
            terms, moved, sent, on_memory = 0.0, 0, 0, 0.0
            for w, x, tracked in zip(p, a, shift, strict=True):
                Lam, rates = fd @ x, [alpha, alpha]
                if Lam > 0:
                    rates[1] = (1 - L * alpha) * Lam / (L * factor * w * x @ x)
                else:
                    rates[0] = alpha * (1 - Lam / (fd @ fd))
                terms += w * (
                    L * rates[1] ** 2 / 2 * factor * w * x @ x - rates[1] * (1 - L * rates[0]) * Lam
                )
                moved, sent = moved + w * rates[1] * x, sent + w * rates[1] * (x + 2 * tracked)
                on_memory += w * rates[0]
            whole = lambda s, mean=on_memory: L / 2 * s @ s - (1 - L * mean) * fd @ s  # noqa: E731, B023
            assert v[f"ad_{name}"] == pytest.approx(terms, rel=1e-6, abs=1e-9)
            assert v[f"round_{name}"] == pytest.approx(whole(moved), rel=1e-6, abs=1e-9)
            assert v[f"sent_{name}"] == pytest.approx(whole(sent), rel=1e-6, abs=1e-9)


def quadratic(v, task, rows, x):
    h, c = v["curvature"][task, rows], v["centre"][task, rows]
    return (h * (x - c) ** 2).sum(axis=-1).mean() / 2, (h * (x - c)).mean(axis=0)


@pytest.mark.parametrize("scene", [ROUND, PLAYED_OWN_RATES], ids=lambda scene: scene.name)
def test_a_round_that_is_played(scene):
    # one step and one sample: a is the gradient of the current task
    for v in drawn(scene, {"N": 2, "S": 1, "E": 1, "d": 2}):
        alpha, beta = v["alpha"], v["beta"]
        rows = [0, 1]
        fd, now = (np.mean([quadratic(v, task, [i], v["x"])[1] for i in rows], axis=0) for task in (0, 1))
        after = v["x"] - alpha * fd - beta * now
        assert v["f_next"] == pytest.approx(quadratic(v, 0, rows, after)[0])
        if scene is ROUND:
            assert v["f_now"] == pytest.approx(quadratic(v, 0, rows, v["x"])[0])
            assert v["g_next"] == pytest.approx(quadratic(v, 1, rows, after)[0])
            assert v["Lam"] == pytest.approx(fd @ now)
            assert v["third_diff"] == pytest.approx(0, abs=1e-6)  # with one step Gamma is a quadratic in beta


# ------------------------------------------------------------------------------------------------- known results


@pytest.mark.parametrize(
    ("id", "verdict"),
    [
        ("cflag.decomp", "proved"),  # the square of a sum
        ("cflag.eq15.positive", "proved"),  # 1 - 2/(1 + m) > 0
        ("cflag.eq15.positive/any-m", "gap"),
        ("cflag.eq16.square", "proved"),  # the completed square
        ("cflag.eq188.apart", "proved"),  # Lagrange's identity for a sum of N vectors
        ("cflag.alg3.line4/scaled", "proved"),
        ("cflag.alg3.line4", "inconsistent"),
    ],
)
def test_what_is_known(id, verdict):
    assert judge(BY_ID[id], "quick", 0)["verdict"] == verdict


@pytest.mark.parametrize("scene", [SUMS, ONE_RATE, PROJECTED, LINES], ids=lambda scene: scene.name)
def test_scenes_are_exact(scene):
    # every quantity of a scene is a fraction where the parameters are, norms aside
    from fractions import Fraction

    shape = scene.shapes[0]
    ones = {
        name: np.full((1, *box.shape), Fraction(1, 2), dtype=object)
        for name, box in scene.space(shape).items()
    }
    found = quantities(scene, shape, ones, {name: ones[name] for name in scene.steps})
    assert all(
        isinstance(x, Fraction | int) for v in found.values() for x in np.asarray(v, dtype=object).flat
    )


# ------------------------------------------------------------------------------------------------------ the curve


def test_the_curve_of_losses_and_shares(monkeypatch):
    monkeypatch.setattr(curve, "WORLDS", 12)
    found = curve.compute(3)
    shapes = {
        "lower_Gamma": ("average", "worst", "printed"),
        "past": ("fixed", "average", "worst", "printed"),
    }
    for name, variants in shapes.items():
        assert set(found[name]) == set(variants)
    for share in found["lower_Gamma"].values():
        for low, mean, high in zip(share["low"], share["share"], share["high"], strict=True):
            assert 0 <= low <= mean <= high <= 1
    for variant in ("fixed", "average", "worst"):
        assert (found["past"][variant] >= 0).all()
        assert len(found["current"][variant]) == len(found["fraction"])
    assert (found["past"]["fixed"] == curve.compute(3)["past"]["fixed"]).all()


def test_the_curve_starts_where_the_past_loss_is_least():
    problem = curve.random_problem(1)
    start = problem.least[curve.PAST]
    for away in (0.1, -0.1):
        assert (problem.loss(curve.PAST, start + away) > 0).all()
    assert np.abs(problem.loss(curve.PAST, start)).max() == 0
