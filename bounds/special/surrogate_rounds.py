"""From one round of SPECIAL to all of them, towards the minimiser of the problem that its task solves. Not of the paper.

A gradient step on the current task lets two models come apart by a factor `pace` at most, which is 1 for convex losses and
1 + g E L for smooth ones; the server then divides by 1 + lambda. So wherever the pace is less than that, distances fall by
pace / (1 + lambda) a round, up to what noise and local drift add.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.surrogate import (
    CONVEX,
    NOISE,
    NOT_OF_THE_PAPER,
    SMOOTH,
    WORK,
    miss,
    miss0,
    miss_next,
    pull,
)
from bounds.special.surrogate_proof import ALL_BUT_TASKS, SPREAD, blown, blown2, miss2
from bounds.special.symbols import SPECIAL, E, L, at, lam, t
from bounds.special.theorems import step as g
from bounds.statement import Statement

variance = SPECIAL.nonnegative(
    "variance", "variance of a round, g^2 times the most that noise and sampling make"
)
VARIANCE_IS = eq(variance, g**2 * NOISE)


@dataclass(frozen=True)
class Pace:
    """How fast distances fall, and the letters of what noise and the start make of them.

    Attributes
    ----------
    pace : expression
        Factor by which a gradient step lets distances grow.
    slack : expression
        By how much the server's divisor exceeds it.
    means : tuple of Relational
        What pace and slack stand for, if they are letters.
    kept, kept_next : symbol
        What t rounds, and one more, leave of a distance.
    gust : symbol
        Root mean square that the noise of endless rounds makes, over g.
    carried, carried2, and the same with _next : symbol
        Part of the distance that noise and the start make, and its square.
    """

    pace: sp.Expr
    slack: sp.Expr
    means: tuple[sp.Rel, ...]
    kept: sp.Symbol
    kept_next: sp.Symbol
    gust: sp.Symbol
    carried: sp.Symbol
    carried2: sp.Symbol
    carried_next: sp.Symbol
    carried_next2: sp.Symbol

    @property
    def later(self) -> sp.Eq:
        """What one round leaves."""
        return eq(self.pace * self.kept, (1 + lam) * self.kept_next)

    @property
    def carried_is(self) -> tuple[sp.Eq, ...]:
        parts = ((self.carried2, self.kept), (self.carried_next2, self.kept_next))
        return tuple(
            eq(square, left**2 * miss0**2 + g**2 * self.gust**2 * (1 - left**2)) for square, left in parts
        )

    @property
    def carried_on(self) -> sp.Eq:
        """The square of what noise and the start make, one round later."""
        return eq((1 + lam) ** 2 * self.carried_next2, self.pace**2 * self.carried2 + variance)

    @property
    def carried_most(self) -> sp.Rel:
        """Noise and the start make no more than both of them."""
        return le(self.carried, self.kept * miss0 + g * self.gust)

    @property
    def squares(self) -> tuple[sp.Eq, ...]:
        return eq(self.carried2, self.carried**2), eq(self.carried_next2, self.carried_next**2)

    @property
    def settled(self) -> sp.Eq:
        """What keeps the noise of all rounds in balance."""
        return eq(variance, g**2 * self.gust**2 * self.slack * (1 + lam + self.pace))

    @property
    def last(self) -> tuple[sp.Eq, ...]:
        """What the theorem says in place of the letters."""
        pace = self.pace.subs(dict(meaning.args for meaning in self.means[:1]))
        return eq(self.kept, (pace / (1 + lam)) ** t), eq(self.gust, sp.sqrt(NOISE / pull(pace)))

    @property
    def defined(self) -> tuple[sp.Eq, ...]:
        """What the letters are."""
        return (*self.means, *self.squares, *self.carried_is, self.later, self.settled, *self.last)


@dataclass(frozen=True)
class Path(Pace):
    """The same with local drift, for any number of local steps.

    Attributes
    ----------
    reading : str
        What the statements of the proof have in their ids.
    because : str
        Word of the step that says what a gradient step does.
    conditions : tuple of Relational
        Under which it does.
    drifted, drifted_next : symbol
        Part of the distance that local drift makes.
    """

    reading: str
    because: str
    conditions: tuple[sp.Rel, ...]
    drifted: sp.Symbol
    drifted_next: sp.Symbol

    @property
    def drifted_is(self) -> tuple[sp.Eq, ...]:
        parts = ((self.drifted, self.kept), (self.drifted_next, self.kept_next))
        return tuple(eq(drifted, g * WORK * (1 - left) / self.slack) for drifted, left in parts)

    @property
    def defined(self) -> tuple[sp.Eq, ...]:
        return (*super().defined, *self.drifted_is)

    @property
    def invariant(self) -> sp.Rel:
        """What is true after every round."""
        return le(miss, self.carried + self.drifted)


def letters(mark: str) -> dict[str, sp.Symbol]:
    """The letters of a pace, by what `Pace` calls them; their names end in `mark`."""
    says = {
        "kept": ("what t rounds leave of a distance, noise and drift apart", "positive"),
        "kept_next": ("the same one round later", "positive"),
        "gust": ("root mean square that the noise of endless rounds makes, over g", "nonnegative"),
        "carried": ("part of the distance that noise and the start make", "nonnegative"),
        "carried2": ("its square", "nonnegative"),
        "carried_next": ("the same one round later", "nonnegative"),
        "carried_next2": ("its square", "nonnegative"),
    }
    return {name: SPECIAL.define(name + mark, *meaning) for name, meaning in says.items()}


def _drift(mark: str) -> dict[str, sp.Symbol]:
    return {
        "drifted": SPECIAL.nonnegative(f"drifted{mark}", "part of the distance that local drift makes"),
        "drifted_next": SPECIAL.nonnegative(f"drifted_next{mark}", "the same one round later"),
    }


grown = SPECIAL.positive("grown", "1 + g E L", "1+gEL")
spare = SPECIAL.positive("spare", "lambda - g E L", r"\lambda-gEL")
CONVEX_PATH = Path(
    sp.Integer(1), lam, (), **letters(""), **_drift(""), reading="", because="shrinks", conditions=CONVEX
)
SMOOTH_PATH = Path(
    grown,
    spare,
    (eq(grown, 1 + g * E * L), eq(spare, 1 + lam - grown)),
    **letters("_s"),
    **_drift("_s"),
    reading=".smooth",
    because="grows",
    conditions=SMOOTH.conditions,
)
PATHS = (CONVEX_PATH, SMOOTH_PATH)


@dataclass(frozen=True)
class Steps:
    """The statements of the proof for one pace, in its order."""

    blown2: Statement
    blown: Statement
    around: Statement
    below: Statement
    carried: Statement
    larger: Statement
    carried_on2: Statement
    carried_on: Statement
    drifted_on: Statement
    keeps: Statement
    invariant: Statement
    carried_most: Statement
    drifted_most: Statement


def _statements(q: Path) -> Iterator[Statement]:
    def own(words: str) -> tuple[str, ...]:
        return tuple(f"thm4.10/surrogate{q.reading}.{word}" for word in words.split())

    def shared(words: str) -> tuple[str, ...]:
        return tuple(f"thm4.10/surrogate.{word}" for word in words.split())

    def step(word: str, says: str, relation: sp.Rel, **more: object) -> Statement:
        return at("Theorem 4.10", "173")(*own(word), says, relation, **{"changes": NOT_OF_THE_PAPER, **more})

    within = partial(step, conditions=q.conditions, assumes=ALL_BUT_TASKS)
    above = partial(step, conditions=q.conditions if q.means else ())

    def root(x: sp.Expr) -> sp.Expr:
        return sp.sqrt((q.pace * x) ** 2 + variance)

    yield within(
        "blown2",
        "the gradient step with noise and sampling, squared",
        le(blown2, q.pace**2 * miss2 + variance),
        assumes=SPREAD,
        uses=shared(f"unbiased variance {q.because}"),
    )
    yield within(
        "blown",
        "the gradient step with noise and sampling",
        le(blown, root(miss)),
        assumes=SPREAD,
        uses=own("blown2"),
    )
    yield within(
        "round.variance",
        "a round, with its variance by name",
        le((1 + lam) * miss_next, root(miss) + g * WORK),
        uses=(*shared("minkowski"), *own("blown"), *shared("worked")),
    )
    yield step("carried.root", "noise adds", le(q.pace * q.carried, root(q.carried)))
    yield step(
        "carried",
        "local drift adds up beside the noise: so the bound of one round adds up over the rounds",
        le(root(q.carried + q.drifted), root(q.carried) + q.pace * q.drifted),
        uses=own("carried.root"),
    )
    yield step(
        "larger",
        "a larger distance is larger with noise, too",
        le(root(miss), root(q.carried + q.drifted)),
        conditions=(q.invariant,),
    )
    yield above("carried.next2", "the square of what noise and the start make, one round later", q.carried_on)
    yield above(
        "carried.next",
        "what noise and the start make, one round later",
        ge((1 + lam) * q.carried_next, root(q.carried)),
        uses=own("carried.next2"),
    )
    yield above(
        "drifted.next",
        "what local drift makes, one round later",
        eq((1 + lam) * q.drifted_next, q.pace * q.drifted + g * WORK),
    )
    yield within(
        "keeps",
        "induction: if the distance is at most both parts together, it is so one round later",
        le(miss_next, q.carried_next + q.drifted_next),
        conditions=(*q.conditions, q.invariant),
        uses=own("round.variance larger carried carried.next drifted.next"),
    )
    yield within(
        "invariant",
        "so the distance is at most both parts together after every round, as it is at the start",
        q.invariant,
        uses=own("keeps"),
    )
    yield above("carried.most", "noise and the start make no more than both of them", q.carried_most)
    yield above(
        "drifted.most", "local drift makes no more than in endless rounds", le(q.drifted, g * WORK / q.slack)
    )


STEPS = tuple(Steps(*_statements(path)) for path in PATHS)
CONVEX_STEPS = STEPS[0]
STATEMENTS = tuple(step for steps in STEPS for step in vars(steps).values())
