"""An erratum: the few statements that the authors of a paper should correct, each with its counterexample and the true
variant.

Entries are chosen in this order: damaged theorems, the first broken step of each proof, damaged lemmas, and other damaged
statements by the number of statements that rest on them. A statement that only repeats a broken step is listed with this
step and has no entry of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import sympy as sp

from bounds.orders import exponents
from bounds.statement import Original, Scaling, Statement
from bounds.symbols import Quantity
from verify.engine.checks.table import TABLE
from verify.engine.records.replay import irrelevant_parameters
from verify.engine.work.errors import UsageError
from verify.report import mathml
from verify.report.broken_values import decimal, short_sides, short_text, values_in_broken_case
from verify.report.entries import Entry, Record
from verify.report.graph import proof_graph, rested_on
from verify.report.letters import LetterValue, letter_values, letters, with_antecedents
from verify.report.theorems import Fault, fault, theorems, true_instead, without_free
from verify.report.values import value_text

MOST = 15
"""Limit on entries of a page for authors."""
GROWN = (100, 10**4)
"""Values of the variable in which a bound outgrows a claimed order."""
REPEATED = 6
"""Limit on places named beside an entry because they repeat it."""
SWITCH = re.compile(r"1 if\b")
"""Beginning of the meanings of switches: numbers that are 0 without the part they switch on."""
CODED, CASES = re.compile(r"(?:^|, )(\d+): "), re.compile(r"(?:^|, )(-?\d+) (?:if|for) ")
"""Beginnings of what a code stands for."""
MARGIN = re.compile(
    r"\b(?:larger|worse) than (?:it|they) must be|\bno smaller than\b|^what the search tries\b"
)
"""Part of the meaning of a number that only enlarges a constant or sets ranges of the search."""
LEMMA = re.compile(r"(?:lem|lemma|cor|prop)[A-Z]?\d")


@dataclass(frozen=True)
class Correction:
    """A statement as printed, why it fails, and what is true instead.

    Attributes
    ----------
    entry : Entry
    values : tuple of LetterValue
        Every letter of its formula and conditions in the counterexample; none if there is no instance.
    given : tuple of (str, str)
        Meaning and values of the other quantities of the counterexample.
    argument : tuple of str
        Up to three sentences.
    instead : tuple of Entry
        At most one proved variant: the first of those that hold at every size, else the first of the others. Without any, one
        of the broken step of its proof, then one of a statement that repeats it.
    unjudged : tuple of str
        Ids of variants without a record, if none of the others is proved.
    candidates : tuple of Entry
        At most one variant that is unrefuted, if none is proved.
    repeats : tuple of str
        Places of the source that fail only because they repeat it.
    """

    entry: Entry
    values: tuple[LetterValue, ...]
    given: tuple[tuple[str, str], ...]
    argument: tuple[str, ...]
    instead: tuple[Entry, ...]
    unjudged: tuple[str, ...]
    candidates: tuple[Entry, ...]
    repeats: tuple[str, ...]

    @property
    def place(self) -> str:
        return str(self.entry.record["source"]["place"])

    @property
    def says(self) -> str:
        """The sentence of the source."""
        return self.original.says if self.original else str(self.entry.record["statement"]["says"])

    @property
    def original(self) -> Original | None:
        """What the source says, if a consequence of it was judged."""
        return self.entry.statement.original if self.entry.statement else None

    @property
    def pieces(self) -> tuple[str, ...]:
        """LaTeX of the formula of the source, in pieces between which a line may be broken."""
        statement = self.entry.statement
        if statement is None:
            return (str(self.entry.record["statement"]["latex"]),)
        if statement.original:
            return mathml.sides(statement.original.relation, statement.glossary)
        return mathml.parts(statement)


@dataclass(frozen=True)
class Erratum:
    """Corrections of one source; `further` counts other damaged statements and repetitions."""

    key: str
    title: str
    version: str
    corrections: tuple[Correction, ...]
    further: int

    @property
    def letters(self) -> tuple[Quantity, ...]:
        """Letters of all formulas."""
        return letters(
            entry for found in self.corrections for entry in (found.entry, *found.instead, *found.candidates)
        )


def erratum(found: Sequence[Entry], paper: str, stated: Collection[str] = ()) -> Erratum:
    """The corrections of a paper, according to the records.

    Parameters
    ----------
    stated : collection of str
        Ids of all statements of the paper, also of those without a record.

    Raises
    ------
    UsageError
        If no record is about the paper.
    """
    own = [entry for entry in found if entry.paper == paper]
    if not own:
        known = ", ".join(dict.fromkeys(entry.paper for entry in found))
        raise UsageError(f"no record speaks of {paper!r}; there are records of {known}")
    graph, known_by_id = proof_graph(found), {entry.id: entry for entry in found}
    alike = list(_alike(_damaged_entries(own, graph, known_by_id)))[:MOST]
    chosen = [first for first, *_ in alike]
    repeats = {
        first.id: [*others, *_repeating(first, chosen, graph, known_by_id)] for first, *others in alike
    }
    folded = {other.id for others in repeats.values() for other in others}
    rest = [e for e in own if _printed_fault(e) and e not in chosen and e.id not in folded]
    source = own[0].record["source"]
    return Erratum(
        paper,
        source["paper"],
        source["version"],
        tuple(_correction(entry, repeats[entry.id], graph, known_by_id, stated) for entry in chosen),
        len(rest),
    )


def _printed_fault(entry: Entry) -> bool:
    """Whether a statement of the source is damaged. Sentences that only this project's experiments contradict do not
    count.
    """
    return entry.damaged and entry.id == entry.printed and not entry.is_own_question and not entry.experiment


def _damaged_entries(own: Sequence[Entry], graph: nx.DiGraph, known: Mapping[str, Entry]) -> Iterator[Entry]:
    """The damaged statements of a source, each once, the most important first."""
    parts = sorted((part for theorem in theorems(own) for part in theorem.parts), key=_line)
    ways = [
        found.path[1:] for part in parts if not part.is_own_question and (found := fault(part, graph, known))
    ]
    steps = [known[id] for path in ways for id in path[-1:]]
    faults = [entry for entry in own if _printed_fault(entry)]

    def weight(entry):
        return (entry.record["kind"] == TABLE.name, -len(nx.ancestors(graph, entry.id)), _line(entry))

    lemmas = sorted((entry for entry in faults if LEMMA.match(entry.name)), key=_line)
    of_others: set[str] = set()
    for id in dict.fromkeys(entry.id for entry in (*parts, *steps, *lemmas, *sorted(faults, key=weight))):
        if _printed_fault(known[id]) and id not in of_others:
            of_others.update(_parts(known[id], known))
            yield known[id]


def _parts(entry: Entry, known: Mapping[str, Entry]) -> Iterator[str]:
    """Statements of the same place of the source on which an entry rests."""
    place = entry.record["source"]["place"]
    return (id for id in entry.record["uses"] if id in known and known[id].record["source"]["place"] == place)


def _alike(found: Iterable[Entry]) -> Iterator[tuple[Entry, ...]]:
    """Entries with the same formula and conditions together, in the order of the first of each group."""
    groups: dict[object, list[Entry]] = {}
    for entry in found:
        printed = entry.record["statement"]
        formula = (printed["latex"], *printed["conditions"]) if entry.statement else entry.id
        groups.setdefault(formula, []).append(entry)
    return map(tuple, groups.values())


def _repeating(
    entry: Entry, chosen: Sequence[Entry], graph: nx.DiGraph, known: Mapping[str, Entry]
) -> list[Entry]:
    """Damaged statements that rest on a chosen one and are not chosen themselves."""
    others = (known[id] for id in rested_on(graph, entry.id) if id in known)
    return sorted((one for one in others if _printed_fault(one) and one not in chosen), key=_line)


def _line(entry: Entry) -> int:
    """The first line of the source from which a statement is taken."""
    first = re.match(r"\d+", entry.record["source"]["lines"])
    return int(first.group()) if first else 0


def _correction(
    entry: Entry,
    repeating: Sequence[Entry],
    graph: nx.DiGraph,
    known: Mapping[str, Entry],
    stated: Collection[str],
) -> Correction:
    finding = next(one for one in entry.findings if one["verdict"] == entry.verdict)
    broken = fault(entry, graph, known)
    true = without_free(true_instead(entry.id, graph, known))
    variants = [one for one in true if one.verdict == "proved"]
    if not variants and broken:
        variants = [one for one in broken.instead if one.verdict == "proved"]
    if not variants:
        others = (true for one in repeating for true in without_free(true_instead(one.id, graph, known)))
        variants = [one for one in others if one.verdict == "proved"]
    places = dict.fromkeys(one.record["source"]["place"] for one in repeating)
    instead = tuple(sorted(variants, key=lambda one: bool(one.record.get("sizes")))[:1])
    return Correction(
        entry,
        tuple(letter_values(entry, finding, instead, values_in_broken_case, short_text)),
        tuple(_explained_numbers(finding)),
        tuple(_argument(entry, finding, broken, known)),
        instead,
        () if variants else tuple(id for id in stated if id.startswith(f"{entry.id}/") and id not in known),
        () if variants else tuple(one for one in true if one.verdict == "unrefuted")[:1],
        tuple(places)[:REPEATED],
    )


def _explained_numbers(finding: Record) -> Iterator[tuple[str, str]]:
    """Quantities of the counterexample that are not symbols of the source, in words.

    Three kinds are left out: switches that are off, numbers on which no letter depends, and factors that enlarge
    constants, because the values of the constants themselves are given.
    """
    witness = finding["witness"] or {}
    numbers = {**witness.get("shape", {}), **witness.get("parameters", {})}
    told = {
        name: meaning
        for name, meaning in witness.get("told", {}).items()
        if name in numbers and not MARGIN.search(meaning) and not _is_off(meaning, numbers[name])
    }
    without = irrelevant_parameters(witness, told)
    kept = with_antecedents(list(told.values()), [name not in without for name in told])
    for (name, meaning), keep in zip(told.items(), kept, strict=True):
        if keep:
            yield _in_words(meaning, short_text(numbers[name]))


def _in_words(meaning: str, number: str) -> tuple[str, str]:
    """The meaning and the value of a number; for a code ("0: linear losses, 1: wells" or "1 if all remember, 2 if one does")
    what it stands for and no value.
    """
    for codes in (CODED, CASES):
        _, *parts = codes.split(meaning)
        kinds = dict(zip(parts[::2], parts[1::2], strict=True))
        if number in kinds:
            return kinds[number], ""
    return meaning, number


def _is_off(meaning: str, number: object) -> bool:
    """Whether a number is a switch that is off."""
    return bool(SWITCH.match(meaning)) and value_text(number) == "0"


def _argument(
    entry: Entry, finding: Record, broken: Fault | None, known: Mapping[str, Entry]
) -> Iterator[str]:
    """The reasons for the correction: the counterexample, a bound that grows faster, and the broken step of the proof."""
    witness = finding["witness"]
    floor = known.get(finding.get("details", {}).get("outgrown by", ""))
    if witness:
        left, right = short_sides(witness)
        if number := len(witness["conditions"]):
            yield {1: "Its hypothesis holds there.", 2: "Both hypotheses hold there."}.get(
                number, f"All {number} hypotheses hold there."
            )
        at_least, at_most = (
            ("at least ", "at most ") if entry.statement and entry.statement.original else ("", "")
        )
        yield f"The left side is {at_least}{left} and the right side is {at_most}{right}."
    elif floor:
        yield f"A lower bound that is proved grows faster than what is claimed: {floor.record['statement']['says']}."
        yield from _outgrown(entry, finding, floor)
    elif entry.verdict == "vacuous":
        yield "It is true, but a bound that needs no theorem is never worse under the same hypotheses."
    elif entry.statement and isinstance(entry.statement.relation, Scaling):
        yield from _growth(entry.statement.relation, entry.statement)
    else:
        yield "Two places of the source, or its printed numbers, cannot both be right."
    if broken:
        step = known[broken.step].record
        place, says = step["source"]["place"], step["statement"]["says"]
        how = "Its proof breaks at" if broken.shown else "A step of its proof is false by itself, at"
        yield f"{how} {place}: {says}."


def _growth(scaling: Scaling, statement: Statement) -> Iterator[str]:
    """The terms that grow faster than what is claimed, with their powers."""
    table = exponents(scaling.terms, scaling.steps, scaling.variables)
    for variable, most in exponents({"": scaling.claimed}, {}, scaling.variables)[""].items():
        larger = [name for name, found in table.items() if found[variable] > most]
        if larger:
            meaning = statement.glossary[variable].meaning
            more = "but terms of the bound have a larger one"
            powers = ", ".join(sorted({str(table[name][variable]) for name in larger}))
            yield f"The claim has the power {most} of {meaning}, {more}: {powers}."
            largest = sum(scaling.terms[name] for name in larger)
            yield _divided("their sum", largest, scaling, statement.glossary[variable].symbol, meaning)


def _outgrown(entry: Entry, finding: Record, floor: Entry) -> Iterator[str]:
    """A lower bound of a quantity, or of its root, in numbers beside the claimed order."""
    if entry.statement is None or floor.statement is None:
        return
    scaling, root = entry.statement.relation, floor.statement.rhs
    (clause,) = (clause for clause in finding["reason"] if clause["code"] == "outgrown")
    variable = entry.statement.glossary[clause["variable"]].symbol
    large = sp.Dummy(variable.name, positive=True)
    limit = sp.limit(root.subs(scaling.steps, simultaneous=True).subs(variable, large), large, sp.oo)
    power = 1 if str(limit) == clause["least"] else 2
    meaning = entry.statement.glossary[variable.name].meaning
    yield _divided("the lower bound", root**power, scaling, variable, meaning)


def _divided(name: str, formula: sp.Expr, scaling: Scaling, variable: sp.Symbol, meaning: str) -> str:
    """A formula divided by the claimed order, at two values of a variable."""
    ratio = (formula / scaling.claimed).subs(scaling.steps, simultaneous=True)
    for other in (1, 2):
        numbers = dict.fromkeys(ratio.free_symbols - {variable}, sp.Integer(other))
        at = [sp.N(ratio.subs(numbers).subs(variable, value), 15) for value in GROWN]
        if all(value.is_finite and value.is_positive for value in at):
            break
    few, many = map(decimal, at)
    return (
        f"With {GROWN[0]} for {meaning} and {other} for every other letter, {name} divided by the claimed order is {few}; "
        f"with {GROWN[1]} it is {many}."
    )


def rendered_erratum(found: Erratum, kind: str) -> str:
    """An erratum as "html", "latex" or "markdown"."""
    from verify.report import html, texts
    from verify.report.pages import conditions_of, formula_of

    if kind == "html":
        more = {"formula_of": formula_of, "conditions_of": conditions_of, "markup": mathml.mathml}
        return html.environment().get_template("erratum.html.j2").render(erratum=found, **more)
    return texts.environment().get_template(f"erratum.{texts.SUFFIXES[kind]}.j2").render(erratum=found)
