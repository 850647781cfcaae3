"""Scenes: the quantities that one proof speaks of, computed for a batch of instances.

A scene turns parameters (numbers that a search may choose freely) into named quantities (what the statements of a proof are
relations between). It is written once, in array arithmetic that serves floats, exact fractions, intervals and symbols alike,
so the same code searches, confirms and proves.

An instance is settled in two stages. `known` gives the quantities that do not depend on the step sizes. Each step size is then
placed inside the limits of the statement's conditions: the parameter of that name is the fraction of the limit that is used.
Finally `compute` gives everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from bounds.hypotheses import Hypothesis, require_hypotheses
from bounds.statement import WORDS
from verify.engine.box import Box as Box
from verify.engine.sums import Sums

Shape = Mapping[str, int]
Named = Mapping[str, Any]
Values = dict[str, Any]
Condition: TypeAlias = Relational
Assumption: TypeAlias = tuple[str, Condition] | tuple[str, Condition, Condition]
"""A quantity, the condition that gives it its sign, and the relation through which an extreme speaks of it (`Fact`)."""


@dataclass(frozen=True, eq=False)
class ProblemClass:
    """A class of problems, and what textbooks say of the quantities of a scene whose problems belong to it.

    Attributes
    ----------
    name : str
        "smooth convex losses", "lengths of vectors".
    lemmas : tuple of Textbook
        Each states its relation between quantities of the scene.
    """

    name: str
    lemmas: tuple[Textbook, ...] = ()


@dataclass(frozen=True, eq=False)
class Fold:
    """Instances of every size as ones of a single size with the same quantities, such as clients that enter by their sum alone.

    Attributes
    ----------
    shape : Shape
        The sizes that every instance is folded to.
    parameters : callable
        ``parameters(shape, values)`` -> parameters of an instance of these sizes, by name; others stay as they are.
    """

    shape: Shape
    parameters: Callable[[Shape, Named], Values]


@dataclass(frozen=True, eq=False)
class Scene:
    """A family of instances and the quantities computed on them.

    Attributes
    ----------
    name : str
        Unique; witnesses refer to it.
    shapes : tuple of Shape
        Whole-number parameters (clients, rounds, dimension, ...), smallest first. They are quantities too.
    space : callable
        ``space(shape)`` -> boxes of the real parameters.
    compute : callable
        ``compute(shape, values)`` -> quantities, each (batch, ...). `values` holds the parameters, what `known`
        returned and the step sizes. Extra trailing axes mean "for all". Without it there are no further quantities.
    known : callable
        ``known(shape, values)`` -> quantities that do not depend on step sizes.
    steps : tuple of str
        Step sizes in the order in which they are settled. Their boxes hold fractions in (0, 1] of the limit.
    free_step : callable
        ``free_step(name, shape, values)`` -> size that a fraction of 1 means where no condition limits a step.
    room : str
        Parameter, with the range [0, 0], by which `known` and `compute` make constants relatively larger than they
        need be: 0 in a search, more where a witness shall meet its conditions with slack; empty if there is none.
    covers : str
        Why a symbolic proof at `shapes` holds at every size; empty if it does not.
    grows : tuple of str
        Sizes that may be any number from the least listed on, whatever the others are: a search tries larger ones, too.
    textbook : tuple of Textbook
        Textbook lemmas (`verify.facts`) about its quantities, which proofs may use; those without a proof count only
        where a class of problems is declared.
    problem : ProblemClass or None
        The class to which its problems belong, with lemmas that are cited for it (`of_class`).
    told : mapping
        Parameter or size -> what it is, in words, for who reads a witness and knows the source only.
    requires : tuple of Relational
        Conditions that its parameters must meet to be an instance at all; conditions of every claim that is judged in it.
    judged : callable or None
        The check of relations between its quantities, if it has one of its own: none of its instances is drawn at random.
    sketched : callable or None
        ``sketched(instance)`` -> numbers of a picture of an instance, if it has one of its own; None if there is none.
    folds : Fold or None
        Why a proof at one value of some sizes is one at all values of them, if it is (`verify.engine.abstract`).
    restricts : tuple of Hypothesis
        What all its instances have in common that the source does not ask for, such as quadratic losses. A verdict that
        rests on the scene is a verdict of statements that say so.
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
    judged: Callable[..., Any] | None = None
    sketched: Callable[..., Any] | None = None
    folds: Fold | None = None
    restricts: tuple[Hypothesis, ...] = field(default=(), metadata=WORDS)

    def __post_init__(self) -> None:
        require_hypotheses(self.restricts, f"`restricts` of the scene {self.name!r}")
        object.__setattr__(self, "shapes", _whole(self.shapes))

    def variant(self, name: str, **changes: Any) -> Scene:
        """Another scene, which differs in these attributes."""
        return replace(self, name=name, **changes)

    def of_class(self, name: str, *lemmas: Textbook) -> Scene:
        """The same scene, whose problems are declared to belong to a class: "smooth losses", with lemmas about its quantities.

        The declaration is an assumption of every proof that cites one of the lemmas; random instances may only break it.
        """
        known = self.problem.lemmas if self.problem else ()
        return replace(self, problem=ProblemClass(name, (*known, *lemmas)))


