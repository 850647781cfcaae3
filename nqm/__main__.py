"""`python -m nqm`: the quadratic lab."""

import sys

from verify.lab.main import main

if __name__ == "__main__":
    sys.exit(main())
