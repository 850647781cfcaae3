"""FedMeS, Sections 4.1 and 4.3: what the memory holds, and prediction by the nearest samples in it."""

from __future__ import annotations

import sympy as sp

from bounds.fedmes.symbols import FEDMES, at, theta
from bounds.relations import eq, ge, le, lt

_count, _positive, _nonnegative, _real = FEDMES.count, FEDMES.positive, FEDMES.nonnegative, FEDMES.real

# The memory
m = _count("m", "capacity of a memory")
mt = _count("mt", "samples added after each task", "m^t")
t = _count("t", "task that is being learnt")
K = _count("K", "number of neighbours")
held = _nonnegative("held", "samples in the memory", r"|\mathcal M_k^t|")
held_from = _nonnegative("held_from", "samples of one of the earlier tasks in the memory")
held_current = _nonnegative("held_current", "samples of the current task in the memory during training")
missing_newer = _nonnegative(
    "missing_newer", "dropped samples of a task that is newer than one still remembered"
)
expected_mem = _real(
    "expected_mem", "expected memory loss over the samples drawn", r"\mathbb E\mathcal L(w;\mathcal M_k^t)"
)
past_loss = _real("past_loss", "loss of all data of the earlier tasks", r"\mathcal L(w;\mathbf D_k^{t-1})")
mean_past = _real(
    "mean_past",
    "mean over the earlier tasks of the loss of their data",
    r"\tfrac1{t-1}\sum_{i<t}\mathcal L(w;\mathcal D_k^i)",
)
S_1 = _count("S_1", "samples of the first task", r"|\mathcal D_k^1|")
S = _count("S", "samples of every other task", r"|\mathcal D_k^i|")
passed = _count(
    "passed", "samples that pass through the model when a client classifies the samples it is given"
)
passed_plain = _count(
    "passed_plain", "the same without the inference enhancement, by the model's outputs alone"
)
pairs_text = _nonnegative("pairs_text", "samples of the last task among the pairs of Section 4.3")
pairs_alg = _nonnegative("pairs_alg", "samples of the last task in the memory of Algorithm 1 at inference")

# Neighbours and their votes
near = _nonnegative("near", "distance of a neighbour", r"dist_j")
near_next = _nonnegative("near_next", "distance of the next one", r"dist_{j+1}")
vote = _nonnegative("vote", "share of a class in the votes", r"[b_w(\mathbf x)]_y")
vote_again = _nonnegative("vote_again", "the same with the memory in another order")
vote_sum = _nonnegative("vote_sum", "sum of the shares", r"\sum_y[b_w(\mathbf x)]_y")
kernel = _positive("kernel", "weight of a neighbour at some distance", "e^{-dist}")
kernel_twice = _positive("kernel_twice", "weight of a neighbour at twice that distance", "e^{-2dist}")

# The mixture
output = _real("output", "model output for a class", r"[h_w(\mathbf x)]_y")
output_sum = _real("output_sum", "sum of the model's outputs", r"\sum_y[h_w(\mathbf x)]_y")
prediction = _real("prediction", "mixture for a class", r"[\mathrm{FedMeS}_k(\mathbf x)]_y")
prediction_sum = _real("prediction_sum", "sum of the mixture", r"\sum_y[\mathrm{FedMeS}_k(\mathbf x)]_y")
true_output = _nonnegative("true_output", "model output for the true class", r"[h_w(\mathbf x)]_y")
false_output = _nonnegative("false_output", "model output for the other class")
true_mixed = _nonnegative("true_mixed", "mixture for the true class", r"[\mathrm{FedMeS}_k(\mathbf x)]_y")
false_mixed = _nonnegative("false_mixed", "mixture for the other class")

ROOM = (ge(t, 2), ge(m, mt * (t - 1)))
MIXED = (lt(theta, 1),)
PROBABLE = eq(output_sum, 1)
RIGHT = lt(false_output, true_output)

