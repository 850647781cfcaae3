"""Methods as records of pure functions, random draws made before the run, and the one loop that plays a method.

A new method is one file here and an entry in `METHODS`; the shared tests then cover it.
"""

from __future__ import annotations

METHODS = (
    "cfl",
    "cfl_coreset",
    "cfl_mcmc",
    "cfl_regularization",
    "cflag",
    "ditto",
    "ewc",
    "fedagem",
    "fedavg",
    "fedcil",
    "fedmes",
    "fedprox",
    "fedrep",
    "fedtrack",
    "fedweit",
    "icarl",
    "lwf",
    "mfcl",
    "mimelite",
    "nccl",
    "pfeddil",
    "placebo",
    "refed",
    "replay",
    "scaffold",
    "special",
    "special_c",
    "target",
)
"""Modules of this package that hold methods. Each offers ``examples`` for the shared tests."""

PARTS = (
    "affine",
    "algorithm",
    "clients",
    "combining",
    "core_sets",
    "corrections",
    "draws",
    "generative",
    "hyperparameters",
    "inference",
    "laws",
    "memory",
    "newest",
    "optimisers",
    "penalty",
    "prediction",
    "probes",
    "schedule",
    "simulate",
    "unfold",
)
"""Modules from which methods are built and with which they are played."""
