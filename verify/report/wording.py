"""Sentences for the reasons of verdicts. Findings and records have codes with fields (`verify.engine.verdict.Reason`); no
other module has these words, so another wording changes no stored answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verify.engine.model.extent import Sizes, sizes_text
from verify.report.digits import finite, instance_text

Names = Sequence[str]
Reasons = Sequence[Mapping[str, Any]]


def sentence(reason: Reasons) -> str:
    """The words of a reason: those of its clauses, in their order."""
    return "; ".join(map(clause_text, reason))


def clause_text(clause: Mapping[str, Any]) -> str:
    """The words of one clause; its code and fields if no sentence fits them, as in records of another version."""
    fields = {name: value for name, value in clause.items() if name != "code"}
    try:
        words = SENTENCES[clause["code"]]
        return words.format(**fields) if isinstance(words, str) else words(**fields)
    except (LookupError, TypeError, ValueError, AttributeError):
        return ", ".join([str(clause["code"]), *(f"{name} = {value}" for name, value in fields.items())])


def _counterexample(
    *, left: float | None, sign: str, right: float | None, sizes: Mapping[str, int], rational: bool = False
) -> str:
    named = ", ".join(f"{name}={size}" for name, size in sizes.items())
    member = ", for a member of the class with rational data" if rational else ""
    return instance_text(left, sign, right, named) + member


def _zero(*, names: Names, exact: bool) -> str:
    return f"{_and(names)} {_are(names)} {'0' if exact else '0 or below 1e-12'} in all that were found"


def _not_broken(trials: int, ratio: float | None, unconfirmed: int) -> str:
    largest = "" if ratio is None else f", largest lhs/rhs {ratio:.4g}"
    doubt = f"; {unconfirmed} apparent counterexamples failed in exact arithmetic" if unconfirmed else ""
    return f"not broken in {trials} instances{largest}{doubt}"


def _not_used(fact: str, why: Reasons) -> str:
    return f"not used: {fact}, because {sentence(why)}"


# ------------------------------------------------------------------------------------------------ proofs


def _extent(sizes: Sizes | None, *, defined: bool) -> str:
    return f"at {sizes_text(sizes)}{', where its formulas are defined' if defined else ''}"


def _at_sizes(
    *, sizes: Sizes | None, defined: bool, covers: str, by: Names = (), ways: int = 0, shares: Names = ()
) -> str:
    sources = f", by {'; '.join(by)}" if by else ""
    on = f", on each of {ways} ways that comparisons may lead" if ways else ""
    most = f", as {_and(shares)} {_are(shares)} at most 1 in its scene" if shares else ""
    return f"{_extent(sizes, defined=defined)}{sources}{on}{most}: {covers}"


def _fact_by_induction(*, sizes: Sizes | None, defined: bool, over: str) -> str:
    return f"{_extent(sizes, defined=defined)}: by induction over {over}"


def _identity(*, sizes: Sizes | None, defined: bool, scene: str) -> str:
    return f"an identity of {scene} {_extent(sizes, defined=defined)}"


def _by(*, sizes: Sizes | None, by: Names, over: Names, means: bool, defined: Names) -> str:
    extent = f"at the sizes of its facts, {sizes_text(sizes)}" if sizes else "for all sizes"
    sources = f", by {'; '.join(by)}" if by else ""
    rounds = f", by induction over {_and(over)}" if over else ""
    cases = ", on average over all cases" if means else ""
    where = f", where it is defined: {_and(defined)}" if defined else ""
    return f"{extent}{sources}{rounds}{cases}{where}"


def _derived_from(statements: Mapping[str, str], proved: Mapping[str, Reasons], unproved: Names) -> str:
    parts = [f"{id} ({verdict})" for id, verdict in statements.items()]
    for kind, facts in (("proved fact", list(proved)), ("fact", list(unproved))):
        if facts:
            parts.append(f"the {kind}{'s' * (len(facts) > 1)} {'; '.join(facts)}")
    whys = "".join(f"; facts: {why}" for why in dict.fromkeys(map(sentence, proved.values())))
    return f"derived by real arithmetic from {', '.join(parts)}{whys}"


def _not_enough(point: Mapping[str, str]) -> str:
    return (
        f"conditions and premises alone do not suffice: at {_point(point)} they hold and the relation fails; premises on the "
        "scene's quantities may help"
    )


def _nothing_found(tried: str) -> str:
    return f"nothing found among {tried}" if tried else "no kind of derivation applies"


def _potential(potential: str, factor: str | None) -> str:
    course = "does not grow" if factor is None else f"shrinks by {factor}"
    return f"after every number of rounds: the potential {potential} {course}, by induction over t"


_PARTS = {
    "start": "is nonpositive at the start",
    "round": "does not grow in every round",
    "claim": "implies the claim",
}


def _potential_not_shown(potential: str, missing: Names) -> str:
    return f"it was not shown that the potential {potential} {_and([_PARTS[part] for part in missing])}"


def _whole_class(*, sizes: Sizes | None, parameters: bool, conditions: int) -> str:
    every = ", and all parameters" if parameters else ""
    return (
        f"at {sizes_text(sizes)}: for all functions of the class, in every dimension{every}, by interpolation conditions "
        f"(at most {conditions}) and squares"
    )


def _largest_ratio(rows: Sequence[Mapping[str, Any]]) -> str:
    shown = ", ".join(
        f"S={row['S']}, E={row['E']}: {row['worst']:.4f} ({row['found']:.4f} found)" for row in rows
    )
    return f"largest lhs/rhs over all smooth functions, by a semidefinite program: {shown}"


# ------------------------------------------------------------------------------------------------ instances


def _no_size(scene: str, conditions: Names) -> str:
    return (
        f"no size that the scene {scene!r} lists meets {', '.join(conditions) or 'all conditions together'}"
    )


def _rarely_met(condition: str, met: int, tried: int, nearest: Sequence[float]) -> str:
    miss = "; nearest: left side {:.4g}, right side {:.4g}".format(*nearest) if nearest else ""
    return f"{condition} is met by {met} of {tried} random instances{miss}"


def _assumption(met: int, tried: int, not_met_at: Mapping[str, int] | None) -> str:
    beyond = "none was found that does not"
    if not_met_at is not None:
        sizes = ", ".join(f"{name}={size}" for name, size in not_met_at.items())
        beyond = f"not met with {sizes or 'the numbers in the record'}"
    return f"an assumption is neither true nor false: {met} of {tried} instances meet it; {beyond}"


def _assumptions_text(needed: Names, spared: Mapping[str, int]) -> str:
    parts = {
        "needed": needed,
        "holds as well where these are broken": [f"{c} ({n} instances)" for c, n in spared.items() if n],
        "nowhere broken in its worlds": [c for c, n in spared.items() if not n],
    }
    named = (f"{what}: {', '.join(which)}" for what, which in parts.items() if which)
    return "; ".join(named) or "it has no conditions"


def _placebos_fail(names: Names, met: Names) -> str:
    other = f"; {', '.join(met)} meets it" if met else ""
    return f"fails for {', '.join(names)}, as it should{other}"


def _placebos_meet(names: Names) -> str:
    return (
        f"no non-learning baseline was seen to break it ({', '.join(names)}), so it may guarantee no learning"
    )


def _sharpness(worlds: int, medians: Mapping[str, float | None]) -> str:
    shown = ", ".join(f"{f} {'(constant 0)' if m is None else format(m, '.3g')}" for f, m in medians.items())
    return f"largest value found over the constant, median of {worlds} random worlds: {shown}"


# ------------------------------------------------------------------------------------------------ orders, settings


def _order_larger(claimed: str, terms: Mapping[str, Mapping[str, Any]]) -> str:
    worst = "; ".join(
        f"{name} ~ {term['order']}, too large in {', '.join(term['in'])}" for name, term in terms.items()
    )
    return f"claimed {claimed}, but {worst}"


def _order_by_limits(variables: Names, directions: int) -> str:
    along = f"{directions} directions of joint growth" if directions else "its own"
    return f"{_order(variables)}, alone and along {along}, by limits; all else fixed"


def _order_explicit(variables: Names, where: Names) -> str:
    limits = f", where {_and(where)}" if where else ""
    return f"{_order(variables)}, with explicit constants from explicit sizes on{limits}; all else fixed"


def _order(variables: Names) -> str:
    return f"every term has at most the claimed order in {', '.join(variables)}"


def _settings_fail(settings: Mapping[str, Names]) -> str:
    each = (f"{name}: {', '.join(rows)}" for name, rows in settings.items())
    return f"not met in {'; '.join(each)}"


def _settings_meet(count: int, implied: Names, open: Names) -> str:
    lists = {"implied": implied, "open": open}
    further = "".join(f"; {word}: {'; '.join(texts)}" for word, texts in lists.items() if texts)
    return f"met in all {count} settings{', as far as reported' if further else ''}{further}"


# ------------------------------------------------------------------------------------------------ tables, experiments


def _rows_agree(rows: int, rounded: int, undecided: Names) -> str:
    if undecided:
        return f"no row was shown to differ; {len(undecided)} are undecided: {', '.join(undecided)}"
    some = f", {rounded} of them as their numbers are rounded" if rounded else ""
    return f"all {rows} rows were recomputed and agree{some}"


def _rows_differ(*, names: Names, rows: int, rounded: bool) -> str:
    however = ", however their numbers were rounded" if rounded else ""
    return f"{len(names)} of {rows} rows differ{however}: {', '.join(names)}"


def _rows_power(what: str, differ: float, of: int, left_out: int) -> str:
    dull = f"; {left_out} rows that cannot fail are left out" if left_out else ""
    return f"of {what} {differ:.3g} of {of} would differ{dull}"


def _seeds(words: str) -> Callable[..., str]:
    return lambda hits, seeds, interval, confidence: (
        f"{words}: {hits} of {seeds} seeds, share in [{interval[0]:.2f}, {interval[1]:.2f}] with confidence {confidence}"
    )


def _means(words: str, which: str) -> Callable[..., str]:
    def text(
        mean: float,
        interval: Sequence[float],
        above: float,
        seeds: int,
        contrasts: int,
        error: float,
        tolerance: float,
        unfit: str,
    ) -> str:
        within = f" within a tolerance of {tolerance:g}" if tolerance and which != "least" else ""
        asked = f", asked to be above {above:g}," if above else ""
        low, high = interval
        return (
            f"{unfit or words}{within}: {which} contrast {mean:.4f} in [{low:.4f}, {high:.4f}]{asked} over {seeds} seeds "
            f"({contrasts} contrasts, error {error:.1e})"
        )

    return text


SENTENCES: Mapping[str, str | Callable[..., str]] = {
    # counterexamples and searches
    "counterexample": _counterexample,
    "zero": _zero,
    "not-broken": _not_broken,
    "equal": "equal in {floats} float instances and {fractions} instances in exact fractions",
    "undecided": "undecided after {trials} instances: lhs/rhs reaches {ratio:.4g}, but no instance that breaks the relation was "
    "shown to meet every condition exactly",
    "stopped": "stopped by the time limit: no proof and no further search were finished",
    "ratio-seen": "largest lhs/rhs seen {ratio:.4g}",
    "nothing-tried": "no instance met all conditions, so nothing was tried",
    "no-size": _no_size,
    "outside": "{symbol} is {domain} in none of {trials} random instances that meet the conditions",
    "no-value": "a side of {relation} has no value in any of {trials} random instances that meet the others",
    "rarely-met": _rarely_met,
    "not-finite": "in no instance is every quantity finite and in its domain",
    "no-vectors": "the scene {scene!r} has no vectors at any of its sizes, and a claim about empty sums says nothing",
    # proofs
    "contradiction": "the conditions contradict each other",
    "at-sizes": _at_sizes,
    "fact-of-vectors": lambda **at: f"{_extent(**at)}: for any number of vectors of any dimension",
    "fact-by-induction": _fact_by_induction,
    "fact-by-algebra": lambda **at: f"{_extent(**at)}: by algebra from facts about any numbers",
    "by-definition": lambda conditions: f"by definition {', '.join(conditions)}",
    "identity": _identity,
    "declared": "{problem}: {fact}",
    "derived": lambda **fields: f"derived from its premises, {_by(**fields)}",
    "follows": lambda **fields: f"follows from its conditions, {_by(**fields)}",
    "derived-from": _derived_from,
    "apart": "but these are proved at no size in common",
    # why there is no proof
    "not-enough": _not_enough,
    "nothing-found": _nothing_found,
    "needs": lambda relation, over: (
        f"needs: {relation}{f' for every {over}' if over else ''}, from which it is proved"
    ),
    "value-found": "with {symbol} = {value}",
    "value-not-found": lambda symbol, tried: (
        f"no formula for {symbol} was proved; tried: {', '.join(tried) or 'none'}"
    ),
    "no-such-value": lambda symbol, point: f"at {_point(point)} the contrary is proved for every {symbol}",
    "time-ended": "time ended before the search for a proof did",
    "no-induction": "induction: {why}",
    "no-instance-of-induction": "induction: no instance of its scene was found",
    "no-means": "means: the quantities are not the means of the cases",
    "no-common-size": "its facts are proved at no size in common",
    "not-used": _not_used,
    "undeclared": "it is about quantities that no scene declares to be so; state it by `Scene.of_class`",
    "unmet": "its condition {condition} does not follow from those of the claim",
    "unaccepted": "its proof is not accepted",
    "broken-or-not-computed": "instances break it, or the scene does not compute it",
    # methods
    "whole-class": _whole_class,
    "no-point": "no rational point of the parameters meets all conditions, so nothing was decided",
    "at-points": "proved at {points} rational points of the parameters, at {sizes} sizes; not for all parameters",
    "open-points": "open at {points} points",
    "irrational": "{why}",
    "not-decided-exactly": "no exact proof and no exact counterexample was found",
    "never-refuted": "no exact proof was found; claims about clipping can be proved and never refuted ({parts})",
    "one-round": "true after one round, not shown for other numbers of rounds",
    "bound-form": "the bound is neither rho^t nor a rational function of t times quantities at the start",
    "no-fall": "the potential small_t / c(t) + init_t was not shown to fall in every round",
    "sign-at-start": "a quantity at the start was not shown to be nonnegative",
    "no-potential": "no potential was found",
    "potential-after-0": "the potential small_t / c(t) + init_t contains a quantity after 0 rounds",
    "induction-uncertified": "the induction has no certificate",
    "potential": _potential,
    "potential-not-shown": _potential_not_shown,
    "without-pepit": "not computed: PEPit is not installed (pip install 'fcl-theory[pep]')",
    "not-computed": "not computed: {why}",
    "largest-ratio": _largest_ratio,
    # does a bound say anything?
    "never-better": "never better than {bound} ({says}), by real arithmetic",
    "only-where": "where {condition}, which it does not ask for",
    "bound-proved": "{bound} is proved",
    "better-somewhere": "better than {bound} somewhere",
    "not-compared": "not compared with {bound}: no point tried met the conditions of both",
    "not-better-seen": "not better than {bound} in {trials} points ({says}), which is no proof",
    "nothing-free": "no bound is known without the theorem: {why}",
    "no-placebo": "promises no learning: {why}",
    "placebos-fail": _placebos_fail,
    "placebos-untried": lambda names: (
        f"no instance of {', '.join(names)} met the conditions, so nothing follows"
    ),
    "placebos-meet": _placebos_meet,
    "needed": _assumptions_text,
    "met-in": "all are met in {world}",
    "sharpness": _sharpness,
    "assumption": _assumption,
    # orders and settings
    "order-larger": _order_larger,
    "order-by-limits": _order_by_limits,
    "order-explicit": _order_explicit,
    "outgrown": "false by {bound}: claimed to be of order {claimed} as {variable} grows, but it is at least {least} in the limit",
    "order-allowed": "{bound} allows the claimed order in {variable}",
    "settings-fail": _settings_fail,
    "settings-meet": _settings_meet,
    # tables and experiments
    "rows-agree": _rows_agree,
    "rows-differ": _rows_differ,
    "rows-power": _rows_power,
    "rows-cannot-fail": "none of {rows} rows can fail (power 0): every number that could be printed there passes",
    "numbers-uncertified": "{count} numbers have no certificate",
    "most-seeds": _seeds("true in most"),
    "few-seeds": _seeds("not true in most where it was tried"),
    "undecided-seeds": _seeds("the seeds do not decide it"),
    "means-true": _means("true of the means", "weakest"),
    "means-false": _means("not true of the means where it was tried", "clearest"),
    "means-undecided": _means("the seeds do not decide it", "least"),
    # no judgement
    "unjudged": "{why}",
    "out-of-time": "no verdict within {seconds:g} s; --timeout gives more, --budget quick needs less",
    "error": "{error}",
}
"""The words of every code: a template, or a function of the fields."""


def _point(point: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items()) or "any point"


def _six(value: float | None) -> str:
    return finite(value, 6)


def _and(names: Names) -> str:
    return " and ".join(names)


def _are(names: Names) -> str:
    return "is" if len(names) == 1 else "are"
