"""Sentences of the papers' texts as relations: each with the verdict that a computation gives it."""

from __future__ import annotations

import pytest

from verify.engine.judge import judge
from verify.engine.topics import claim_of

SENTENCES = {
    "special.sent.unchanged": "proved",
    "special.rate.fedavg": "gap",
    "special.rate.fedavg/partial": "proved",
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
