"""Scenes compute the quantities of one proof for a batch of instances.

A scene maps parameters (numbers that a search may choose freely) to named quantities (the symbols in the statements of a
proof). It is written once, in array arithmetic for floats, exact fractions, intervals and symbols, so the same code
searches, confirms and proves.

An instance is computed in three stages. First, `known` gives the quantities that do not depend on the step sizes. Then each
step size is placed inside the limits set by the statement's conditions: the parameter of the same name is the fraction of
the limit. Finally, `compute` gives all other quantities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from bounds.hypotheses import Hypothesis, require_hypotheses
from bounds.statement import WORDS
from verify.engine.model.box import Box as Box
from verify.engine.model.sums import Sums

Shape = Mapping[str, int]
Named = Mapping[str, Any]
Values = dict[str, Any]
Condition: TypeAlias = Relational
Assumption: TypeAlias = tuple[str, Condition] | tuple[str, Condition, Condition]
"""A quantity, the condition that gives its sign, and the relation between an extreme and the quantity (`Fact`)."""


@dataclass(frozen=True, eq=False)
class ProblemClass:
    """A class of problems, with textbook lemmas about the quantities of a scene whose problems belong to it.

    Attributes
    ----------
    name : str
        "smooth convex losses", "lengths of vectors".
    lemmas : tuple of Textbook
        Each states a relation between quantities of the scene.
    """

    name: str
    lemmas: tuple[Textbook, ...] = ()


@dataclass(frozen=True, eq=False)
class Fold:
    """Maps instances of every size to one size with the same quantities, for example if only a sum over clients enters.

    Attributes
    ----------
    shape : Shape
        The sizes of the images of all instances.
    parameters : callable
        ``parameters(shape, values)`` -> parameters of an instance of these sizes, by name; other parameters are unchanged.
    """

    shape: Shape
    parameters: Callable[[Shape, Named], Values]


@dataclass(frozen=True, eq=False)
class Scene:
    """A family of instances and the quantities computed on them.

    Attributes
    ----------
    name : str
        Unique name, to which stored witnesses refer.
    shapes : tuple of Shape
        Sizes (clients, rounds, dimension, ...), smallest first. They are also quantities.
    space : callable
        ``space(shape)`` -> boxes of the real parameters.
    compute : callable
        ``compute(shape, values)`` -> quantities, each (batch, ...). `values` holds the parameters, what `known`
        returned and the step sizes. Extra trailing axes mean "for all". If omitted, there are no further quantities.
    known : callable
        ``known(shape, values)`` -> quantities that do not depend on step sizes.
    steps : tuple of str
        Step sizes in the order in which they are computed. Their boxes hold fractions in (0, 1] of the limit.
    free_step : callable
        ``free_step(name, shape, values)`` -> step size for a fraction of 1 if no condition limits the step.
    room : str
        A parameter with the range [0, 0] that enlarges constants by a relative margin: 0 in a search, positive if a
        counterexample should meet its conditions with slack. Empty if there is none.
    covers : str
        The reason why a symbolic proof at `shapes` holds at every size; empty if it does not.
    grows : tuple of str
        Unbounded sizes: every value from the least listed one on is allowed, independently of other sizes.
    textbook : tuple of Textbook
        Textbook lemmas about its quantities; those without a certificate count only for a declared problem class.
    problem : ProblemClass or None
        The class of its problems, with the lemmas cited for this class (`of_class`).
    told : mapping
        Parameter, size or quantity -> its meaning or formula, for readers of a counterexample.
    requires : tuple of Relational
        Conditions that parameters must meet to form an instance. They are conditions of every claim judged in the scene.
    judged : callable or None
        Its own check of relations, instead of a search.
    sketched, proposed, proves : callable or None
        ``sketched(instance)`` -> numbers of its own picture of an instance; ``proposed(question)`` -> instances from which a
        search starts, such as known worst cases; ``proves(claim, budget)`` -> the finding that a claim is true for a larger
        class of problems, or None.
    folds : Fold or None
        Extends a proof at one value of some sizes to all values, if possible (`verify.engine.model.abstract`).
    restricts : tuple of Hypothesis
        Restrictions of its instances that the source does not require, such as quadratic losses.
    """

    name: str = field(metadata=WORDS)
    shapes: tuple[Shape, ...]
    space: Callable[[Shape], Mapping[str, Box]]
    compute: Callable[[Shape, Named], Values] = field(default=lambda shape, values: {})
    known: Callable[[Shape, Named], Values] = field(default=lambda shape, values: {})
    steps: tuple[str, ...] = ()
    free_step: Callable[[str, Shape, Named], Any] = field(default=lambda name, shape, values: 1)
    room: str = ""
    covers: str = ""
    grows: tuple[str, ...] = ()
    textbook: tuple[Textbook, ...] = ()
    problem: ProblemClass | None = None
    told: Mapping[str, str] = field(default_factory=dict, metadata=WORDS)
    requires: tuple[Condition, ...] = ()
    judged: Callable[..., Any] | None = field(default=None, metadata={"arguments": True})
    sketched: Callable[..., Any] | None = field(default=None, metadata=WORDS)
    proposed: Callable[..., Any] | None = field(default=None, metadata=WORDS)
    proves: Callable[..., Any] | None = field(default=None, metadata=WORDS)
    folds: Fold | None = None
    restricts: tuple[Hypothesis, ...] = field(default=(), metadata=WORDS)

    def __post_init__(self) -> None:
        require_hypotheses(self.restricts, f"`restricts` of the scene {self.name!r}")
        object.__setattr__(self, "shapes", _whole(self.shapes))

    def variant(self, name: str, **changes: Any) -> Scene:
        """A copy with other values of these attributes."""
        return replace(self, name=name, **changes)

    def of_class(self, name: str, *lemmas: Textbook) -> Scene:
        """A copy with a declared class of problems, such as "smooth losses", and lemmas about its quantities.

        The declaration is an assumption of every proof that cites one of the lemmas. Random instances can refute it but
        never prove it.
        """
        known = self.problem.lemmas if self.problem else ()
        return replace(self, problem=ProblemClass(name, (*known, *lemmas)))


def _whole(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Shapes with Python ints, as NumPy and SymPy integers cannot be read back from a file."""
    if not isinstance(shapes, Sequence):
        return shapes
    return tuple(
        {name: int(size) if isinstance(size, SupportsIndex) else size for name, size in shape.items()}
        if isinstance(shape, Mapping)
        else shape
        for shape in shapes
    )


