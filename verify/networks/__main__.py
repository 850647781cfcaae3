"""`python -m verify.networks`: train methods on a stream of tasks, and compare them."""

from verify.networks.main import main

if __name__ == "__main__":
    raise SystemExit(main())
