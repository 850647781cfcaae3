"""Certificates as files for the proof kernel Coq: every line is asserted, and closed by `field` and explicit lemmas.

No solver is asked: `lra` only compares a formula with a fact that says the same in other words. Symbols become real
numbers with their domains as hypotheses; whole numbers become real numbers that are at least their least value, which
makes the theorem stronger.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from flint import fmpq

from verify.engine.certificates.field import NUMBER
from verify.engine.certificates.formulas import Tree, factors, parts, with_part
from verify.engine.certificates.recheck import POSITIVE, Checked, replaced
from verify.engine.certificates.signs import Signs
from verify.engine.certificates.vectors import NotExported, Vectors

Certificate = Mapping[str, Any]

PRELUDE, VECTORS = (Path(__file__).with_name(name).read_text() for name in ("prelude.v", "vectors.v"))
"""What every file begins with, lemmas and tactics; what follows where theorems speak of vectors."""


_COMPARED = {
    "<=": "{0} <= {1}",
    "<": "{0} < {1}",
    ">=": "{1} <= {0}",
    ">": "{1} < {0}",
    "=": "{0} = {1}",
    "!=": "{0} <> {1}",
}
_DOMAIN = {"positive": "0 < {0}", "nonnegative": "0 <= {0}", "count": "1 <= {0}", "whole": "0 <= {0}"}


class Exporter:
    """Formulas and lines in Coq's spelling, for symbols of given domains."""

    def __init__(self, symbols: Mapping[str, str], counted: Collection[str] = ()) -> None:
        self.symbols = symbols
        self.counted = (
            counted  # what inductions run over: natural numbers, and sequences are functions of them
        )
        self.every: dict[int, str] = {}  # facts for every natural number -> its name
        self.names: dict[str, str] = {}
        self.opaque: dict[str, str] = {}  # formulas that stand for any number -> name
        self.positive: list[str] = []
        self.field = Checked(self.symbols, room=200)
        self.signs = Signs(self.field, 0)
        for name in self.symbols:
            self.names[name] = self._name(name)
        self.vectors = Vectors(self.symbols, self.names, self.formula)

    def _name(self, text: str) -> str:
        plain = re.sub(r"\W", "_", text)
        name = f"x_{plain}"
        while name in [*self.names.values(), *self.opaque.values()]:
            name += "_"
        return name

    # ------------------------------------------------------------------------------------------ formulas

    def formula(self, tree: Tree) -> str:
        """A formula in Coq's spelling, in brackets where it needs them."""
        if isinstance(tree, str):
            if NUMBER.fullmatch(tree):
                return f"({tree.replace('/', ' / ')})" if not tree.isdecimal() else tree
            if tree in self.counted:
                raise NotExported("a natural number in a formula")
            return f"(INR {self.names[tree]})" if tree in self.vectors.index.values() else self.names[tree]
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
            case ["root", "2", inside]:
                return f"(sqrt {self.formula(inside)})"
            case ["abs", inside]:
                return f"(Rabs {self.formula(inside)})"
            case ["max" | "min" as head, first, *rest]:
                last = self.formula([head, *rest]) if rest else ""
                return f"(R{head} {self.formula(first)} {last})" if rest else self.formula(first)
            case ["slack", int(k)]:
                return self.formula(self._difference(k))
            case ["at", str(name), index] if self.counted:
                return f"({self.names[name]} {self._natural(index)})"
            case ["call" | "at", *_]:
                return self.opaque.setdefault(str(tree), self._name(str(tree[1])))
            case ["dot" | "each", *_]:
                return self.vectors.product(tree)
            case ["root", _, inside]:
                # Any number of its sign: nothing else is said of it but in what is given
                name = self.opaque.setdefault(str(tree), self._name("root"))
                if self.field.sign(inside) == POSITIVE:
                    self.positive.append(name)
                return name
            case ["^", base, exponent]:
                return self._power(base, exponent)
        raise NotExported(f"{tree[0]!r}")

    def _natural(self, tree: Tree) -> str:
        """A natural number, 0 or what an induction runs over, or one more."""
        match tree:
            case str(n) if n.isdecimal():
                return f"{n}%nat"
            case str(name) if name in self.counted:
                return self.names[name]
            case ["+", one, "1"]:
                return f"(S {self._natural(one)})"
        raise NotExported("an index")

    def _power(self, base: Tree, exponent: Tree) -> str:
        """base^(e - low) base^low, where the first stands for any number of its sign."""
        power = self.field.value(exponent)
        low = power.constant if power.constant is not None else fmpq(self.field.least(power) or 0)
        if low.q != 1:
            raise NotExported("a broken exponent")
        whole = self.formula(base) if abs(low) == 1 else f"({self.formula(base)} ^ {abs(int(low.p))})"
        rest = power - self.field.constant(str(low))
        if rest.top.is_zero():
            return f"(/ {whole})" if low < 0 else whole if low > 0 else "1"
        key = f"a power of {base} with the exponent {rest.key}"
        name = self.opaque.setdefault(key, self._name("power"))
        if self.field.sign(base) == POSITIVE:
            self.positive.append(name)
        return name if low == 0 else f"({name} {'*' if low > 0 else '/'} {whole})"

    def relation(self, tree: Tree) -> str:
        """A relation in Coq's spelling."""
        return _COMPARED[tree[0]].format(self.formula(tree[1]), self.formula(tree[2]))

    def _difference(self, k: int) -> Tree:
        """What the large side of a fact has more than the small one."""
        sign, left, right = self.field.facts[k]
        return ["-", left, right] if sign in (">", ">=") else ["-", right, left]

    # --------------------------------------------------------------------------------------------- lines

    def lines(self, lines: Sequence[Mapping[str, Any]], indent: str) -> list[str]:
        """Tactics for lines, one after the other."""
        found: list[str] = []
        for line in lines:
            relation = line.get("show") or line["given"]
            k = len(self.field.facts)
            if "show" in line:
                found.append(f"{indent}assert (fact{k} : {self.relation(relation)}).")
                found += [f"{indent}{{", *self._reason(relation, line, indent + "  "), f"{indent}}}"]
            else:
                if "for" in line:
                    found.append(f"{indent}pose proof (every{k} {self.names[line['for']]}) as fact{k}.")
                    self.every[k] = line["for"]
                else:  # what is given later is no fact yet: facts of cases before it have its number
                    found.append(f"{indent}rename given{k} into fact{k}.")
                found += self._laws(relation, indent)
            self.field.learn(relation)
        return found

    def _laws(self, content: Any, indent: str) -> list[str]:
        """What is true of the roots, lengths and extremes that occur; asserted again wherever they are used."""
        found: list[str] = []
        for part in _each_formula(content):
            match part:
                case ["dot" | "each", *_] if law := self.vectors.law(part):
                    found.append(f"{indent}pose proof ({law}).")
                case ["at", str(name), _] if self.counted and self._domain(name):
                    found.append(
                        f"{indent}pose proof (D{self.names[name]} {self.formula(part).split(' ', 1)[1][:-1]})."
                    )
                case ["root", "2", inside]:
                    root, below = self.formula(part), self.formula(inside)
                    found.append(f"{indent}pose proof (sqrt_pos {below}).")
                    found.append(
                        f"{indent}assert ({below} = {root} ^ 2) by (symmetry; apply pow2_sqrt; nonnegative)."
                    )
                case ["abs", inside]:
                    v, x = self.formula(part), self.formula(inside)
                    found.append(f"{indent}pose proof (Rabs_pos {x}).")
                    found.append(f"{indent}assert ({x} <= {v}) by apply Rle_abs.")
                    found.append(
                        f"{indent}assert (0 <= {v} + {x}) by (unfold Rabs; destruct (Rcase_abs {x}); lra)."
                    )
                    found.append(f"{indent}assert ({x} ^ 2 = {v} ^ 2) by (symmetry; apply pow2_abs).")
                case ["max" | "min" as head, *inside]:
                    whole = self.formula(part)
                    for choice in map(self.formula, inside):
                        pair = (choice, whole) if head == "max" else (whole, choice)
                        found.append(
                            f"{indent}assert ({pair[0]} <= {pair[1]}) by (unfold R{head}; repeat destruct Rle_dec; lra)."
                        )
        return list(dict.fromkeys(found))

    def _reason(self, goal: Tree, line: Mapping[str, Any], indent: str) -> list[str]:
        if "split" in line:
            return self._split(line, indent)
        if "induct" in line:
            return self._induction(goal, line, indent)
        if "every" in line:
            return [f"{indent}exact (every{line['every']} {self._natural(line['at'])})."]
        lemma, sign = {
            "=": ("eq_of", "vanishes"),
            "!=": ("ne_of", "nonzero"),
            "<": ("lt_of", "positive"),
            ">": ("lt_of", "positive"),
        }.get(goal[0], ("le_of", "nonnegative"))
        equations = [self.field.facts[k][1:] for k in line.get("put", ())]
        put_in = f"subst {' '.join(self.names[name] for name, _ in equations)}; " if equations else ""
        slacks = [self.field.facts[k] for k in _slacks(line["as"])]
        after = [self._put_in(formula, equations) for formula in (line["as"], goal)]
        return [
            *self._laws([line["as"], *slacks, goal], indent),
            f"{indent}apply ({lemma} _ _ {self.formula(line['as'])}).",
            f"{indent}- {put_in}{self._after(after)}same.",
            f"{indent}- {put_in}{sign}.",
        ]

    def _put_in(self, formula: Tree, equations: Sequence[Tree]) -> Tree:
        """A formula as it stands after `subst`: slacks in full, symbols replaced by what they are equal to."""
        for k in _slacks(formula):
            formula = with_part(formula, ["slack", k], self._difference(k))
        for name, value in equations:
            formula = replaced(formula, name, value)
        return formula

    def _after(self, formulas: Sequence[Tree]) -> str:
        """What `field` has to be told: roots of the same number, and numerators that are not zero."""
        found: list[str] = []
        roots: dict[str, Tree] = {}
        for part in _each_formula(formulas):
            match part:
                case ["root", "2", inside]:
                    first = roots.setdefault(self.field.value(inside).key, part)
                    if first != part:
                        found.append(f"alike {self.formula(part)} {self.formula(first)}; ")
                case ["/", _, below]:
                    for factor in factors(below):
                        if any(isinstance(inner, list) and inner[0] == "/" for inner in parts(factor)):
                            quotient = self.field.value(factor)
                            above = self.signs.formula(quotient.top)
                            ends = (factor, above, self.signs.factored(quotient.bottom))
                            found += [f"differs {self.formula(inner)}; " for inner in _divisors(factor)]
                            found.append(f"numerator {' '.join(map(self.formula, ends))}; ")
        return "".join(dict.fromkeys(found)) + self.vectors.expanding()

    def _induction(self, goal: Tree, line: Mapping[str, Any], indent: str) -> list[str]:
        """All n by Coq's own induction; what is given for every n is what it is for this one."""
        t, k, before, outer = line["induct"], len(self.field.facts), self.field, self.names[line["induct"]]
        posed = [f"fact{n}" for n in self.every]
        found = [f"{indent}clear {' '.join(posed)}."] if posed else []
        n = self.names[t] = self._name("n")
        found += [
            f"{indent}assert (all{k} : forall {n} : nat, {self.relation(goal)}).",
            f"{indent}{{ induction {n} as [| {n} fact{k}].",
        ]
        for assumed, lines in (((), line["base"]), ((goal,), line["step"])):
            self.field = before.copy()
            for fact in assumed:
                self.field.learn(fact)
            posing = [f"pose proof (every{m} {n}) as fact{m}. " for m in self.every] if assumed else []
            found += [f"{indent}  {{ {''.join(posing)}", *self.lines(lines, indent + "    ")]
            found += [f"{indent}    assumption.", f"{indent}  }}"]
        self.field, self.names[t] = before, outer
        return [*found, f"{indent}}}", f"{indent}apply all{k}."]

    def _domain(self, symbol: str) -> str:
        """What every entry of a sequence is said to be; empty if nothing."""
        return _DOMAIN.get(self.symbols[symbol].removeprefix("sequence "), "")

    def _split(self, line: Mapping[str, Any], indent: str) -> list[str]:
        by, k = line["split"], len(self.field.facts)
        if line.get("whole"):
            raise NotExported("cases of whole numbers")
        cases = [["<=", by, "0"], [">", by, "0"]]
        how = f"destruct (Rle_or_lt {self.formula(by)} 0); [left | right]; lra"
        if isinstance(by, list) and by[0] in ("max", "min", "abs"):
            choices = [by[1], ["-", by[1]]] if by[0] == "abs" else by[1:]
            cases = [["=", by, choice] for choice in choices]
            how = f"unfold R{by[0]}; repeat (destruct Rle_dec || destruct Rcase_abs); lra"
        either = " \\/ ".join(self.relation(case) for case in cases)
        found = [f"{indent}assert (cases : {either}) by ({how})."]
        found.append(
            f"{indent}destruct cases as [{' | '.join([f'fact{k}'] * len(cases))}]."
            if len(cases) == 2
            else f"{indent}destruct cases as {_pattern(f'fact{k}', len(cases))}."
        )
        before = self.field
        for case, lines in zip(cases, line["parts"], strict=True):
            self.field = before.copy()
            self.field.learn(case)
            inside = self.lines(lines, indent + "  ")
            found += [f"{indent}{{", *inside, f"{indent}  assumption.", f"{indent}}}"]
        self.field = before
        return found

    # ------------------------------------------------------------------------------------------- theorem

    def theorem(self, name: str, certificate: Certificate) -> str:
        body = self.lines(certificate["lines"], "  ")
        domains = [
            f"(D{self.names[symbol]} : {_DOMAIN[domain].format(self.formula(symbol))})"
            for symbol, domain in self.symbols.items()
            if domain in _DOMAIN and symbol not in self.counted
        ]
        sequences = [symbol for symbol, domain in self.symbols.items() if domain.startswith("sequence")]
        if self.counted:
            domains += [
                f"(D{self.names[symbol]} : forall n : nat, {domain.format(f'({self.names[symbol]} n)')})"
                for symbol in sequences
                if (domain := self._domain(symbol))
            ]
        domains += [f"(P{name} : 0 < {name})" for name in dict.fromkeys(self.positive)]
        kinds = self.vectors.kinds
        others = [*(self.names[symbol] for symbol in (*sequences, *self.counted)), *chain(*kinds.values())]
        numbers = [name for name in self.names.values() if name not in others]
        numbers += list(self.opaque.values())
        hypotheses = [
            f"(given{k} : {self.relation(line['given'])})"
            if "for" not in line
            else f"(every{k} : forall {self.names[line['for']]} : nat, {self.relation(line['given'])})"
            for k, line in enumerate(certificate["lines"])
            if "given" in line
        ]
        positive = [
            f"  assert (0 < {self.formula(symbol)}) by lra."
            for symbol, domain in self.symbols.items()
            if domain == "count"
        ]
        kinds["nat"] = [*kinds.get("nat", ()), *(self.names[symbol] for symbol in self.counted)]
        kinds["nat -> R"] = [self.names[symbol] for symbol in sequences] if self.counted else []
        kinds = {"R": numbers, **kinds}
        quantified = " ".join(f"({' '.join(some)} : {kind})" for kind, some in kinds.items() if some)
        comments = [f"(* {name_of} stands for {formula} *)" for formula, name_of in self.opaque.items()]
        return "\n".join(
            [
                *comments,
                f"Theorem {name} {quantified}",
                *(f"  {hypothesis}" for hypothesis in [*domains, *hypotheses]),
                f"  : {self.relation(certificate['claim'])}.",
                "Proof.",
                *positive,
                *body,
                "  assumption.",
                "Qed.",
                "",
            ]
        )


