"""Certificates as files for the proof kernel Coq: every line is an assertion, proved by `field` and explicit lemmas.

No solver is used: `lra` only compares a formula with an equivalent fact. Symbols become real numbers with their domains
as hypotheses; whole numbers become real numbers that are at least their least value, which makes the theorem stronger.
They become natural numbers only if the proof uses that they are whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from verify.engine.certificates.field import NUMBER, WHOLE
from verify.engine.certificates.formulas import Tree, factors, parts, with_part
from verify.engine.certificates.recheck import NEGATIVE, POSITIVE, replaced
from verify.engine.coq.spelling import Spelling
from verify.engine.coq.vectors import NotExported
from verify.engine.elementary.law import BEYOND, LAW

Certificate = Mapping[str, Any]

PRELUDE, VECTORS = (Path(__file__).with_name(name).read_text() for name in ("prelude.v", "vectors.v"))
"""The beginning of every file, with lemmas and tactics; and a second part for theorems about vectors."""


DOMAINS = {"positive": "0 < {0}", "nonnegative": "0 <= {0}", "count": "1 <= {0}", "whole": "0 <= {0}"}


class Exporter(Spelling):
    """Lines and theorems in Coq's notation."""

    def __init__(
        self, symbols: Mapping[str, str], counted: Collection[str] = (), whole: Collection[str] = ()
    ) -> None:
        super().__init__(symbols, counted, whole)
        self.every: dict[
            int, str
        ] = {}  # By the number of a fact that holds for every value of a counter: the counter.
        self.laws_of_powers: dict[str, None] = {}  # hypotheses, in order

    def lines(self, lines: Sequence[Mapping[str, Any]], indent: str) -> list[str]:
        """Tactics for lines, one after the other."""
        found: list[str] = []
        for line in lines:
            relation = line.get("show") or line["given"]
            k = len(self.field.facts)
            if "induct" in line:
                found += self._induction(relation, line, indent)
            elif "show" in line:
                found.append(f"{indent}assert (fact{k} : {self.relation(relation)}).")
                found += [f"{indent}{{", *self._reason(relation, line, indent + "  "), f"{indent}}}"]
            else:
                if "for" in line:
                    found.append(f"{indent}pose proof (every{k} {self.names[line['for']]}) as fact{k}.")
                    self.every[k] = line["for"]
                else:  # later assumptions are no facts yet: facts of cases before them have these numbers
                    found.append(f"{indent}rename given{k} into fact{k}.")
                found += self._laws(relation, indent)
            self.field.learn(relation)
        return found

    def _laws(self, content: Any, indent: str) -> list[str]:
        """Laws of the roots, lengths and extremes that occur; asserted again wherever they are used."""
        found: list[str] = []
        for part in _each_formula(content):
            match part:
                case ["dot" | "each", *_] if law := self.vectors.law(part):
                    found.append(f"{indent}pose proof ({law}).")
                case ["at", str(name), _] if self.counted and self._domain(name):
                    found.append(
                        f"{indent}pose proof (D{self.names[name]} {self.formula(part).split(' ', 1)[1][:-1]})."
                    )
                case ["root", str(n), inside]:
                    root, below = self.formula(part), self.formula(inside)
                    found.append(f"{indent}assert (0 <= {root}) by root_law.")
                    found.append(f"{indent}assert ({below} = {root} ^ {n}) by root_law.")
                case ["^", base, exponent]:
                    found += [f"{indent}{law}" for law in self._laws_of_power(base, exponent)]
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

    def _laws_of_power(self, base: Tree, exponent: Tree) -> Iterator[str]:
        """The sign of a power with a symbolic exponent, given the sign of its base, by a hypothesis on powers."""
        name = (
            ""
            if isinstance(exponent, str) and NUMBER.fullmatch(exponent)
            else self.least_and_rest(base, exponent)[1]
        )
        below = self.field.sign(base) if name else NEGATIVE
        if name and name not in self.powers:  # a power with a natural number as exponent
            sign, tactic = ("<", "positive") if below == POSITIVE else ("<=", "nonnegative")
            if not below & NEGATIVE:
                yield f"assert (0 {sign} {name}) by {tactic}."
            return
        laws = [("P", "<", "positive")] if below == POSITIVE else [("N", "<=", "nonnegative")]
        for letter, sign, tactic in laws if not below & NEGATIVE else ():
            self.laws_of_powers[f"({letter}{name} : 0 {sign} {self.powers[name]} -> 0 {sign} {name})"] = None
            yield f"assert (0 {sign} {name}) by (apply {letter}{name}; {tactic})."

    def _reason(self, goal: Tree, line: Mapping[str, Any], indent: str) -> list[str]:
        if "split" in line:
            return self._split(line, indent)
        if "every" in line:
            k, at = line["every"], line["at"]
            return [f"{indent}agrees (every{k} {self.natural(at, WHOLE[self.symbols[self.every[k]]])})."]
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
        """A formula as it stands after `subst`: slacks written out, symbols replaced by the formulas they equal."""
        for k in _slacks(formula):
            formula = with_part(formula, ["slack", k], self._difference(k))
        for name, value in equations:
            formula = replaced(formula, name, value)
        return formula

    def _after(self, formulas: Sequence[Tree]) -> str:
        """Facts that `field` needs: about roots and powers of the same number, and numerators that are not zero."""
        found: list[str] = []
        first: dict[tuple[str, str, str], Tree] = {}
        for part in _each_formula(formulas):
            match part:
                case ["root", str(n), inside]:
                    same = first.setdefault(("root", n, self.field.value(inside).key), part)
                    if same != part:
                        found.append(f"alike {self.formula(part)} {self.formula(same)}; ")
                case ["^", [*_] as base, exponent]:
                    for letter in sorted({end for end in parts(exponent) if str(end) in self.counted}):
                        same = first.setdefault(("^", letter, self.field.value(base).key), base)
                        if same != base:
                            powers = (
                                f"({self.formula(each)} ^ {self.names[letter]})" for each in (base, same)
                            )
                            found.append(f"alike {' '.join(powers)}; ")
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
        """A relation for all n by Coq's own induction; each assumption for every n is used at the current one."""
        t, k, before, outer = line["induct"], len(self.field.facts), self.field, self.names[line["induct"]]
        current = [m for m, counter in self.every.items() if counter == t]
        n = self.names[t] = self._name("n")
        found = [
            f"{indent}assert (every{k} : forall {n} : nat, {self.relation(goal)}).",
            f"{indent}{{ clear{''.join(f' fact{m}' for m in current)}." if current else f"{indent}{{",
            f"{indent}  induction {n} as [| {n} fact{k}].",
        ]
        for assumed, lines in (((), line["base"]), ((goal,), line["step"])):
            self.field = before.copy()
            for fact in assumed:
                self.field.learn(fact)
            posing = [f"pose proof (every{m} {n}) as fact{m}. " for m in current] if assumed else []
            posing += [f"pose proof (pos_INR {n})."] if assumed else []
            found += [f"{indent}  {{ {''.join(posing)}", *self.lines(lines, indent + "    ")]
            found += [f"{indent}    agrees fact{len(self.field.facts) - 1}.", f"{indent}  }}"]
        self.field, self.names[t] = before, outer
        self.every[k] = t
        return [*found, f"{indent}}}", f"{indent}pose proof (every{k} {outer}) as fact{k}."]

    def _domain(self, symbol: str) -> str:
        """The declared sign of every entry of a sequence; empty if there is none."""
        return DOMAINS.get(self.symbols[symbol].removeprefix("sequence "), "")

    def _split(self, line: Mapping[str, Any], indent: str) -> list[str]:
        by, k = line["split"], len(self.field.facts)
        cases = [["<=", by, "0"], [">", by, "0"]]
        how = f"destruct (Rle_or_lt {self.formula(by)} 0); [left | right]; lra"
        if "whole" in line:
            cases = [["<=", by, "0"], [">=", by, "1"]]
            how = f"whole_cases {self.integer(by)}"
        elif isinstance(by, list) and by[0] in ("max", "min", "abs"):
            choices = [by[1], ["-", by[1]]] if by[0] == "abs" else by[1:]
            cases = [["=", by, choice] for choice in choices]
            how = f"unfold R{by[0]}; repeat (destruct Rle_dec || destruct Rcase_abs); lra"
        either = " \\/ ".join(self.relation(case) for case in cases)
        found = [f"{indent}assert (cases : {either}) by ({how})."]
        found.append(f"{indent}{_told_apart(f'fact{k}', len(cases))}.")
        before = self.field
        for case, lines in zip(cases, line["parts"], strict=True):
            self.field = before.copy()
            self.field.learn(case)
            inside = self.lines(lines, indent + "  ")
            found += [f"{indent}{{", *inside, f"{indent}  assumption.", f"{indent}}}"]
        self.field = before
        return found

    # ------------------------------------------------------------------------------------------- theorem

    def stated(self, name: str, certificate: Certificate) -> Stated:
        """The theorem that a certificate proves."""
        body = self.lines(certificate["lines"], "  ")
        domains = [
            f"(D{self.names[symbol]} : {DOMAINS[domain].format(self.formula(symbol))})"
            for symbol, domain in self.symbols.items()
            if domain in DOMAINS and symbol not in self.counted
        ]
        sequences = [symbol for symbol, domain in self.symbols.items() if domain.startswith("sequence")]
        if self.counted:
            domains += [
                f"(D{self.names[symbol]} : forall n : nat, {domain.format(f'({self.names[symbol]} n)')})"
                for symbol in sequences
                if (domain := self._domain(symbol))
            ]
        domains += [
            f"(D{entry} : {domain.format(entry)})"
            for entry, symbol in self.entries.items()
            if (domain := self._domain(symbol))
        ]
        domains += self.laws_of_powers
        kinds = self.vectors.kinds
        naturals = [self.names[symbol] for symbol in (*self.whole, *self.counted)]
        kinds["nat"] = list(dict.fromkeys([*kinds.get("nat", ()), *naturals]))
        others = [*(self.names[symbol] for symbol in sequences), *chain(*kinds.values())]
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
            if domain == "count" and symbol not in self.counted
        ]
        positive += [f"  pose proof (pos_INR {self.names[symbol]})." for symbol in self.counted]
        functions = [*(self.names[symbol] for symbol in sequences), *self.functions.values()]
        kinds["nat -> R"] = functions if self.counted else []
        kinds = {"R": numbers, **kinds}
        return Stated(
            name,
            {kind: tuple(some) for kind, some in kinds.items() if some},
            (*domains, *hypotheses),
            self.relation(certificate["claim"]),
            (*positive, *body, "  assumption."),
            {name_of: formula for formula, name_of in (*self.names.items(), *self.opaque.items())},
            tuple(f"(* {name_of} stands for {formula} *)" for formula, name_of in self.opaque.items()),
        )