@dataclass(frozen=True, eq=False)
class Fact:
    """A relation with its proof: an identity in a scene that computes the quantities from arbitrary vectors.

    Attributes
    ----------
    relation : Relational
        An equation, or an inequality.
    scene : Scene
        The scene in which the identity is checked. Its `covers` states what is arbitrary and why the identity holds at every
        size.
    slack : str
        For an inequality: the quantity that equals the larger side minus the smaller side. It is a sum of nonnegative terms;
        for a strict inequality one term is positive.
    assumed : mapping
        Parameter -> the quantity of the scene that it stands for, and the condition that makes it nonnegative, or positive
        if it is strict (< or >): only then may something be divided by it; or zero, if it is an equation and the parameter's
        range has both signs. This must follow from what the condition says of the quantities of the scene, and from the
        others (`verify.engine.model.meanings`). If the condition bounds a supremum over all models, which the scene does not
        compute, a third entry relates it to computed quantities, such as ``squared_noise <= noise_sup``. This is a
        definition of the scene that uses the fact, and is tested there. A fact needs the conditions whose parameters occur
        in its slack (an equation needs all): conditions of the claim, or definitions of the scene of use (`Proved.defines`).
        Other parameters that must be positive must be positive symbols of the relation, or positive quantities of the same
        name in the scene of use.
    """

    relation: Condition
    scene: Scene
    slack: str = ""
    assumed: Mapping[str, Assumption] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.relation, sp.Eq | sp.Le | sp.Ge | sp.Lt | sp.Gt):
            raise ValueError(f"`relation` must be an equation, <, <=, > or >=, got {self.relation}")
        if not self.scene.covers:
            raise ValueError(
                f"`scene` must say which sizes it covers, got {self.scene.name!r}, which does not"
            )
        for name, (quantity, *conditions) in self.assumed.items():
            for condition in conditions:
                if not isinstance(condition, Relational):
                    raise ValueError(
                        f"`assumed[{name!r}]` must name the condition that makes {quantity!r} nonnegative, got {condition!r}"
                    )


