"""Hypotheses that are not relations between quantities, such as "quadratic losses" or "one client"."""

from __future__ import annotations

from enum import Enum


class Hypothesis(str, Enum):
    """A restriction of losses, clients or draws. Its value is its printed text."""

    CONVEX = "convex losses"
    QUADRATIC = "quadratic losses"
    COMMON_AXES = "Hessians with common eigenvectors"
    CONSTANT_DRIFT = "drifts that do not depend on the model"
    SHARED_HESSIAN = "clients whose losses have the same Hessian"
    LINEAR = "linear losses"
    PARABOLA = "past and current losses -L|x|^2/2"
    CANCELLING = "two clients whose memories may cancel"
    ISOTROPIC = "Hessians that are multiples of the identity"
    UNTURNED = "batch gradients whose mean is a multiple of the gradient"
    NEW_CLIENTS = "new clients in every round"
    TWO_POINT_NOISE = "noise that takes two opposite values"
    NO_NOISE = "gradients without noise"
    FULL_PARTICIPATION = "every client takes part in every round"
    ONE_CLIENT = "one client"
    ONE_LOCAL_STEP = "one local step"
    ONE_DIMENSION = "one dimension"

    __str__ = str.__str__


def require_hypotheses(given: object, name: str) -> None:
    """Raise a TypeError that names the argument unless it is a tuple of members of `Hypothesis`."""
    if not isinstance(given, tuple) or not all(isinstance(one, Hypothesis) for one in given):
        known = ", ".join(one.name for one in Hypothesis)
        raise TypeError(f"{name} must be a tuple of `Hypothesis` ({known}), got {given!r}")
