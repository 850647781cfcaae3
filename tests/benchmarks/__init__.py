"""Benchmarks: ratios within one run, printed and not asserted. Run one with ``python -m tests.benchmarks.NAME``.

NumPy's products get one thread unless the environment sets another number: they are small here, and on a busy machine
threads that wait for each other cost far more than they save. Waiting threads of PyTorch sleep in all compared
programs, because active waiting would take a core from working threads. Both must be set before NumPy is imported.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