@dataclass(frozen=True, eq=False)
class Rounds:
    """A relation with its proof by induction over a whole number, starting at 0.

    Attributes
    ----------
    over : Symbol
        The whole number.
    named : mapping
        Name -> a formula of `over` in the relation: a power, a sum, the number itself.
    grows : mapping
        Name -> the formula for the next number, in terms of these names and of entries x[over], in `steps` x[over - 1].
    changes : mapping
        Quantity that changes from round to round -> its name one round before, and its value before the first round (None if
        arbitrary).
    steps : tuple of Textbook, Fact, Sums, Rounds or Follows
        Relations that hold in every round; in a relation with changing quantities, `over` is the number of its round.
    given : tuple of Relational
        Conditions on quantities that do not change.
    through : tuple of Relational
        Intermediate relations for the step from one number to the next, in terms of the names or as in `steps`. They are
        hints that the search must prove.
    """

    relation: Condition
    over: sp.Symbol
    named: Mapping[sp.Symbol, sp.Expr]
    grows: Mapping[sp.Symbol, sp.Expr]
    changes: Mapping[sp.Symbol, tuple[sp.Symbol, sp.Expr | None]] = field(default_factory=dict)
    steps: tuple[Textbook | Fact | Sums | Rounds | Follows, ...] = ()
    given: tuple[Condition, ...] = ()
    through: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        if not (self.over.is_integer and self.over.is_nonnegative):
            raise ValueError(
                f"`over` must be a whole number of at least 0 (an integer symbol that is not negative), got {self.over}"
            )


@dataclass(frozen=True, eq=False)
class Follows:
    """A relation that follows by algebra from other facts, each of which is true for all values of its symbols.

    Attributes
    ----------
    of : tuple of (Sums, Rounds or Follows, mapping)
        Facts, each with substitutions for its symbols, including the number of rounds. All `Sums` are about the same vectors:
        a formula may replace only a quantity for which it stands, which instances of the scene test and nothing proves.
    given : tuple of Relational
        Conditions. They must imply that every substituted expression lies in the domain of its symbol, and that the facts'
        own conditions are met.
    through : hints, as of `Rounds`
    """

    relation: Condition
    of: tuple[tuple[Sums | Rounds | Follows, Mapping[sp.Symbol, sp.Expr]], ...]
    given: tuple[Condition, ...] = ()
    through: tuple[Condition, ...] = ()


@dataclass(frozen=True, eq=False)
class Textbook:
    """A textbook lemma with its source and its proof. `verify.facts` holds the lemmas; relations without a source or proof
    are premises of a claim instead.

    Attributes
    ----------
    name : str
        Its name, such as "descent lemma".
    relation : Relational
        In the symbols of the caller.
    source : str
        Book or paper, and the number of the theorem, which is true under the conditions `given`.
    proof : Fact, Sums, Rounds, Follows or None
        The proof of the relation for arbitrary vectors or by induction, if it is algebraic.
    follows_from : tuple of Textbook
        Facts from which it follows by algebra.
    about : str
        "numbers" if the relation is true for all real numbers that meet `given`; any claim may cite it. "quantities" if it
        is true because of the meaning of the quantities; then their scene must declare it. "class" if it is a condition that
        defines a class of functions through their values and gradients; the scene must declare it, too.
    """

    name: str
    relation: Condition
    source: str = field(metadata=WORDS)
    given: tuple[Condition, ...] = ()
    proof: Fact | Sums | Rounds | Follows | None = None
    follows_from: tuple[Textbook, ...] = ()
    about: Literal["numbers", "quantities", "class"] = "quantities"

    def __post_init__(self) -> None:
        if self.proof is None and type(self) is Textbook:
            raise ValueError(
                f"`proof` of the fact {self.name!r} must be given; what has none is a premise of a claim"
            )

    @property
    def cited(self) -> str:
        return f"{self.name} ({self.source})"

    @property
    def of_numbers(self) -> bool:
        """Whether the relation is true for all real numbers: by its source, or by a proof in which no quantity of a scene
        changes.
        """
        by_proof = isinstance(self.proof, Follows) or (
            isinstance(self.proof, Rounds) and not self.proof.changes and not self.proof.steps
        )
        return by_proof or (self.about == "numbers" and self.proof is None)


