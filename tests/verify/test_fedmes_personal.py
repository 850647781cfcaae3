"""FedMeS, Theorem 2, the memory and its inference: scenes against plain loops, witnesses."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from algorithms.fedmes import loss_based
from tests.verify.judging import drawn
from verify.curves import fedmes_correction as correction_curve
from verify.curves import fedmes_personal as personal_curve
from verify.engine.model.scene import quantities
from verify.scenes.fedmes.inference import LINE, MEMORY, every_order
from verify.scenes.fedmes.objective import STRENGTH
from verify.scenes.fedmes.personal import DITTO_ROUND, FEDMES_ROUND, SEVERAL_DITTO, SEVERAL_FEDMES


def settled(scene, shape, n: int = 8):
    """Random instances with steps of at most a quarter of the inverse of the largest curvature, and their quantities."""
    p = drawn(scene, shape, n)
    sizes = {"eta_1": 0.2 * p["eta_1"]}
    return p, sizes["eta_1"], quantities(scene, shape, p, sizes)


@pytest.mark.parametrize("shape", FEDMES_ROUND.shapes, ids=str)
def test_a_round_of_fedmes_against_plain_loops(shape) -> None:
    p, rates, found = settled(FEDMES_ROUND, shape, 32)
    checked = 0
    for i in range(32):
        h, c, lam, eta = (x[i].numpy() for x in (p["h"], p["c_k"], p["lam"], rates))
        best = (h * c).sum(0) / h.sum(0)
        target = (h * c + lam * best) / (h + lam)
        x, inner = np.zeros_like(c), []
        for _ in range(shape["E"]):
            g = h * (x - c)
            past = p["past_h"][i].numpy() * (x - p["past_c_k"][i].numpy()) if shape["held"] else 0 * x
            inner.append((g * past).sum(-1))
            x = x - eta * (g + lam * x)
        assert found["agree"][i, 0].numpy() == pytest.approx(inner[0])
        if np.min(inner) < 0:
            assert found["agree"][i].min() < 0
            continue
        checked += 1
        assert found["agree"][i].numpy() == pytest.approx(np.array(inner))
        assert found["error"][i].numpy() == pytest.approx(np.linalg.norm(x - target, axis=-1))
        centre = h * c / (h + lam)
        assert found["from_centre"][i].numpy() == pytest.approx(np.linalg.norm(centre, axis=-1))
        assert found["off"][i].numpy() == pytest.approx(np.linalg.norm(best))
    assert checked


@pytest.mark.parametrize("shape", [s for s in DITTO_ROUND.shapes if not s["r"]], ids=str)
def test_a_round_of_ditto_against_plain_loops(shape) -> None:
    p, rates, found = settled(DITTO_ROUND, shape)
    for i in range(8):
        h, c, lam, eta = (x[i].numpy() for x in (p["h"], p["c_k"], p["lam"], rates))
        best = (h * c).sum(0) / h.sum(0)
        target = (h * c + lam * best) / (h + lam)
        v = p["own"][i].numpy().copy()
        for _ in range(shape["E"]):
            v = v - eta * (h * (v - c) + lam * v)
        assert found["error"][i].numpy() == pytest.approx(np.linalg.norm(v - target, axis=-1))


@pytest.mark.parametrize("scene", [SEVERAL_FEDMES, SEVERAL_DITTO], ids=lambda scene: scene.name)
@pytest.mark.parametrize("shape", SEVERAL_FEDMES.shapes, ids=str)
def test_several_rounds_against_plain_loops(scene, shape) -> None:
    p, rates, found = settled(scene, shape)
    for i in range(8):
        one, lam, eta, w = (float(x[i]) for x in (p["h_one"], p["lam"], rates, p["away"]))
        h = one * np.array([1, 1 + float(p["apart"][i])])
        c = float(p["aside"][i]) * np.array([1, -h[0] / h[1]])
        target = h * c / (h + lam)
        v, errors, offs = p["own"][i, :, 0].numpy().copy(), [], []
        for _ in range(shape["r"]):
            offs.append(w**2)
            x = np.full(2, w)
            v = x.copy() if scene is SEVERAL_FEDMES else v
            for _ in range(shape["E"]):
                x = x - eta * h * (x - c)
                v = v - eta * (h * (v - c) + lam * (v - w))
            w = (v if scene is SEVERAL_FEDMES else x).mean()
            errors.append((v - target) ** 2)
        assert found["error2"][i].numpy() == pytest.approx(errors[-1])
        assert float(found["g_r"][i]) == pytest.approx(offs[-1])
        assert float(found["C"][i]) == pytest.approx(p["factor"][i] * (1 + errors[0].max() / offs[0]))


def test_the_global_optimum_is_where_the_global_model_rests() -> None:
    for shape in SEVERAL_DITTO.shapes:
        *_, found = settled(SEVERAL_DITTO, shape)
        assert (found["offs"][:, -1] <= found["offs"][:, 0]).all()


@pytest.mark.parametrize("r", [0, 2])
def test_the_least_constant_of_coupled_rounds_is_needed(r: int) -> None:
    """With half the constant some round breaks the bound, so the search does not run in an empty or easy scene."""
    shape = {"n": 2, "E": 1, "d": 1, "held": 0, "r": r}
    p = {**drawn(DITTO_ROUND, shape, 256), "slower": torch.ones(256), "more": torch.zeros(256)}
    sizes = {"eta_1": p["eta_1"] / (p["h"].amax((1, 2)) + p["lam"])}
    found = quantities(DITTO_ROUND, shape, p, sizes)
    fits = (found["pace"] > found["left"]).numpy()
    over = lambda C: (found["error"] - C[:, None] * found["off_next"]).amax(1).numpy()[fits]  # noqa: E731
    assert fits.sum() > 20
    assert over(found["C"]).max() <= 1e-9
    assert over(found["C"] / 2).max() > 0.01


def test_rounds_of_ditto_are_played_one_after_the_other() -> None:
    shape = {"n": 2, "E": 2, "d": 1, "held": 0}
    p = drawn(DITTO_ROUND, {**shape, "r": 0}, 16)
    sizes = {"eta_1": p["eta_1"] / (p["h"].amax((1, 2)) + p["lam"])}
    before, after = (quantities(DITTO_ROUND, {**shape, "r": r}, p, sizes) for r in (1, 2))
    for name, later in (("error", "error_before"), ("off_next", "off"), ("pace", "pace"), ("C", "C")):
        assert before[name].numpy() == pytest.approx(after[later].numpy(), nan_ok=True)


def test_strength_is_that_of_the_algorithm() -> None:
    p = drawn(STRENGTH, {}, 32)
    found = quantities(STRENGTH, {}, p, {})
    assert found["strength"].numpy() == pytest.approx(loss_based(p["loss"]).numpy())


def test_every_order_is_all_of_them() -> None:
    orders = every_order((1, 3), 2)
    assert orders.shape == (2, 6, 1, 3)
    assert len({tuple(orders[:, run].ravel()) for run in range(6)}) == 6
    assert (orders[0] == [0, -1, -1]).all()
    assert (orders[1, ..., 2] == -1).all()


@pytest.mark.parametrize("shape", MEMORY.shapes, ids=str)
def test_memories_by_hand(shape) -> None:
    p = drawn(MEMORY, shape, 2)
    found = quantities(MEMORY, shape, p, {})
    sizes = [shape["S_1"], *[shape["S"]] * (shape["t"] - 2)][: shape["t"] - 1]
    new = [min(shape["mt"], size) for size in sizes]
    left, tasks = shape["m"], []
    for count in reversed(new):
        tasks.insert(0, min(count, left))
        left -= tasks[0]
    assert (found["held"] == sum(tasks)).all()
    for task, count in enumerate(tasks):
        runs = found["held_from"].shape[1] // (shape["t"] - 1)
        assert (found["held_from"][:, task * runs : (task + 1) * runs] == count).all()
    for i in range(2):
        h, c, x = (p[name][i].numpy() for name in ("h", "c", "x"))
        loss = [(h[k, :size] * (x - c[k, :size]) ** 2 / 2).mean() for k, size in enumerate(sizes)]
        weighted = lambda weights, loss=loss: np.dot(loss, weights) / max(sum(weights), 1)  # noqa: E731
        for name, weights in (("expected_mem", tasks), ("past_loss", sizes), ("mean_past", [1] * len(sizes))):
            assert float(found[name][i]) == pytest.approx(weighted(weights))


def test_votes_of_a_line_by_hand() -> None:
    values = {"side": [[1.0, -1.0, 1.0]], "far": [[2.0, 1.0, 0.5]]}
    found = quantities(
        LINE, {"m": 3, "K": 2, "classes": 2}, {n: torch.tensor(v) for n, v in values.items()}, {}
    )
    near, next_ = np.exp(-0.5), np.exp(-1.0)
    assert found["vote"][0].numpy() == pytest.approx(
        [near / (near + next_), next_ / (near + next_)], rel=1e-6
    )
    assert found["near"][0].tolist() == [0.5, 1.0]


# ------------------------------------------------------------------------------------------------------- curves


def test_corrections_of_the_curve_never_lower_the_memory_loss() -> None:
    curve = correction_curve.compute(0)
    for gap in curve["gap"].values():
        known = gap[~np.isnan(gap)]
        assert (np.diff(known) >= -1e-15).all()
    assert np.ptp(curve["gap"]["stuck"]) == 0
    assert curve["batches"]["gap"][-1] > curve["batches"]["bound"]
    assert 0 <= curve["share"]["ended"] < 1


def test_corrections_that_learn_stay_below_their_bound_and_end_below_where_they_began() -> None:
    learnt = correction_curve.compute(0)["learning"]
    assert (learnt["gap"][1:] <= np.array(learnt["bound"][1:])).all()
    assert learnt["gap"][-1] < learnt["gap"][0] / 2


def test_constants_of_the_curve_are_those_of_its_losses() -> None:
    losses = correction_curve.TWO_SAMPLES
    constants = correction_curve.compute(0)["batches"]["constants"]
    assert (constants["L"], constants["c"]) == (1.0, 0.75)
    start = np.array([correction_curve.TWO_SAMPLES_START])
    each = losses.memory(start)[0]
    assert constants["Mn"] >= ((each - each.mean(0)) ** 2).sum(-1).mean() - 1e-12


def test_corrections_need_a_conflict() -> None:
    with pytest.raises(ValueError, match="all gradients conflict"):
        correction_curve.sampled(correction_curve.TWO_SAMPLES, np.array([4.0, 4.0]), 1, 0.1)


def test_personal_models_end_at_the_floor_and_the_global_model_at_its_optimum() -> None:
    curve = personal_curve.compute(0)
    assert curve["rate"]["20"][-1] < 1e-11
    for steps in ("5", "20"):
        assert curve["error"][steps][-1] == pytest.approx(curve["floor"][steps], rel=1e-2)
    assert curve["ditto"]["error"][-1] < 1e-6
