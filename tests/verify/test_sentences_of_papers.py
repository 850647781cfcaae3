"""Sentences of the papers' texts as relations: each with the verdict of a computation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.cflag import cflag
from algorithms.fedmes import with_inference
from algorithms.fedtrack import fedtrack
from algorithms.memory import ring
from algorithms.special import special
from verify.engine.judge import judge
from verify.engine.topics import claim_of
from verify.scenes.cflag.sentences import exchanges_scene
from verify.scenes.fedmes.inference import passes_scene
from verify.scenes.special.sentences import exchange_scene

SENTENCES = {
    "special.sent.unchanged": "proved",
    "special.rate.fedavg": "gap",
    "special.rate.fedavg/partial": "not judged",
    "special.thm4.7.initial": "inconsistent",
    "special.thm4.7.clients.half": "proved",
    "special.thm4.7.clients.half/fixed-steps": "refuted",
    "special.fig4.predicted": "refuted",
    "cflag.communications": "inconsistent",
    "cflag.eq167": "gap",
    "cflag.eq167/bounded-fall": "proved",
    "cflag.lem3.rate": "gap",
    "cflag.lem3.rate/bounded-below": "proved",
    "fedmes.inference.free": "inconsistent",
    "fedmes.data.classes": "proved",
    "fedmes.data.classes/core50": "inconsistent",
    "fedmes.data.fusion": "proved",
}


@pytest.mark.parametrize("id", SENTENCES)
def test_sentences_are_judged(id):
    claim = claim_of(id)
    assert claim is not None
    assert judge(claim, "quick", 0)["verdict"] == SENTENCES[id]


def verdict_with(id, scene):
    """Verdict on a sentence whose quantities come from another algorithm."""
    return judge(replace(claim_of(id), scene=scene), "quick", 0)["verdict"]


def with_anchor_at_clients(method):
    """SPECIAL whose clients make part of each step towards the anchor, so that the server must send the anchor."""

    def local_step(state, local, seen):
        pulled = method.local_step(state, local, seen)
        return {**pulled, "x": pulled["x"] + (state["anchor"][..., None, :] - local["x"]) / 8}

    return replace(method, local_step=local_step)


def with_average_gradients_of_the_last_round(method):
    """C-FLAG whose server reuses the gradients of the previous round instead of requesting them at the start of a
    round.
    """

    def init(theta0):
        zero = theta0[..., None, :] * np.zeros((2, 1))
        return {**method.init(theta0), "own_grads": zero, "grad": 0 * theta0, "memory_grad": 0 * theta0}

    return replace(method, init=init, prepare=None)


def with_outputs_in_memory(method):
    """FedMeS whose votes depend on the labels only: the image is not compared with remembered samples."""
    return replace(
        with_inference(method, 1, 0.5), infer=lambda known: (known.outputs + np.eye(2)[known.labels[:1]]) / 2
    )


def test_an_anchor_at_the_clients_is_sent():
    changed = exchange_scene(with_anchor_at_clients(special(0.5, 1, 1)))
    assert verdict_with("special.sent.unchanged", changed) == "refuted"


def test_rounds_without_an_exchange_of_gradients_are_one_communication_each():
    method = cflag(0.25, 0.25, 2, 2, ring(2))
    changed = exchanges_scene(with_average_gradients_of_the_last_round(method))
    assert verdict_with("cflag.communications", changed) == "proved"
    assert verdict_with("cflag.communications", exchanges_scene(fedtrack(0.25, 2))) == "inconsistent"


def test_inference_without_representations_of_the_memory_is_free():
    assert verdict_with("fedmes.inference.free", passes_scene(with_outputs_in_memory)) == "proved"