@dataclass(frozen=True)
class Stated:
    """A theorem: its parameters by their type in Coq, hypotheses, claim, tactics, and what each number stands for."""

    name: str
    kinds: Mapping[str, Sequence[str]]
    hypotheses: Sequence[str]
    claim: str
    tactics: Sequence[str]
    meanings: Mapping[str, str] = field(default_factory=dict)
    comments: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The theorem and its proof in Coq's notation."""
        quantified = " ".join(f"({' '.join(names)} : {kind})" for kind, names in self.kinds.items())
        hypotheses = (f"  {hypothesis}" for hypothesis in self.hypotheses)
        head = [*self.comments, f"Theorem {self.name} {quantified}", *hypotheses, f"  : {self.claim}."]
        return "\n".join([*head, "Proof.", *self.tactics, "Qed.", ""])


def file_of(theorems: Sequence[str]) -> str:
    """A file with theorems, and the definitions and lemmas they need."""
    speaks = any(re.search(r": (nat -> )?vector\)", text) for text in theorems)
    return "\n".join([PRELUDE, *([VECTORS] if speaks else []), *theorems])


def _told_apart(name: str, count: int) -> str:
    """A disjunction of this number of cases, destructed under this name."""
    if count == 1:  # destructing an equation would replace one of its sides
        return f"rename cases into {name}"
    return f"destruct cases as {f'[{name} | ' * (count - 1)}{name}{']' * (count - 1)}"


