"""CFL, Appendices B.1 to B.3 and the remarks on them: gradients that drift, and what an approximation loses."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.correlated import DRIFT, SUM_ONE, delta2, grad2, p_cross, p_square, xi2
from bounds.cfl.symbols import A2, B2, C2, CFL, D2, F2, G2, at, g2
from bounds.relations import eq, le

_positive, _nonnegative = CFL.positive, CFL.nonnegative

# Lemmas B.1 and B.2
grad_i2 = _nonnegative(
    "grad_i2", "expected squared gradient of a client", r"\mathbb E\|\nabla f_i(\omega)\|^2"
)
drift_i2 = _nonnegative("drift_i2", "expected squared drift of a client", r"\mathbb E\|\varsigma_i\|^2")
A_1 = _nonnegative("A_1", "A of Lemma B.1", "A")
B_1 = _nonnegative("B_1", "B of Lemma B.1", "B")
grad_now2 = _nonnegative(
    "grad_now2", "expected squared gradient in the current round", r"\mathbb E\|\nabla f_{t,i}(\omega)\|^2"
)
grad_once2 = _nonnegative(
    "grad_once2",
    "weighted gradient of clients that come once",
    r"\mathbb E\|\sum_\tau p_{\tau,i}\nabla f_{\tau,i}(\omega)\|^2",
)
doubled2 = _nonnegative(
    "doubled2",
    "weighted local gradients with the drifts added once more",
    r"\mathbb E\|\sum_\tau p_{\tau,i}(\nabla f_{\tau,i}+\delta_{\tau,i}+\xi_{\tau,i})\|^2",
)
restored2 = _nonnegative(
    "restored2",
    "weighted global gradient with the drifts added",
    r"\mathbb E\|\sum_\tau p_{\tau,i}(\nabla f+\delta_{\tau,i}+\xi_{\tau,i})\|^2",
)
mixed_delta2 = _nonnegative(
    "mixed_delta2",
    "squared norm of the weighted client drifts",
    r"\mathbb E\|\sum_\tau p_{\tau,i}\delta_{\tau,i}\|^2",
)
mixed_xi2 = _nonnegative(
    "mixed_xi2",
    "squared norm of the weighted time drifts",
    r"\mathbb E\|\sum_\tau p_{\tau,i}\xi_{\tau,i}\|^2",
)

# Lemma B.3
loss_norm = _nonnegative("loss_norm", "information loss of the Taylor expansion", r"\|\Delta_{t,i}(\omega)\|")
from_point = _nonnegative(
    "from_point", "distance from the point of expansion", r"\|\omega-\hat\omega_{t,i}\|"
)
from_end = _nonnegative("from_end", "distance from the end of the local steps", r"\|\omega-\omega_{t,i,K}\|")
bend = _nonnegative("bend", "largest change of the Hessian", r"\|\nabla^2f(\omega_1)-\nabla^2f(\omega_2)\|")
eps_H = _nonnegative("eps_H", "bound on the change of the Hessian", r"\epsilon")
missed_by = _nonnegative(
    "missed_by",
    "by how much every point between misses the mean value equation, at least",
    r"\min_{c\in[\hat\omega,\omega]}\|\nabla f(\omega)-\nabla f(\hat\omega)-\nabla^2f(c)(\omega-\hat\omega)\|",
)
reach = _positive("reach", "radius of a ball around the point of expansion")

_now = (1 + A2 + B2) * g2 + G2 + D2
_returning = (1 + B2 + A2 * p_square) * g2 + G2 + D2 * p_square
_once = (1 + (B2 + A2) * p_square) * g2 + (G2 + D2) * p_square
_taylor = le(loss_norm, eps_H * from_point)
STATEMENTS = (
    at("Lemma B.1, proof, first line", "587")(
        "lemB.1.split",
        "gradient and drift add up in the mean square, as the drift has mean zero",
        eq(grad_i2, g2 + drift_i2),
    ),
    at("Lemma B.2 (1), proof", "610")(
        "lemB.2.1.split",
        "gradient, client drift and time drift add up in the mean square, as the drifts are independent with mean zero",
        eq(grad_now2, g2 + delta2 + xi2),
    ),
    at("Lemma B.1", "582-588")(
        "lemB.1",
        "the squared gradient of a client by that of the global loss",
        le(grad_i2, (A_1**2 + 1) * g2 + B_1**2),
        conditions=(le(drift_i2, A_1**2 * g2 + B_1**2),),
        uses=("lemB.1.last",),
    ),
    at("Lemma B.1, proof", "588")(
        "lemB.1.last",
        "the last line of the proof",
        le(grad_i2, (A_1 + 1) * g2 + B_1),
        conditions=(le(drift_i2, A_1**2 * g2 + B_1**2),),
    ),
    lemB_2_1 := at("Lemma B.2 (1)", "598")(
        "lemB.2.1", "the squared gradient of the current round", le(grad_now2, _now), assumes=DRIFT
    ),
    lemB_2_1.variant(
        "dependent",
        changes="client and time drift may depend on each other, which Assumption 3 does not exclude; the proof needs that they "
        "do not",
    ),
    lemB_2_1.variant(
        "dependent-doubled",
        le(grad_now2, (1 + 2 * A2 + 2 * B2) * g2 + 2 * G2 + 2 * D2),
        changes="client and time drift may depend on each other, and count twice",
    ),
    at("Lemma B.2 (2)", "602")(
        "lemB.2.2",
        "the squared weighted gradient of a client that comes in every round",
        le(grad2, _returning),
        conditions=SUM_ONE,
        assumes=DRIFT,
        uses=("lemB.2.proof",),
    ),
    at("Lemma B.2 (3)", "606")(
        "lemB.2.3",
        "the squared weighted gradient of clients that come once",
        le(grad_once2, _once),
        conditions=SUM_ONE,
        assumes=DRIFT,
        uses=("lemB.2.proof",),
    ),
    at("Lemma B.2 (2)", "594-602")(
        "lemB.2.weights",
        "the lemma as it stands, which asks nothing of the weights",
        le(grad2, _returning),
        assumes=DRIFT,
    ),
    at("Lemma B.2 (1), (2)", "598-602")(
        "lemB.2.reduces",
        "the second part with the weight 1 on the current round is the first",
        eq(_returning.subs(p_square, 1), _now),
    ),
    lemB_2_proof := at("Lemma B.2, proof", "617")(
        "lemB.2.proof",
        "the gradient model is put into the weighted gradient",
        eq(grad2, doubled2),
        conditions=SUM_ONE,
    ),
    lemB_2_proof.variant(
        "corrected",
        eq(grad2, restored2),
        changes="drifts are added to the global gradient, not to the local ones",
    ),
    at("Lemma B.3", "624-630")(
        "lemB.3",
        "the Taylor expansion of a gradient is off by at most epsilon times the distance",
        _taylor,
        conditions=(le(bend, eps_H),),
        uses=("lemB.3.mean-value",),
    ),
    at("Lemma B.3, proof", "655-659")(
        "lemB.3.mean-value",
        "some point between gives the change of the gradient by its Hessian",
        eq(missed_by, 0),
    ),
    at("Lemma B.3 and its proof", "626-630, 655-657")(
        "lemB.3.point",
        "the distance is that from the end of the local steps, while the expansion is at the start",
        le(loss_norm, eps_H * from_end),
        conditions=(le(bend, eps_H),),
    ),
    rem3_3 := at("Remark 3.3, Assumption 4", "184-186")(
        "rem3.3",
        "Lemma B.3 supplies Assumption 4: one R, here epsilon times a radius, bounds the loss at every model",
        le(loss_norm, eps_H * reach),
        conditions=(le(bend, eps_H),),
        uses=("lemB.3",),
    ),
    rem3_3.variant(
        "ball",
        says="Lemma B.3 supplies Assumption 4",
        conditions=(le(bend, eps_H), le(from_point, reach)),
        changes="the model stays in a ball around the point of expansion",
    ),
    at("Remark 3.2; Lemmas B.2 and B.7", "148, 602, 990")(
        "rem3.2",
        "without correlation (F = C = 0), Lemma B.7 is Lemma B.2 (2)",
        eq(_returning + C2 * p_cross * g2 + sp.Min(F2, D2) * p_cross, _returning),
        conditions=(eq(F2, 0), eq(C2, 0)),
    ),
)
