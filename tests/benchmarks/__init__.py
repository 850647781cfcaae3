"""Benchmarks: ratios within one run, printed and not asserted. Run one with ``python -m tests.benchmarks.NAME``.

NumPy's products get one thread unless the environment says otherwise: they are small here, and on a busy
machine threads that wait for each other cost far more than they save. PyTorch's threads that
wait do so asleep, for all that is compared, as they would take a core from those that work. Both must be said before NumPy is imported.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
