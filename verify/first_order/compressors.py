"""Compressors and clipping as vectors of a problem."""

from __future__ import annotations

from verify.first_order.classes import indicator
from verify.first_order.forms import ZERO, Number, Vector, sq
from verify.first_order.problem import Problem


def unbiased(problem: Problem, v: Vector, omega: Number, name: str = "q") -> Vector:
    """An unbiased compressor: a random vector with mean v and a variance of at most omega times the square of v."""
    return v + problem.noise(omega * sq(v), name)


def compressed(problem: Problem, v: Vector, delta: Number, name: str = "c") -> Vector:
    """A contractive compressor: any vector c with |v - c|^2 <= (1 - delta) |v|^2, such as the largest entries of v."""
    found = problem.point(name)
    problem.assume((1 - delta) * sq(v) - sq(v - found), f"{name} is compressed")
    return found


def clipped(problem: Problem, v: Vector, radius: Number) -> Vector:
    """A vector scaled down to a length of at most `radius`: its projection to a ball. Claims can be proved, never refuted.

    The conditions are those of the projection to any convex set in the ball that contains 0.
    """
    name = f"ball of radius {radius}"
    ball = next((m for m in problem.members if m.name == name), None)
    if ball is None:
        ball = problem.function(indicator(), name)
        ball.answer(ZERO, ZERO)
        problem.elsewhere.append(name)
    found = ball.project(v)
    problem.assume(radius * radius - sq(found), name)
    return found
