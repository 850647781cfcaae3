"""CFL, Lemma B.9: the matrix Q of Eq. (34), its forms and its definiteness."""

from __future__ import annotations

from bounds.cfl.symbols import CFL, D2, R2, alpha, at, t
from bounds.cfl.weight_sums import zQz
from bounds.cfl.weights_statements import UNIQUE
from bounds.relations import eq, ge, gt, le, lt

_count, _nonnegative, _real = CFL.count, CFL.nonnegative, CFL.real

i = _count("i", "row of the matrix")
j = _count("j", "column of the matrix")
place = _count("place", "place of an entry in its row, from 1 on the diagonal", "j-i+1")
z2 = _nonnegative("z2", "squared norm of a vector z", r"\|z\|^2")
zMz = _real("zMz", "quadratic form of M_F", r"z^\top M_Fz")
zMRz = _real("zMRz", "quadratic form of M_R", r"z^\top M_Rz")
MRu = _real("MRu", "M_R times u = (1, .., 1, 0)", r"(M_Ru)_\tau")
u = _real("u", "entries of u = (1, .., 1, 0)", r"u_\tau")
MRv = _real("MRv", "M_R times a vector whose past entries sum to zero", r"(M_Rv)_\tau")
z_past = _real("z_past", "sum of the past entries of z", r"\sum_{\tau<t}z_\tau")
z_first = _real("z_first", "sum of alpha^(tau-1) z_tau", r"\sum_\tau\alpha^{\tau-1}z_\tau")
z_tails = _nonnegative("z_tails", "sum over s >= 2 of the square of sum_(tau >= s) alpha^(tau-s) z_tau")
last_pivot = _real(
    "last_pivot", "last pivot of (7), with the opposite sign", r"\mathbf 1^\top Q^{-1}\mathbf 1"
)
eliminated = _real("eliminated", "entry of M_F after the row operations")
entry = _real("entry", "entry of Q", "Q_{ij}")

STATEMENTS = (
    lemB_9 := at("Lemma B.9, Eq. (34)", "1026-1044")(
        "lemB.9",
        "Q is positive definite",
        gt(zQz, 0),
        conditions=(lt(alpha, 1), gt(z2, 0)),
        uses=("lemB.9.decomposition", "lemB.9.eigenvalue", "lemB.9.kernel", "lemB.9.rows", "lemB.9.MF"),
    ),
    lemB_9.variant(
        "corrected",
        says="Q is positive definite if D > 0",
        conditions=(*UNIQUE, gt(z2, 0)),
        uses=("lemB.9/squares", "lemB.9/entries"),
        changes="adds the hypothesis D > 0: without time drift the form vanishes wherever past weights sum to zero, and this is "
        "the only case in which the lemma fails",
    ),
    at("Lemma B.9, proof", "1032-1044")(
        "lemB.9/squares",
        "the form of Q as a sum of squares",
        eq(zQz, R2 * z_past**2 + D2 * (z_first**2 + (1 - alpha**2) * z_tails)),
        changes="completes squares instead of eliminating; they vanish together only at z = 0, if D > 0",
    ),
    at("Lemma B.9, proof", "1032-1044")(
        "lemB.9/entries",
        "the squares vanish together only at z = 0: they bound |z|^2",
        le(z2, 2 * (1 + alpha**2) * (z_first**2 + z_tails)),
        changes="supplies a step that the proof leaves out",
    ),
    at("Lemma B.9, Eq. (34)", "1026-1044")(
        "lemB.9/semidefinite",
        "the form of Q is not negative",
        ge(zQz, 0),
        conditions=(lt(alpha, 1),),
        uses=("lemB.9/squares",),
        changes="claims no more than the optimality in Theorem 4.9 needs",
    ),
    at("Lemma B.9, proof", "1032-1034")("lemB.9.decomposition", "Q = M_R + M_F", eq(zQz, zMRz + zMz)),
    at("Lemma B.9, proof", "1036")(
        "lemB.9.eigenvalue", "M_R has the eigenvalue (t-1) R^2", eq(MRu, (t - 1) * R2 * u)
    ),
    at("Lemma B.9, proof", "1036")("lemB.9.kernel", "M_R has no other eigenvalue but zero", eq(MRv, 0)),
    at("Lemma B.9, proof, matrix after the row operations", "1040-1042")(
        "lemB.9.rows",
        "row operations turn M_F into an upper triangular matrix",
        eq(eliminated, D2 * (alpha ** (place - 1) - alpha ** (place + 1))),
        conditions=(eq(place, j - i + 1), ge(i, 2), ge(t, j)),
    ),
    at("Lemma B.9, proof, last line", "1044")(
        "lemB.9.MF",
        "M_F is positive definite because 0 <= alpha < 1",
        gt(zMz, 0),
        conditions=(lt(alpha, 1), gt(z2, 0)),
        uses=("lemB.9.rows",),
    ),
    at("Section 4.3.2, after Theorem 4.9", "302")(
        "thm4.9.lu",
        "elimination solves (7): after Q, which is positive definite, its last pivot is not zero either",
        gt(last_pivot, 0),
        conditions=UNIQUE,
        uses=("lemB.9/corrected",),
    ),
)
