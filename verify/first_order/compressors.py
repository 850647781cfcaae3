"""Compressors and clipping as vectors of a problem."""

from __future__ import annotations

from verify.first_order.classes import indicator
from verify.first_order.forms import ZERO, Number, Vector, dot, number, sq, vanishes
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

    The conditions are those of the projection to any convex set in the ball that contains 0, and those of s v for a number s
    between 0 and 1. If v is a multiple of one gradient, conditions on the gradient times s and 1 - s are conditions, too.
    """
    ball = next((m for m, known in problem.balls if vanishes(number(known) - radius)), None)
    if ball is None:
        ball = problem.function(indicator(), f"ball{len(problem.balls) + 1}")
        ball.answer(ZERO, ZERO)
        problem.balls.append((ball, radius))
        problem.elsewhere.append(f"ball of radius {radius}")
    found = ball.project(v)
    problem.assume(radius * radius - sq(found), f"{ball.name}: radius")
    problem.assume(dot(found, v) - sq(found), f"{ball.name}: shorter")
    problem.assume(sq(v) - dot(found, v), f"{ball.name}: cut off")
    if len(v.parts) == 1:
        ((of, scale),) = v.parts.items()
        problem.shortened.append((of, found / scale))
    return found
