"""Benchmarks: ratios within one run, printed and not asserted. Run one with ``python -m tests.benchmarks.NAME``.

NumPy's products get one thread unless the environment says otherwise: they are small here, and on a busy
machine threads that wait for each other cost far more than they save. It must be said before NumPy is
imported.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
