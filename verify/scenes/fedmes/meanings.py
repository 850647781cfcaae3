"""Descriptions of numbers of FedMeS's worlds that are no symbols of the paper (`Scene.told`)."""

from __future__ import annotations

from collections.abc import Mapping

SAMPLES: Mapping[str, str] = {
    "S": "samples in the memory",
    "steps": "steps for which the constants allow",
    "r": "steps before the last",
    "batch": "1 if a correction sees one sample of the memory, 0 if it sees all",
    "h": "curvatures of the samples' losses",
    "c_sample": "where the samples' losses are least",
    "x": "the model",
    "h_current": "curvatures of the current loss",
    "c_current": "where the current loss is least",
    "g": "gradient of the current loss",
    "bias": "by which batch gradients are longer than those of samples",
    "turn": "by how much batch gradients are turned, over those of samples",
    "closer": "mu over the largest that Assumption 2 allows",
    "longer": "by which share mu_G is larger than it must be",
    "M_more": "by how much M is larger than it must be",
    "share": "steps over the longest that (35) allows",
    "low": "the smallest eigenvalue of A_s",
    "raised": "by how much A_s is larger along the direction `way`, over its squared length",
    "way": "direction along which A_s is larger",
    "room": "share by which constants are larger than they must be",
}
"""Numbers of memories of quadratic samples (`samples.py`)."""
CORRECTION: Mapping[str, str] = {
    "convex": "the smallest curvature of the memory's loss",
    "more": "by how much its curvatures are larger",
    "h": "curvatures of the current loss",
    "g": "gradient of the current loss",
    "y": "the model, from where the memory's loss is least",
    "aim": "where the current loss is least",
    "kappa": "share of the memory gradient in a step",
    "curve_mem": "curvature of the memory's loss in every direction",
    "curve_now": "curvature of the current loss in every direction",
    "r": "corrections before the last",
}
"""Numbers of a correction with a quadratic memory (`correction.py`, `learning.py`)."""
PERSONAL: Mapping[str, str] = {
    "E": "local steps of a round",
    "held": "1 if every memory holds a sample",
    "r": "rounds that are over",
    "h": "curvatures of the clients' current losses",
    "c_k": "where the clients' current losses are least",
    "past_h": "curvatures of the losses that the clients remember",
    "past_c_k": "where those are least",
    "start": "the global model at the start of the round",
    "own": "the personal models at the start",
    "xi": "by which the two gradients that a client may draw are off, either way",
    "slower": "pace over the slowest pace of the global model",
    "more": "by which share C is larger than it must be",
    "h_one": "curvature of the first client's loss",
    "apart": "by which share the curvature of the second client's loss is larger",
    "aside": "where the first client's loss is least",
    "away": "distance of the first global model from its optimum",
    "factor": "C over what the first round needs",
    "room": "share by which constants are larger than they must be",
}
"""Numbers of clients with one quadratic sample of the current task (`personal.py`, `noisy.py`)."""
LOSSES: Mapping[str, str] = {
    "past_h": "curvatures of two past losses",
    "past_c": "where they are least",
    "h": "curvatures of the current loss",
    "c": "where the current loss is least",
    "x": "the model",
    "previous": "the model before the task",
    "centre": "the global model",
    "one_size": "share of the first memory in the union of both",
    "room": "share by which constants are larger than they must be",
}
"""Numbers of quadratic losses of past and current data (`projection.py`)."""