@dataclass(frozen=True, eq=False)
class Proved:
    """A function that computes quantities, with facts about them. A scene that computes the quantities differently does not
    have the facts.

    `defines` are conditions that its quantities meet because constants are defined so ("L is at least every
    curvature"). A fact may rest on them; records name them, and none counts that an instance of the scene breaks. `terms`
    computes what they alone speak of: at some models what a supremum is taken of, from all that is known.
    """

    compute: Callable[[Shape, Named], Values]
    facts: tuple[Fact | Sums | Rounds | Follows, ...]
    defines: tuple[Condition, ...] = ()
    terms: Callable[[Shape, Named], Values] | None = None

    def __call__(self, shape: Shape, values: Mapping[str, Any]) -> Values:
        return self.compute(shape, values)


@dataclass(frozen=True, eq=False)
class Branching:
    """A function that computes quantities and branches on comparisons of numbers: for example it sorts, or takes one of two
    steps.

    A relation in such a scene is proved for each sequence of answers (`verify.engine.proof.ways`) at the shapes of the scene;
    equal numbers are a separate answer. `covers` states in words what is arbitrary. Without comparisons there is a single
    branch; comparisons of whole numbers are evaluated and do not branch.
    """

    compute: Callable[[Shape, Named], Values]
    covers: str

    def __call__(self, shape: Shape, values: Mapping[str, Any]) -> Values:
        return self.compute(shape, values)


@lru_cache(maxsize=1024)
def allowed_shapes(scene: Scene, conditions: tuple[Condition, ...]) -> tuple[Shape, ...]:
    """Shapes of a scene at which every condition on whole numbers alone is met."""
    return tuple(shape for shape in scene.shapes if all(met_by(condition, shape) for condition in conditions))


def offers(scene: Scene, point: Mapping[str, Fraction]) -> bool:
    """Whether sizes and numbers (by name) are allowed in a scene: sizes must be listed, or larger if they are unbounded."""
    return any(
        all(
            point.get(name) == size
            or (name in scene.grows and point.get(name, 0) >= min(shape[name] for shape in scene.shapes))
            for name, size in shape.items()
        )
        and all(point[name] in box for name, box in scene.space(shape).items() if name in point)
        for shape in scene.shapes
    )


def met_by(condition: Condition, shape: Shape) -> bool:
    """Whether whole numbers meet a condition; conditions with other quantities pass."""
    given = {s: shape[s.name] for s in condition.free_symbols if s.name in shape}
    # Built again, because SymPy does not decide a relation that was created with evaluate=False
    return len(given) < len(condition.free_symbols) or bool(
        condition.func(*(side.subs(given) for side in condition.args))
    )


@np.errstate(all="ignore")
def quantities(scene: Scene, shape: Shape, parameters: Mapping[str, Any], sizes: Mapping[str, Any]) -> Values:
    """Every quantity of an instance: shape, parameters, `known` ones, step sizes, computed ones."""
    values: Values = {**shape, **parameters, **sizes}
    values.update(scene.known(shape, values))
    values.update(scene.compute(shape, values))
    return values