def file_of(theorems: Sequence[str]) -> str:
    """A file with theorems, and what they need before them."""
    speaks = any(re.search(r": (nat -> )?vector\)", text) for text in theorems)
    return "\n".join([PRELUDE, *([VECTORS] if speaks else []), *theorems])


def _pattern(name: str, count: int) -> str:
    return f"[{name} | {name if count == 2 else _pattern(name, count - 1)}]"


def _each_formula(content: Any) -> list[Tree]:
    found: list[Tree] = []
    for part in parts(
        content if isinstance(content, list) and content and isinstance(content[0], str) else ["", *content]
    ):
        if isinstance(part, list) and part not in found:
            found.append(part)
    return found


def _divisors(formula: Tree) -> list[Tree]:
    """What is divided by in a formula, and is no symbol."""
    divided = (part[2] for part in parts(formula) if isinstance(part, list) and part[0] == "/")
    return [factor for below in divided for factor in factors(below) if isinstance(factor, list)]


def _slacks(formula: Tree) -> list[int]:
    return [part[1] for part in parts(formula) if isinstance(part, list) and part[0] == "slack"]


def theorem(name: str, certificate: Certificate) -> str:
    """A theorem and its proof, to stand after `PRELUDE`; needs nothing but Coq's own library of real numbers.

    Raises
    ------
    NotExported
        If the certificate uses what the export does not speak of (cases of whole numbers).
    """
    counted = {line["induct"] for line in certificate["lines"] if "induct" in line}
    if any(certificate["symbols"][t] != "whole" for t in counted):
        raise NotExported("an induction that does not start at 0")
    return Exporter(certificate["symbols"], counted).theorem("t_" + re.sub(r"\W", "_", name), certificate)
