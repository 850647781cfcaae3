"""`python -m nqm`: the quadratic lab."""

import sys

from verify.lab.main import main

sys.exit(main())
