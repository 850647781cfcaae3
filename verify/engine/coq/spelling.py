"""Formulas and relations of certificates in Coq's notation.

Symbols are real numbers. Symbols that are used as whole numbers are natural numbers, and formulas contain their `INR`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from flint import fmpq

from verify.engine.certificates.field import NUMBER, WHOLE
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.recheck import Checked
from verify.engine.coq.vectors import NotExported, Vectors
from verify.engine.tactics.signs import Signs

_COMPARED = {
    "<=": "{0} <= {1}",
    "<": "{0} < {1}",
    ">=": "{1} <= {0}",
    ">": "{1} < {0}",
    "=": "{0} = {1}",
    "!=": "{0} <> {1}",
}


class Spelling:
    """Names of symbols, and of parts that are neither sums nor products, for symbols with given domains.

    Parameters
    ----------
    symbols : mapping
        Name -> domain.
    counted : collection of str
        Counters of inductions: natural numbers from the least value on; sequences are functions of them.
    whole : collection of str
        Symbols in cases of whole numbers; these are natural numbers, too.
    """

    def __init__(
        self, symbols: Mapping[str, str], counted: Collection[str] = (), whole: Collection[str] = ()
    ) -> None:
        self.symbols, self.counted = symbols, counted
        self.names: dict[str, str] = {}
        self.opaque: dict[str, str] = {}  # formulas that stand for any number -> name
        self.powers: dict[str, str] = {}  # name of a power -> its base
        self.field = Checked(self.symbols, room=200)
        self.signs = Signs(self.field, 0)
        for name in self.symbols:
            self.names[name] = self._name(name)
        self.vectors = Vectors(self.symbols, self.names, self.formula)
        self.whole = dict.fromkeys([*self.vectors.index.values(), *whole])

    def _name(self, text: str) -> str:
        plain = re.sub(r"\W", "_", text)
        name = f"x_{plain}"
        while name in [*self.names.values(), *self.opaque.values()]:
            name += "_"
        return name

    def formula(self, tree: Tree) -> str:
        """A formula in Coq's notation, in brackets if it needs them."""
        if isinstance(tree, str):
            if NUMBER.fullmatch(tree):
                return f"({tree.replace('/', ' / ')})" if not tree.isdecimal() else tree
            if tree in self.counted:
                raise NotExported("a natural number in a formula")
            return f"(INR {self.names[tree]})" if tree in self.whole else self.names[tree]
        match tree:
            case ["+"] | ["*"]:
                return "0" if tree[0] == "+" else "1"
            case ["+" | "*" as head, *inside]:
                return f"({f' {head} '.join(map(self.formula, inside))})"
            case ["-", a]:
                return f"(- {self.formula(a)})"
            case ["-" | "/" as head, a, b]:
                return f"({self.formula(a)} {head} {self.formula(b)})"
            case ["^", base, str(n)] if n.isdecimal():
                return f"({self.formula(base)} ^ {n})"
            case ["root", str(n), inside]:
                return f"({'sqrt' if n == '2' else f'root {n}'} {self.formula(inside)})"
            case ["abs", inside]:
                return f"(Rabs {self.formula(inside)})"
            case ["max" | "min" as head, first, *rest]:
                last = self.formula([head, *rest]) if rest else ""
                return f"(R{head} {self.formula(first)} {last})" if rest else self.formula(first)
            case ["slack", int(k)]:
                return self.formula(self._difference(k))
            case ["at", str(name), index] if self.counted:
                return f"({self.names[name]} {self.natural(index)})"
            case ["call" | "at", *_]:
                return self.opaque.setdefault(str(tree), self._name(str(tree[1])))
            case ["dot" | "each", *_]:
                return self.vectors.product(tree)
            case ["^", base, exponent]:
                return self._power(base, exponent)
        raise NotExported(f"{tree[0]!r}")

    def natural(self, tree: Tree, least: int = 0) -> str:
        """The counter of an induction, or a number, plus a number and minus `least`, as a natural number.

        Raises
        ------
        NotExported
            If it has another form, or is less than `least`.
        """
        later = -least
        while isinstance(tree, list) and tree[0] == "+" and tree[2:] == ["1"]:
            tree, later = tree[1], later + 1
        match tree:
            case str(n) if n.isdecimal() and int(n) + later >= 0:
                return f"{int(n) + later}%nat"
            case str(name) if name in self.counted and later + WHOLE[self.symbols[name]] >= 0:
                later += WHOLE[self.symbols[name]]
                return f"{'(S ' * later}{self.names[name]}{')' * later}"
        raise NotExported("an index")

    def integer(self, tree: Tree) -> str:
        """A sum of whole symbols with whole coefficients, as an integer."""
        value = self.field.value(tree)
        terms = [
            " * ".join([f"({factor.p})", *(f"Z.of_nat {name}" for name in self._in(powers))])
            for powers, factor in value.top.terms()
        ]
        return f"({' + '.join(terms)})%Z"

    def _in(self, powers: Sequence[int]) -> list[str]:
        found = [name for name, place in self.field.names.items() if powers[place]]
        if not all(self.symbols.get(str(name)) in WHOLE for name in found):
            raise NotExported(f"what is no whole number among {found}")
        return [self.names[str(name)] for name in found]

    def _power(self, base: Tree, exponent: Tree) -> str:
        """base^(e - low) base^low, where the first factor stands for any number of its sign."""
        if any(part in self.counted for part in parts(exponent) if isinstance(part, str)):
            raise NotExported("a natural number in an exponent")
        low, name = self.least_and_rest(base, exponent)
        whole = self.formula(base) if abs(low) == 1 else f"({self.formula(base)} ^ {abs(low)})"
        if not name:
            return f"(/ {whole})" if low < 0 else whole if low > 0 else "1"
        return name if low == 0 else f"({name} {'*' if low > 0 else '/'} {whole})"

    def least_and_rest(self, base: Tree, exponent: Tree) -> tuple[int, str]:
        """The least exponent that is split off a power, and the name of the remaining power; empty if none remains.

        The name stands for any number. Whether it is positive may depend on a case, so its sign is no hypothesis. The
        hypothesis is that a power is positive if its base is, which holds for every power.
        """
        power = self.field.value(exponent)
        low = power.constant if power.constant is not None else fmpq(self.field.least(power) or 0)
        if low.q != 1:
            raise NotExported("a broken exponent")
        rest = power - self.field.constant(str(low))
        if rest.top.is_zero():
            return int(low.p), ""
        spelled = self.formula(base)
        key = f"a power of {spelled} with the exponent {rest.key}"
        name = self.opaque.setdefault(key, self._name("power"))
        self.powers[name] = spelled
        return int(low.p), name

    def relation(self, tree: Tree) -> str:
        """A relation in Coq's notation."""
        return _COMPARED[tree[0]].format(self.formula(tree[1]), self.formula(tree[2]))

    def _difference(self, k: int) -> Tree:
        """The larger side of a fact minus the smaller side."""
        sign, left, right = self.field.facts[k]
        return ["-", left, right] if sign in (">", ">=") else ["-", right, left]
