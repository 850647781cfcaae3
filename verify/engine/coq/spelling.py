"""Formulas and relations of certificates in Coq's notation.

Symbols are real numbers. Symbols that are used as whole numbers are natural numbers, and formulas contain their `INR`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from flint import fmpq

from verify.engine.certificates.field import NUMBER, WHOLE, Quotient
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
        Counters of inductions and indices of sequences. Each is its least value plus a natural number, and sequences are
        functions of natural numbers.
    whole : collection of str
        Symbols in cases of whole numbers; these are natural numbers, too.
    """

    def __init__(
        self, symbols: Mapping[str, str], counted: Collection[str] = (), whole: Collection[str] = ()
    ) -> None:
        self.symbols, self.counted = symbols, counted
        self.names: dict[str, str] = {}
        self.opaque: dict[str, str] = {}  # formulas that stand for any number -> name
        self.entries: dict[str, str] = {}  # name of an entry of a sequence, as a number -> the sequence
        self.functions: dict[
            str, str
        ] = {}  # by an unknown function of a counter, with its other arguments: its name
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
        while name in [*self.names.values(), *self.opaque.values(), *self.functions.values()]:
            name += "_"
        return name

    def formula(self, tree: Tree) -> str:
        """A formula in Coq's notation, in brackets if it needs them."""
        if isinstance(tree, str):
            if NUMBER.fullmatch(tree):
                return f"({tree.replace('/', ' / ')})" if not tree.isdecimal() else tree
            if tree in self.counted:
                return f"(INR {self.names[tree]}{' + 1' * WHOLE[self.symbols[tree]]})"
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
            case ["call", str(name), index, *rest] if self._counts(index) and not any(
                map(self._counts, rest)
            ):
                function = self.functions.setdefault(str([name, *rest]), self._name(name))
                return f"({function} {self.natural(index)})"
            case ["call" | "at" as head, str(of), *_]:
                name = self.opaque.setdefault(str(tree), self._name(of))
                if head == "at":
                    self.entries[name] = of
                return name
            case ["dot" | "each", *_]:
                return self.vectors.product(tree)
            case ["^", base, exponent]:
                return self._power(base, exponent)
        raise NotExported(f"{tree[0]!r}")

    def _counts(self, tree: Tree) -> bool:
        """Whether a formula contains a counter, or is a natural number in a proof with counters."""
        named = [part for part in parts(tree) if isinstance(part, str)]
        return any(
            part in self.counted or (bool(self.counted) and part == tree and part.isdecimal())
            for part in named
        )

    def natural(self, tree: Tree, least: int = 0) -> str:
        """A counter, or a number, plus a whole number and minus `least`, as a natural number.

        A counter is its least value plus a natural number.

        Raises
        ------
        NotExported
            If it has another form, or may be less than `least`.
        """
        names, later = self._counters(self.field.value(tree))
        later -= least
        if later >= 0 and not names:
            return f"{later}%nat"
        if later >= 0 and list(names.values()) == [1]:
            return f"{'(S ' * later}{self.names[next(iter(names))]}{')' * later}"
        raise NotExported("an index")

    def _counters(self, value: Quotient) -> tuple[dict[str, int], int]:
        """Counters in a sum with their coefficients, and the least value of the sum."""
        found: dict[str, int] = {}
        least = fmpq(0)
        for powers, factor in value.top.terms():
            inside = [name for name, place in self.field.names.items() if powers[place]]
            if factor.q != 1 or sum(powers) > 1 or (inside and (inside[0] not in self.counted or factor < 0)):
                raise NotExported("what is no sum of counters")
            found |= {str(name): int(factor.p) for name in inside}
            least += factor * (WHOLE[self.symbols[str(inside[0])]] if inside else 1)
        return found, int(least.p)

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
        if self._counts(exponent):
            return int(low.p), self._counted_power(spelled, rest)
        key = f"a power of {spelled} with the exponent {rest.key}"
        name = self.opaque.setdefault(key, self._name("power"))
        self.powers[name] = spelled
        return int(low.p), name

    def _counted_power(self, base: str, exponent: Quotient) -> str:
        """A power whose exponent is a sum of counters less its least value, with natural numbers as exponents."""
        powers = [
            f"({base} ^ {self.names[name]})" + (f" ^ {factor}" if factor > 1 else "")
            for name, factor in self._counters(exponent)[0].items()
        ]
        return f"({' * '.join(powers)})"

    def relation(self, tree: Tree) -> str:
        """A relation in Coq's notation."""
        return _COMPARED[tree[0]].format(self.formula(tree[1]), self.formula(tree[2]))

    def _difference(self, k: int) -> Tree:
        """The larger side of a fact minus the smaller side."""
        sign, left, right = self.field.facts[k]
        return ["-", left, right] if sign in (">", ">=") else ["-", right, left]
