"""Pages of the documentation from stored answers: papers, gallery, sentences, streams, vacuity; all as Markdown."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from verify.check_proof import check
from verify.curves import CURVES
from verify.curves.headlines import drawn_in
from verify.engine.certificates.recheck import recheck
from verify.engine.records.pool import digest, form
from verify.networks.paired import near_the_best, rows
from verify.report.counterexamples import counterexample
from verify.report.entries import Entry
from verify.report.graph import proof_graph
from verify.report.mathml import mathml
from verify.report.pages import Headline, conditions_of, formula_of, pages, verdict_counts
from verify.report.terminal import tally
from verify.report.texts import environment
from verify.report.texts import vacuity_table as vacuity_table
from verify.report.vacuity import assumptions_needed
from verify.report.values import again, as_json, certificates_in, link_to, value_text


@dataclass(frozen=True)
class Picture:
    """A figure of the gallery.

    Attributes
    ----------
    name : str
        Name of its curve.
    file : str
        The image, relative to the folder of pictures.
    paper : str
        Key of the paper, or "networks".
    """

    name: str
    file: str
    paper: str

    @property
    def commands(self) -> tuple[str, str]:
        """The commands that compute and draw it."""
        return f"python -m verify curves {self.name}", f"python -m figures {self.name}"


def paper_page(
    found: Sequence[Entry], pictures: Sequence[Picture], doubts: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The verdicts of one paper, theorem by theorem.

    Parameters
    ----------
    doubts : mapping of str to str
        Statements that are left out because their stored evidence is not valid, with the reasons.
    """
    (page,) = pages(found, proof_graph(found), {})
    drawn = {picture.name: picture for picture in pictures}
    return _rendered(
        "paper",
        page=page,
        counts=verdict_counts(page.entries),
        doubts=doubts,
        link=link_to(page.entries[0].record["source"]),
        formula_of=formula_of,
        conditions_of=conditions_of,
        counterexample_of=counterexample,
        picture_of=lambda head: _picture(head, drawn),
        replay=lambda entry: again(entry.record),
        places=partial(_places, {entry.id: entry for entry in found}),
        letter_of=lambda letter: Markup(str(mathml((letter.latex,))).replace("|", "&#124;")),
        value_of=_value,
        tally=tally,
    )


def _places(known: Mapping[str, Entry], ids: Iterable[str]) -> list[str]:
    """Places of statements in the source, each once."""
    return list(dict.fromkeys(str(known[id].record["source"]["place"]) for id in ids))


def _value(witness: Mapping[str, Any], name: str) -> str:
    """A number of a counterexample."""
    return value_text({**witness["shape"], **witness["parameters"]}.get(name))


def _picture(head: Headline, drawn: Mapping[str, Picture]) -> Picture | None:
    ids = (head.theorem.id, *(part.id for part in head.theorem.parts))
    return next((drawn[id] for id in ids if id in drawn), None)


def gallery_page(pictures: Sequence[Picture]) -> str:
    """Every figure with its commands."""
    return _rendered("gallery", papers=_by_paper(pictures), count=len(CURVES))


def _by_paper(pictures: Sequence[Picture]) -> dict[str, list[Picture]]:
    found: dict[str, list[Picture]] = {}
    for picture in pictures:
        found.setdefault(picture.paper, []).append(picture)
    return found


def pictures(files: Sequence[str]) -> list[Picture]:
    """The figures of all curves with an image among the files, in the order of the curves.

    Parameters
    ----------
    files : sequence of str
        Names ``CURVE.webp``.
    """
    own = {"drift": "special", "psi": "special", "rate": "special", "bkt": "special"}
    known = set(files)
    return [
        Picture(name, f"{name}.webp", own.get(name) or re.split(r"[._]", name)[0])
        for name in CURVES
        if f"{name}.webp" in known
    ]


def landmark_table(found: Sequence[Entry], in_coq: Mapping[str, Mapping[str, Any]]) -> str:
    """The statements of a paper with their verdicts, and the size and check times of each certificate, as a table.

    Parameters
    ----------
    in_coq : mapping of str to mapping
        By statement: CPU milliseconds ``ms`` of Coq, and the digest of the certificates ``of`` which they are the time.
    """
    return _rendered(
        "landmarks", entries=found, certificate_of=partial(_certificate, in_coq), needs_of=assumptions_needed
    )


def certificates_digest(certificates: Iterable[Mapping[str, Any]]) -> str:
    """Digest of the content of certificates."""
    return digest([form(certificate) for certificate in certificates])


def _certificate(in_coq: Mapping[str, Mapping[str, Any]], entry: Entry) -> str:
    """Lines and kilobytes of the certificates of a proof, and the CPU time of the checkers; empty if there is none.

    Coq's time is left out if it was measured for other certificates.
    """
    found = certificates_in(entry.record["proof"] or {})
    if not found:
        return ""
    size = len(as_json(found)) / 1000
    times = [1000 * _cpu_time(checker, found) for checker in (check, recheck)]
    measured = in_coq.get(entry.id, {})
    if measured.get("of") == certificates_digest(found):
        times.append(measured["ms"])
    return (
        f"{sum(len(one['lines']) for one in found)} lines, {size:.1f} kB, "
        + " + ".join(f"{time:.0f}" for time in times)
        + " ms"
    )


def _cpu_time(checker: Callable[[Any], Any], certificates: Sequence[Mapping[str, Any]]) -> float:
    """CPU seconds in which a checker accepts certificates."""
    start = time.process_time()
    for certificate in certificates:
        checker(dict(certificate))
    return time.process_time() - start


def sentences_page(verdicts: Mapping[str, Mapping[str, str]]) -> str:
    """Every sentence on experiments with its verdict and the reason (``says``, ``verdict``, ``why``) from the last full
    run.
    """
    papers: dict[str, dict[str, Mapping[str, str]]] = {}
    for id, found in verdicts.items():
        papers.setdefault(id.partition(".")[0], {})[id] = found
    return _rendered("sentences", papers=papers, count=len(verdicts))


KINDS = {
    "domain": "Domains: the same classes in new looks",
    "class": "New classes, the task is unknown at test",
    "task": "New classes, the task is known at test",
}


def streams_page(streams: Sequence[Mapping[str, Any]]) -> str:
    """Paired comparisons of methods on each stream, from condensed results (`verify.networks.paired`)."""
    return _rendered("streams", streams=[_stream(each) for each in streams], interval=_interval)


def _stream(stream: Mapping[str, Any]) -> dict[str, Any]:
    found, settings = rows(stream), stream["settings"]
    alike = ", ".join(f"`{name}`" for name in near_the_best(found))
    return {
        "title": KINDS[settings["kind"] or "domain"],  # without `--kind`, a single data set makes domains
        "rows": found,
        "summary": f"`{found[0].method}` has the highest mean ACC. "
        + (f"Not distinguished from it: {alike}." if alike else "It is above every other method."),
        "setting": f"{settings['data']}, {settings['tasks']} tasks, {settings['sampled']} of {settings['clients']} clients a round, "
        f"{settings['rounds']} rounds a task of {settings['epochs']} local epochs, network `{settings['model']}`, "
        f"{settings['seeds']} seeds",
    }


def _interval(found: tuple[float, float, float] | None) -> str:
    return "" if found is None else "{:+.3f} [{:+.3f}, {:+.3f}]".format(*found)


def vacuity_page(found: Sequence[Entry]) -> str:
    """Whether each headline theorem says anything."""
    return vacuity_table(found, drawn_in())


def _rendered(template: str, **content: Any) -> str:
    return environment().get_template(f"{template}.md.j2").render(**content)