def _whole(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Shapes whose whole numbers are Python's, whatever they were: NumPy's and SymPy's do not come back from a file.

    What is no shape stays as it is: a claim that has it is told so when it is judged.
    """
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
    """A relation with its proof: an identity in a scene that computes the same quantities from arbitrary vectors.

    Attributes
    ----------
    relation : Relational
        An equation, or an inequality.
    scene : Scene
        Where the identity is checked; its `covers` says what is arbitrary, and why it holds at every size.
    slack : str
        Inequalities: the quantity that the large side has more than the small one, a sum of terms none of which can
        be negative, and one of which is positive where the relation is strict.
    assumed : mapping
        Parameter -> the quantity of the scene that it stands for, and the condition that makes it nonnegative, or
        positive if it is strict (< or >): only then may something be divided by it; or zero, if it is an equation and the
        parameter's range has both signs. This must follow from what the condition says of the quantities of the scene, and
        from the others (`verify.engine.meanings`). Where the condition bounds an extreme that the scene does not compute (a
        supremum over all models), a third entry says what that is to quantities that the scene does compute, such as
        ``squared_noise <= noise_sup``: a definition of the scene in which the fact is used, which is tried there.
        A fact holds wherever the conditions
        are met whose parameters occur in its slack, of an equation all: conditions of the claim, or definitions of the
        scene in which it is used (`Proved.defines`). Whatever else is positive by its range in `scene` and needs to be
        must be a symbol of the relation, declared so, or a quantity of that name that is positive in the scene of use.
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
    """A relation with its proof by induction over a whole number from 0 on.

    Attributes
    ----------
    over : Symbol
        The whole number.
    named : mapping
        Name -> a formula of `over` in the relation: a power, a sum, the number itself.
    grows : mapping
        Name -> the same formula one later, by names.
    changes : mapping
        Quantity that is different in every round -> its name one round before, and what it is before the first; None if that
        may be anything.
    steps : tuple of Textbook, Sums or Rounds
        What is true of such quantities in every round; where one speaks of what changes, `over` counts the round it speaks of.
    given : tuple of Relational
        Conditions on what does not change.
    through : tuple of Relational
        What a search shows on the way from one number to the next, by names or as `steps` speak of it: hints, not believed.
    """

    relation: Condition
    over: sp.Symbol
    named: Mapping[sp.Symbol, sp.Expr]
    grows: Mapping[sp.Symbol, sp.Expr]
    changes: Mapping[sp.Symbol, tuple[sp.Symbol, sp.Expr | None]] = field(default_factory=dict)
    steps: tuple[Textbook | Sums | Rounds, ...] = ()
    given: tuple[Condition, ...] = ()
    through: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        if not (self.over.is_integer and self.over.is_nonnegative):
            raise ValueError(
                f"`over` must be a whole number of at least 0 (an integer symbol that is not negative), got {self.over}"
            )


@dataclass(frozen=True, eq=False)
class Follows:
    """A relation with its proof by algebra from others, of which each is true whatever stands for its letters.

    Attributes
    ----------
    of : tuple of (Sums, Rounds or Follows, mapping)
        Facts, each with what stands for its letters, the number of rounds too; none does in sums, which speak of the same vectors.
    given : tuple of Relational
        Conditions; with them what stands for a letter must be in its domain, and the facts' own conditions must be met.
    through : hints, as of `Rounds`
    """

    relation: Condition
    of: tuple[tuple[Sums | Rounds | Follows, Mapping[sp.Symbol, sp.Expr]], ...]
    given: tuple[Condition, ...] = ()
    through: tuple[Condition, ...] = ()


@dataclass(frozen=True, eq=False)
class Textbook:
    """A fact with its source and its proof. What nobody has proved is a premise of a claim; `verify.facts` has what is known.

    Attributes
    ----------
    name : str
        What it is called: "descent lemma".
    relation : Relational
        In the symbols of its caller.
    source : str
        Book or paper, and the number of the theorem; true under what is `given`.
    proof : Fact, Sums, Rounds, Follows or None
        Of the relation, between arbitrary vectors, or by induction, where it is algebra.
    follows_from : tuple of Textbook
        Facts from which it follows by algebra.
    about : str
        "numbers" if it is true of all real numbers that meet what is `given`, so that any claim may cite it. What is true
        of "quantities" because of what they are must be declared by their scene. So must a "class": a condition that
        values and gradients of every function of a class meet, which says what the class is.
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
        """Whether it is true of all real numbers: by its source, or by a proof in which no quantity of a scene changes."""
        by_proof = isinstance(self.proof, Follows) or (
            isinstance(self.proof, Rounds) and not self.proof.changes and not self.proof.steps
        )
        return by_proof or (self.about == "numbers" and self.proof is None)


@dataclass(frozen=True, eq=False)
class Proved:
    """A way to compute quantities, with facts about them: a scene that computes them differently loses the facts.

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
    """A way to compute quantities that compares numbers and goes on by the answers: it sorts, or takes one of two steps.

    A relation in such a scene is proved for each sequence of answers (`verify.engine.ways`) at the shapes of the scene, where
    equal numbers are a way of their own; `covers` says in words what is arbitrary there. Where nothing is compared there is one
    way: what depends on whole numbers alone is counted.
    """

    compute: Callable[[Shape, Named], Values]
    covers: str

    def __call__(self, shape: Shape, values: Mapping[str, Any]) -> Values:
        return self.compute(shape, values)


def same_quantities(one: Scene, other: Scene) -> bool:
    """Whether two scenes compute the same from the same parameters; they may differ in sizes and ranges."""
    return one.compute is other.compute and one.known is other.known


def allowed_shapes(scene: Scene, conditions: tuple[Condition, ...]) -> list[Shape]:
    """Shapes of a scene at which every condition on whole numbers alone is met."""
    return [shape for shape in scene.shapes if all(met_by(condition, shape) for condition in conditions)]


def offers(scene: Scene, point: Mapping[str, Fraction]) -> bool:
    """Whether sizes and numbers by name are among those of a scene: sizes are listed, or larger where they grow."""
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
    """Whether whole numbers meet a condition; conditions that speak of anything else pass."""
    given = {s: shape[s.name] for s in condition.free_symbols if s.name in shape}
    # Built again, as SymPy does not decide a relation that was made with evaluate=False
    return len(given) < len(condition.free_symbols) or bool(
        condition.func(*(side.subs(given) for side in condition.args))
    )


@np.errstate(all="ignore")
def quantities(scene: Scene, shape: Shape, parameters: Mapping[str, Any], sizes: Mapping[str, Any]) -> Values:
    """Every quantity of an instance: shape, parameters, what is known, step sizes, what is computed."""
    values: Values = {**shape, **parameters, **sizes}
    values.update(scene.known(shape, values))
    values.update(scene.compute(shape, values))
    return values
