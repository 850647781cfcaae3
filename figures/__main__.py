"""`python -m figures`: draw figures from saved results."""

from figures.main import main

if __name__ == "__main__":
    raise SystemExit(main())
