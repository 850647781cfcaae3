"""What every claim of a topic must pass: its premises are true in its scene, and its witness replays from plain JSON."""

from __future__ import annotations

import json

import numpy as np
import torch

from verify.engine.adversary import admissible, compared, sample
from verify.engine.arithmetic import ARITHMETIC
from verify.engine.claim import Claim
from verify.engine.judge import judge
from verify.engine.replay import replay
from verify.engine.scene import Scene, Shape, quantities, settle
from verify.engine.verdict import Verdict


def drawn(scene: Scene, shape: Shape, batch: int = 8, seed: int = 0) -> dict[str, torch.Tensor]:
    """Parameters of random instances of a scene."""
    found = sample(scene.space(shape), np.random.default_rng(seed), batch)
    return {name: torch.as_tensor(value) for name, value in found.items()}


def premises_hold(claim: Claim) -> None:
    """Every premise is true in random instances that meet the claim's conditions."""
    assert claim.scene is not None
    for shape in claim.scene.shapes:
        parameters = drawn(claim.scene, shape, batch=64, seed=1)
        sizes = settle(claim.scene, claim.conditions, shape, parameters, ARITHMETIC["torch"])
        values = quantities(claim.scene, shape, parameters, sizes)
        allowed = admissible(claim.conditions, values, 64, 0.0)
        for premise in claim.premises:
            margin, _, gap = compared(premise, values, 64)
            assert ((margin < 1e-7) | (gap < 1e-10) | ~allowed).all(), str(premise)


def judged_and_replays(claim: Claim) -> None:
    """The claim gets a verdict, and a counterexample breaks it again from plain JSON."""
    record = json.loads(json.dumps(judge(claim, "quick", 1)))
    assert record["verdict"] != Verdict.NOT_APPLICABLE.value
    if Verdict(record["verdict"]).damaging:
        text, same = replay(record["witness"])
        assert same
        assert "relation    fails" in text