def _each_formula(content: Any) -> list[Tree]:
    found: list[Tree] = []
    for part in parts(
        content if isinstance(content, list) and content and isinstance(content[0], str) else ["", *content]
    ):
        if isinstance(part, list) and part not in found:
            found.append(part)
    return found


def _each_line(lines: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Lines, and the lines inside their cases and inductions."""
    for line in lines:
        yield line
        for inside in (line.get("base", ()), line.get("step", ()), *line.get("parts", ())):
            yield from _each_line(inside)


def _divisors(formula: Tree) -> list[Tree]:
    """Divisors in a formula that are not symbols."""
    divided = (part[2] for part in parts(formula) if isinstance(part, list) and part[0] == "/")
    return [factor for below in divided for factor in factors(below) if isinstance(factor, list)]


def _slacks(formula: Tree) -> list[int]:
    return [part[1] for part in parts(formula) if isinstance(part, list) and part[0] == "slack"]


def without_moved(certificate: Certificate) -> Certificate:
    """A certificate that writes m + 4 for a symbol n of which it assumes n = m + 4, as every whole number of at least 4 is so.

    Powers with the exponent n are then powers with the natural number m in the exponent.
    """
    for k, line in enumerate(certificate["lines"]):
        if line.get("by") == f"{LAW}{BEYOND}":
            _, name, value = line["given"]
            lines = [_written(part, name, value, k) for part in certificate["lines"]]
            symbols = {symbol: domain for symbol, domain in certificate["symbols"].items() if symbol != name}
            return {"symbols": symbols, "lines": lines, "claim": replaced(certificate["claim"], name, value)}
    return certificate


def _written(line: Mapping[str, Any], name: str, value: Tree, equation: int) -> dict[str, Any]:
    """A line with a formula in place of a symbol, which no longer substitutes their equation."""
    keys = ("given", "show", "as", "at", "split")
    changed = {key: replaced(line[key], name, value) for key in keys if key in line}
    for key in ("base", "step"):
        if key in line:
            changed[key] = [_written(part, name, value, equation) for part in line[key]]
    if "parts" in line:
        changed["parts"] = [
            [_written(part, name, value, equation) for part in case] for case in line["parts"]
        ]
    others = [k for k in line.get("put", ()) if k != equation]
    rest = {key: part for key, part in line.items() if key != "put"}
    return {**rest, **changed, **({"put": others} if others else {})}


def theorem(name: str, certificate: Certificate) -> str:
    """A theorem and its proof, to be placed after `PRELUDE`; it needs only Coq's own library of real numbers."""
    return stated(name, certificate).text


def stated(name: str, certificate: Certificate) -> Stated:
    """The theorem of a certificate, with its parts.

    Raises
    ------
    NotExported
        If the certificate uses something that the export does not support (the counter of an induction in a formula).
    """
    certificate = without_moved(certificate)
    symbols, lines = certificate["symbols"], list(_each_line(certificate["lines"]))
    counted = dict.fromkeys(line[kind] for line in lines for kind in ("for", "induct") if kind in line)
    if counted:
        formulas = [line[kind] for line in lines for kind in ("given", "show", "as") if kind in line]
        entries = (part for part in _each_formula([*formulas, certificate["claim"]]) if part[0] == "at")
        indices = [*(entry[2] for entry in entries), *(line["at"] for line in lines if "at" in line)]
        counted |= {name: None for name in parts(["", *indices]) if isinstance(name, str) and name in symbols}
    cases = [part for line in lines if "whole" in line for part in parts(line["split"])]
    whole = [name for name in symbols if name in cases]
    if both := [name for name in whole if name in counted]:
        raise NotExported(f"cases of a counter, {both[0]}")
    return Exporter(symbols, counted, whole).stated("t_" + re.sub(r"\W", "_", name), certificate)