MEMORY_EACH = at("Section 4.1, 'sub-sampling data points from each of the previous datasets'", "84")(
    "memory.each",
    "the memory holds samples from each of the previous tasks",
    ge(held_from, 1),
    conditions=(ge(t, 2),),
)
MEMORY_COMPACT = at("Section 4.1, 'a compact representation'", "84")(
    "memory.compact",
    "on average the memory loss is the loss of all earlier data",
    eq(expected_mem, past_loss),
    conditions=(ge(t, 2),),
)
_MEMORY = (
    at("Section 4.1", "84")("memory", "a memory never holds more than its capacity", le(held, m)),
    at("Section 4.1, 'points from older tasks are popped'", "84")(
        "memory.fifo", "no sample is dropped while one of an older task is kept", eq(missing_newer, 0)
    ),
    MEMORY_EACH,
    MEMORY_EACH.variant(
        "room",
        says="the memory holds samples from each of the previous tasks while there is space for all",
        conditions=ROOM,
        changes="only while the capacity is not exceeded",
    ),
    MEMORY_COMPACT,
    MEMORY_COMPACT.variant(
        "room",
        says="on average the memory loss is the loss of all earlier data, while there is space for all samples drawn",
        conditions=ROOM,
        changes="only while the capacity is not exceeded",
    ),
    MEMORY_COMPACT.variant(
        "equal",
        says="on average the memory loss is the loss of all earlier data, while there is space for all samples drawn from "
        "tasks of equal size",
        conditions=(*ROOM, ge(S, mt), eq(S_1, S)),
        changes="only while the capacity is not exceeded, and if all tasks have equally many samples",
    ),
    MEMORY_COMPACT.variant(
        "balanced",
        eq(expected_mem, mean_past),
        says="on average the memory loss is the mean of the earlier tasks' losses, while there is space for all samples drawn",
        conditions=(*ROOM, ge(S_1, mt), ge(S, mt)),
        changes="every task counts alike, however many samples it has; only while the capacity is not exceeded",
    ),
    at("Section 4.1 and Algorithm 1", "62-84")(
        "alg1.memory", "while a task is learnt the memory holds none of its samples", eq(held_current, 0)
    ),
    at("Section 4.3 against Algorithm 1", "62-78, 126")(
        "alg1.inference",
        "samples of the last task that vote at inference: none in M_k^t (Section 4.3), some after APPEND (Algorithm 1)",
        eq(pairs_text, pairs_alg),
    ),
)

EQ9_KERNEL = at("Eq. (9), 'with a Gaussian kernel'", "132-134")(
    "eq9.kernel",
    "the kernel is Gaussian: at twice the distance the fourth power",
    eq(kernel_twice, kernel**4),
)
_VOTES = (
    at("Eq. (8)", "128-130")("eq8", "neighbours come in the order of their distance", le(near, near_next)),
    at("Eq. (8)", "128-130")(
        "eq8.unique",
        "(8) settles who the K nearest neighbours are, whatever the order of the memory",
        eq(vote, vote_again),
        changes="our own question: the text says nothing of equal distances",
    ),
    at("Eq. (9)", "132-134")("eq9", "the votes add up to 1", eq(vote_sum, 1)),
    EQ9_KERNEL,
    EQ9_KERNEL.variant(
        "laplacian",
        eq(kernel_twice, kernel**2),
        says="the kernel is Laplacian: at twice the distance the square",
        changes="Laplacian in place of Gaussian",
    ),
)

EQ10 = at("Eq. (10)", "136-140")(
    "eq10", "the prediction adds up to 1", eq(prediction_sum, 1), conditions=MIXED
)
_MIXTURE = (
    EQ10,
    EQ10.variant(
        "probabilities",
        says="the prediction adds up to 1 if the model's outputs are probabilities",
        conditions=(*MIXED, PROBABLE),
        uses=("eq9", "eq10.sum"),
        changes="asks that outputs add up to 1",
    ),
    at("Eq. (10)", "136-140")(
        "eq10.sum",
        "what the prediction adds up to",
        eq(prediction_sum, theta * vote_sum + (1 - theta) * output_sum),
    ),
    at("Remark 2, 'helps to improve the performance'", "142-144")(
        "remark2-3.helps",
        "neighbours do not turn a right prediction of the model into a wrong one",
        le(false_mixed, true_mixed),
        conditions=(*MIXED, PROBABLE, RIGHT),
        changes="our variant of `helps`: sample by sample, not in the mean over samples",
    ),
    at("Remark 2 with theta = 0.5 of the experiments", "142-144, 244")(
        "remark2-3.unseen",
        "from theta = 1/2 on, a class that is not remembered loses to one of which all neighbours are",
        le((1 - theta) * true_output, theta + (1 - theta) * false_output),
        conditions=(ge(theta, sp.Rational(1, 2)), lt(theta, 1), le(true_output, 1)),
    ),
    at("Section 4.3, 'comes for free', against Algorithm 1", "144, 76")(
        "inference.free",
        "the inference enhancement comes for free, although every remembered sample is passed through the model to be compared with",
        eq(passed, passed_plain),
    ),
    at("Remark 3, 'the same inference process is applied for all test samples'", "146-148")(
        "remark2-3.oblivious",
        "the prediction does not ask which task a remembered sample belongs to, if no two are equally far",
        eq(vote, vote_again),
        conditions=(lt(near, near_next),),
    ),
)

STATEMENTS = (*_MEMORY, *_VOTES, *_MIXTURE)
